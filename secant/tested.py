"""The versions of PyTorch that the lessons were tested with.

pyproject.toml sets no upper bound, because that would keep people from installing Secant. Instead, `secant
lab`, `secant doctor` and `autograder doctor` print a line if a newer version is installed.
"""

import importlib.metadata

from packaging.version import InvalidVersion, Version

from secant.language import say

#: The oldest tested version, the lower bound in pyproject.toml.
OLDEST_TORCH = Version("2.13")
#: The newest tested version. When `make test-newest` has passed with a newer version, enter that version here
#: and in docs/support.md.
NEWEST_TORCH = Version("2.14")


def is_untested_torch(version: str) -> bool:
    """Return whether a PyTorch version is newer than the tested ones, ignoring patch and build numbers."""
    try:
        return Version(version).release[:2] > NEWEST_TORCH.release
    except InvalidVersion:
        return False


def tested_torch() -> str:
    """Return the range of tested PyTorch versions, in the current language."""
    return say(en=f"{OLDEST_TORCH} to {NEWEST_TORCH}", ko=f"{OLDEST_TORCH}~{NEWEST_TORCH}")


def untested_torch_line() -> str:
    """Return a line about the installed PyTorch if it is newer than the tested ones, else an empty string."""
    try:
        version = importlib.metadata.version("torch")
    except importlib.metadata.PackageNotFoundError:
        return ""
    if not is_untested_torch(version):
        return ""
    return say(
        en=f"PyTorch {version} is newer than the versions that the lessons were tested with "
        f"({tested_torch()}). If a result differs from the text, that may be why.",
        ko=f"PyTorch {version} 버전은 수업을 확인한 버전({tested_torch()})보다 새것입니다. "
        "결과가 설명과 다르면 이 때문일 수 있습니다.",
    )
