"""Tests of customised copies of our course: other points, another task, a new lesson, a third language."""

import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from nbgrader.api import Gradebook

from autograder.build.builder import BuildError, build
from autograder.build.new import new_lesson
from autograder.build.translations import accept_translations
from autograder.course.assignment import read_assignment
from autograder.course.cells import tasks
from autograder.course.errors import CourseError
from autograder.course.lesson import Lesson, course_languages, find_lessons, read_lesson
from secant import language, say
from secant.catalogue import Hints
from tests.support.gradebooks import hurried
from tests.support.lessons import ROOT
from tests.support.settings import settings_kept
from tests.support.small_class import STEPS, WRONG, answered, hand_in, run, solutions

OURS = "01_what_autograd_does"


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    with settings_kept(), hurried():
        yield


def edit(path: Path, changes: Mapping[str, str]) -> None:
    """Replace texts in a file that must contain each old text exactly once."""
    text = path.read_text(encoding="utf-8")
    for old, new in changes.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")


def score(root: Path, student: str, lesson: str) -> tuple[float, float]:
    with Gradebook(f"sqlite:///{root}/gradebook.db", "secant") as book:
        found = book.find_submission(lesson, student)
        return found.score, found.max_score


def test_course_may_change_the_points_of_a_lesson(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "course" / OURS, tmp_path / "course" / OURS)
    shutil.copy(ROOT / "nbgrader_config.py", tmp_path)
    (lesson,) = find_lessons(tmp_path)
    text = lesson.text.read_text(encoding="utf-8")
    header = re.compile(r'^(# %% .*test(?:_|=")hand_derivative".*points\W+)1', re.MULTILINE)
    assert header.search(text)
    lesson.text.write_text(header.sub(r"\g<1>3", text), encoding="utf-8")
    assert not build(tmp_path, [lesson]).stale_translations
    for tongue, marks, total in (
        ("en", "4 min · 3 points", "Six functions, 12 points."),
        ("ko", "4분 · 3점", "함수 여섯 개, 합해서 12점입니다."),
    ):
        released = read_assignment(tmp_path, OURS).releases[tongue]
        assert sum(task.points for task in tasks(released)) == 12
        text = "\n".join(cell.source for cell in released.cells)
        assert marks in text
        assert total in text


@pytest.mark.costly("a course is changed, built and graded three times")
def test_changed_task_fails_copied_answers_and_a_new_lesson_is_graded(course: Path) -> None:
    (steps,) = find_lessons(course)
    copied = {task.id: task.answer.source for task in tasks(read_lesson(steps))}
    edit(
        steps.text,
        {
            "    return 2 * x\n": "    return 3 * x\n",
            'double(3.0), 6.0, "double(3.0)"': 'double(3.0), 9.0, "double(3.0)"',
            "check.close(double(_x), 2 * _x,": "check.close(double(_x), 3 * _x,",
            "check.close(double(-_x), -2 * _x,": "check.close(double(-_x), -3 * _x,",
            "len(double([1]))": "len([double(1)])",
        },
    )
    own = new_lesson(course, "11_own")
    build(course, [steps, own], ["en"])
    hand_in(course, "ann", answered(course, solutions(course)))
    hand_in(course, "bob", answered(course, copied))
    hand_in(course, "ann", answered(course, solutions(course, own.name), lesson=own.name), own.name)
    run(course, lessons=(STEPS, own.name))
    assert score(course, "ann", STEPS) == (5, 6)  # a person has yet to grade the note, for 1 point
    assert score(course, "bob", STEPS) == (3, 6)
    got, most = score(course, "ann", own.name)
    assert got == most > 0


def git(root: Path, *words: str, ok: bool = True) -> str:
    """Call git with a user's name and address set, and return its output."""
    who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "init.defaultBranch=main"]
    done = subprocess.run(["git", *who, *words], cwd=root, capture_output=True, text=True, check=False)
    assert (done.returncode == 0) is ok, done.stdout + done.stderr
    return done.stdout


@pytest.mark.skipif(shutil.which("git") is None, reason="it merges with git")
def test_customised_course_merges_a_new_version_of_secant(course: Path) -> None:
    """Follow docs/teaching.md: build the lesson again where git cannot merge the built files."""
    (steps,) = find_lessons(course)

    def version(changes: Mapping[str, str]) -> None:
        edit(steps.text, changes)
        accept_translations(steps)
        build(course, [steps])
        git(course, "add", "--all")
        git(course, "commit", "-m", "a version")

    git(course, "init")
    version({})
    git(course, "switch", "-c", "own")
    version({"def double(x):": "def double(x):  # of our own"})
    git(course, "switch", "main")
    version({"class Counter:": "class Counter:  # of a new version"})
    git(course, "switch", "own")
    assert "source/01_steps/01_steps.ipynb" in git(course, "merge", "main", ok=False)
    git(course, "checkout", "--theirs", "source", "release")
    build(course, [steps])
    git(course, "add", "--all")
    git(course, "commit", "-m", "merged")
    for folder in ("release/en", "release/ko", "source"):
        merged = (course / folder / STEPS / f"{STEPS}.ipynb").read_text(encoding="utf-8")
        assert "# of our own" in merged
        assert "# of a new version" in merged
    assert build(course, [steps], check=True).stale == []


