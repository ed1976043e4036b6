"""Run stock nbgrader inside the throw-away sandbox of stock.py, and write down the results.

    python inner.py WANT_FEEDBACK SECONDS

This process is root in the sandbox and nbgrader is not, so that a submission cannot stop the measurement.
"""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

COURSE, USER, LESSON = Path("/course"), 61_300, "01_squares"


def run(arguments: list[str], seconds: float) -> str:
    """Run an nbgrader command, and return "timeout", "killed" or "exit N", where N is the exit status."""
    with open("/out/log", "ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "nbgrader", *arguments],
            cwd=COURSE,
            user=USER,
            group=USER,
            extra_groups=[],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            return "timeout"
    return "killed" if code < 0 else f"exit {code}"


def belongs_to_user(process: Path) -> bool:
    """Return whether a process belongs to the user that nbgrader runs as, and is alive."""
    try:
        status = dict(
            line.split(":", 1) for line in (process / "status").read_text(errors="replace").splitlines()
        )
        return status["Uid"].split()[0] == str(USER) and status["State"].strip()[0] not in "ZX"
    except (OSError, KeyError, ValueError):
        return False


def scores() -> dict[str, float | None]:
    """Return each student's score in the gradebook, or None without a grade."""
    with sqlite3.connect("file:/course/gradebook.db?mode=ro&immutable=1", uri=True) as book:
        rows = book.execute(
            "select s.student_id, sum(coalesce(g.manual_score, g.auto_score)),"
            " count(g.auto_score) + count(g.manual_score)"
            " from submitted_assignment s join submitted_notebook n on n.assignment_id = s.id"
            " join grade g on g.notebook_id = n.id group by s.student_id"
        ).fetchall()
    return {name: float(score or 0) if count else None for name, score, count in rows}


def main(feedback: bool, seconds: float) -> None:
    """Grade with stock nbgrader, and write the measured results to /out/found.json."""
    results: dict[str, object] = {"batch": run(["autograde", LESSON, "--create"], seconds)}
    time.sleep(0.5)
    survivors = [p for p in Path("/proc").iterdir() if p.name.isdigit() and belongs_to_user(p)]
    results["survivors"] = 0 if results["batch"] == "timeout" else len(survivors)
    for process in survivors:
        os.kill(int(process.name), signal.SIGKILL)
    if feedback:
        results["feedback"] = run(["generate_feedback", LESSON], 60)
    try:
        results["scores"] = scores()
    except sqlite3.Error as error:
        results["scores"], results["error"] = {}, str(error)
    texts = [*COURSE.glob("autograded/a_case/*/*.ipynb"), *COURSE.glob("feedback/a_case/*/*.html")]
    text = "".join(_student_part(path) for path in texts)
    results["seen"] = [
        word for word in ("SEEN", "CANARY-hidden", "<script>alert(1)</script>") if word in text
    ]
    results["bytes"] = sum(path.stat().st_size for path in texts)
    results["written"] = [
        str(p) for p in (COURSE / "source/pwned", COURSE / "pwned", Path("/tmp/SECANT-pwned")) if p.exists()
    ]
    Path("/out/found.json").write_text(json.dumps(results))


def _student_part(path: Path) -> str:
    """Return what students may see of a file: all of an HTML page, or the outputs of a notebook."""
    text = path.read_text(errors="replace")
    if path.suffix == ".html":
        return text
    return json.dumps([cell.get("outputs") for cell in json.loads(text)["cells"]])


if __name__ == "__main__":
    main(sys.argv[1] == "yes", float(sys.argv[2]))
