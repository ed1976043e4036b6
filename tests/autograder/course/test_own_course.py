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
from tests.support.gradebooks import without_fsync
from tests.support.lessons import ROOT
from tests.support.settings import preserve_settings
from tests.support.small_class import STEPS, WRONG, answered_notebook, hand_in, run, solutions

LESSON = "01_what_autograd_does"


@pytest.fixture(autouse=True)
def restored_settings() -> Iterator[None]:
    with preserve_settings(), without_fsync():
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
        submission = book.find_submission(lesson, student)
        return submission.score, submission.max_score


def test_course_may_change_the_points_of_a_lesson(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "course" / LESSON, tmp_path / "course" / LESSON)
    shutil.copy(ROOT / "nbgrader_config.py", tmp_path)
    (lesson,) = find_lessons(tmp_path)
    text = lesson.text.read_text(encoding="utf-8")
    header = re.compile(r'^(# %% .*test(?:_|=")hand_derivative".*points\W+)1', re.MULTILINE)
    assert header.search(text)
    lesson.text.write_text(header.sub(r"\g<1>3", text), encoding="utf-8")
    assert not build(tmp_path, [lesson]).stale_translations
    for lang, marks, total in (
        ("en", "4 min · 3 points", "Six functions, 12 points."),
        ("ko", "4분 · 3점", "함수 여섯 개, 합해서 12점입니다."),
    ):
        release = read_assignment(tmp_path, LESSON).releases[lang]
        assert sum(task.points for task in tasks(release)) == 12
        text = "\n".join(cell.source for cell in release.cells)
        assert marks in text
        assert total in text


@pytest.mark.costly("a course is changed, built and graded three times")
def test_changed_task_fails_copied_answers_and_a_new_lesson_is_graded(course: Path) -> None:
    (steps,) = find_lessons(course)
    copied_answers = {task.id: task.answer.source for task in tasks(read_lesson(steps))}
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
    own_lesson = new_lesson(course, "11_own")
    build(course, [steps, own_lesson], ["en"])
    hand_in(course, "ann", answered_notebook(course, solutions(course)))
    hand_in(course, "bob", answered_notebook(course, copied_answers))
    hand_in(
        course,
        "ann",
        answered_notebook(course, solutions(course, own_lesson.name), lesson=own_lesson.name),
        own_lesson.name,
    )
    run(course, lessons=(STEPS, own_lesson.name))
    assert score(course, "ann", STEPS) == (5, 6)  # 1 point is for the note, which nobody has graded
    assert score(course, "bob", STEPS) == (3, 6)
    points, max_points = score(course, "ann", own_lesson.name)
    assert points == max_points > 0


def git(root: Path, *arguments: str, succeeds: bool = True) -> str:
    """Call git with a user's name and address set, and return its output."""
    identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "init.defaultBranch=main"]
    result = subprocess.run(
        ["git", *identity, *arguments], cwd=root, capture_output=True, text=True, check=False
    )
    assert (result.returncode == 0) is succeeds, result.stdout + result.stderr
    return result.stdout


@pytest.mark.skipif(shutil.which("git") is None, reason="it merges with git")
def test_customised_course_merges_a_new_version_of_secant(course: Path) -> None:
    """Follow docs/teaching.md: build the lesson again where git cannot merge the built files."""
    (steps,) = find_lessons(course)

    def commit_version(changes: Mapping[str, str]) -> None:
        edit(steps.text, changes)
        accept_translations(steps)
        build(course, [steps])
        git(course, "add", "--all")
        git(course, "commit", "-m", "a version")

    git(course, "init")
    commit_version({})
    git(course, "switch", "-c", "own")
    commit_version({"def double(x):": "def double(x):  # of our own"})
    git(course, "switch", "main")
    commit_version({"class Counter:": "class Counter:  # of a new version"})
    git(course, "switch", "own")
    assert "source/01_steps/01_steps.ipynb" in git(course, "merge", "main", succeeds=False)
    git(course, "checkout", "--theirs", "source", "release")
    build(course, [steps])
    git(course, "add", "--all")
    git(course, "commit", "-m", "merged")
    for folder in ("release/en", "release/ko", "source"):
        text = (course / folder / STEPS / f"{STEPS}.ipynb").read_text(encoding="utf-8")
        assert "# of our own" in text
        assert "# of a new version" in text
    assert build(course, [steps], check=True).stale == []


def add_japanese(lesson: Lesson) -> None:
    """Add a Japanese cell after each Korean one in a lesson and its solutions, and list Japanese in the syllabus."""
    for path in (lesson.text, lesson.folder / "solutions.py"):
        cells = re.split(r"(?m)^(?=# %%)", path.read_text(encoding="utf-8"))
        korean_cells = [cell for cell in cells if 'lang="ko"' in cell]
        for cell in korean_cells:
            japanese_cell = re.sub("[가-힣].*", "日本語の文", cell.replace('lang="ko"', 'lang="ja"'))
            cells[cells.index(cell)] = f"{cell.rstrip()}\n\n{japanese_cell}"
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
    hint = 'ko="수를 제곱했습니다"'
    edit(steps.text, {hint: hint + ', ja="二乗しました"'})
    add_japanese(steps)
    build(course, [steps])
    releases = {lang: read_assignment(course, STEPS).releases[lang] for lang in ("en", "ko", "ja")}
    prose = {
        lang: [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
        for lang, notebook in releases.items()
    }
    assert len({len(cells) for cells in prose.values()}) == 1
    assert sum("日本語" in cell for cell in prose["ja"]) >= 2
    assert not any("日本語" in cell for cell in (*prose["en"], *prose["ko"]))
    code = "\n".join(cell.source for cell in releases["ja"].cells)
    assert 'language("ja")' in code
    assert [word for word in ("こんにちは", "Hello", "안녕") if word in code] == ["こんにちは"]

    answers = solutions(course)
    hand_in(course, "ann", answered_notebook(course, answers))
    hand_in(course, "hana", answered_notebook(course, answers | WRONG, "ja"))
    summary, messages = run(course)
    assert not summary.failed
    assert messages == []  # no message, so no test cell counts as changed
    assert score(course, "ann", STEPS) == (5, 6)
    assert score(course, "hana", STEPS) == (3, 6)
    page = (course / "feedback" / "hana" / STEPS / f"{STEPS}.html").read_text(encoding="utf-8")
    assert all(words in page for words in ("日本語", "二乗しました", "expected"))


def test_a_translation_into_a_third_language_can_be_missing_or_stale(course: Path) -> None:
    (steps,) = find_lessons(course)
    add_japanese(steps)
    edit(steps.text, {"Return twice the number.": "Return the number, doubled."})
    assert len(build(course, [steps]).stale_translations) == 2
    with pytest.raises(BuildError, match="the English has changed since") as error:
        build(course, [steps], strict=True)
    assert len(error.value.problems) == 2
    assert len(accept_translations(steps)) == 2
    text = steps.text.read_text(encoding="utf-8")
    steps.text.write_text(re.sub(r'# %% \[markdown\] lang="ja".*?(?=# %%)', "", text, count=1, flags=re.S))
    with pytest.raises(BuildError, match='no "ja" cell follows this English one'):
        build(course, [steps])


@pytest.mark.parametrize("languages", ['"en"', '["ko", "en"]', '["en", "../x"]', '["en", "en"]', "[]", "[1]"])
def test_malformed_list_of_course_languages_is_refused(course: Path, languages: str) -> None:
    (course / "course" / "syllabus.toml").write_text(f"languages = {languages}\n")
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
