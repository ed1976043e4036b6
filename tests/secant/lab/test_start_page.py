"""Tests of the start page, which JupyterLab opens first."""

import errno
import os
import shutil
import tomllib
from pathlib import Path

import pytest

from secant import language
from secant.address import report_url
from secant.lab import launch, start_page
from secant.language import LANGUAGES, Language
from secant.progress import record
from secant.progress.course import read_course
from tests.secant.lab.house import DAY, NOTEBOOK, ROOT, prepare, tree, write

LESSON_8 = "08_your_own_backward"


def test_the_page_lists_the_lessons_that_exist(small_course: Path) -> None:
    page = prepare(small_course)
    assert f"[1. What autograd actually does]({NOTEBOOK}) | 90 min | gradient, difference quotient" in page
    assert "1 of the 10 planned lessons" in page
    assert "grad_fn" not in page
    assert "Shift+Enter" in page
    assert str(small_course / "workspace/en") in page
    assert f"[Report a problem]({report_url()})" in page


def test_the_korean_page_is_korean(small_course: Path) -> None:
    language("ko")
    page = prepare(small_course)
    assert f"[1. Autograd가 실제로 하는 일]({NOTEBOOK}) | 90분 |" in page
    assert "| 시작 전 |" in page
    assert "Each lesson" not in page
    assert (small_course / "workspace/ko" / NOTEBOOK).exists()
    assert not (small_course / "workspace/en").exists()


def test_the_korean_page_keeps_to_the_glossary(small_course: Path) -> None:
    language("ko")
    prepare(small_course)
    write(small_course / "release/ko" / NOTEBOOK, b"second")
    page = prepare(small_course)
    terms = tomllib.loads((ROOT / "course/glossary.toml").read_text())["term"]
    assert [word for term in terms for word in term["avoid"] if word in page] == []


@pytest.mark.parametrize(("lang", "button"), [("en", "**Check**"), ("ko", "**답 확인**")])
def test_the_page_names_the_check_button(small_course: Path, lang: Language, button: str) -> None:
    language(lang)
    page = prepare(small_course)
    assert button in page
    assert "`autograder check 1`" in page  # for programs without the button
    assert "Validate" not in page


def test_edited_start_page_is_kept_and_a_new_one_added(small_course: Path) -> None:
    prepare(small_course)
    workspace = small_course / "workspace/en"
    page = workspace / "START.md"
    page.write_text(page.read_text() + "\nMy notes.\n")
    content = page.read_bytes()
    write(workspace / NOTEBOOK, b"my answers")
    for _ in range(2):
        assert launch.prepare(small_course, DAY)[1] == "START (new).md"
        assert page.read_bytes() == content
        assert "| in progress |" in (workspace / "START (new).md").read_text()
    (workspace / "START (new).md").write_text("more notes")
    assert launch.prepare(small_course, DAY)[1] == "START (new 2).md"
    assert page.read_bytes() == content


def test_folder_named_like_the_start_page_gets_a_new_page_next_to_it(small_course: Path) -> None:
    (small_course / "workspace/en/START.md").mkdir(parents=True)
    assert launch.prepare(small_course, DAY)[1] == "START (new).md"


def test_undecodable_folder_name_is_shown_on_the_start_page() -> None:
    """If the locale is limited to ASCII, Python decodes such a name with surrogates."""
    assert "수업".encode() in start_page.signed("수업".encode().decode("ascii", "surrogateescape"))
    assert "caf\ufffd/".encode() in start_page.signed(b"caf\xe9/".decode("utf-8", "surrogateescape"))


