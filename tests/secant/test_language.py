"""Tests of the choice of the language for a user at a terminal."""

import importlib
import io
import os
import sys
from types import SimpleNamespace

import pytest

language_module = importlib.import_module("secant.language")  # `secant.language` is a function

VARIABLES = ("SECANT_LANG", "LC_ALL", "LC_MESSAGES", "LANG")


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, "en"),
        ({"LANG": "ko_KR.UTF-8"}, "ko"),
        ({"LANG": "ko_KR.UTF-8", "LC_ALL": "C.UTF-8"}, "en"),
        ({"LANG": "ko_KR.UTF-8", "SECANT_LANG": "en"}, "en"),
        ({"LANG": "de_DE.UTF-8", "SECANT_LANG": "ko"}, "ko"),
        ({"SECANT_LANG": "fr"}, "en"),
    ],
)
def test_language_is_read_from_the_environment(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], expected: str
) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), "utf-8"))
    assert language_module.terminal_language() == expected


@pytest.mark.parametrize(
    ("name", "expected"), [("Korean_Korea", "ko"), ("ko_KR", "ko"), ("English_Ireland", "en")]
)
def test_language_on_windows_is_read_from_the_locale(
    monkeypatch: pytest.MonkeyPatch, name: str, expected: str
) -> None:
    environ = {key: value for key, value in os.environ.items() if key not in VARIABLES}
    monkeypatch.setattr(language_module, "os", SimpleNamespace(name="nt", environ=environ))
    monkeypatch.setattr(language_module.locale, "getlocale", lambda: (name, "949"))
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), "cp949"))
    assert language_module.terminal_language() == expected


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_terminal_without_korean_gets_english(monkeypatch: pytest.MonkeyPatch, encoding: str) -> None:
    monkeypatch.setenv("SECANT_LANG", "ko")
    output = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(output, encoding))
    assert language_module.terminal_language() == "en"
    language_module.escape_unencodable()
    print("할선 – secant")
    sys.stdout.flush()
    assert output.getvalue().startswith(rb"\ud560\uc120 ")
