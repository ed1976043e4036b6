"""The sandbox around a student's process, as the grader sees it from outside."""
