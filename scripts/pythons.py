"""Run the tests with the newest packages in each Python found here: `python -m scripts.pythons -k ask`.

The Pythons are those on PATH and those of pyenv. Each has its own environment, such as .venv-3.12. Only
PyTorch stays at the version in constraints.txt, because the lessons quote that version's messages and
numbers.
"""

import os
import re
import shutil
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OLDEST = (3, 11)
NEWEST = 30  # the search for Pythons stops before version 3.30

Minor = tuple[int, int]


def find_pythons() -> dict[Minor, Path]:
    """Return a Python of each minor version from 3.11 on: the one on PATH, or else pyenv's newest."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    paths = [path for path in pyenv.glob("3.*/bin/python") if re.fullmatch(r"[\d.]+", path.parts[-3])]
    paths.sort(key=lambda path: [int(part) for part in path.parts[-3].split(".")])
    on_path = [shutil.which(f"python3.{minor}") for minor in range(OLDEST[1], NEWEST)]
    paths_by_minor = {
        minor: path for path in [*paths, *map(Path, filter(None, on_path))] if (minor := _minor_version(path))
    }
    return dict(sorted(paths_by_minor.items()))


def _minor_version(python: Path) -> Minor | None:
    """Return the version of a Python, or None if it is too old or does not run, like some pyenv shims."""
    code = "import sys, venv; print(*sys.version_info[:2])"
    try:
        process = subprocess.run([python, "-c", code], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    if process.returncode:
        return None
    major, minor = map(int, process.stdout.split())
    return (major, minor) if (major, minor) >= OLDEST else None


def test(minor: Minor, python: Path, arguments: Sequence[str]) -> str:
    """Bring an environment up to date, run pytest in it, and return the result in a word or two."""
    folder = ROOT / ".venv-{}.{}".format(*minor)
    venv_python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not venv_python.is_file() and _run([python, "-m", "venv", folder]):
        return "no environment"
    newest = ["install", "--quiet", "--upgrade", "--upgrade-strategy", "eager"]
    if _run([venv_python, "-m", "pip", *newest, _torch(), "-e", f"{ROOT}[dev]"]):
        return "not installed"
    # Run without limits on processor time, because PyPI's PyTorch includes CUDA and takes longer to import.
    return "failed" if _run([venv_python, "-m", "pytest", "-p", "no:costs", *arguments]) else "passed"


def _torch() -> str:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return next(line for line in lines if line.startswith("torch=="))


def _run(command: Sequence[str | Path]) -> int:
    return subprocess.run(command, cwd=ROOT).returncode


def main(words: Sequence[str] | None = None) -> int:
    """Run the tests in each Python, print all results at the end, and return 0 if all passed, else 1."""
    parser = ArgumentParser(prog="python -m scripts.pythons", description="Other options go to pytest.")
    parser.add_argument("--only", action="append", metavar="3.N", help="this Python alone; may be repeated")
    options, arguments = parser.parse_known_args(words)
    pythons = {"{}.{}".format(*minor): (minor, path) for minor, path in find_pythons().items()}
    if missing := sorted(set(options.only or ()) - pythons.keys()):
        parser.error(f"there is no Python {' or '.join(missing)} here, only {', '.join(pythons)}")
    ends = {}
    for name in options.only or pythons:
        print(f"== Python {name}: {pythons[name][1]}", flush=True)
        ends[name] = test(*pythons[name], arguments)
    for name, end in ends.items():
        print(f"Python {name}: {end}")
    return int(set(ends.values()) != {"passed"})


if __name__ == "__main__":
    sys.exit(main())
