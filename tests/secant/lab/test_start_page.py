"""The page that JupyterLab opens at."""

import tomllib
from pathlib import Path

from secant import language
from secant.lab import launch
from secant.language import LANGUAGES
from secant.progress.course import read_course
from tests.secant.lab.house import DAY, NOTEBOOK, ROOT, prepare, write


def test_the_page_lists_the_lessons_that_exist(house: Path) -> None:
    page = prepare(house)
    assert f"[1. What autograd actually does]({NOTEBOOK}) | 80 min | gradient, difference quotient" in page
    assert "1 of the 10 planned lessons" in page
    assert "grad_fn" not in page
    assert "Shift+Enter" in page
    assert str(house / "workspace/en") in page


def test_the_korean_page_is_korean(house: Path) -> None:
    language("ko")
    page = prepare(house)
    assert f"[1. Autograd가 실제로 하는 일]({NOTEBOOK}) | 80분 |" in page
    assert "| 시작 전 |" in page
    assert "Each lesson" not in page
    assert (house / "workspace/ko" / NOTEBOOK).exists()
    assert not (house / "workspace/en").exists()


def test_the_korean_page_keeps_to_the_glossary(house: Path) -> None:
    language("ko")
    prepare(house)
    write(house / "release/ko" / NOTEBOOK, b"second")
    page = prepare(house)
    terms = tomllib.loads((ROOT / "course/glossary.toml").read_text())["term"]
    assert [word for term in terms for word in term["avoid"] if word in page] == []


def test_an_edited_start_page_stays_and_ours_goes_beside(house: Path) -> None:
    prepare(house)
    workspace = house / "workspace/en"
    own = workspace / "START.md"
    own.write_text(own.read_text() + "\nMy notes.\n")
    edited = own.read_bytes()
    write(workspace / NOTEBOOK, b"my answers")
    for _ in range(2):
        assert launch.prepare(house, DAY)[1] == "START (new).md"
        assert own.read_bytes() == edited
        assert "| in progress |" in (workspace / "START (new).md").read_text()
    (workspace / "START (new).md").write_text("more notes")
    assert launch.prepare(house, DAY)[1] == "START (new 2).md"
    assert own.read_bytes() == edited


def test_a_start_page_in_the_way_that_is_no_file(house: Path) -> None:
    (house / "workspace/en/START.md").mkdir(parents=True)
    assert launch.prepare(house, DAY)[1] == "START (new).md"


def test_the_syllabus_is_whole() -> None:
    for name in LANGUAGES:
        lessons = read_course(ROOT, name)
        assert [lesson.folder[:2] for lesson in lessons] == [f"{number:02}" for number in range(1, 11)]
        assert all(lesson.title and lesson.tags and lesson.minutes > 0 for lesson in lessons)
