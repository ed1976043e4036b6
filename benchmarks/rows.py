"""Benchmark results as table rows: this project's figure, and that of a competing tool if there is one."""

import argparse
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def parser_of(doc: str | None) -> argparse.ArgumentParser:
    """Return a benchmark's argument parser, which has the option --json.

    Args:
        doc: the docstring of the benchmark's module. Its first line becomes the help text.
    """
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
    """Return a table row for a result; its `ratio` is how many times better our value is than the peer's.

    Args:
        figure: the name of the measured quantity.
        ours: our value.
        peer: the name of the competing tool (the peer), or "" if there is no peer.
        value: the peer's value, or None if there is no peer.
        unit: the unit of both values.
        more: whether a larger value is better.
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
    """Print each table row as soon as it is measured; then write all rows into `file`, unless it is None."""
    all_rows = []
    for each in rows:
        all_rows.append(each)
        peer = f"{each['peer']} {each['peer_value']}, {each['ratio']} times" if each["peer"] else ""
        print(f"{each['figure']:52} {each['ours']} {each['unit']}   {peer}", flush=True)
    if file:
        file.write_text(json.dumps(all_rows, indent=2) + "\n")
