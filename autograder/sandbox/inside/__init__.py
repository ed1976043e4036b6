"""The only part of the grader that exists inside the wall, next to a student's code. It decides nothing."""
