"""nbgrader's own engine, for who asks for it, as docs/grading.md says."""

import re
from pathlib import Path

from tests.support.lessons import ROOT

_ASKED = re.compile(r"```python\n(# nbgrader's own engine.*?)```", re.DOTALL)


def use_stock_engine(room: Path) -> None:
    """Have nbgrader's commands in this course directory use nbgrader's own engine."""
    found = _ASKED.search((ROOT / "docs" / "grading.md").read_text(encoding="utf-8"))
    assert found, "docs/grading.md no longer says how to ask for nbgrader's own engine"
    with (room / "nbgrader_config.py").open("a") as config:
        config.write(f"\n{found[1]}")
