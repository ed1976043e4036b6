"""Worked solutions of tasks: explanations of the course's own answers, and of common detours.

A detour is a roundabout or wrong approach. Worked solutions are stored next to a lesson's text, in
course/NN_x/solutions.py, and not in any notebook. `autograder check --solution TASK` shows one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from nbformat import NotebookNode

from autograder.course.cells import grade_id, is_answer, without_marks
from autograder.course.lesson import Lesson, language_name, read_text
from secant.language import LANGUAGES, Language

FILE = "solutions.py"

Words = Mapping[str, Mapping[Language, str]]  # explanations, keyed by task and language


@dataclass(frozen=True)
class WorkedSolution:
    """A task's worked solution.

    Attributes:
        task: the task's id.
        code: the course's own answer to the task.
        words: the explanation in Markdown, keyed by language.
    """

    task: str
    code: str
    words: Mapping[Language, str]


def worked_solutions(lesson: Lesson, notebook: NotebookNode) -> dict[str, WorkedSolution]:
    """Return a lesson's worked solutions, keyed by task.

    Args:
        lesson: the lesson.
        notebook: the lesson's source notebook, which contains the answers themselves.
    """
    code = {grade_id(c): without_marks(c.source).strip() for c in notebook.cells if is_answer(c)}
    explanations = solution_words(lesson)
    return {task: WorkedSolution(task, code.get(task, ""), words) for task, words in explanations.items()}


def solution_words(lesson: Lesson) -> dict[str, dict[Language, str]]:
    """Return a lesson's explanations of worked solutions in Markdown, keyed by task and language."""
    words: dict[str, dict[Language, str]] = {}
    for cell in _cells(lesson):
        words.setdefault(str(cell.metadata.get("task", "")), {})[cell.metadata.get("lang")] = cell.source
    return words


def solution_problems(lesson: Lesson, tasks: set[str], languages: Sequence[str] = LANGUAGES) -> list[str]:
    """Return the problems found in a lesson's worked solutions; an empty list if it has no solutions.

    Args:
        lesson: the lesson.
        tasks: the ids of the tasks that need a worked solution.
        languages: the languages in which each solution must be explained.
    """
    if not (cells := _cells(lesson)):
        return []
    problems = []
    for index, cell in enumerate(cells):
        task, lang = cell.metadata.get("task"), cell.metadata.get("lang")
        if task not in tasks:
            problems.append(f'there is no task "{task}"')
        elif lang in languages[1:]:
            before = cells[max(index - languages.index(lang), 0)]
            if before.metadata.get("task") != task or before.metadata.get("lang") != "en":
                problems.append(
                    f"no English words on {task} stand right before the {language_name(lang)} ones"
                )
    for task in sorted(tasks):
        explained_languages = {
            cell.metadata.get("lang") for cell in cells if cell.metadata.get("task") == task
        }
        if explained_languages != set(languages):
            problems.append(f"{task} needs words in {' and '.join(map(language_name, languages))}")
    return [f"{lesson.folder.relative_to(lesson.root) / FILE}: {text}." for text in problems]


def _cells(lesson: Lesson) -> list[NotebookNode]:
    path = lesson.folder / FILE
    cells = read_text(path).cells if path.is_file() else []
    return [cell for cell in cells if cell.cell_type == "markdown"]
