"""Fixtures that build Secant's wheel and install it in fresh environments."""

import io
import os
import site
import subprocess
import sys
import sysconfig
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from autograder.edition.pack import make_edition
from secant.language import LANGUAGES

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = "Scripts" if os.name == "nt" else "bin"


@dataclass(frozen=True)
class Environment:
    """A virtual environment, with a home folder for the user of its programs.

    Attributes:
        programs: the folder of the environment's executables.
        packages: the folder of the environment's Python packages.
        home: the home folder, which is also the default working directory.
    """

    programs: Path
    packages: Path
    home: Path

    def start(self, *command: str | Path, out: Path, cwd: Path | None = None) -> "subprocess.Popen[bytes]":
        """Start an installed program as a new user would: without the repository and its settings."""
        prefixes = ("PYTHON", "SECANT", "JUPYTER", "VIRTUAL_ENV", "XDG")
        variables = {name: value for name, value in os.environ.items() if not name.startswith(prefixes)}
        with out.open("wb") as file:
            return subprocess.Popen(
                [self.programs / command[0], *command[1:]],
                cwd=cwd or self.home,
                env=variables | {"HOME": str(self.home), "USERPROFILE": str(self.home)},
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
            )


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a source distribution from the repository, and from that a wheel; return the wheel's path."""
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "hatchling", "build", "-d", str(folder), "-t"]
    subprocess.run([*build, "sdist"], cwd=ROOT, check=True, capture_output=True)
    (sdist,) = folder.glob("*.tar.gz")
    subprocess.run(["tar", "-xf", sdist.name], cwd=folder, check=True)
    unpacked = folder / sdist.name.removesuffix(".tar.gz")
    subprocess.run([*build, "wheel"], cwd=unpacked, check=True, capture_output=True)
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="session")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """Return an environment in which the wheel for learners without a class is installed."""
    return install(wheel, tmp_path_factory)


@pytest.fixture(scope="session")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the unpacked folder of the class edition."""
    folder = tmp_path_factory.mktemp("pack")
    zipfile.ZipFile(io.BytesIO(make_edition(ROOT, LANGUAGES))).extractall(folder)
    return folder / "secant-class"


@pytest.fixture(scope="session")
def student(pack: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """Return an environment in which the class edition's wheel for students is installed."""
    (wheel,) = pack.glob("*.whl")
    return install(wheel, tmp_path_factory)


def make_environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """Create a virtual environment that has the packages of the current one, except Secant."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    packages = sysconfig.get_path("purelib", vars={"base": str(folder)})
    # The folders are listed in a .pth file, because Python then ignores the .pth files in those folders, such
    # as the one that links to the repository.
    Path(packages, "others.pth").write_text("\n".join(site.getsitepackages()))
    link_extensions(Path(sys.prefix), folder)
    return Environment(folder / SCRIPTS, Path(packages), tmp_path_factory.mktemp("home"))


def install(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """Create a virtual environment with the current one's packages, and install a wheel of Secant in it."""
    target = make_environment(tmp_path_factory)
    pip: list[str | Path] = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        target.programs / "python",
        "install",
        "--no-deps",
        "--no-index",
        "--quiet",
    ]
    subprocess.run([*pip, "--disable-pip-version-check", "--no-compile", wheel], check=True)
    return target


def link_extensions(source: Path, target: Path) -> None:
    """Link the Jupyter extensions and settings that other packages have installed, but none of Secant's.

    Args:
        source: the environment to link to.
        target: the environment that gets the links.
    """
    for folder in ("share/jupyter/labextensions", "etc/jupyter/jupyter_server_config.d"):
        (target / folder).mkdir(parents=True)
        for entry in (source / folder).iterdir():
            if not entry.name.startswith("secant"):
                (target / folder / entry.name).symlink_to(entry)
    for name in ("lab", "nbconvert"):
        (target / "share/jupyter" / name).symlink_to(source / "share/jupyter" / name)
