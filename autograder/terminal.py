"""The terminals that commands print to. Untrusted text can neither control a terminal nor act as markup."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.segment import Segment

from secant.visible import visible

if TYPE_CHECKING:
    from autograder.course.settings import Course


class Terminal(Console):
    """A console that shows paths and notebooks' text as they are, without markup or automatic colours.

    Control characters are escaped.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, **kwargs)

    def render(self, *args: Any, **kwargs: Any) -> Iterator[Segment]:
        """Yield the segments of rich's own `render`, with control characters in their text escaped."""
        for segment in super().render(*args, **kwargs):
            yield segment if segment.control else Segment(visible(segment.text), segment.style)


out = Terminal(soft_wrap=True)
err = Terminal(soft_wrap=True, stderr=True)


def warn_of_readable_files(course: "Course") -> None:
    """Print a warning if some files of a class can be read by every user of this machine."""
    from autograder.course.permissions import open_to_others

    if risk := open_to_others(course):
        err.print(str(risk), style="yellow")
