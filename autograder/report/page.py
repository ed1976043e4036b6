"""Turn a report into one HTML page, without scripts or other files, that looks like a feedback page.

Everything that students wrote is escaped, and its control characters are shown as escape sequences.
"""

import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from autograder import page as feedback_page
from autograder.course.tokens import tokens
from autograder.report import plots
from autograder.report.advice import Sentence, advice
from autograder.report.copies import SEQUENCE_TOKENS, Pair
from autograder.report.figures import (
    MIN_ATTEMPTS,
    MIN_FALL,
    CourseFigures,
    LessonFigures,
    TaskFigures,
    is_failed,
)
from autograder.report.lesson_text import LessonText
from autograder.report.previous_report import Changes
from autograder.report.reading import Work
from autograder.report.words import Words, fill, percent, words
from secant.language import Language
from secant.visible import visible

_HERE = Path(__file__).parent
# limits on an example of code: the number of lines shown, and the number of characters in a line
_LINES, _CHARS = 12, 160
_PAIR_LINES = 60
MAX_PAIRS = 25  # maximum number of pairs of students whose similar answers are shown


@dataclass(frozen=True)
class PageSettings:
    """The settings that every page of a report needs.

    Attributes:
        language: the language of the page.
        when: the date and time of the report, as the page shows them.
        people: the students' full names, keyed by id; empty for an anonymous page.
        anonymous: whether the ids are pseudonyms.
        format_code: the function that turns a student's code into the text that the page shows.
    """

    language: Language
    when: str
    people: Mapping[str, str]
    anonymous: bool
    format_code: Callable[[str], str]


@dataclass(frozen=True)
class SimilarAnswers:
    """Two similar answers to a task: the lines of each, and whether the other answer contains each line."""

    pair: Pair
    task: str
    answers: Sequence[Sequence[tuple[str, bool]]]


def lesson_page(
    head: PageSettings,
    text: LessonText,
    figures: LessonFigures,
    changes: Changes | None,
    pairs: Sequence[Pair],
) -> str:
    """Return a lesson's report as an HTML page."""
    phrases = words(head.language)
    mistakes = {misconception.key: misconception for misconception in figures.misconceptions}

    def mistake(key: str) -> str:
        scope, _, name = key.rpartition(".")
        return text.hint_text(scope, name, head.language) or fill(phrases["unknown_hint"], name=name)

    def fill_sentence(sentence: Sentence) -> str:
        return fill(
            phrases[sentence.name],
            **sentence.numbers,
            task=sentence.task,
            mistake=mistake(sentence.mistake),
        )

    works = {work.student: work for work in figures.works}
    graded = sum(work.state == "graded" for work in figures.works)
    sections = [("lecture", graded), ("glance", True), ("changes", True), ("tasks", graded)]
    sections += [("mistakes", graded), ("help", graded), ("open", True), ("copies", graded > 1)]
    return (
        _environment(head)
        .get_template("lesson.html.j2")
        .render(
            **_common(head, phrases),
            title=text.title,
            lesson_text=text,
            figures=figures,
            handed=sum(work.state != "absent" for work in figures.works),
            graded=graded,
            sections=[name for name, is_included in sections if is_included],
            sentences=[fill_sentence(sentence) for sentence in advice(figures)],
            histogram=_histogram(figures, phrases),
            bars=_bars(figures.tasks, phrases),
            tells=partial(_discrimination_phrase, phrases=phrases),
            mistakes=mistakes,
            mistake=mistake,
            changes=changes,
            failed=lambda work: [task for task in work.tasks if is_failed(task)],
            left=lambda work: [task for task in work.tasks if task.outcome == "not_attempted"],
            alike=[_compare_answers(pair, works, text, head) for pair in pairs[:MAX_PAIRS]],
            more_pairs=len(pairs) - MAX_PAIRS,
            enough=MIN_ATTEMPTS,
            length=SEQUENCE_TOKENS,
        )
    )


