"""Check Secant's version (`python -m scripts.version`), or start a new one (with an argument such as 0.3.0).

The version is defined in pyproject.toml. CITATION.cff and the JupyterLab extension's package.json have copies
of it, because the programs that read these files look nowhere else. `--tag v0.3.0` fails unless the current
version is 0.3.0. `--notes` prints the section of CHANGELOG.md about this version.
"""

import argparse
import re
import sys
import tomllib
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLACES = {
    "pyproject.toml": r'(?m)^version = "(.+)"$',
    "CITATION.cff": r"(?m)^version: (.+)$",
    "secant/lab/labextensions/secant/package.json": r'(?m)^  "version": "(.+)",$',
    "secant/lab/labextensions/secant/schemas/secant/package.json.orig": r'(?m)^  "version": "(.+)",$',
}
_VERSION = re.compile(r"\d+\.\d+\.\d+((a|b|rc)\d+)?")


def current_version(root: Path) -> str:
    """Return the version in pyproject.toml."""
    return str(tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"])


def problems(root: Path, tag: str | None = None) -> list[str]:
    """Return a sentence for each problem with the version in pyproject.toml.

    There are three kinds of problems: a copy of the version differs, CHANGELOG.md has no text about the
    version, or the given tag is not the tag of this version.
    """
    version, sentences = current_version(root), []
    for place, pattern in PLACES.items():
        copies = re.findall(pattern, (root / place).read_text(encoding="utf-8"))
        if copies != [version]:
            sentences.append(
                f"{place} names {' and '.join(copies) or 'no version'}, pyproject.toml {version}."
            )
    if not notes(root, version):
        sentences.append(f'CHANGELOG.md has no text under "## {version} - DATE".')
    if tag is not None and tag != f"v{version}":
        sentences.append(f"The tag {tag} is not that of version {version}, which is v{version}.")
    return sentences


def notes(root: Path, version: str) -> str:
    """Return the section of CHANGELOG.md about a version, or "" if there is none."""
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    part = re.search(rf"(?ms)^## {re.escape(version)}(?: - [\d-]+)?\n(.*?)(?=^## |\Z)", text)
    return part[1].strip() if part else ""


def begin_version(root: Path, version: str) -> None:
    """Write the new version number into every file that contains it.

    In CHANGELOG.md, also add a heading with the version and today's date above the unreleased changes.
    """
    for place, pattern in PLACES.items():
        text = (root / place).read_text(encoding="utf-8")
        new_text = re.sub(pattern, lambda match: match[0].replace(match[1], version), text)
        (root / place).write_text(new_text, encoding="utf-8")
    changelog = root / "CHANGELOG.md"
    text = changelog.read_text(encoding="utf-8")
    heading = f"## {version} - {date.today()}"
    changelog.write_text(
        text.replace("## Unreleased\n", f"## Unreleased\n\n{heading}\n", 1), encoding="utf-8"
    )


def main(arguments: list[str] | None = None) -> int:
    """Check the version or start a new one, depending on the command line, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m scripts.version")
    parser.add_argument("new", nargs="?", help="the version to begin, such as 0.3.0")
    parser.add_argument("--tag", help="fail unless this is the tag of the version")
    parser.add_argument("--notes", action="store_true", help="print what changed in it")
    options = parser.parse_args(arguments)
    if options.new:
        if not _VERSION.fullmatch(options.new) or options.new == current_version(ROOT):
            parser.error(f"{options.new} is not a new version. Versions look like 0.3.0 or 0.3.0rc1.")
        begin_version(ROOT, options.new)
    if sentences := problems(ROOT, options.tag):
        print(*sentences, sep="\n", file=sys.stderr)
        return 1
    print(notes(ROOT, current_version(ROOT)) if options.notes else current_version(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
