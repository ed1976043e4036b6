"""Tests that Secant makes no false statement about functions from public threads.

docs/real-functions.md lists these functions.
"""

import pytest

from tests.secant.real_functions import CASES, DOCUMENT, EARLIER_PROBLEMS, Case, page
from tests.support.suites import case

#: One case of each kind. The other cases repeat these in depth.
QUICK = {
    "√(x - 1)² at 1",
    "Function with a saved intermediate",
    "chain acos(cos x) at 0",
    "dropout",
    "reentrant checkpoint of a weight",
    "jacrev and jacfwd with no_grad",
    "hook of a tensor inside a function",
    "full backward hook of a module",
    "non-leaf used twice, = for +=",
}


@pytest.mark.parametrize("entry", [case(entry, quick=entry.name in QUICK, id=entry.name) for entry in CASES])
def test_explorer_makes_no_false_claim_about_real_functions(entry: Case) -> None:
    assert entry.judge() == []


def test_the_document_has_a_row_for_each_function() -> None:
    assert {*EARLIER_PROBLEMS} <= {entry.name for entry in CASES}
    assert len({entry.name for entry in CASES}) == len(CASES) >= 40
    assert DOCUMENT.read_text(encoding="utf-8") == page({entry.name: [] for entry in CASES})
