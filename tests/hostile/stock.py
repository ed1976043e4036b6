"""Compare stock nbgrader and Secant's grader on the same submissions.

    python -m tests.hostile.stock --json FILE [--only A,B07] [--minutes 14] [--docs docs/trust.md]

FILE stores all measurements, so an interrupted run can be continued. --docs writes the tables into a file,
between its two marks. Stock nbgrader runs in a throw-away sandbox (bubblewrap, without a network, and with
limits on memory, processes and disk) on a copy of the course; otherwise attacks that nbgrader does not stop
would harm this machine. Each case is graded in a batch of two: the submission, and after it a good student's.
This needs Linux, and root.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from autograder.exam import examiner
from autograder.intake.take_in import take_in
from autograder.sandbox.cgroup import Cgroup
from autograder.sandbox.inside.limits import MEGABYTE, ContainerLimits
from autograder.sandbox.wall import Wall
from tests.hostile import scene
from tests.hostile.cases import Case, load_all, write
from tests.hostile.inner import USER
from tests.hostile.world import BAIT, HERE, LESSON, POINTS, RIGHT, World
from tests.support.examined import examine_submission

CONFIG = """
c = get_config()
c.CourseDirectory.course_id = "stock"
c.CourseDirectory.root = "/course"
"""
BATCH_SECONDS = 200.0
SCRIPT = "<script>alert(1)</script>"
#: Which of two texts, a script and a hidden test, is not a leak in these cases. In all other cases,
#: neither of the two counts. nbgrader's page shows hidden tests to every student, so they count only in the
#: cases that try to read them.
NOT_A_LEAK = {"B01": {SCRIPT}, "B02": {SCRIPT}, "B14": {"CANARY-hidden"}}
#: Cases that the sandbox around stock nbgrader prevents, so that they show nothing about nbgrader.
NOT_MEASURED = ("B07", "B08")
BEGIN, END = "<!-- stock.py writes from here -->", "<!-- to here -->"
FULL = sum(POINTS.values())


# --- Stock nbgrader ------------------------------------------------------------------------------------


def prepare(world: World, template: Path) -> None:
    """Make the course directory that is copied for every case, built and registered by stock nbgrader."""
    shutil.copytree(world.root / "source", template / "source")
    (template / "nbgrader_config.py").write_text(CONFIG.replace("/course", str(template)))
    env = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    for arguments in (
        ["generate_assignment", LESSON, "--create"],
        ["db", "student", "add", "x", "--last-name", f"{BAIT}gradebook-9d2e"],
    ):
        command = [sys.executable, "-m", "nbgrader", *arguments]
        subprocess.run(command, cwd=template, env=env, check=True, capture_output=True)
    (template / "nbgrader_config.py").write_text(CONFIG)
    write(
        world.notebook(RIGHT, last="# CANARY-other-student-31c0"), template / "submitted" / "z_good" / LESSON
    )


def run_stock(case: Case, variant: str, world: World, template: Path, bwrap: str) -> dict[str, Any]:
    """Grade one case with stock nbgrader, in a sandbox."""
    with tempfile.TemporaryDirectory(prefix="secant-stock-") as name:
        workspace = Path(name)
        shutil.copytree(template, workspace / "in", symlinks=True)
        folder = workspace / "in" / "submitted" / "a_case" / LESSON
        write(case.make(world, case.answers(variant)), folder)
        for path in folder.rglob("*"):
            if path.is_file() and not path.is_symlink() and path.stat().st_size < 10**6:
                path.write_bytes(path.read_bytes().replace(str(world.root).encode(), b"/course"))
        (workspace / "out").mkdir()
        feedback = "yes" if case.group == "B" else "no"
        measure = f"exec {sys.executable} /inner.py {feedback} {BATCH_SECONDS}"
        script = f"cp -r /in/. /course/ && chown -R {USER}:{USER} /course && {measure}"
        command = [*sandbox(bwrap, workspace), "sh", "-c", script]
        group = Cgroup.create(3000 * MEGABYTE, 300, 2)
        try:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
            )
            if group:
                group.add(process.pid)
            try:
                _, errors = process.communicate(timeout=BATCH_SECONDS + 90)
            except subprocess.TimeoutExpired:
                process.kill()
                _, errors = process.communicate()
        finally:
            if group:
                group.remove()
        result = workspace / "out" / "found.json"
        if (not result.exists() and b"Traceback" in errors) or not (workspace / "out" / "log").exists():
            raise RuntimeError(f"the sandbox did not start: {errors.decode(errors='replace')}")
        if not result.exists():
            return {
                "batch": "sandbox lost",
                "scores": {},
                "error": errors.decode(errors="replace")[-300:],
            }
        results: dict[str, Any] = json.loads(result.read_text())
        log = (workspace / "out" / "log").read_text(errors="replace")
        results["log"] = log[-1500:]
        results["says"] = (re.findall(r"^(?:\w+\.)*(\w*(?:Error|Exception)\b.{0,100})", log, re.M) or [""])[
            -1
        ]
        return results


def sandbox(bwrap: str, workspace: Path) -> list[str]:
    """Return the command of a sandbox that contains only Python, this package and a copy of the course."""
    options = [bwrap, "--die-with-parent", "--new-session", "--clearenv"]
    # There is no user namespace, because inner.py and nbgrader run as different users.
    options += ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup"]
    options += ["--cap-drop", "ALL"]
    for capability in ("CHOWN", "DAC_OVERRIDE", "FOWNER", "KILL", "SETUID", "SETGID", "SETPCAP"):
        options += ["--cap-add", f"CAP_{capability}"]
    options += [
        "--proc",
        "/proc",
        "--dev",
        "/dev",
        "--perms",
        "1777",
        "--size",
        str(300 * MEGABYTE),
        "--tmpfs",
        "/tmp",
    ]
    for path in ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc", "/opt"):
        if os.path.islink(path):
            options += ["--symlink", os.readlink(path), path]
        elif os.path.exists(path):
            options += ["--ro-bind", path, path]
    for path in dict.fromkeys((sys.prefix, sys.base_prefix)):
        if not path.startswith("/usr"):
            options += mount_options(path)
    package = HERE.parent.parent / "secant"
    options += [*mount_options(str(package)), "--ro-bind", str(HERE / "inner.py"), "/inner.py"]
    options += ["--ro-bind", str(workspace / "in"), "/in", "--bind", str(workspace / "out"), "/out"]
    options += ["--size", str(500 * MEGABYTE), "--tmpfs", "/course", "--chdir", "/course"]
    settings = {
        "PATH": f"{sys.prefix}/bin:/usr/local/bin:/usr/bin:/bin",
        "HOME": "/tmp",
        "LANG": "C.UTF-8",
        "PYTHONPATH": str(package.parent),
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1",
        "SECRET_OF_THE_GRADER": "CANARY-environment-88f1",
    }
    for name, value in settings.items():
        options += ["--setenv", name, value]
    return options


def mount_options(path: str) -> list[str]:
    """Return bubblewrap's options that mount a folder.

    They also make the parent folders, or other users could not enter them.
    """
    parents = [str(parent) for parent in reversed(Path(path).parents) if str(parent) not in ("/", "/tmp")]
    return [option for parent in parents for option in ("--dir", parent)] + ["--ro-bind", path, path]


def control(world: World, template: Path, bwrap: str) -> None:
    """Exit unless stock nbgrader, without any trick, gives right answers all points and wrong ones none."""
    case = Case(
        "B00",
        "no trick",
        lambda world, answers: world.notebook(answers),
        {"wrong": "wrong", "right": "passed"},
    )
    for variant, score in (("right", FULL), ("wrong", 0.0)):
        results = run_stock(case, variant, world, template, bwrap)
        if results["scores"] != {"a_case": score, "z_good": FULL}:
            sys.exit(f"The sandbox for stock nbgrader does not work here: {results}")


# --- Secant's grader -----------------------------------------------------------------------------------


def run_secant(case: Case, variant: str, world: World, wall: Wall, good: Path) -> dict[str, Any]:
    """Grade one case, and then the good student, with Secant's examiner."""
    before = scene.snapshot(world, wall)
    saved_limits = {name: getattr(examiner, name) for name in case.limits}
    for name, seconds in case.limits.items():
        setattr(examiner, name, seconds)
    wall.limits = ContainerLimits(**case.container_limits)
    results: dict[str, Any] = {"batch": "exit 0", "scores": {}}
    try:
        with tempfile.TemporaryDirectory() as name:
            write(case.make(world, case.answers(variant)), Path(name) / "case")
            report = examine_submission(
                world.examiner, wall, take_in(Path(name) / "case", LESSON, world.releases), b"stock"
            )
        text = json.dumps([[t.message for t in report.tasks], [c.output for c in report.cells]])
        results["seen"] = [word for word in ("SEEN", BAIT, *world.hidden_lines()) if word in text]
        results["scores"]["a_case"] = report.score
        results["outcomes"] = [task.outcome for task in report.tasks]
    except Exception as error:
        results["says"] = f"{type(error).__name__}: {error}"
    for name, seconds in saved_limits.items():
        setattr(examiner, name, seconds)
    wall.limits = ContainerLimits()
    results["scores"]["z_good"] = examine_submission(
        world.examiner, wall, take_in(good, LESSON, world.releases), b"stock"
    ).score
    after = scene.snapshot(world, wall)
    results["survivors"] = after["processes"] - before["processes"]  # type: ignore[operator]
    results["written"] = after["pwned"] + ([] if after["files"] == before["files"] else ["course"])  # type: ignore[operator]
    return results


