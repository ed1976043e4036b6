"""The error that the autograder raises for a problem that its caller can fix."""


class CourseError(Exception):
    """Raised when a request cannot be fulfilled. The message is one sentence addressed to the user."""
