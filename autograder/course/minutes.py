"""Estimates of how long a lesson takes, so that no header line promises too short a time."""

import math
import re
from collections.abc import Iterable, Iterator

from nbformat import NotebookNode

from autograder.course.cells import grading

WORDS_A_MINUTE = 180  # words a careful reader reads per minute; formulas count as words
CELL_MINUTES = 0.75  # minutes to read and run a short code cell and look at its output
EXPLORER_MINUTES = 5.0  # minutes to answer an explorer's questions by moving its sliders
# minutes to answer the only question below the heading "First look" by moving the sliders
FIRST_LOOK_MINUTES = 2.0
MAX_MINUTES = 90  # maximum minutes of a lesson, so that learners finish it in one sitting

_EXPLORER = re.compile(r"^explore\w*\(", re.MULTILINE)
_HEADING = re.compile(r"^#+ (.*)", re.MULTILINE)
_OPTIONAL = re.compile(r"\boptional\b", re.IGNORECASE)
_TASK = re.compile(r"[●○]+ · [★☆]+ · (\d+) min")
_HEADER = re.compile(r"(?:~|약 )(\d+)(?: min|분)")


def minutes(cells: Iterable[NotebookNode]) -> float:
    """Return the minutes that a lesson's prose, code, explorers and tasks take, excluding optional parts.

    A section or task is optional if its heading contains "optional". It ends at the next heading of the same
    or a higher level. Collapsed text, such as a hint, is not counted.
    """
    total, section = 0.0, ""
    for cell in _required_cells(cells):
        if cell.cell_type == "markdown":
            visible_text = re.sub(r"<details>.*?</details>", "", cell.source, flags=re.S)
            section = [section, *_HEADING.findall(visible_text)][-1]
            total += len(visible_text.split()) / WORDS_A_MINUTE
            total += sum(int(number) for number in _TASK.findall(visible_text))
        else:
            explorer_minutes = FIRST_LOOK_MINUTES if section == "First look" else EXPLORER_MINUTES
            total += explorer_minutes * len(_EXPLORER.findall(cell.source)) + CELL_MINUTES
    return total


def stated_minutes(cells: Iterable[NotebookNode]) -> list[int]:
    """Return the minutes stated in a lesson's header lines, one number per language."""
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    lines = [line for line in text.splitlines() if re.match(r"(?:Lesson|수업) \d+", line)]
    return [int(number) for line in lines for number in _HEADER.findall(line)]


def round_minutes(estimate: float) -> int:
    """Round an estimate up to a multiple of five minutes, for a lesson's header line."""
    return 5 * math.ceil(estimate / 5)


def _required_cells(cells: Iterable[NotebookNode]) -> Iterator[NotebookNode]:
    """Yield the English text and the ungraded code of a lesson, excluding its optional sections."""
    optional_level = 0  # heading level of the current optional section; 0 outside optional sections
    for cell in cells:
        if cell.metadata.get("lang", "en") != "en" or grading(cell):
            continue
        if cell.cell_type == "markdown" and (heading := re.match(r"(#+) (.*)", cell.source)):
            level = len(heading[1])
            if not optional_level or level <= optional_level:
                optional_level = level if _OPTIONAL.search(heading[2]) else 0
        if not optional_level and cell.source.strip():
            yield cell
