"""The version of the code that makes feedback pages.

A change to that code causes all pages to be made again, but no submission to be graded again.
"""

from functools import cache

from autograder.exam.version import digest

#: The modules that make a page, and the package that contains its template and style sheet.
MAKING = (
    "autograder.grading.feedback",
    "autograder.grading.plain_notebook",
    "autograder.overrides.hide_tests",
    "autograder.page",
    "secant.headings",
    "secant.verdict",
    "secant.visible",
)


@cache
def page_version() -> str:
    """Return a hash of the code that makes feedback pages, including the template and the style sheet."""
    return digest(MAKING)
