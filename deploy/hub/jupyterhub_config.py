"""JupyterHub's settings for a class with Secant on one machine; docs/hub.md explains them.

Students work in the class edition, which has neither answers nor hidden tests. Instructors work in the
course's folder, in their own environment, with formgrader.
"""

import os
from pathlib import Path
from typing import Any

c = get_config()  # type: ignore[name-defined]  # noqa: F821

HERE = Path(__file__).resolve().parent
#: Who teaches, by user name.
INSTRUCTORS = set(os.environ.get("SECANT_HUB_INSTRUCTORS", "instructor").split(","))
#: The repository: a folder of the instructors, closed to everybody else. Its .venv is theirs.
COURSE = Path(os.environ.get("SECANT_HUB_COURSE", "/srv/secant"))
#: The programs of the environment that the class edition is installed in.
STUDENTS = Path(os.environ.get("SECANT_HUB_STUDENTS", "/opt/secant/bin"))
TEACHERS = Path(os.environ.get("SECANT_HUB_TEACHERS", COURSE / ".venv" / "bin"))
#: What students hand in passes through here; it is told to both in all/nbgrader_config.py.
os.environ.setdefault("SECANT_HUB_EXCHANGE", "/srv/nbgrader/exchange")

# A proxy with TLS, such as nginx or Caddy, stands in front.
c.JupyterHub.bind_url = os.environ.get("SECANT_HUB_URL", "http://127.0.0.1:8000")
# With this address, such as https://hub.example.edu, each user's server has a name below it, and so an origin
# of its own. Without it, a page that a student's server sends can act as the instructor who opens it.
if ADDRESS := os.environ.get("SECANT_HUB_ADDRESS"):
    c.JupyterHub.subdomain_host = ADDRESS
c.JupyterHub.cleanup_servers = False  # servers go on while the hub is started again

# Users of the operating system, in this group of its, with their own passwords.
c.JupyterHub.authenticator_class = "pam"
c.LocalAuthenticator.allowed_groups = {"secant"}
c.PAMAuthenticator.open_sessions = False

# Each user's server is a process of that user.
c.JupyterHub.spawner_class = "jupyterhub.spawner.LocalProcessSpawner"
c.Spawner.default_url = "/lab"
c.Spawner.start_timeout = 120  # forty servers may start at once
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
    """Choose a user's environment and folder."""
    teaches = spawner.user.name in INSTRUCTORS
    spawner.cmd = [str((TEACHERS if teaches else STUDENTS) / "jupyterhub-singleuser")]
    spawner.notebook_dir = str(COURSE) if teaches else "~"
    settings = [HERE / ("instructor" if teaches else "student"), HERE / "all"]
    spawner.environment = {
        **spawner.environment,
        "JUPYTER_CONFIG_PATH": os.pathsep.join(map(str, settings)),
        # In /tmp, where PyTorch has it, others could read it, or make it first.
        "TORCHINDUCTOR_CACHE_DIR": str(Path(f"~{spawner.user.name}").expanduser() / ".cache/torch/inductor"),
        # The process that checks ends after so many minutes without work, and its memory is free.
        "SECANT_IDLE_MINUTES": os.environ.get("SECANT_IDLE_MINUTES", "10"),
    }


c.Spawner.pre_spawn_hook = prepare