def in_three(lesson: Lesson) -> None:
    """Add a Japanese cell after each Korean one in a lesson and its solutions, and list Japanese in the syllabus."""
    for path in (lesson.text, lesson.folder / "solutions.py"):
        cells = re.split(r"(?m)^(?=# %%)", path.read_text(encoding="utf-8"))
        told = [cell for cell in cells if 'lang="ko"' in cell]
        for cell in told:
            other = re.sub("[가-힣].*", "日本語の文", cell.replace('lang="ko"', 'lang="ja"'))
            cells[cells.index(cell)] = f"{cell.rstrip()}\n\n{other}"
        path.write_text("".join(cells), encoding="utf-8")
    syllabus = lesson.root / "course" / "syllabus.toml"
    syllabus.write_text('languages = ["en", "ko", "ja"]\n', encoding="utf-8")


def test_a_third_language_is_built_and_graded_with_the_same_gradebook(course: Path) -> None:
    (steps,) = find_lessons(course)
    edit(
        steps.text,
        {'language("en")\n': 'language("en")\nprint(say(en="Hello", ko="안녕", ja="こんにちは"))\n'},
    )
    edit(steps.text, {"from secant import language\n": "from secant import language, say\n"})
    squared = 'ko="수를 제곱했습니다"'
    edit(steps.text, {squared: squared + ', ja="二乗しました"'})
    in_three(steps)
    build(course, [steps])
    texts = {tongue: read_assignment(course, STEPS).releases[tongue] for tongue in ("en", "ko", "ja")}
    prose = {
        tongue: [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
        for tongue, notebook in texts.items()
    }
    assert len({len(cells) for cells in prose.values()}) == 1
    assert sum("日本語" in cell for cell in prose["ja"]) >= 2
    assert not any("日本語" in cell for cell in (*prose["en"], *prose["ko"]))
    code = "\n".join(cell.source for cell in texts["ja"].cells)
    assert 'language("ja")' in code
    assert [word for word in ("こんにちは", "Hello", "안녕") if word in code] == ["こんにちは"]

    own = solutions(course)
    hand_in(course, "ann", answered(course, own))
    hand_in(course, "hana", answered(course, own | WRONG, "ja"))
    summary, said = run(course)
    assert not summary.failed
    assert said == []  # no message, so no test cell counts as changed
    assert score(course, "ann", STEPS) == (5, 6)
    assert score(course, "hana", STEPS) == (3, 6)
    page = (course / "feedback" / "hana" / STEPS / f"{STEPS}.html").read_text(encoding="utf-8")
    assert all(words in page for words in ("日本語", "二乗しました", "expected"))


def test_a_translation_into_a_third_language_can_be_missing_or_stale(course: Path) -> None:
    (steps,) = find_lessons(course)
    in_three(steps)
    edit(steps.text, {"Return twice the number.": "Return the number, doubled."})
    assert len(build(course, [steps]).stale_translations) == 2
    with pytest.raises(BuildError, match="the English has changed since") as told:
        build(course, [steps], strict=True)
    assert len(told.value.problems) == 2
    assert len(accept_translations(steps)) == 2
    text = steps.text.read_text(encoding="utf-8")
    steps.text.write_text(re.sub(r'# %% \[markdown\] lang="ja".*?(?=# %%)', "", text, count=1, flags=re.S))
    with pytest.raises(BuildError, match='no "ja" cell follows this English one'):
        build(course, [steps])


@pytest.mark.parametrize("said", ['"en"', '["ko", "en"]', '["en", "../x"]', '["en", "en"]', "[]", "[1]"])
def test_malformed_list_of_course_languages_is_refused(course: Path, said: str) -> None:
    (course / "course" / "syllabus.toml").write_text(f"languages = {said}\n")
    with pytest.raises(CourseError, match="begins with"):
        course_languages(course)


def test_secant_messages_are_english_if_it_lacks_the_courses_language() -> None:
    language("ja")
    assert language() == "en"
    assert say(en="a", ko="b", ja="c") == "c"
    assert say(en="a", ko="b") == "a"
    texts = {"all": {"en": "a", "ko": "b", "ja": "c"}, "two": {"en": "a", "ko": "b"}, "one": {"en": "a"}}
    assert [getattr(Hints(texts), name) for name in texts] == ["c", "a", "a"]
    language("ko")
    assert say(en="a", ko="b", ja="c") == "b"
    with pytest.raises(ValueError, match="two or three letters"):
        language("Korean")