def test_full_disk_leaves_the_existing_page_unchanged(
    small_course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    before = prepare(small_course)
    monkeypatch.setattr(os, "fdopen", fail)  # `replace_file` opens its file with this function
    monkeypatch.setattr(Path, "write_bytes", lambda path, _: path.open("wb").close())  # empties the file
    with pytest.raises(OSError, match="No space"):
        start_page.write_start_page(small_course / "workspace/en", "new")
    assert (small_course / "workspace/en/START.md").read_text() == before
    assert start_page.current_start_page(small_course / "workspace/en") == "START.md"


def test_syllabus_lists_every_lesson_with_all_fields() -> None:
    for name in LANGUAGES:
        lessons = read_course(ROOT, name)
        assert [lesson.folder[:2] for lesson in lessons] == [f"{number:02}" for number in range(1, 11)]
        assert all(lesson.title and lesson.tags and lesson.minutes > 0 for lesson in lessons)
    entries = tomllib.loads((ROOT / "course" / "syllabus.toml").read_text(encoding="utf-8"))["lesson"]
    known_fields = {"folder", "title", "minutes", "tags", "prerequisites"}
    assert [set(entry) - known_fields for entry in entries] == [set()] * len(
        entries
    )  # the code reads all fields


# --- Progress ---


@pytest.fixture
def course_with_lesson_8(small_course: Path) -> Path:
    """Add the real lesson 8 to the small course."""
    for name in LANGUAGES:
        shutil.copytree(ROOT / "release" / name / LESSON_8, small_course / "release" / name / LESSON_8)
    return small_course


def record_passes(*tasks: str, hidden: bool = True) -> None:
    points = {"at_the_kink": 1.0, "MyLayerNorm": 3.0}
    rows = [
        {"id": task, "outcome": "passed", "points": points.get(task, 2.0), "message": ""} for task in tasks
    ]
    assert record.check(LESSON_8, rows, hidden=hidden).problem is None


def test_start_page_shows_the_progress(course_with_lesson_8: Path) -> None:
    assert "Continue" not in prepare(course_with_lesson_8)
    record_passes("MyPow", "backward_is_right")
    page = prepare(course_with_lesson_8)
    assert "**Level 1: Secant** · ▰▰▰▰▱▱▱▱▱▱ · 48 XP, 72 to the next level · 0 of 10 lessons done" in page
    assert f"Continue: [8. Writing your own backward and checking it]({LESSON_8}/{LESSON_8}.ipynb)" in page
    assert "Task 8.3 · StableSoftplus" in page
    assert "| 7 | 4 / 12 | in progress |" in page
    assert "## Achievements: 2 of 13" in page
    assert "| ★ | Caught by the quotient |" in page
    assert page.count("| ☆ |") == 11


def test_korean_start_page_shows_progress_in_korean(course_with_lesson_8: Path) -> None:
    language("ko")
    record_passes("MyPow", "backward_is_right", "StableSoftplus", "safe_sqrt", "at_the_kink", "MyLayerNorm")
    page = prepare(course_with_lesson_8)
    assert "**레벨 2: 접선** · ▰▰▱▱▱▱▱▱▱▱ · 144 XP · 다음 레벨까지 96 XP · 수업 10개 중 1개 완료" in page
    assert "| 7 | 12 / 12 | ✓ 완료 |" in page
    terms = tomllib.loads((ROOT / "course/glossary.toml").read_text())["term"]
    assert [word for term in terms for word in term["avoid"] if word in page] == []


@pytest.mark.parametrize(
    ("name", "header", "row", "final_row", "notice", "absent"),
    [
        (
            "en",
            "| Visible tests passed | State |",
            "| 7 | 2 of 6 tasks | in progress |",
            "| 7 | 6 of 6 tasks | ✓ all tasks |",
            "your instructor releases them with the\nfeedback",
            "--solution",
        ),
        (
            "ko",
            "| 보이는 테스트 통과 | 상태 |",
            "| 7 | 과제 6개 중 2개 | 진행 중 |",
            "| 7 | 과제 6개 중 6개 | ✓ 모든 과제 |",
            "강사가 피드백과 함께 공개합니다",
            "숨은 테스트도 함께 실행합니다",
        ),
    ],
)
def test_the_page_of_a_class_edition_counts_visible_tests(
    course_with_lesson_8: Path,
    name: Language,
    header: str,
    row: str,
    final_row: str,
    notice: str,
    absent: str,
) -> None:
    (course_with_lesson_8 / "source").rmdir()
    language(name)
    record_passes("MyPow", "backward_is_right", hidden=False)
    page = prepare(course_with_lesson_8)
    assert header in page
    assert row in page
    assert notice in page
    assert all(word not in page for word in (absent, "## Achievements", "## 성취", "0 / 12"))
    record_passes("StableSoftplus", "safe_sqrt", "at_the_kink", "MyLayerNorm", hidden=False)
    assert final_row in prepare(course_with_lesson_8)


def test_unedited_start_page_is_updated_after_a_check(course_with_lesson_8: Path) -> None:
    prepare(course_with_lesson_8)
    workspace = course_with_lesson_8 / "workspace/en"
    record_passes("MyPow")
    language("ko")  # the language of the process, not of the page
    assert start_page.refresh(course_with_lesson_8, workspace)
    assert "| 7 | 2 / 12 | in progress |" in (workspace / "START.md").read_text()
    page = (workspace / "START.md").read_text()
    assert start_page.is_unedited(page.encode())
    language("en")
    assert prepare(course_with_lesson_8) == page
    assert "`make lab` again" in page


def test_a_page_with_notes_stays_and_no_new_one_appears(course_with_lesson_8: Path) -> None:
    prepare(course_with_lesson_8)
    workspace = course_with_lesson_8 / "workspace/en"
    (workspace / "START.md").write_text("my notes")
    before = tree(workspace)
    assert not start_page.refresh(course_with_lesson_8, workspace)
    assert tree(workspace) == before
    prepare(course_with_lesson_8)
    record_passes("MyPow")
    assert start_page.refresh(course_with_lesson_8, workspace)
    assert "2 / 12" in (workspace / "START (new).md").read_text()
    assert (workspace / "START.md").read_text() == "my notes"


def test_start_page_that_cannot_be_written_is_left_unchanged(
    course_with_lesson_8: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(course_with_lesson_8)
    workspace = course_with_lesson_8 / "workspace/en"
    before = (workspace / "START.md").read_bytes()
    record_passes("MyPow")
    with monkeypatch.context() as patch:
        patch.setattr(start_page, "replace_file", lambda *_: (_ for _ in ()).throw(OSError(28, "full")))
        assert not start_page.refresh(course_with_lesson_8, workspace)
    assert (workspace / "START.md").read_bytes() == before
    assert not start_page.refresh(course_with_lesson_8 / "no course", workspace)


def test_unreadable_progress_is_reported_on_the_start_page(course_with_lesson_8: Path) -> None:
    write(course_with_lesson_8 / "progress/progress.json", b'{"version": 2}')
    assert "please update Secant" in prepare(course_with_lesson_8)
    assert (course_with_lesson_8 / "progress/progress.json").read_bytes() == b'{"version": 2}'


def test_start_page_marks_a_lesson_whose_notebook_is_missing(course_with_lesson_8: Path) -> None:
    prepare(course_with_lesson_8)
    workspace = course_with_lesson_8 / "workspace/en"
    (workspace / NOTEBOOK).unlink()
    start_page.refresh(course_with_lesson_8, workspace)
    page = (workspace / "START.md").read_text()
    assert "| its file is gone |" in page
    assert "2 of the 10 planned lessons" in page
