"""Runs the tests in every Python of this machine, with newest packages: `python -m scripts.pythons -k ask`.

The Pythons are those on PATH and pyenv's. Each has an environment, .venv-3.12 and so on. PyTorch keeps the
version of constraints.txt, whose words and numbers the lessons quote.
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
NEWEST = 30  # 3.30: no Python beyond is looked for

Minor = tuple[int, int]


def find_pythons() -> dict[Minor, Path]:
    """Return a Python of each minor version from 3.11 on: that of PATH, or pyenv's newest."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = [path for path in pyenv.glob("3.*/bin/python") if re.fullmatch(r"[\d.]+", path.parts[-3])]
    found.sort(key=lambda path: [int(part) for part in path.parts[-3].split(".")])
    named = [shutil.which(f"python3.{minor}") for minor in range(OLDEST[1], NEWEST)]
    runs = {minor: path for path in [*found, *map(Path, filter(None, named))] if (minor := _minor(path))}
    return dict(sorted(runs.items()))


def _minor(python: Path) -> Minor | None:
    """Return the version of a Python; None if it does not run, as pyenv's shims may not, or is too old."""
    code = "import sys, venv; print(*sys.version_info[:2])"
    try:
        done = subprocess.run([python, "-c", code], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode:
        return None
    major, minor = map(int, done.stdout.split())
    return (major, minor) if (major, minor) >= OLDEST else None


def test(minor: Minor, python: Path, arguments: Sequence[str]) -> str:
    """Bring an environment up to date and run pytest in it; return how that ended, in a word or two."""
    folder = ROOT / ".venv-{}.{}".format(*minor)
    inside = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not inside.is_file() and _run([python, "-m", "venv", folder]):
        return "no environment"
    newest = ["install", "--quiet", "--upgrade", "--upgrade-strategy", "eager"]
    if _run([inside, "-m", "pip", *newest, _torch(), "-e", f"{ROOT}[dev]"]):
        return "not installed"
    # Without the quick suite's bounds: PyTorch with CUDA, which PyPI serves, takes longer to import.
    return "failed" if _run([inside, "-m", "pytest", "-p", "no:costs", *arguments]) else "passed"


def _torch() -> str:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return next(line for line in lines if line.startswith("torch=="))


def _run(command: Sequence[str | Path]) -> int:
    return subprocess.run(command, cwd=ROOT).returncode


def main(words: Sequence[str] | None = None) -> int:
    """Test in each Python, and say in the end how each went; return 1 if one did not pass."""
    parser = ArgumentParser(prog="python -m scripts.pythons", description="Other options go to pytest.")
    parser.add_argument("--only", action="append", metavar="3.N", help="this Python alone; may be repeated")
    chosen, arguments = parser.parse_known_args(words)
    pythons = {"{}.{}".format(*minor): (minor, path) for minor, path in find_pythons().items()}
    if missing := sorted(set(chosen.only or ()) - pythons.keys()):
        parser.error(f"there is no Python {' or '.join(missing)} here, only {', '.join(pythons)}")
    ends = {}
    for name in chosen.only or pythons:
        print(f"== Python {name}: {pythons[name][1]}", flush=True)
        ends[name] = test(*pythons[name], arguments)
    for name, end in ends.items():
        print(f"Python {name}: {end}")
    return int(set(ends.values()) != {"passed"})


if __name__ == "__main__":
    sys.exit(main())
