"""Store the benchmarks' results in docs/performance.json; show them in docs/performance.md and as a table."""

import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self

from rich.table import Table
from rich.text import Text

Row = dict[str, Any]

KEYS = ("figure", "ours", "peer", "peer_value", "ratio", "unit")
JSON, PAGE = "docs/performance.json", "docs/performance.md"

HEAD = """\
# Figures

Each of our figures was measured in the same run as the peer's beside it; "times better" is their ratio.
Absolute numbers depend on the machine and its load: trust the ratios more. [trust.md](trust.md) counts what
hostile submissions achieve.

`make bench` runs every benchmark again and writes this page; `make bench args="kernels"` runs only that one.
Do not edit this page by hand. A figure with a date comes from an earlier run than the others beside it.

"""


@dataclass(frozen=True)
class BenchmarkRecord:
    """The stored results of one benchmark; each table row has the date and the machine of its measurement."""

    rows: Sequence[Row] = ()
    trouble: Sequence[str] = ()
    is_failed: bool = False

    def with_failure(self, reason: str) -> Self:
        """Return a record with the same table rows and the reason why there are no newer rows."""
        return replace(self, trouble=[reason], is_failed=True)

    def updated(
        self, rows: Sequence[Row], date: str, machine: str, trouble: Sequence[str], *, complete: bool
    ) -> Self:
        """Return a record with new rows instead of the old ones.

        Args:
            rows: the new table rows.
            date: the date of the measurement.
            machine: a description of the machine.
            trouble: remarks on the run, such as a peer that could not be installed.
            complete: whether all peers were available. If not, table rows that were not measured again are
                kept.
        """
        new_rows = [{**row, "date": date, "machine": machine} for row in rows]
        measured_keys = {(row["figure"], row["peer"]) for row in rows}
        old_rows = (
            []
            if complete
            else [row for row in self.rows if (row["figure"], row["peer"]) not in measured_keys]
        )
        return replace(self, rows=[*new_rows, *old_rows], trouble=list(trouble), is_failed=False)


def validated_rows(rows: Any) -> list[Row]:
    """Return a benchmark's table rows, with only those keys that every row must have.

    Raises:
        ValueError: if the value is not a list of valid rows.
    """
    if not isinstance(rows, list) or not rows:
        raise ValueError("not a list of rows")
    for row in rows:
        if not isinstance(row, dict) or not set(KEYS) <= set(row):
            raise ValueError(f"a row needs {', '.join(KEYS)}: {row}")
        if not isinstance(row["ours"], int | float):
            raise ValueError(f"a row's `ours` is a number: {row}")
    return [{key: row[key] for key in KEYS} for row in rows]


def read(root: Path) -> dict[str, BenchmarkRecord]:
    """Read the records in docs/performance.json, keyed by the name of the benchmark."""
    path = root / JSON
    if not path.exists():
        return {}
    return {
        name: BenchmarkRecord(**entry) for name, entry in json.loads(path.read_text(encoding="utf-8")).items()
    }


def write(root: Path, records: Mapping[str, BenchmarkRecord]) -> None:
    """Write the records to docs/performance.json, and generate docs/performance.md from them."""
    data = {name: asdict(records[name]) for name in sorted(records)}
    for name, text in (
        (JSON, json.dumps(data, indent=1, ensure_ascii=False) + "\n"),
        (PAGE, page(records)),
    ):
        new_file = root / f"{name}.new"
        new_file.write_text(text, encoding="utf-8")
        new_file.replace(root / name)


def machine() -> str:
    """Return a description of the hardware and software that the figures depend on, but not the host name."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    parts = [
        processor(),
        f"{os.cpu_count()} cores",
        f"{memory:.0f} GiB of memory",
        platform.system(),
        f"Python {platform.python_version()}",
        f"torch {version('torch')}",
    ]
    return ", ".join(parts)


def processor() -> str:
    """Return the model name of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()


def cells(row: Row) -> tuple[str, str, str, str, str]:
    """Return the text of each cell in one row of the table."""
    unit = row["unit"]
    peer_text = "" if row["peer_value"] is None else f"{row['peer_value']:g} {unit}"
    ratio = "" if row["ratio"] is None else f"{row['ratio']:g}"
    return row["figure"], f"{row['ours']:g} {unit}", row["peer"], peer_text, ratio


def latest_date(record: BenchmarkRecord) -> str:
    """Return the date on which a benchmark was last measured, or "" if it has no results."""
    return max((row["date"] for row in record.rows), default="")


def is_old(record: BenchmarkRecord, row: Row) -> bool:
    """Return whether a table row was measured before the latest run of its benchmark."""
    return record.is_failed or row["date"] < latest_date(record)


def table(records: Mapping[str, BenchmarkRecord]) -> Table:
    """Return a table of all results for the terminal."""
    view = Table("figure", "ours", "peer", "peer's", "times better", "benchmark")
    for name, record in records.items():
        for row in record.rows:
            figure, *other_cells = cells(row)
            view.add_row(
                f"{figure} (of {row['date']})" if is_old(record, row) else figure, *other_cells, name
            )
    trouble = [f"{name}: {remark}" for name, record in records.items() for remark in record.trouble]
    view.caption = Text("\n".join(trouble), justify="left")
    return view


def page(records: Mapping[str, BenchmarkRecord]) -> str:
    """Return the text of docs/performance.md."""
    records = dict(sorted(records.items()))
    machines = list(dict.fromkeys(row["machine"] for record in records.values() for row in record.rows))
    lines = ["| | ours | peer | peer's | times better |", "|---|---:|---|---:|---:|"]
    for name, record in records.items():
        lines.append(f"| **{name}** | | | | |")
        for row in record.rows:
            figure, *other_cells = map(escape_cell, cells(row))
            date_note = f" (of {row['date']})" if is_old(record, row) else ""
            lines.append(f"| {figure}{date_note} | {' | '.join(other_cells)} |")
    lines += ["", "| benchmark | command | measured | machine | remarks |", "|---|---|---|---|---|"]
    for name, record in records.items():
        numbers = sorted({machines.index(row["machine"]) + 1 for row in record.rows})
        remarks = escape_cell("; ".join(record.trouble))
        command = f"python -m {__package__}.{name} --json FILE"
        lines.append(
            f"| {name} | `{command}` | {latest_date(record)} | {', '.join(map(str, numbers))} | {remarks} |"
        )
    lines += ["", *(f"Machine {number}: {text}." for number, text in enumerate(machines, 1))]
    return HEAD + "\n".join(lines) + "\n"


def escape_cell(text: str) -> str:
    """Return the text, escaped so that it can be the content of a cell in a Markdown table."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
