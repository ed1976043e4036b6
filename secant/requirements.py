"""The packages that Secant requires, and whether they are installed."""

import importlib.metadata

from packaging.requirements import Requirement


def requirements(extra: str = "") -> list[Requirement]:
    """Return the packages that Secant requires on this system, including those of the named extra."""
    all_requirements = map(Requirement, importlib.metadata.requires("secant") or [])
    return [
        item for item in all_requirements if item.marker is None or item.marker.evaluate({"extra": extra})
    ]


def installed(requirement: Requirement) -> tuple[str, bool]:
    """Return a package's installed version, and whether it meets the requirement.

    The version of a missing package is an empty string.
    """
    try:
        version = importlib.metadata.version(requirement.name)
    except importlib.metadata.PackageNotFoundError:
        return "", False
    return version, requirement.specifier.contains(version, prereleases=True)
