"""All of the grader that is bound into the wall, beside a student's code. Nothing here decides anything."""
