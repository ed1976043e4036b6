"""`make bench`: the rows that it keeps, the page and table that it writes, and benchmarks that fail."""

import io
import json
import os
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from rich.console import Console

from benchmarks import __main__ as bench
from benchmarks import peers, performance
from benchmarks.performance import BenchmarkRecord

ROOT = Path(__file__).resolve().parents[2]
DATE, MACHINE = "2026-01-02", "a processor, 2 cores"


def make_row(figure: str = "speed", ours: float = 2, peer: str = "a peer", value: float | None = 6) -> Any:
    ratio = None if value is None else value / ours
    return dict(zip(performance.KEYS, (figure, ours, peer, value, ratio, "s"), strict=True))


def make_record(*rows: Any, **fields: Any) -> BenchmarkRecord:
    return BenchmarkRecord([{**row, "date": DATE, "machine": MACHINE} for row in rows], **fields)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a repository with three benchmarks: one has rows, one fails and one writes nonsense."""
    folder = tmp_path / "benchmarks"
    folder.mkdir()
    (folder / "__init__.py").touch()
    for name, text in {
        "good": "import json, pathlib, sys\n"
        f"pathlib.Path(sys.argv[2]).write_text('{json.dumps([make_row()])}')",
        "bad": "import sys\nsys.exit('the disk is full')",
        "odd": "import pathlib, sys\npathlib.Path(sys.argv[2]).write_text('[{}]')",
    }.items():
        body = "\n".join(f"    {line}" for line in text.splitlines())
        (folder / f"{name}.py").write_text(f"\n\ndef main():\n{body}\n\n\nmain()\n")
    (folder / "shared.py").write_text("ONLY = 'helps'\n")
    (tmp_path / "docs").mkdir()
    monkeypatch.setattr(bench, "ROOT", tmp_path)
    monkeypatch.setattr(bench, "HERE", folder)
    monkeypatch.setattr(performance, "machine", lambda: "another processor")
    return tmp_path


def render_table(records: dict[str, BenchmarkRecord]) -> str:
    stream = io.StringIO()
    Console(width=200, file=stream).print(performance.table(records))
    return stream.getvalue()


def test_failing_benchmark_is_named_and_keeps_its_older_rows(repository: Path) -> None:
    performance.write(
        repository, {"bad": make_record(make_row("older")), "other": make_record(make_row("of another"))}
    )
    assert bench.main(["good", "bad"]) == 1
    records = performance.read(repository)
    assert [(row["figure"], row["machine"]) for row in records["good"].rows] == [
        ("speed", "another processor")
    ]
    assert records["bad"].rows == make_record(make_row("older")).rows
    assert "the disk is full" in records["bad"].trouble[0]
    assert records["other"].rows == make_record(make_row("of another")).rows
    page = (repository / performance.PAGE).read_text()
    assert f"| older (of {DATE}) | 2 s | a peer | 6 s | 3 |" in page
    assert "the disk is full" in page
    assert "| speed | 2 s | a peer | 6 s | 3 |" in page
    assert "`python -m benchmarks.good --json FILE`" in page
    assert {"Machine 1: a processor, 2 cores.", "Machine 2: another processor."} <= set(page.splitlines())


def test_bench_without_arguments_runs_all_and_refuses_malformed_rows(repository: Path) -> None:
    assert bench.main([]) == 1
    records = performance.read(repository)
    assert list(records) == ["bad", "good", "odd"]
    assert (records["odd"].rows, records["odd"].is_failed) == ([], True)
    assert "a row needs figure, ours" in records["odd"].trouble[0]
    assert bench.main(["good"]) == 0


def test_unknown_benchmark_is_refused_before_any_runs(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as error:
        bench.main(["good", "nonsense"])
    assert error.value.code == 2
    assert "nonsense: there are bad, good, odd" in capsys.readouterr().err
    assert not (repository / performance.JSON).exists()


def test_rows_of_a_peer_that_cannot_be_installed_are_kept_and_marked(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures = {"otherplot==1.0": "no such version"}
    monkeypatch.setattr(peers, "environment", lambda name, tell: (dict(os.environ), failures))
    performance.write(
        repository,
        {"good": make_record(make_row(ours=9), make_row(peer="otherplot"), make_row("gone", value=None))},
    )
    assert bench.main(["good"]) == 0
    record = performance.read(repository)["good"]
    assert [(row["figure"], row["peer"], row["ours"]) for row in record.rows] == [
        ("speed", "a peer", 2),
        ("speed", "otherplot", 2),
        ("gone", "a peer", 2),
    ]
    page = (repository / performance.PAGE).read_text()
    assert f"| speed (of {DATE}) | 2 s | otherplot | 6 s | 3 |" in page
    assert f"| gone (of {DATE}) | 2 s | a peer |  |  |" in page
    assert "otherplot==1.0 could not be installed: no such version" in page
    monkeypatch.undo()
    assert (
        len(
            make_record(make_row(), make_row("gone"))
            .updated([make_row()], "2026-01-03", MACHINE, [], complete=True)
            .rows
        )
        == 1
    )


def test_performance_table_has_every_row_and_failure() -> None:
    text = render_table(
        {
            "one": make_record(make_row("first"), make_row("second", peer="", value=None)),
            "two": make_record().with_failure("why"),
        }
    )
    for cell in ("first", "second", "2 s", "a peer", "6 s", "why"):
        assert cell in text


@pytest.mark.parametrize("rows", [[], {}, [1], [{"figure": "x"}], [make_row() | {"ours": "fast"}], "text"])
def test_a_record_with_bad_rows_is_refused(rows: Any) -> None:
    with pytest.raises(ValueError, match="row"):
        performance.validated_rows(rows)


def test_a_machine_is_described_without_its_name() -> None:
    text = performance.machine()
    assert "cores" in text
    assert "torch" in text
    assert os.uname().nodename not in text


def test_performance_page_matches_its_rows() -> None:
    records = performance.read(ROOT)
    assert (ROOT / performance.PAGE).read_text(encoding="utf-8") == performance.page(records)
    assert set(records) <= set(bench.names())


def test_machines_are_numbered_alike_whichever_was_measured_last() -> None:
    first, second = (
        make_record(make_row()),
        BenchmarkRecord([{**make_row(), "date": DATE, "machine": "another"}]),
    )
    assert performance.page({"b": second, "a": first}) == performance.page({"a": first, "b": second})


def test_every_package_of_a_peer_is_for_a_benchmark_or_for_make_mutants() -> None:
    lines = peers.REQUIREMENTS.read_text().splitlines()[1:]
    assert {line.partition("#")[2].strip() for line in lines} <= {"slider", "grading", "mutants"}
    assert [requirement.name for requirement in peers.requirements_of("slider")][:3] == [
        "ipympl",
        "bqplot",
        "plotly",
    ]
    assert peers.requirements_of("kernels") == []


def test_missing_packages_are_those_in_neither_environment(tmp_path: Path) -> None:
    environment = tmp_path / "there"
    folder = peers.packages(environment) / "Some_Plot-1.5.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: Some_Plot\nVersion: 1.5\n")
    requirements = [
        Requirement(text) for text in ("some-plot==1.5", "some-plot==1.6", "pytest", "no-such-thing")
    ]
    assert [str(requirement) for requirement in peers.missing_requirements(requirements, environment)] == [
        "some-plot==1.6",
        "no-such-thing",
    ]
