"""The last verdicts of each notebook, stored next to the progress in the learner's data folder."""

import contextlib
import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from autograder.exam.checked_notebook import CheckedNotebook
from secant.files import read_json, replace_file
from secant.progress import store


def save(notebook: CheckedNotebook, rows: Sequence[Mapping[str, Any]]) -> None:
    """Store the verdicts of a check, and keep the stored verdicts of tasks that were not checked.

    An error in writing the file is ignored.
    """
    stored = {row["id"]: row for row in _read_rows(notebook.path, notebook.hidden)}
    answers = _digests(notebook)
    for row in rows:
        stored[row["id"]] = {**row, "answer": answers.get(row["id"], "")}
    record = {
        "path": str(notebook.path),
        "hidden": notebook.hidden,
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "rows": [stored[task.id] for task in notebook.tasks if task.id in stored],
    }
    file = _storage_path(notebook.path)
    with contextlib.suppress(OSError):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace_file(file, json.dumps(record, ensure_ascii=False).encode("utf-8", "replace"), private=True)


def load(notebook: CheckedNotebook) -> dict[str, Any] | None:
    """Return a notebook's last verdicts, or None if none are stored.

    Each verdict has a field `changed`, which is true if the answer has changed since the check.
    """
    record = _read_file(notebook.path)
    answers = _digests(notebook)
    task_ids = {task.id for task in notebook.tasks}
    rows = [row for row in _read_rows(notebook.path, notebook.hidden) if row["id"] in task_ids]
    if not rows:
        return None
    for row in rows:
        row["changed"] = row.pop("answer") != answers.get(row["id"], "")
    graded_rows = [row for row in rows if row["outcome"] != "manual"]
    return {
        "rows": rows,
        "score": sum(row["points"] for row in graded_rows),
        "max_score": sum(task.points for task in notebook.tasks if task.test is not None),
        "hidden": notebook.hidden,
        "when": record["when"],
    }


def _read_rows(path: Path, hidden: bool) -> list[dict[str, Any]]:
    """Return the verdicts that an earlier check stored.

    The result is [] if that check ran hidden tests and `hidden` is false, or the other way round.
    """
    record = _read_file(path)
    return record["rows"] if record.get("hidden") == hidden else []


def _read_file(path: Path) -> dict[str, Any]:
    """Return the data stored about a notebook, or {} if the file is damaged or about another notebook."""

    def validate(stored: dict[str, Any]) -> dict[str, Any]:
        complete = all({"id", "points", "outcome", "answer"} <= row.keys() for row in stored["rows"])
        return stored if complete and stored["path"] == str(path) and "when" in stored else {}

    return read_json(_storage_path(path), validate, {})


def _storage_path(path: Path) -> Path:
    name = hashlib.sha256(str(path).encode("utf-8", "surrogateescape")).hexdigest()[:32]
    return store.path().parent / "checks" / f"{name}.json"


def _digests(notebook: CheckedNotebook) -> dict[str, str]:
    """Return a hash for each task, computed from the answer that a check would run and from the test."""
    tests = {task.id: task.test.source for task in notebook.tasks if task.test is not None}
    return {
        task: hashlib.sha256(f"{code}\0{tests.get(task, '')}".encode()).hexdigest()[:16]
        for task, code in notebook.answers.items()
    }
