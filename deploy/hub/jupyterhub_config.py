"""JupyterHub's settings for a class with Secant on one machine; docs/hub.md explains them.

Students work in the class edition, which has neither answers nor hidden tests. Instructors work in the
course's folder, in their own environment, with formgrader.
"""

import os
from pathlib import Path
from typing import Any

c = get_config()  # type: ignore[name-defined]  # noqa: F821

HERE = Path(__file__).resolve().parent
#: The user names of the instructors.
INSTRUCTORS = set(os.environ.get("SECANT_HUB_INSTRUCTORS", "instructor").split(","))
#: The folder of the repository. It belongs to the instructors, and other users cannot enter it.
COURSE = Path(os.environ.get("SECANT_HUB_COURSE", "/srv/secant"))
#: The folders with the programs of the students' environment, which contains the class edition, and of the
#: instructors' environment.
STUDENTS = Path(os.environ.get("SECANT_HUB_STUDENTS", "/opt/secant/bin"))
TEACHERS = Path(os.environ.get("SECANT_HUB_TEACHERS", COURSE / ".venv" / "bin"))
# The folder of nbgrader's exchange. all/nbgrader_config.py sets it for students and instructors.
os.environ.setdefault("SECANT_HUB_EXCHANGE", "/srv/nbgrader/exchange")

# The hub's own address is plain HTTP, because a proxy with TLS, such as nginx or Caddy, is expected in front
# of it.
c.JupyterHub.bind_url = os.environ.get("SECANT_HUB_URL", "http://127.0.0.1:8000")
# If this address is set, for example to https://hub.example.edu, each user's server gets a subdomain of it
# and so a separate origin. Without it, a page from a student's server can act as the instructor who opens it.
if ADDRESS := os.environ.get("SECANT_HUB_ADDRESS"):
    c.JupyterHub.subdomain_host = ADDRESS
c.JupyterHub.cleanup_servers = False  # users' servers keep running while the hub restarts

# Users log in with the password of their account on this machine, and must be in this group.
c.JupyterHub.authenticator_class = "pam"
c.LocalAuthenticator.allowed_groups = {"secant"}
c.PAMAuthenticator.open_sessions = False

# Each user's server is a process of that user.
c.JupyterHub.spawner_class = "jupyterhub.spawner.LocalProcessSpawner"
c.Spawner.default_url = "/lab"
c.Spawner.start_timeout = 120  # seconds; up to forty servers may start at once
c.Spawner.http_timeout = 120
c.Spawner.env_keep = [
    "PATH",
    "LANG",
    "LC_ALL",
    "TZ",
    "SECANT_LANG",
    "SECANT_HUB_COURSE",
    "SECANT_HUB_EXCHANGE",
]


def prepare(spawner: Any) -> None:
    """Set a user's environment, folder and settings, depending on whether the user is an instructor."""
    teaches = spawner.user.name in INSTRUCTORS
    spawner.cmd = [str((TEACHERS if teaches else STUDENTS) / "jupyterhub-singleuser")]
    spawner.notebook_dir = str(COURSE) if teaches else "~"
    settings = [HERE / ("instructor" if teaches else "student"), HERE / "all"]
    spawner.environment = {
        **spawner.environment,
        "JUPYTER_CONFIG_PATH": os.pathsep.join(map(str, settings)),
        # Other users could read PyTorch's default folder in /tmp, or create it first.
        "TORCHINDUCTOR_CACHE_DIR": str(Path(f"~{spawner.user.name}").expanduser() / ".cache/torch/inductor"),
        # The process that checks answers exits after this many minutes without work, to free its memory.
        "SECANT_IDLE_MINUTES": os.environ.get("SECANT_IDLE_MINUTES", "10"),
    }


c.Spawner.pre_spawn_hook = prepare
