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
    our_value: float,
    peer: str = "",
    value: float | None = None,
    unit: str = "s",
    *,
    more_is_better: bool = False,
) -> dict[str, Any]:
    """Return a table row for a result; its `ratio` is how many times better our value is than the peer's.

    Args:
        figure: the name of the measured quantity.
        our_value: our value.
        peer: the name of the competing tool (the peer), or "" if there is no peer.
        value: the peer's value, or None if there is no peer.
        unit: the unit of both values.
        more_is_better: whether a larger value is better.
    """
    return {
        "figure": figure,
        "ours": round(our_value, 3),
        "peer": peer,
        "peer_value": None if value is None else round(value, 3),
        "ratio": None
        if value is None
        else round(our_value / value if more_is_better else value / our_value, 2),
        "unit": unit,
    }


def show(rows: Iterable[dict[str, Any]], file: Path | None) -> None:
    """Print each table row as soon as it is measured; then write all rows into `file`, unless it is None."""
    all_rows = []
    for entry in rows:
        all_rows.append(entry)
        peer = f"{entry['peer']} {entry['peer_value']}, {entry['ratio']} times" if entry["peer"] else ""
        print(f"{entry['figure']:52} {entry['ours']} {entry['unit']}   {peer}", flush=True)
    if file:
        file.write_text(json.dumps(all_rows, indent=2) + "\n")
