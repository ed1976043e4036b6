"""Tests of hints by name: those of a task, of its lesson and of the kit, in the current language."""

import re
import shutil
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from autograder.build import builder, rules
from autograder.course.cells import grade_id, is_test, split_tests
from autograder.course.hints import in_one_language, used_hints, with_all_languages, with_hints
from autograder.course.lesson import find_lessons
from secant import catalogue, hints, language
from tests.support.lessons import LESSONS
from tests.support.settings import as_it_was  # noqa: F401

TEXTS = {
    "all": {"shape": {"en": "any shape", "ko": "어떤 shape든"}},
    "slope": {
        "mean": {"en": 'the "mean"', "ko": "평균", "de": "der Mittelwert"},
        "hidden": {"en": "a hidden case", "ko": "숨은 경우"},
        "again": {"en": "of its own", "ko": "과제만의 힌트"},
    },
}
CELL = 'from secant import hints\n\nhint = hints("slope")\nprint(hint.mean, hint.shape, hint.stale)'


@pytest.mark.parametrize(("tongue", "mean"), [("en", 'the "mean"'), ("ko", "평균")])
def test_stored_hint_cell_follows_the_language_in_use(tongue: str, mean: str) -> None:
    language(tongue)
    names: dict[str, object] = {}
    exec(with_all_languages(CELL.replace("print", "told = "), TEXTS), names)
    shared = catalogue.usual()["stale"][tongue]
    assert names["told"] == (mean, TEXTS["all"]["shape"][tongue], shared)


def test_tasks_hint_overrides_the_kits_hint_of_the_same_name() -> None:
    language("en")
    assert hints("slope", catalogue.of_task(TEXTS, "slope")).again == "of its own"
    assert hints("other", catalogue.of_task(TEXTS, "other")).again == catalogue.usual()["again"]["en"]


def test_a_hint_keeps_its_name_with_numbers_in_its_text_and_behind_it() -> None:
    hint = hints("slope", {"times": "called {times} times"}).times
    assert hint.format(times=3) + ": f, g" == "called 3 times: f, g"
    assert catalogue.name_of(hint.format(times=3) + ": f, g") == "times"
    assert catalogue.name_of("f(x): " + hint) == "times"
    assert "f(x): " + hint.format(times=3) == "f(x): called 3 times"
    assert catalogue.name_of("called 3 times") == ""


@pytest.mark.parametrize(("tongue", "mean"), [("en", 'the "mean"'), ("ko", "평균"), ("de", "der Mittelwert")])
def test_a_release_holds_the_hints_of_its_visible_part_in_its_language(tongue: str, mean: str) -> None:
    """A third language needs only one more entry in a hint."""
    texts = {**TEXTS, "all": {"shape": {**TEXTS["all"]["shape"], "de": "jede Form"}}}
    released = in_one_language(with_all_languages(CELL, texts), tongue)
    names: dict[str, object] = {}
    exec(released.replace("print", "told = "), names)
    assert names["told"][0] == mean
    others = [text[lang] for text in texts["slope"].values() for lang in text if text[lang] != mean]
    assert not [text for text in others if text in released]


def test_a_third_language_of_a_lesson_is_one_more_entry_of_each_hint(tmp_path: Path) -> None:
    (lesson,) = [one for one in LESSONS if one.name.startswith("03")]
    shutil.copytree(lesson.folder, tmp_path / "course" / lesson.name)
    (copied,) = find_lessons(tmp_path)
    path = copied.folder / "hints.toml"
    entries = re.split(r"(?m)^(?=\[)", path.read_text(encoding="utf-8"))
    german = [re.sub(r"(?m)^(?=en = )", f'de = "Hinweis {n}"\n', entry) for n, entry in enumerate(entries)]
    path.write_text("".join(german), encoding="utf-8")

    assert not [problem for problem in rules.lesson_problems(copied) if "hints.toml" in problem]
    content = builder.source_files(copied)[Path("source", lesson.name, f"{lesson.name}.ipynb")]
    built = nbformat.reads(content.decode(), as_version=4)
    told = built.metadata["secant"]["hints"]
    for cell in filter(is_test, built.cells):
        texts = catalogue.of_task(told, grade_id(cell).removeprefix("test_"))
        ours = [name for name in used_hints(split_tests(cell.source)[0]) if name in texts]
        released = in_one_language(split_tests(with_all_languages(cell.source, told))[0], "de")
        assert len(ours) == released.count("Hinweis ") > 0
        assert not [name for name in ours if texts[name]["en"] in released]


def test_long_hints_are_written_over_several_lines() -> None:
    long = 'a "quoted" word, a \\ and a line\nbreak, ' * 8
    texts = {"slope": {"mean": {"en": long, "ko": long}}}
    released = in_one_language(with_all_languages(CELL.replace(", hint.shape, hint.stale", ""), texts), "en")
    assert max(map(len, released.splitlines())) <= 100
    names: dict[str, object] = {}
    exec(released.replace("print", "told = "), names)
    assert names["told"] == long


def test_a_notebook_carries_its_hints() -> None:
    marks = {"nbgrader": {"grade": True, "solution": False, "grade_id": "test_slope"}}
    notebook = new_notebook(
        cells=[new_code_cell(CELL, metadata=marks), new_code_cell(CELL)],
        metadata={"secant": {"hints": TEXTS}},
    )
    test, other = with_hints(notebook).cells
    assert "평균" in test.source
    assert other.source == CELL
    assert used_hints(CELL) == ["mean", "shape", "stale"]


def test_a_notebook_of_source_finds_its_course(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unmodified nbgrader runs a notebook in a folder with the lesson's name, somewhere in the course."""
    (lesson,) = [one for one in LESSONS if one.name.startswith("03")]
    monkeypatch.chdir(lesson.root / "source" / lesson.name)
    language("ko")
    assert hints("fresh_grad").mean == catalogue.read_hints(lesson.folder)["fresh_grad"]["mean"]["ko"]


def test_hint_without_a_catalogue_is_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert hints("fresh_grad").mean == ""
    with pytest.raises(AttributeError):
        hints("fresh_grad").__wrapped__  # noqa: B018
