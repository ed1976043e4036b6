"""Tests of the English in docstrings and comments: they must use words that a reader knows.

The lists contain expressions that were used in this project and could easily be used again. They are not a
style guide: a sentence that passes can still be hard to understand.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from itertools import groupby
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("autograder", "benchmarks", "scripts", "secant", "tests/support")

#: Words that may not begin a docstring: a function's begins with a verb, any other with a noun phrase.
OPENINGS = re.compile(r"(What|Whatever|Who|Whose|Whom|Whoever|Of|Which|Where|How|Why|Whether)\b")

_SOFTWARE = (
    "candidate|client|code|command|container|examiner|extension|file|function|grader|hook|kernel|method|module|"
    "notebook|page|panel|parent|process|program|sandbox|server|service|supervisor|template|wall|worker"
)
#: Words that docstrings and comments may not contain. Each has a pattern that finds it, and advice on what to
#: write instead.
IDIOMS = {
    "body": (r"\b(no|some|any|every)body\b", "the user, the student, no user, every process ..."),
    "whom": (r"\bwhom(ever)?\b", "the user, the student or the process that ..."),
    "whoever": (r"\bwhoever\b", "the user, the student or the process that ..."),
    "anew": (r"\banew\b", "again"),
    "afresh": (r"\bafresh\b", "again, or from the beginning"),
    "own": (r"\bof (its|their|one's|his|her) own\b", "a separate ..., or its ..."),
    "is none": (r"(?<!there )\b(is|are|was|were) (?-i:none)\b", "there is no ..."),
    "has none": (r"(?<! if it )\b(has|have|had) (?-i:none)\b", "has no ..."),
    "beside": (r"\bbesides?\b", "next to, with, or in addition"),
    "is told": (r"\b(is|are|was|were|be|been|being|gets?) told\b", "receives, or is shown"),
    "hear": (r"\b(hears?|heard)\b", "receives"),
    "bury": (r"\bbur(y|ies|ied|ying)\b", "reap, or wait for"),
    "lifeline": (r"\blifelines?\b", "a pipe whose closing ends the child"),
    "as it were": (r"\bas it were\b", "nothing: leave it out"),
    "says": (rf"\b({_SOFTWARE})s? (says?|said|tells?|told)\b", "sends, reports, prints, returns or raises"),
}
#: Strings to look for before a word's pattern, which makes the search fast: every match of the pattern
#: contains one of them. For a word that is not listed here, the string is the word itself.
_PARTS = {
    "body": ("nobody", "somebody", "anybody", "everybody"),
    "own": ("s own", "r own"),
    "is none": ("is none", "are none", "was none", "were none"),
    "has none": ("has none", "have none", "had none"),
    "is told": (" told",),
    "bury": (" bur",),
    "says": (" say", " said", " tell", " told"),
}

#: Words that may stay in a file, each with the reason: the keys are pairs of a file and a word.
EXCEPTIONS = {
    ("autograder/cli.py", "body"): "a command's docstring is its help, which users read",
}

OPENING = "the opening"
_QUOTED_OPENING = re.compile(rf'"""{OPENINGS.pattern}')
_BREAK = re.compile(r"\s+(#:? )?")
# The name of an argument or attribute at the place where a docstring describes it.
_ARGUMENT = re.compile(r"^ +\**\w+:", re.MULTILINE)
_CODE = re.compile(r"``?[^`]+``?")


def without_names(text: str) -> str:
    """Return a docstring or comment on one line, without its identifiers and code."""
    return " ".join(_CODE.sub("code", _ARGUMENT.sub("", text)).split())


def docstrings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each docstring of a module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node, clean=False)
            if text is not None:
                yield node.body[0].lineno, text


def comments(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each comment; consecutive lines of one comment are joined."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    lines = {
        token.start[0]: (token.start[1], token.string) for token in tokens if token.type == tokenize.COMMENT
    }
    positions = [(line, column) for line, (column, _) in lines.items()]
    # Within one comment, the column and the difference between line number and index stay the same.
    for _, block in groupby(enumerate(positions), lambda entry: (entry[1][0] - entry[0], entry[1][1])):
        numbers = [line for _, (line, _) in block]
        yield numbers[0], " ".join(lines[number][1].lstrip("#: ") for number in numbers)


def idioms(text: str) -> set[str]:
    """Return the keys of `IDIOMS` whose patterns match in a text, which must be on one line."""
    lower = text.lower()
    return {
        word
        for word, (pattern, _) in IDIOMS.items()
        if any(part in lower for part in _PARTS.get(word, (word,)))
        and re.search(pattern, text, re.IGNORECASE)
    }


@cache
def violations() -> frozenset[tuple[str, int, str]]:
    """Return the file, the line, and the word or OPENING, for each sentence that is refused."""
    results = set()
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*.py"):
            source = path.read_text(encoding="utf-8")
            # Most files contain no such word at all, so they need not be parsed.
            if not _QUOTED_OPENING.search(source) and not idioms(_BREAK.sub(" ", source)):
                continue
            name = path.relative_to(ROOT).as_posix()
            texts = list(docstrings(ast.parse(source)))
            results |= {(name, line, OPENING) for line, text in texts if OPENINGS.match(text)}
            for line, text in (*texts, *comments(source)):
                results |= {(name, line, word) for word in idioms(without_names(text))}
    return frozenset(results)


def test_docstrings_open_with_a_verb_or_a_noun() -> None:
    locations = [f"{file}:{line}" for file, line, word in sorted(violations()) if word == OPENING]
    if locations:
        pytest.fail(
            "begin with a verb and its object (Return, Skip ...) or a noun phrase: " + ", ".join(locations)
        )


def test_docstrings_and_comments_are_in_plain_words() -> None:
    problems = [
        f"{file}:{line}: {word}; write: {IDIOMS[word][1]}"
        for file, line, word in sorted(violations())
        if word in IDIOMS and (file, word) not in EXCEPTIONS
    ]
    if problems:
        pytest.fail("\n".join(problems))


def test_each_exception_is_still_needed() -> None:
    assert EXCEPTIONS.keys() <= {(file, word) for file, _, word in violations()}


@pytest.mark.parametrize(
    "text",
    [
        "The worker is told what to do.",
        "Nobody has read it.",
        "Each test gets a folder of its own.",
        "The title stands beside the picture.",
        "The server says that it has ended.",
        "`autograder grade` says so.",
        "What cannot be read has none.",
        "A dead child is buried at once.",
        "A dead child is\n    buried at once.",
    ],
)
def test_unclear_expression_is_refused(text: str) -> None:
    assert idioms(without_names(text))


@pytest.mark.parametrize(
    "text",
    [
        "Return the first match; None if there is none.",
        "The score is None until a person grades it.",
        "    beside: the files next to the page.",
        "Return `told` and `lifeline`.",
        "The message says which number is 0.",
        "Use the hash to tell one wheel from another.",
    ],
)
def test_clear_expression_passes(text: str) -> None:
    assert not idioms(without_names(text))
