"""The project's web addresses, its version, and the address for reporting a problem.

The addresses and the version are written only in pyproject.toml. A checkout reads that file; an installed
package reads its metadata.
"""

import importlib.metadata
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import secant

#: The allowed prefixes of the address to which a class of students sends its problem reports.
SCHEMES = ("https://", "http://", "mailto:")


def project() -> dict[str, Any] | None:
    """Return the [project] table of the checkout's pyproject.toml; None if this package was installed."""
    file = Path(secant.__file__).resolve().parent.parent / "pyproject.toml"
    try:
        table: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))["project"]
    except (OSError, ValueError, KeyError):
        return None
    return table if table.get("name") == "secant" else None


def urls() -> dict[str, str]:
    """Return the project's web addresses, keyed by label: Repository, Issues, Documentation."""
    if table := project():
        return dict(table["urls"])
    try:
        lines = importlib.metadata.metadata("secant").get_all("Project-URL", [])
    except importlib.metadata.PackageNotFoundError:
        return {}
    return dict(line.split(", ", 1) for line in lines)


def version() -> str:
    """Return the version of Secant in use; "unknown" if no checkout or installed package is found."""
    if table := project():
        return str(table["version"])
    try:
        return importlib.metadata.version("secant")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


def report_text(lesson: str = "", task: str = "", *, version_text: str = "") -> str:
    """Return the first lines of a problem report; the arguments are those of `report_url`."""
    fields = {"Lesson": lesson, "Task": task, "Version": version_text or version()}
    return "\n".join(f"{label}: {text}" for label, text in fields.items() if text)


def report_url(lesson: str = "", task: str = "", *, version_text: str = "", address: str = "") -> str:
    """Return the address of a new problem report that names a lesson, a task and a version, and nothing else.

    Args:
        lesson: the lesson's name, such as 01_what_autograd_does; empty on the start page.
        task: the task's name, if the report is about one.
        version_text: the version to name; by default Secant's own.
        address: the address for reports; by default that of the project's issues. A mailto: address, or the
            address of an issue tracker (which ends in /issues), is returned with the report's text added. Any
            other address is returned unchanged.
    """
    address = address or urls().get("Issues", "")
    title = f"{', '.join(filter(None, (lesson, task))) or 'Secant'}: "
    body = report_text(lesson, task, version_text=version_text) + "\n\n"
    if address.startswith("mailto:"):
        return f"{address}?{urlencode({'subject': title, 'body': body}, quote_via=quote)}"
    if address.endswith("/issues"):
        return f"{address}/new?{urlencode({'title': title, 'body': body}, quote_via=quote)}"
    return address
