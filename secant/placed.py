"""What was put where in a workspace, as the launcher remembers it between two starts."""

import hashlib
from pathlib import Path

from secant.files import read_json

# Hidden, so that JupyterLab neither lists nor serves it.
STATE_FOLDER = ".secant"
# In the environment of what the lab starts: the workspace, if Secant itself has filled it.
OWN_WORKSPACE = "SECANT_OWN_WORKSPACE"
# Each file of a release: the version it was `copied` from, the one last `offered`, where that is (`beside`).
State = dict[str, dict[str, str]]


def fingerprint(content: bytes) -> str:
    """A short name for exactly these bytes."""
    return hashlib.sha256(content).hexdigest()[:32]


def read_state(workspace: Path) -> State:
    """What was put where; a file that cannot be understood counts as an empty one."""
    return read_json(workspace / STATE_FOLDER / "state.json", _texts, {})


def _texts(state: dict[str, dict[str, str]]) -> State:
    return {
        str(name): {str(key): str(value) for key, value in entry.items()} for name, entry in state.items()
    }
