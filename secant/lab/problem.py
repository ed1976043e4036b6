"""Print what `secant doctor` finds on this computer, for a problem report that is written offline.

    python -m secant.lab.problem ko

prints it in Korean. In paths, ~ replaces the home folder, so that the report does not reveal where it is.
"""

import importlib.metadata
import platform
import sys
from collections.abc import Iterable
from pathlib import Path

from secant.lab.doctor import Finding, look_around, mark
from secant.language import is_language, language, print_whatever_comes


def facts(findings: Iterable[Finding]) -> str:
    """Return a line about the system and a line for each finding, with ~ for the home folder."""
    lines = [_system(), *(f"{mark(one)}  {one.what}: {one.found}" for one in findings)]
    home = str(Path.home())
    return "\n".join(line.replace(home, "~") if len(home) > 1 else line for line in lines)


def _system() -> str:
    try:
        lab = importlib.metadata.version("jupyterlab")
    except importlib.metadata.PackageNotFoundError:
        lab = "-"
    return f"{platform.platform()}, JupyterLab {lab}"


def main(spoken: str) -> None:
    """Print the facts about this computer in the language with the code `spoken`."""
    print_whatever_comes()
    if is_language(spoken):
        language(spoken)
    print(facts(look_around()))


if __name__ == "__main__":
    main(sys.argv[1])
