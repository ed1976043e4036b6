"""Run the benchmarks, print one table, and bring docs/performance.md up to date.

    python -m benchmarks [NAME ...]        or  make bench args="kernels grading"

Every module of this folder that has a function `main` is a benchmark. Benchmarks run one after another, each
in a separate process. If a benchmark fails or is not run, its table rows keep their old figures and dates.
The packages of the peers (the competing tools) are installed into .venv-bench when a benchmark first needs
them.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from datetime import date
from pathlib import Path

from rich.console import Console

from benchmarks import peers, performance
from benchmarks.performance import BenchmarkRecord, Row

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
HOURS = 2  # time limit in hours for one benchmark


def names() -> list[str]:
    """Return the names of all benchmarks."""
    files = {path.stem: path for path in HERE.glob("*.py")} | {
        path.parent.name: path for path in HERE.glob("*/__main__.py")
    }
    files.pop("__main__", None)
    return sorted(name for name, path in files.items() if "\ndef main(" in path.read_text(encoding="utf-8"))


class BenchmarkFailed(Exception):
    """Raised if a benchmark produces no results; the message states the reason in one line."""


def run_benchmark(name: str, environment: dict[str, str]) -> list[Row]:
    """Run a benchmark and return the table rows with its results.

    Raises:
        BenchmarkFailed: if the benchmark fails or takes too long, or if its rows cannot be read.
    """
    with tempfile.TemporaryDirectory(prefix="secant-bench-") as folder:
        result, log = Path(folder, "rows.json"), Path(folder, "log.txt")
        command = [sys.executable, "-m", f"{__package__}.{name}", "--json", str(result)]
        with log.open("wb") as out:
            try:
                code = subprocess.run(
                    command, cwd=ROOT, env=environment, stdout=out, stderr=out, timeout=HOURS * 3600
                ).returncode
            except subprocess.TimeoutExpired:
                raise BenchmarkFailed(f"it took longer than {HOURS} hours") from None
        if code != 0:
            log_lines = log.read_text(errors="replace").strip().splitlines()
            raise BenchmarkFailed(
                log_lines[-1][:200] if log_lines else f"it ended with code {code} and said nothing"
            )
        try:
            return performance.validated_rows(json.loads(result.read_text(encoding="utf-8")))
        except (OSError, ValueError) as error:
            raise BenchmarkFailed(f"its rows cannot be read: {error}") from None


def updated_record(name: str, before: BenchmarkRecord, console: Console) -> BenchmarkRecord:
    """Run a benchmark and return its new record; table rows that were not measured keep their old figures."""
    trouble = []
    if (load := os.getloadavg()[0]) > 0.5 * (os.cpu_count() or 1):
        trouble.append(f"other work was going on: the load was {load:.1f} when it began")
    environment, failures = peers.environment(name, lambda text: console.print(text, markup=False))
    trouble += [f"{peer} could not be installed: {reason}" for peer, reason in failures.items()]
    try:
        rows = run_benchmark(name, environment)
    except BenchmarkFailed as failure:
        return before.with_failure(f"failed on {date.today()}: {failure}")
    return before.updated(rows, str(date.today()), performance.machine(), trouble, complete=not failures)


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmarks named on the command line and return 1 if one of them failed, else 0."""
    all_names = names()
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=(__doc__ or "").splitlines()[0],
        epilog=f"The benchmarks: {', '.join(all_names)}.",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="all of them when left out")
    chosen_names = parser.parse_args(arguments).names or all_names
    if unknown_names := sorted(set(chosen_names) - set(all_names)):
        parser.error(f"no benchmark is called {', '.join(unknown_names)}: there are {', '.join(all_names)}")
    console = Console(stderr=True)
    records = performance.read(ROOT)
    for number, name in enumerate(chosen_names, 1):
        console.print(f"[{number}/{len(chosen_names)}] {name} ...", markup=False)
        start = time.monotonic()
        records[name] = updated_record(name, records.get(name, BenchmarkRecord()), console)
        performance.write(ROOT, records)  # saved now, so that an interruption does not lose these results
        console.print(f"    {time.monotonic() - start:.0f} s", *records[name].trouble, sep="; ", markup=False)
    Console().print(performance.table({name: records[name] for name in chosen_names}))
    return int(any(records[name].is_failed for name in chosen_names))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("Stopped: what had been measured is in docs/performance.md.")
