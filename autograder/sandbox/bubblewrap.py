"""Options for bubblewrap, the program that builds the sandbox.

Among them is an allow-list of the files that are visible inside the sandbox.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from autograder.sandbox.inside.limits import MEGABYTE
from autograder.sandbox.results import WallUnavailable
from autograder.sandbox.visible import VisibleFiles, extra_packages, is_inside, visible_files

INSTALL = "Install bubblewrap: `apt install bubblewrap`, `dnf install bubblewrap` or the like."
ALLOW = (
    "Allow unprivileged user namespaces: on Ubuntu 24.04 or later, install the package `apparmor-profiles` "
    "and load its profile `bwrap-userns-restrict`; elsewhere `sysctl user.max_user_namespaces=15000` and, if "
    "it exists, `kernel.unprivileged_userns_clone=1`. In Docker, start the container with "
    "`--security-opt seccomp=unconfined --security-opt apparmor=unconfined "
    "--security-opt systempaths=unconfined`."
)


def bwrap_path() -> str:
    """Return the path of the program bwrap.

    Raises:
        WallUnavailable: bubblewrap is not installed, or this is not Linux.
    """
    if sys.platform != "linux":
        raise WallUnavailable("Grading other people's work needs Linux.", "Use a Linux machine, or WSL 2.")
    path = shutil.which("bwrap", path=os.environ.get("PATH", "") + ":/usr/bin:/usr/local/bin")
    if path is None:
        raise WallUnavailable("bubblewrap (the program bwrap) is not installed.", INSTALL)
    return path


_CODE_FOLDER = "/secant"  # the folder inside the sandbox that contains Secant's code
# The only folder of the grader that is visible in the sandbox.
_INSIDE_FOLDER = f"{_CODE_FOLDER}/autograder/sandbox/inside"
PACKAGE = f"{_CODE_FOLDER}/secant"


def bwrap_options(kind: str, hidden: Iterable[str], language: str, disk_mb: int) -> list[str]:
    """Return bubblewrap's options for one sandbox, in which only files on an allow-list are visible.

    Args:
        kind: "forked" for a sandbox around a template, "single" for a sandbox around one container.
        hidden: files and folders that must not be visible inside the sandbox.
        language: "en" or "ko", the language of the course's text inside the sandbox.
        disk_mb: the size limit of each writable in-memory file system, in megabytes.
    """
    is_root = os.getuid() == 0
    options = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
    options += ["--die-with-parent", "--new-session", "--hostname", "container", "--clearenv"]
    if kind == "single":
        options += ["--as-pid-1"]
    if is_root:
        # The template's first steps need these capabilities: it mounts /proc and then gives up root. If
        # bubblewrap mounted /proc, other mounts would cover parts of it, and the kernel would then refuse to
        # mount a second /proc. No user namespace is requested from bubblewrap, because inside it the process
        # would keep root's access to root's files.
        options += ["--cap-drop", "ALL"]
        for capability in ("SETUID", "SETGID", "SETPCAP", "SYS_ADMIN"):
            options += ["--cap-add", f"CAP_{capability}"]
        options += ["--dir", "/proc"]
    else:
        options += ["--unshare-user", "--proc", "/proc"]
    for name, value in _environment(language).items():
        options += ["--setenv", name, value]
    return options + _mounts(visible_files(hidden), _size_option(disk_mb))


def _environment(language: str) -> dict[str, str]:
    """Return all environment variables of a candidate, the process that runs the student's code."""
    binaries = os.path.dirname(sys.executable)
    one_thread = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS")
    return dict.fromkeys(one_thread, "1") | {
        "HOME": "/tmp",
        "IPYTHONDIR": "/tmp/.ipython",
        "LANG": "C.UTF-8",
        "LOGNAME": "student",
        # Without MALLOC_ARENA_MAX, each thread may reserve 64 MB of memory, which counts as used even if the
        # thread never touches it.
        "MALLOC_ARENA_MAX": "2",
        "MPLBACKEND": "Agg",
        "MPLCONFIGDIR": "/tmp/.matplotlib",
        "PATH": f"{binaries}:/usr/local/bin:/usr/bin:/bin",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": os.pathsep.join([_CODE_FOLDER, *extra_packages()]),
        "SECANT_LANG": language,
        "USER": "student",
    }


def _size_option(disk_mb: int) -> list[str]:
    """Return the options that limit the size of a tmpfs. The list is empty before version 0.7 of bubblewrap.

    Without these options, the size is limited only by the supervisor, which counts files as memory.
    """
    return ["--size", str(disk_mb * MEGABYTE)] if "--size" in _help(bwrap_path()) else []


@cache
def _help(bwrap: str) -> str:
    """Return bubblewrap's help text, which shows the options that this version supports.

    The text is cached, because some machines build a sandbox for each submission.
    """
    result = subprocess.run([bwrap, "--help"], capture_output=True, text=True, check=False)
    return result.stdout + result.stderr


def _mounts(view: VisibleFiles, size: list[str]) -> list[str]:
    """Return bubblewrap's options for the file system.

    The options for a folder precede those for the paths inside it.
    """
    covered = [path for path in view.masked if os.path.dirname(path) == view.package]
    plan = dict.fromkeys((path for path in view.masked if path not in covered), "mask") | dict.fromkeys(
        view.shown, "show"
    )
    options = _devices(size)
    # The parent folders of mount points are created explicitly. If bubblewrap created them itself, it would
    # copy the permissions of the original folders, e.g. those of a home folder that other users cannot enter.
    parents = {str(parent) for path in [*plan, _INSIDE_FOLDER] for parent in Path(path).parents}
    parents -= {"/", "/tmp", "/dev"}
    for path in sorted(path for path in parents if not is_inside(path, view.shown)):
        options += ["--dir", path]
    remount_options = []
    for path in sorted(plan, key=lambda path: path.count("/")):
        if plan[path] == "show":
            options += _show(path)
        else:
            options += ["--tmpfs", path] if os.path.isdir(path) else ["--ro-bind", "/dev/null", path]
            remount_options += ["--remount-ro", path] if os.path.isdir(path) else []
    inside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "inside")
    options += ["--ro-bind", inside, _INSIDE_FOLDER, "--ro-bind", view.package, PACKAGE]
    for path in (f"{PACKAGE}/{os.path.basename(path)}" for path in covered):
        options += ["--tmpfs", path]
        remount_options += ["--remount-ro", path]
    return [*options, *remount_options]


def _show(path: str) -> list[str]:
    if os.path.islink(path):
        return ["--symlink", os.readlink(path), path]
    return ["--ro-bind", path, path]


def _devices(size: list[str]) -> list[str]:
    """Return the options for a minimal /dev and for the two writable folders, /tmp and /dev/shm.

    A forked container mounts its own file systems over the two writable folders.
    """
    options = ["--dir", "/dev", "--dir", "/dev/shm"]
    for path in ("/tmp", "/dev/shm"):
        options += [*size, "--perms", "1777", "--tmpfs", path]
    # /dev/zero is not provided, because mapping it creates shared memory.
    for name in ("null", "full", "random", "urandom"):
        options += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        options += ["--symlink", f"/proc/self/fd/{number}", f"/dev/{name}"]
    return [*options, "--symlink", "/proc/self/fd", "/dev/fd"]
