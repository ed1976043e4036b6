"""A list of the findings of `secant doctor`, printed for a problem report that is written offline.

    python -m secant.lab.problem ko

prints the findings in Korean. In paths, ~ replaces the home folder, so that the report does not reveal the
folder's name.
"""

import importlib.metadata
import platform
import sys
from collections.abc import Iterable
from pathlib import Path

from secant.lab.doctor import CheckResult, mark, run_checks
from secant.language import escape_unencodable, is_language, language


def facts(findings: Iterable[CheckResult]) -> str:
    """Return a line about the system and a line for each finding, with ~ for the home folder."""
    lines = [_system(), *(f"{mark(finding)}  {finding.what}: {finding.found}" for finding in findings)]
    home = str(Path.home())
    return "\n".join(line.replace(home, "~") if len(home) > 1 else line for line in lines)


def _system() -> str:
    try:
        lab = importlib.metadata.version("jupyterlab")
    except importlib.metadata.PackageNotFoundError:
        lab = "-"
    return f"{platform.platform()}, JupyterLab {lab}"


def main(lang: str) -> None:
    """Print the facts about this computer in the language with the code `lang`."""
    escape_unencodable()
    if is_language(lang):
        language(lang)
    print(facts(run_checks()))


if __name__ == "__main__":
    main(sys.argv[1])
