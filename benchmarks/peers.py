"""The environment .venv-bench, which holds the packages of the benchmarks' peers.

Peers are the tools that Secant is compared with. The environment can import the packages of .venv as well.
benchmarks/requirements.txt lists the packages that each benchmark needs. A peer that cannot be installed is
not measured.
"""

import os
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable
from importlib.metadata import distributions
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
PLACE = ROOT / ".venv-bench"
REQUIREMENTS = ROOT / "benchmarks" / "requirements.txt"
MINUTES = 20  # time limit in minutes for the installation of one package


def requirements_of(name: str) -> list[Requirement]:
    """Return the packages that a benchmark's peers need.

    These are the lines of requirements.txt that name the benchmark in a comment.
    """
    lines = [line.partition("#") for line in REQUIREMENTS.read_text(encoding="utf-8").splitlines()]
    return [Requirement(text) for text, _, benchmarks in lines if text.strip() and name in benchmarks.split()]


def packages(place: Path = PLACE) -> Path:
    """Return the site-packages folder of a virtual environment."""
    return Path(sysconfig.get_path("purelib", "venv", {"base": str(place)}))


def missing_requirements(requirements: list[Requirement], place: Path = PLACE) -> list[Requirement]:
    """Return the requirements that are met neither in the environment nor by this Python's packages."""
    path = [str(packages(place)), *sys.path]
    versions: dict[str, str] = {}
    for package in distributions(path=path):
        versions.setdefault(canonicalize_name(package.metadata["Name"]), package.version)
    return [
        requirement
        for requirement in requirements
        if (version := versions.get(canonicalize_name(requirement.name))) is None
        or not requirement.specifier.contains(version, prereleases=True)
    ]


def environment(name: str, tell: Callable[[str], None]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the environment variables for a benchmark, and the reasons why some of its peers are missing.

    Args:
        name: the name of the benchmark.
        tell: a function that shows the user a progress message.
    """
    requirements = requirements_of(name)
    if not requirements:
        return dict(os.environ), {}
    failures = {}
    if unmet_requirements := missing_requirements(requirements):
        tell(
            f"    installing {', '.join(map(str, unmet_requirements))} into "
            f"{PLACE.name}, once: a minute or more"
        )
        make()
        failures = {
            str(requirement): reason for requirement in unmet_requirements if (reason := install(requirement))
        }
    path = [str(packages()), os.environ.get("PYTHONPATH", "")]
    jupyter_paths = [str(PLACE / "share" / "jupyter"), os.environ.get("JUPYTER_PATH", "")]
    variables = {
        "PYTHONPATH": os.pathsep.join(filter(None, path)),
        "JUPYTER_PATH": os.pathsep.join(filter(None, jupyter_paths)),
    }
    return os.environ | variables, failures


def make() -> None:
    """Make the environment .venv-bench if it does not exist."""
    if not packages().exists():
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", "--clear", PLACE], check=True)
    # This .pth file makes the packages of .venv visible, so that pip installs only missing packages and
    # replaces none.
    (packages() / "secant.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")


def install(requirement: Requirement) -> str:
    """Install a package into .venv-bench and return "", or the reason why it cannot be installed.

    The versions of this Python's packages are passed to pip as constraints, so they do not change.
    """
    with tempfile.TemporaryDirectory() as folder:
        constraints = Path(folder, "constraints.txt")
        installed = {package.metadata["Name"]: package.version for package in distributions()}
        installed.pop("secant", None)
        constraints.write_text("\n".join(f"{name}=={version}" for name, version in installed.items()))
        pip = [sys.executable, "-m", "pip", "--python", str(PLACE), "install"]
        options = ["--disable-pip-version-check", "--no-input", "--quiet", "-c", str(constraints)]
        try:
            process = subprocess.run(
                [*pip, *options, str(requirement)], capture_output=True, text=True, timeout=60 * MINUTES
            )
        except subprocess.TimeoutExpired:
            return f"it took longer than {MINUTES} minutes"
    errors = [line for line in process.stderr.splitlines() if line.startswith("ERROR")]
    return "" if process.returncode == 0 else (errors or ["pip failed"])[-1].removeprefix("ERROR: ")[:200]
