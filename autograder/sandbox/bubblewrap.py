"""How bubblewrap is called: an allow-list of what is visible inside the wall, and nothing else."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from autograder.sandbox.inside.limits import MEGABYTE
from autograder.sandbox.results import WallUnavailable
from autograder.sandbox.visible import Visible, extra_packages, is_inside, visible

INSTALL = "Install bubblewrap: `apt install bubblewrap`, `dnf install bubblewrap` or the like."
ALLOW = (
    "Allow unprivileged user namespaces: on Ubuntu 24.04 or later, install the package `apparmor-profiles` "
    "and load its profile `bwrap-userns-restrict`; elsewhere `sysctl user.max_user_namespaces=15000` and, if "
    "it exists, `kernel.unprivileged_userns_clone=1`. In Docker, start the container with "
    "`--security-opt seccomp=unconfined --security-opt apparmor=unconfined "
    "--security-opt systempaths=unconfined`."
)


def bwrap_path() -> str:
    """Where bubblewrap is.

    Raises:
        WallUnavailable: it is not installed, or this is not Linux.
    """
    if sys.platform != "linux":
        raise WallUnavailable("Grading other people's work needs Linux.", "Use a Linux machine, or WSL 2.")
    path = shutil.which("bwrap", path=os.environ.get("PATH", "") + ":/usr/bin:/usr/local/bin")
    if path is None:
        raise WallUnavailable("bubblewrap (the program bwrap) is not installed.", INSTALL)
    return path


_OURS = "/secant"  # where the code of our own is
_INSIDE = f"{_OURS}/autograder/sandbox/inside"  # the one folder of the grader that is there
PACKAGE = f"{_OURS}/secant"


def bwrap_options(kind: str, hidden: Iterable[str], language: str, disk_mb: int) -> list[str]:
    """Bubblewrap's options for one wall: an allow-list of files, and nothing else of the machine."""
    root = os.getuid() == 0
    options = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
    options += ["--die-with-parent", "--new-session", "--hostname", "container", "--clearenv"]
    if kind == "single":
        options += ["--as-pid-1"]
    if root:
        # For the template's first lines, which mount /proc and leave root: bubblewrap's own /proc has covers
        # that forbid a second one, and its user namespace would keep root's hold on root's files.
        options += ["--cap-drop", "ALL"]
        for capability in ("SETUID", "SETGID", "SETPCAP", "SYS_ADMIN"):
            options += ["--cap-add", f"CAP_{capability}"]
        options += ["--dir", "/proc"]
    else:
        options += ["--unshare-user", "--proc", "/proc"]
    for name, value in _environment(language).items():
        options += ["--setenv", name, value]
    return options + _mounts(visible(hidden), _size_option(disk_mb))


def _environment(language: str) -> dict[str, str]:
    """All that a candidate finds in its environment."""
    binaries = os.path.dirname(sys.executable)
    one_thread = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS")
    return dict.fromkeys(one_thread, "1") | {
        "HOME": "/tmp",
        "IPYTHONDIR": "/tmp/.ipython",
        "LANG": "C.UTF-8",
        "LOGNAME": "student",
        "MALLOC_ARENA_MAX": "2",  # else each thread may claim 64 MB that it never uses, which count as taken
        "MPLBACKEND": "Agg",
        "MPLCONFIGDIR": "/tmp/.matplotlib",
        "PATH": f"{binaries}:/usr/local/bin:/usr/bin:/bin",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": os.pathsep.join([_OURS, *extra_packages()]),
        "SECANT_LANG": language,
        "USER": "student",
    }


def _size_option(disk_mb: int) -> list[str]:
    """Bubblewrap before 0.7 cannot limit a tmpfs; then the supervisor's count of memory has to do."""
    return ["--size", str(disk_mb * MEGABYTE)] if "--size" in _help(bwrap_path()) else []


@cache
def _help(bwrap: str) -> str:
    """What this bubblewrap says it can do; asked once, since some machines build a wall a submission."""
    done = subprocess.run([bwrap, "--help"], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def _mounts(seen: Visible, size: list[str]) -> list[str]:
    """Options for the file system. Parents come before what lies in them."""
    covered = [path for path in seen.masked if os.path.dirname(path) == seen.package]
    plan = dict.fromkeys((path for path in seen.masked if path not in covered), "mask") | dict.fromkeys(
        seen.shown, "show"
    )
    options = _devices(size)
    # Where bubblewrap itself makes a mount's parents, it copies the mode of a closed home.
    parents = {str(parent) for path in [*plan, _INSIDE] for parent in Path(path).parents}
    parents -= {"/", "/tmp", "/dev"}
    for path in sorted(path for path in parents if not is_inside(path, seen.shown)):
        options += ["--dir", path]
    empty = []
    for path in sorted(plan, key=lambda path: path.count("/")):
        if plan[path] == "show":
            options += _show(path)
        else:
            options += ["--tmpfs", path] if os.path.isdir(path) else ["--ro-bind", "/dev/null", path]
            empty += ["--remount-ro", path] if os.path.isdir(path) else []
    inside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "inside")
    options += ["--ro-bind", inside, _INSIDE, "--ro-bind", seen.package, PACKAGE]
    for path in (f"{PACKAGE}/{os.path.basename(path)}" for path in covered):
        options += ["--tmpfs", path]
        empty += ["--remount-ro", path]
    return [*options, *empty]


def _show(path: str) -> list[str]:
    if os.path.islink(path):
        return ["--symlink", os.readlink(path), path]
    return ["--ro-bind", path, path]


def _devices(size: list[str]) -> list[str]:
    """A minimal /dev, and the two places that can be written to; a forked container mounts its own there."""
    options = ["--dir", "/dev", "--dir", "/dev/shm"]
    for path in ("/tmp", "/dev/shm"):
        options += [*size, "--perms", "1777", "--tmpfs", path]
    for name in ("null", "full", "random", "urandom"):  # zero would be shared memory
        options += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        options += ["--symlink", f"/proc/self/fd/{number}", f"/dev/{name}"]
    return [*options, "--symlink", "/proc/self/fd", "/dev/fd"]
