"""The error that a check raises."""

from secant.catalogue import name_of
from secant.verdict import Parts, Verdict


class CheckFailed(AssertionError):
    """The error that a failed check raises. A notebook shows only its message, the text of its verdict.

    Attributes:
        verdict: the parts of the message, and the name of the hint that describes the cause.
        cause: why the check did not hold; the same for two inputs that show the same mistake.
    """

    def __init__(self, parts: Parts, cause: str = "") -> None:
        self.verdict = Verdict(parts, name_of(cause))
        super().__init__(self.verdict)
        self.cause = cause

    def _render_traceback_(self) -> list[str]:
        return str(self).split("\n")
