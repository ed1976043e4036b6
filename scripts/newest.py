"""Test the lessons with the newest PyTorch that pip installs: `python -m scripts.newest -k lesson`.

The environment .venv-newest can also import the packages of the current environment, so that only PyTorch
differs.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import time
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path

from secant.tested import is_untested_torch

ROOT = Path(__file__).resolve().parent.parent
PLACE = ROOT / ".venv-newest"
PYTHON = PLACE / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
#: The smallest set of tests that covers what the lessons, explorers, graphs and error advice state about
#: PyTorch.
TESTS = (
    *(
        f"tests/course/test_answers.py::{test}"
        for test in (
            "test_solution_passes",
            "test_right_answer_in_another_style_passes",
            "test_wrong_answer_fails_with_its_recorded_hint",
        )
    ),
    "tests/course/test_text.py::test_lesson_runs_and_shows_the_results_of_its_sources",
    "tests/secant/explorers/test_backward.py",
    "tests/secant/graph",
    "tests/secant/test_causes.py",
)
GIGABYTES = 10  # disk space in GB that PyTorch for Linux and its CUDA libraries need, including the download
MINUTES = 10  # time limit in minutes for the installation


class NotInstalledError(Exception):
    """Raised if the newest PyTorch cannot be installed here; the message is the reason."""


def install() -> str:
    """Bring .venv-newest up to date, and return the version of its PyTorch.

    Raises:
        NotInstalledError: if the disk has too little space, or if pip fails or takes too long.
    """
    free_gigabytes = shutil.disk_usage(ROOT).free / 1e9
    if not PYTHON.is_file() and free_gigabytes < GIGABYTES:
        raise NotInstalledError(f"it needs {GIGABYTES} GB and only {free_gigabytes:.1f} GB are free")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", PLACE], check=True)
    packages = Path(sysconfig.get_path("purelib", "venv", {"base": str(PLACE)}))
    # The new .pth file calls addsitedir instead of only naming the folder, because addsitedir also reads the
    # .pth files in that folder. One of these files makes Secant importable.
    link = f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n"
    (packages / "environment_below.pth").write_text(link, encoding="utf-8")
    pip = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]
    try:
        process = subprocess.run(
            [*pip, "--upgrade", "torch"], capture_output=True, text=True, timeout=60 * MINUTES
        )
    except subprocess.TimeoutExpired:
        raise NotInstalledError(f"the installation took longer than {MINUTES} minutes") from None
    if process.returncode:
        raise NotInstalledError((process.stderr.strip().splitlines() or ["pip failed"])[-1])
    version = "import importlib.metadata as m; print(m.version('torch'))"
    return subprocess.run([PYTHON, "-c", version], capture_output=True, text=True, check=True).stdout.strip()


def test(version: str, arguments: Sequence[str]) -> int:
    """Run the tests with the newest PyTorch, print the result, and return pytest's exit code."""
    before, start = _core_seconds(), time.monotonic()
    # Test every lesson and recorded answer. Set no limits on processor time, because PyTorch with CUDA takes
    # longer to import.
    command = [str(PYTHON), "-m", "pytest", "-q", "--whole", "-p", "no:costs", *TESTS, *arguments]
    code = subprocess.run(command, cwd=ROOT).returncode
    cost = f"{time.monotonic() - start:.0f} s, {_core_seconds() - before:.0f} core-seconds"
    print(f"PyTorch {version}: {'failed' if code else 'passed'} ({cost})")
    if not code and is_untested_torch(version):
        print("Raise NEWEST_TORCH in secant/tested.py, and say in docs/support.md what was run.")
    return code


def _core_seconds() -> float:
    times = os.times()
    return times.children_user + times.children_system


def main(words: Sequence[str] | None = None) -> int:
    """Install the newest PyTorch, run the tests, and return 1 if either fails, else 0.

    With --if-possible, also return 0 if the installation fails.
    """
    parser = ArgumentParser(prog="python -m scripts.newest", description="Other options go to pytest.")
    parser.add_argument("--if-possible", action="store_true", help="pass where it cannot be installed")
    options, arguments = parser.parse_known_args(words)
    start = time.monotonic()
    try:
        version = install()
    except NotInstalledError as error:
        print(f"The newest PyTorch was not tested: {error}.")
        return 0 if options.if_possible else 1
    print(f"PyTorch {version} in {PLACE.name}, ready after {time.monotonic() - start:.0f} s", flush=True)
    return int(test(version, arguments) != 0)


if __name__ == "__main__":
    sys.exit(main())
