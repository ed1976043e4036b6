"""Tests of explorers' texts: complete in every language, with the same placeholders, and all in use."""

import importlib
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from secant import explorers
from secant.explorers.kit import texts
from secant.language import LANGUAGES

FILES = sorted(Path(explorers.__path__[0]).glob("*.toml"))


@pytest.fixture(params=FILES, ids=lambda file: file.stem)
def file(request: pytest.FixtureRequest) -> Path:
    param: Path = request.param
    return param


def read(file: Path) -> dict[str, Any]:
    return tomllib.loads(file.read_text(encoding="utf-8"))


def language_maps(data: Any) -> Iterator[dict[str, Any]]:
    """Yield every mapping of languages to texts in a text file's data, at any depth."""
    if isinstance(data, list):
        for value in data:
            yield from language_maps(value)
    elif isinstance(data, dict):
        if set(data) & set(LANGUAGES):
            yield data
        else:
            for value in data.values():
                yield from language_maps(value)


def test_every_explorer_module_has_a_text_file() -> None:
    modules = {path.stem for path in FILES[0].parent.glob("*.py")} - {"__init__"}
    assert {file.stem for file in FILES} == modules


def test_explorer_texts_have_the_same_numbers_in_every_language(file: Path) -> None:
    for translations in language_maps(read(file)):
        values = [translations[language] for language in LANGUAGES]
        assert all(text.strip() for text in values), translations
        if "state" not in translations:  # in questions, braces belong to formulas
            assert len({frozenset(re.findall(r"{[^}]*}", text)) for text in values}) == 1, translations


def test_every_legend_entry_has_a_symbol(file: Path) -> None:
    module = importlib.import_module(f"secant.explorers.{file.stem}")
    legends = [module.LEGEND, getattr(module, "DISTANCES", [])]
    entries = {en for legend in legends for column in legend for _, en, _ in column}
    assert sorted(entries) == sorted(translations["en"] for translations in read(file)["legend"].values())


def test_a_legend_stands_in_the_order_of_its_words(tmp_path: Path) -> None:
    content = '[legend]\na = {en = "A", ko = "가"}\nb = {en = "B", ko = "나"}\n'
    tmp_path.joinpath("some.toml").write_text(content, encoding="utf-8")
    left, right = texts.legend(str(tmp_path / "some.py"), {"b": "<b>", "a": "<a>"}, {"b": "<c>"})
    assert left == [("<a>", "A", "가"), ("<b>", "B", "나")]
    assert right == [("<c>", "B", "나")]


def test_options_are_named_in_the_language_in_use(both_languages: str) -> None:
    engine = str(FILES[0].parent / "engine.py")
    assert ({"en": "none", "ko": "없음"}[both_languages], "none") in texts.options(engine, "bug")
