"""The launcher's record of the files that it has put into a workspace, kept from one start to the next."""

import hashlib
from pathlib import Path

from secant.files import read_json

# The folder's name begins with a dot, so that JupyterLab neither lists nor serves it.
STATE_FOLDER = ".secant"
# The environment variable that tells JupyterLab's processes the path of the workspace, if Secant itself has
# filled the workspace.
OWN_WORKSPACE = "SECANT_OWN_WORKSPACE"
# For each file of a release: the fingerprint of the version it was `copied` from, the fingerprint of the
# version last `offered`, and the path of the file that holds the offered version (`beside`).
State = dict[str, dict[str, str]]


def fingerprint(content: bytes) -> str:
    """Return a fingerprint of some bytes: the first half of their SHA-256, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()[:32]


def read_state(workspace: Path) -> State:
    """Return the record kept in a workspace; a file that is missing or damaged counts as empty."""
    return read_json(workspace / STATE_FOLDER / "state.json", _texts, {})


def _texts(state: dict[str, dict[str, str]]) -> State:
    return {
        str(name): {str(key): str(value) for key, value in entry.items()} for name, entry in state.items()
    }
