"""Tests of finding hints by name: a task's, its lesson's and the kit's hints, in the current language."""

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
from tests.support.settings import preserved_settings  # noqa: F401

TEXTS = {
    "all": {"shape": {"en": "any shape", "ko": "어떤 shape든"}},
    "slope": {
        "mean": {"en": 'the "mean"', "ko": "평균", "de": "der Mittelwert"},
        "hidden": {"en": "a hidden case", "ko": "숨은 경우"},
        "again": {"en": "of its own", "ko": "과제만의 힌트"},
    },
}
CELL = 'from secant import hints\n\nhint = hints("slope")\nprint(hint.mean, hint.shape, hint.stale)'


@pytest.mark.parametrize(("lang", "mean"), [("en", 'the "mean"'), ("ko", "평균")])
def test_stored_hint_cell_follows_the_language_in_use(lang: str, mean: str) -> None:
    language(lang)
    namespace: dict[str, object] = {}
    exec(with_all_languages(CELL.replace("print", "told = "), TEXTS), namespace)
    kit_hint = catalogue.shared_hints()["stale"][lang]
    assert namespace["told"] == (mean, TEXTS["all"]["shape"][lang], kit_hint)


def test_tasks_hint_overrides_the_kits_hint_of_the_same_name() -> None:
    language("en")
    assert hints("slope", catalogue.of_task(TEXTS, "slope")).again == "of its own"
    assert hints("other", catalogue.of_task(TEXTS, "other")).again == catalogue.shared_hints()["again"]["en"]


def test_a_hint_keeps_its_name_with_numbers_in_its_text_and_behind_it() -> None:
    hint = hints("slope", {"times": "called {times} times"}).times
    assert hint.format(times=3) + ": f, g" == "called 3 times: f, g"
    assert catalogue.name_of(hint.format(times=3) + ": f, g") == "times"
    assert catalogue.name_of("f(x): " + hint) == "times"
    assert "f(x): " + hint.format(times=3) == "f(x): called 3 times"
    assert catalogue.name_of("called 3 times") == ""


@pytest.mark.parametrize(("lang", "mean"), [("en", 'the "mean"'), ("ko", "평균"), ("de", "der Mittelwert")])
def test_a_release_holds_the_hints_of_its_visible_part_in_its_language(lang: str, mean: str) -> None:
    """A third language needs only one more entry in a hint."""
    texts = {**TEXTS, "all": {"shape": {**TEXTS["all"]["shape"], "de": "jede Form"}}}
    code = in_one_language(with_all_languages(CELL, texts), lang)
    namespace: dict[str, object] = {}
    exec(code.replace("print", "told = "), namespace)
    assert namespace["told"][0] == mean
    other_hints = [text[key] for text in texts["slope"].values() for key in text if text[key] != mean]
    assert not [text for text in other_hints if text in code]


def test_third_language_of_a_lesson_needs_one_more_entry_in_each_hint(tmp_path: Path) -> None:
    (lesson,) = [lesson for lesson in LESSONS if lesson.name.startswith("03")]
    shutil.copytree(lesson.folder, tmp_path / "course" / lesson.name)
    (lesson_copy,) = find_lessons(tmp_path)
    path = lesson_copy.folder / "hints.toml"
    entries = re.split(r"(?m)^(?=\[)", path.read_text(encoding="utf-8"))
    german_entries = [
        re.sub(r"(?m)^(?=en = )", f'de = "Hinweis {n}"\n', entry) for n, entry in enumerate(entries)
    ]
    path.write_text("".join(german_entries), encoding="utf-8")

    assert not [problem for problem in rules.lesson_problems(lesson_copy) if "hints.toml" in problem]
    content = builder.source_files(lesson_copy)[Path("source", lesson.name, f"{lesson.name}.ipynb")]
    notebook = nbformat.reads(content.decode(), as_version=4)
    stored_hints = notebook.metadata["secant"]["hints"]
    for cell in filter(is_test, notebook.cells):
        texts = catalogue.of_task(stored_hints, grade_id(cell).removeprefix("test_"))
        hint_names = [name for name in used_hints(split_tests(cell.source)[0]) if name in texts]
        code = in_one_language(split_tests(with_all_languages(cell.source, stored_hints))[0], "de")
        assert len(hint_names) == code.count("Hinweis ") > 0
        assert not [name for name in hint_names if texts[name]["en"] in code]


def test_long_hints_are_written_over_several_lines() -> None:
    text = 'a "quoted" word, a \\ and a line\nbreak, ' * 8
    texts = {"slope": {"mean": {"en": text, "ko": text}}}
    code = in_one_language(with_all_languages(CELL.replace(", hint.shape, hint.stale", ""), texts), "en")
    assert max(map(len, code.splitlines())) <= 100
    namespace: dict[str, object] = {}
    exec(code.replace("print", "told = "), namespace)
    assert namespace["told"] == text


def test_a_notebook_carries_its_hints() -> None:
    metadata = {"nbgrader": {"grade": True, "solution": False, "grade_id": "test_slope"}}
    notebook = new_notebook(
        cells=[new_code_cell(CELL, metadata=metadata), new_code_cell(CELL)],
        metadata={"secant": {"hints": TEXTS}},
    )
    test, other = with_hints(notebook).cells
    assert "평균" in test.source
    assert other.source == CELL
    assert used_hints(CELL) == ["mean", "shape", "stale"]


def test_notebook_in_the_source_folder_finds_the_hints_of_its_course(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unmodified nbgrader runs a notebook in a folder with the lesson's name, somewhere in the course."""
    (lesson,) = [lesson for lesson in LESSONS if lesson.name.startswith("03")]
    monkeypatch.chdir(lesson.root / "source" / lesson.name)
    language("ko")
    assert hints("fresh_grad").mean == catalogue.read_hints(lesson.folder)["fresh_grad"]["mean"]["ko"]


def test_hint_without_a_catalogue_is_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert hints("fresh_grad").mean == ""
    with pytest.raises(AttributeError):
        hints("fresh_grad").__wrapped__  # noqa: B018