# --- The table -----------------------------------------------------------------------------------------


def variant_of(case: Case) -> str:
    """Return the variant to grade: preferably `wrong` in groups A, B and X, and `right` in the others."""
    order = ("wrong", "right") if case.group in "ABX" else ("right", "wrong")
    return next(name for name in order if name in case.expected)


def deserved_points(case: Case, variant: str) -> tuple[float, float]:
    """Return the fewest and the most points that this submission deserves."""
    if (variant == "right" and case.reason) or case.id == "E02":
        return 0.0, FULL  # a grader that can read the file may grade it
    expected = [
        (POINTS[task], outcomes.split("|"))
        for task, outcomes in zip(POINTS, case.outcomes(variant), strict=True)
    ]
    highest = sum(points for points, outcomes in expected if "passed" in outcomes)
    return sum(points for points, outcomes in expected if outcomes == ["passed"]), highest


def unearned(cases: dict[str, Case], scores: dict[str, float]) -> dict[str, float]:
    """Return the scores, by student, that are more or less than the student's case deserves."""
    bounds = {student: deserved_points(case, variant_of(case)) for student, case in cases.items()}
    return {
        student: scores[student]
        for student, (lowest, highest) in bounds.items()
        if not lowest <= scores[student] <= highest
    }


def judge(case: Case, variant: str, results: dict[str, Any]) -> list[str]:
    """Return descriptions of everything that went wrong, or an empty list for an honest outcome."""
    faults = []
    lowest, highest = deserved_points(case, variant)
    score = results["scores"].get("a_case")
    if results["batch"] in ("timeout", "killed", "sandbox lost"):
        faults.append("batch lost")
    elif results["scores"].get("z_good") is None:
        faults.append("batch stopped")
    elif results["scores"]["z_good"] != FULL:
        faults.append("others' grades changed")
    if score is None and not case.reason and highest:
        faults.append("not graded")
    elif score is not None and score > highest:
        faults.append(f"forged {score:g}/{FULL:g}")
    elif score is not None and score < lowest:
        faults.append(f"points lost: {score:g} for {lowest:g}")
    if set(results.get("seen", [])) - NOT_A_LEAK.get(case.id, {"CANARY-hidden", SCRIPT}):
        faults.append("leak")
    if results.get("survivors"):
        faults.append("survivor")
    if results.get("written"):
        faults.append("wrote outside")
    return faults


