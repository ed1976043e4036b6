"""The error raised by the autograder for problems that its caller can fix."""


class CourseError(Exception):
    """Raised when a request cannot be fulfilled. The message is one sentence addressed to the user."""
