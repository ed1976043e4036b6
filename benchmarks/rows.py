"""A measured figure beside a peer's."""

import argparse
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def parser_of(doc: str | None) -> argparse.ArgumentParser:
    """Return a command line's parser with the option --json; doc: the benchmark's docstring."""
    parser = argparse.ArgumentParser(description=(doc or "").splitlines()[0])
    parser.add_argument("--json", type=Path, help="also write the rows into this file")
    return parser


def row(
    figure: str,
    ours: float,
    peer: str = "",
    value: float | None = None,
    unit: str = "s",
    *,
    more: bool = False,
) -> dict[str, Any]:
    """Return a row.

    Args:
        figure: what was measured.
        ours, value: the figure of ours, and the peer's.
        peer: whose; empty where there is none.
        unit: of both.
        more: whether more is better. `ratio` says how many times better ours is.
    """
    return {
        "figure": figure,
        "ours": round(ours, 3),
        "peer": peer,
        "peer_value": None if value is None else round(value, 3),
        "ratio": None if value is None else round(ours / value if more else value / ours, 2),
        "unit": unit,
    }


def show(rows: Iterable[dict[str, Any]], file: Path | None) -> None:
    """Print rows as they come, and then write them into a file, if there is one."""
    found = []
    for each in rows:
        found.append(each)
        peer = f"{each['peer']} {each['peer_value']}, {each['ratio']} times" if each["peer"] else ""
        print(f"{each['figure']:52} {each['ours']} {each['unit']}   {peer}", flush=True)
    if file:
        file.write_text(json.dumps(found, indent=2) + "\n")
