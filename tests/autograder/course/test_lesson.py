"""Tests of reading a lesson's text, and of finding lessons and course folders."""

from pathlib import Path

import nbformat
import pytest

from autograder.course import lesson as lessons
from autograder.course.cells import grade_id, split_solution, split_tests, tasks
from autograder.course.errors import CourseError
from autograder.course.lesson import Lesson
from tests.support.lessons import with_answers


def test_a_lesson_is_a_valid_notebook(steps: Lesson) -> None:
    notebook = lessons.read_lesson(steps)
    nbformat.validate(notebook)
    assert notebook.metadata == {
        "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    }


def test_the_same_text_gives_the_same_notebook(steps: Lesson) -> None:
    assert lessons.read_lesson(steps) == lessons.read_lesson(steps)


def test_cell_ids_survive_an_edit_elsewhere(steps: Lesson) -> None:
    before = [cell.id for cell in lessons.read_lesson(steps).cells]
    steps.text.write_text(steps.text.read_text().replace("# Steps", "# Small steps"))
    after = [cell.id for cell in lessons.read_lesson(steps).cells]
    assert [a == b for a, b in zip(before, after, strict=True)] == [False] + [True] * (len(before) - 1)


def test_equal_cells_have_different_ids(tmp_path: Path) -> None:
    path = tmp_path / "twice.py"
    path.write_text("# %%\na = 1\n\n# %%\na = 1\n")
    assert len({cell.id for cell in lessons.read_text(path).cells}) == 2


def test_graded_cells_are_named_after_their_grade_id(steps: Lesson) -> None:
    ids = [cell.id for cell in lessons.read_lesson(steps).cells if "nbgrader" in cell.metadata]
    assert ids == ["double", "test_double", "Counter", "test_Counter", "why"]


def test_reading_a_lesson_keeps_tex_unchanged(steps: Lesson) -> None:
    assert r"$\frac{\Delta f}{h}$" in lessons.read_lesson(steps).cells[0].source


def test_a_lessons_tasks_have_their_points_and_tests(steps: Lesson) -> None:
    lesson_tasks = tasks(lessons.read_lesson(steps))
    assert [(task.id, task.points, task.test is None) for task in lesson_tasks] == [
        ("double", 2.0, False),
        ("Counter", 3.0, False),
        ("why", 1.0, True),
    ]
    assert lesson_tasks[0].answer.source.startswith("def double(x):")
    assert lesson_tasks[0].test.source.startswith("from secant import check")


def test_split_tests_separates_visible_from_hidden_lines() -> None:
    source = "a\n### BEGIN HIDDEN TESTS\nb\nc\n### END HIDDEN TESTS"
    assert split_tests(source) == ("a", "b\nc")
    assert split_tests("a\nb") == ("a\nb", "")


def test_split_solution_takes_every_region_out_of_an_answer() -> None:
    first, second = (
        "    ### BEGIN SOLUTION\n" + line + "\n    ### END SOLUTION" for line in ("    b", "    d")
    )
    assert split_solution(f"def f():\n{first}\n    c\n{second}") == ("def f():\n    c", "    b\n    d")
    assert split_solution("a\nb") == ("a\nb", "")


def test_with_answers_changes_neither_other_cells_nor_the_original(steps: Lesson) -> None:
    notebook = lessons.read_lesson(steps)
    answered_notebook = with_answers(notebook, {"double": "double = float"})
    sources = {grade_id(cell): cell.source for cell in answered_notebook.cells}
    assert sources["double"] == "double = float"
    assert "self.n += 1" in sources["Counter"]
    assert notebook == lessons.read_lesson(steps)


def test_wrong_answers_are_read_with_name_task_and_hint(steps: Lesson) -> None:
    first = lessons.wrong_answers(steps)[0]
    assert (first.name, first.task) == ("squares it", "double")
    assert first.hint == {"en": "you squared the number", "ko": "수를 제곱했습니다"}
    assert first.source == "def double(x):\n    return x * x - 3"


def test_right_answers_are_read_with_name_and_task(steps: Lesson) -> None:
    assert [(answer.name, answer.task, dict(answer.hint)) for answer in lessons.right_answers(steps)] == [
        ("adds it to itself", "double", {}),
        ("counts with a generator", "Counter", {}),
    ]


@pytest.mark.parametrize("name", ["spoils x.grad", "fills the caller's .grad", "adds h=3 [sic]"])
def test_answer_name_may_contain_cell_mark_syntax(steps: Lesson, name: str) -> None:
    path = steps.folder / "wrong_answers.py"
    path.write_text(path.read_text().replace("adds three", name))
    assert lessons.wrong_answers(steps)[1].name == name


def test_unmarked_cell_of_an_answers_file_is_not_an_answer(steps: Lesson) -> None:
    path = steps.folder / "wrong_answers.py"
    path.write_text("# %%\nimport torch\n\n" + path.read_text())
    assert lessons.wrong_answers(steps)[0].name == "squares it"


def test_lesson_without_recorded_answers_is_read(tmp_path: Path) -> None:
    assert lessons.wrong_answers(Lesson("01_x", tmp_path)) == []


def test_extra_files_come_from_data_and_images_alone(steps: Lesson) -> None:
    for name in ("data/.hidden", "data/__pycache__/x.pyc", "images/a.svg", "notes/secret.txt", "loose.txt"):
        (steps.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (steps.folder / name).write_text("x")
    assert steps.extra_files == [Path("data/points.csv"), Path("images/a.svg")]


def test_lessons_are_found_in_order(course: Path) -> None:
    (course / "course" / "02_more").mkdir()
    (course / "course" / "notes").mkdir()
    (course / "course" / "03_file").write_text("")
    assert [lesson.name for lesson in lessons.find_lessons(course)] == ["01_steps", "02_more"]


@pytest.mark.parametrize("argument", ["1", "01", "01_steps"])
def test_lesson_is_found_by_each_of_its_three_names(course: Path, argument: str) -> None:
    course_lessons = lessons.find_lessons(course)
    assert lessons.choose_lessons(course_lessons, [argument]) == course_lessons[:1]


def test_no_argument_chooses_all_lessons(course: Path) -> None:
    course_lessons = lessons.find_lessons(course)
    assert lessons.choose_lessons(course_lessons, []) == course_lessons


@pytest.mark.parametrize("argument", ["7", "steps", "", "-1", "²"])
def test_an_unknown_lesson_lists_the_known_ones(course: Path, argument: str) -> None:
    with pytest.raises(CourseError, match="the lessons are: 01_steps"):
        lessons.choose_lessons(lessons.find_lessons(course), [argument])


def test_course_root_is_found_from_a_folder_inside_it(course: Path) -> None:
    assert lessons.find_root(course / "course" / "01_steps") == course


@pytest.mark.parametrize(
    "line", ["from x import use_secant; use_secant(c)", "if c:\n    use_secant(get_config())"]
)
def test_course_that_calls_use_secant_needs_no_lesson(tmp_path: Path, line: str) -> None:
    (tmp_path / "nbgrader_config.py").write_text(f"c = get_config()\n{line}\n")
    (tmp_path / "source").mkdir()
    assert lessons.find_root(tmp_path / "source") == tmp_path
    assert lessons.find_lessons(tmp_path) == []


@pytest.mark.parametrize("line", ["# use_secant(c)", "from autograder.configure import use_secant"])
def test_settings_that_do_not_call_use_secant_make_no_course(tmp_path: Path, line: str) -> None:
    (tmp_path / "nbgrader_config.py").write_text(f"{line}\n")
    with pytest.raises(CourseError, match=r"no nbgrader_config\.py that calls use_secant"):
        lessons.find_root(tmp_path)


def test_folder_outside_a_course_has_no_course_root(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="is not in a course directory"):
        lessons.find_root(tmp_path)


def test_lesson_file_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bad.py"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(CourseError, match=r"bad\.py is not a py:percent text"):
        lessons.read_text(path)
