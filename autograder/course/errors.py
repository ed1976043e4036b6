"""What goes wrong for a reason that the caller can put right."""


class CourseError(Exception):
    """Something the caller asked for cannot be had. The message is one sentence for a person."""