TOTALS = {
    "a wrong answer got points": ("forged",),
    "a right answer lost points or got no grade": ("points lost", "not graded"),
    "something secret was readable, or shown": ("leak",),
    "the batch did not finish, or others' grades changed": ("batch", "others"),
    "a process outlived the grading": ("survivor",),
    "something was written outside": ("wrote",),
}


def totals(rows: dict[str, dict[str, Any]]) -> list[tuple[str, int, int]]:
    """Return each kind of fault, with the number of cases in which Secant and stock nbgrader had it."""
    counts = []
    for name, prefixes in TOTALS.items():
        secant, stock = (
            sum(any(fault.startswith(prefixes) for fault in row[grader]) for row in rows.values())
            for grader in ("ours", "stock")
        )
        counts.append((name, secant, stock))
    secant, stock = (sum(bool(row[grader]) for row in rows.values()) for grader in ("ours", "stock"))
    return [*counts, ("any of these", secant, stock)]


def tables(rows: dict[str, dict[str, Any]]) -> str:
    """Return both tables as Markdown, as docs/trust.md shows them."""
    lines = [f"| of {len(rows)} submissions | ours | stock nbgrader |", "|---|---:|---:|"]
    lines += [f"| {name} | {secant} | {stock} |" for name, secant, stock in totals(rows)]
    lines += [
        "",
        "<details><summary>Case by case</summary>",
        "",
        "| case | | ours | stock nbgrader |",
        "|---|---|---|---|",
    ]
    for id, row in sorted(rows.items()):
        secant, stock = (", ".join(row[grader]) or "held" for grader in ("ours", "stock"))
        stock = "not measured: the sandbox has no network" if id in NOT_MEASURED else stock
        lines.append(f"| {id} | {row['title']} | {secant} | {stock} |")
    return "\n".join([*lines, "", "</details>"])