def course_page(head: PageSettings, titles: Mapping[str, str], figures: CourseFigures) -> str:
    """Return the report on all lessons as an HTML page."""
    phrases = words(head.language)
    students = len({work.student for works in figures.lessons.values() for work in works})
    submitted = {
        name: sum(work.state != "absent" for work in works) for name, works in figures.lessons.items()
    }
    rows: dict[str, tuple[int, float | None]] = {}
    for name in figures.lessons:
        number = name[:2].lstrip("0") if re.match(r"\d\d_", name) else name
        rows[name if number in rows else number] = (submitted[name], figures.means.get(name))
    label = "; ".join(
        fill(
            phrases["lesson_bar"],
            lesson=titles[name],
            handed=submitted[name],
            mean=percent(figures.means.get(name)),
        )
        for name in figures.lessons
    )
    return (
        _environment(head)
        .get_template("course.html.j2")
        .render(
            **_common(head, phrases),
            title=phrases["whole"],
            titles=titles,
            figures=figures,
            handed=submitted,
            size=students,
            picture=plots.course(rows, students, label, phrases) if rows else "",
            falling=percent(MIN_FALL),
        )
    )


def _common(head: PageSettings, phrases: Words) -> dict[str, object]:
    return {"head": head, "words": phrases, "style": _style(), "language": head.language}


@cache
def _style() -> Markup:
    files = (Path(feedback_page.__file__).parent / "page.css", _HERE / "report.css")
    return Markup("\n".join(file.read_text(encoding="utf-8") for file in files))


def _environment(head: PageSettings) -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_HERE),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "fill": fill,
        "percent": percent,
        "code": partial(_code, head),
        "marked": _mark_code,
        "number": _number,
        "who": partial(_display_name, head),
    }
    return environment


def _mark_code(text: str) -> Markup:
    """Return text of the course as HTML, with the parts between backticks formatted as code."""
    return Markup(re.sub("`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}".replace("-", "−")


def _display_name(head: PageSettings, student: str) -> str:
    name = head.people.get(student, "")
    return visible(f"{student} ({name})" if name else student, prose=True)


def _code(head: PageSettings, lines: Sequence[str]) -> str:
    """Return the lines of an example as the page shows them, shortened if there are too many."""
    text = textwrap.dedent(head.format_code("\n".join(lines)))
    code_lines = [visible(line) for line in text.split("\n") if line.strip()]
    ellipsis = ["…"] if len(code_lines) > _LINES else []
    return "\n".join([*(_clip(line) for line in code_lines[:_LINES]), *ellipsis])


def _clip(line: str) -> str:
    return line if len(line) <= _CHARS else f"{line[:_CHARS]}…"


def _histogram(figures: LessonFigures, phrases: Words) -> Markup | None:
    if figures.shares is None:
        return None
    counts = figures.shares.counts
    label = ", ".join(
        fill(phrases["bin"], count, low=10 * index, high=10 * index + 10)
        for index, count in enumerate(counts)
        if count
    )
    return plots.histogram(counts, f"{phrases['distribution']}: {label}", phrases)


def _bars(tasks: Sequence[TaskFigures], phrases: Words) -> Markup | None:
    rows = {task.id: (task.passed, task.attempted - task.passed, task.skipped) for task in tasks}
    if not any(map(sum, rows.values())):
        return None
    label = "; ".join(
        fill(phrases["bar"], task=task.title, passed=passed, failed=failed, left=skipped)
        for task, (passed, failed, skipped) in zip(tasks, rows.values(), strict=True)
    )
    return plots.stacked_bars(rows, label, phrases)


def _discrimination_phrase(discrimination: float | None, phrases: Words) -> str:
    """Return a phrase that explains a task's discrimination, or "" if the discrimination is unknown."""
    if discrimination is None:
        return ""
    limits = ((0.4, "tells_well"), (0.2, "tells_some"), (-0.1, "tells_hardly"))
    return phrases[next((name for minimum, name in limits if discrimination >= minimum), "tells_wrong")]


def _compare_answers(
    pair: Pair, works: Mapping[str, Work], lesson_text: LessonText, head: PageSettings
) -> SimilarAnswers:
    task = pair.tasks[0]
    pair_answers = [works[student].answers[task] for student in pair.students]
    if head.anonymous and not all(answer.is_code for answer in pair_answers):
        return SimilarAnswers(pair, task, [])
    stub = {
        line.strip() for source in lesson_text.stubs[task] for line in head.format_code(source).split("\n")
    }
    texts = [
        [(line, tokens(line, answer.is_code)) for line in head.format_code(answer.text).split("\n")]
        for answer in pair_answers
    ]
    common = {line_tokens for _, line_tokens in texts[0]} & {line_tokens for _, line_tokens in texts[1]}
    answers = [
        [
            (_clip(visible(line)), bool(line_tokens) and line_tokens in common and line.strip() not in stub)
            for line, line_tokens in text
        ]
        for text in texts
    ]
    return SimilarAnswers(pair, task, [answer[:_PAIR_LINES] for answer in answers])