def main(arguments: list[str]) -> None:
    """Measure the cases that have not been measured, and print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", type=Path, required=True, help="where results are kept")
    parser.add_argument("--only", default="", help="ids or groups, separated by commas")
    parser.add_argument("--minutes", type=float, default=14.0, help="stop after this time")
    parser.add_argument("--docs", type=Path, help="where the tables are shown")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args(arguments)
    bwrap = shutil.which("bwrap")
    if not bwrap or os.getuid() != 0:
        sys.exit("This needs Linux, root and bubblewrap: no hostile submission runs without a sandbox.")
    end = time.monotonic() + 60 * options.minutes
    raw: dict[str, dict[str, Any]] = json.loads(options.json.read_text()) if options.json.exists() else {}
    prefixes = tuple(word for word in options.only.split(",") if word)
    cases = [case for id, case in load_all().items() if not prefixes or id.startswith(prefixes)]

    def save(id: str, grader: str, results: dict[str, Any]) -> None:
        raw.setdefault(id, {})[grader] = results
        options.json.write_text(json.dumps(raw, indent=1))

    with tempfile.TemporaryDirectory(prefix="secant-stock-") as name:
        workspace = Path(name)
        (workspace / "template").mkdir()
        world = World.create(workspace / "world")
        good = workspace / "good"
        write(world.notebook(RIGHT), good)
        if [case for case in cases if "stock" not in raw.get(case.id, {})]:
            prepare(world, workspace / "template")
            control(world, workspace / "template", bwrap)

        def stock(case: Case) -> None:
            if "stock" in raw.get(case.id, {}) or time.monotonic() > end:
                return
            start = time.monotonic()
            results = run_stock(case, variant_of(case), world, workspace / "template", bwrap)
            save(case.id, "stock", results | {"seconds": round(time.monotonic() - start, 1)})

        with world.services(), Wall(hidden=[world.root]) as wall:
            # Grade once before measuring: a process that a template starts only once is no survivor.
            examine_submission(world.examiner, wall, take_in(good, LESSON, world.releases), b"stock")
            for case in cases:
                if "ours" not in raw.get(case.id, {}) and time.monotonic() < end:
                    save(case.id, "ours", run_secant(case, variant_of(case), world, wall, good))
        with ThreadPoolExecutor(options.workers) as pool:
            # bubblewrap dies with the thread that started it, so each thread waits for its own process.
            list(pool.map(stock, cases))
    rows = {
        case.id: {"title": case.title}
        | {grader: judge(case, variant_of(case), raw[case.id][grader]) for grader in ("ours", "stock")}
        for case in cases
        if {"ours", "stock"} <= raw.get(case.id, {}).keys()
    }
    print(tables(rows))
    if options.docs:
        before, mark, rest = options.docs.read_text().partition(BEGIN)
        options.docs.write_text(f"{before}{mark}\n\n{tables(rows)}\n\n{END}{rest.partition(END)[2]}")
    missing = len(cases) - len(rows)
    if missing:
        sys.exit(f"{missing} cases are left: run this again.")


if __name__ == "__main__":
    main(sys.argv[1:])
