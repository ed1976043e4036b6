"""How bubblewrap is called: an allow-list of what is visible inside the wall, and nothing else."""

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from autograder.sandbox.inside.limits import MEGABYTE
from autograder.sandbox.results import WallError, WallUnavailable

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
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/gnu/store")
_SETTINGS = ("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "fonts", "localtime")
_NEEDED = ("torch", "numpy", "matplotlib", "IPython", "ipywidgets", "anywidget", "networkx")


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
    return options + _mounts([os.path.realpath(path) for path in hidden], _size_option(disk_mb))


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
        "PYTHONPATH": os.pathsep.join([_OURS, *_extra_packages()]),
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


def _mounts(hidden: Iterable[str], size: list[str]) -> list[str]:
    """Options for the file system. Parents come before what lies in them."""
    shown = [path for path in _SYSTEM if os.path.exists(path)]
    shown += [*_prefixes(), *_extra_packages()]
    shown += [f"/etc/{name}" for name in _SETTINGS if os.path.exists(f"/etc/{name}")]
    masked = [f"{path}/etc" for path in ("/usr/local", *_prefixes())]  # an instructor's settings of Jupyter
    masked += [f"{sysconfig.get_path('purelib')}/autograder", *hidden]
    plan = dict.fromkeys(shown, "show")
    plan |= {path: "mask" for path in masked if _is_inside(path, shown) and os.path.exists(path)}
    options = _devices(size)
    # Where bubblewrap itself makes a mount's parents, it copies the mode of a closed home.
    parents = {str(parent) for path in [*plan, _INSIDE] for parent in Path(path).parents}
    parents -= {"/", "/tmp", "/dev"}
    for path in sorted(path for path in parents if not _is_inside(path, shown)):
        options += ["--dir", path]
    empty = []
    for path in sorted(plan, key=lambda path: path.count("/")):
        if plan[path] == "show":
            options += _show(path)
        else:
            options += ["--tmpfs", path] if os.path.isdir(path) else ["--ro-bind", "/dev/null", path]
            empty += ["--remount-ro", path] if os.path.isdir(path) else []
    return [*options, *_own_files(), *empty]


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


def _own_files() -> list[str]:
    """What a candidate needs of us; the rest of the grader is not there."""
    inside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "inside")
    found = importlib.util.find_spec("secant")
    if found is None or not found.submodule_search_locations:
        raise WallError("the package secant is not installed")
    secant = os.path.abspath(found.submodule_search_locations[0])
    return ["--ro-bind", inside, _INSIDE, "--ro-bind", secant, f"{_OURS}/secant"]


def _prefixes() -> list[str]:
    """Where Python is: the virtual environment and what it was made from."""
    executable = os.path.realpath(sys.executable)
    found = [sys.prefix, sys.base_prefix, sys.exec_prefix, os.path.dirname(os.path.dirname(executable))]
    return [path for path in dict.fromkeys(found) if path not in ("/", "/usr")]


def _extra_packages() -> list[str]:
    """Folders of needed packages outside of Python's own, such as `pip install --user` makes."""
    known = [*_SYSTEM, *_prefixes()]
    extra = []
    for name in _NEEDED:
        found = importlib.util.find_spec(name)
        if found is not None and found.origin:
            folder = os.path.dirname(os.path.dirname(os.path.abspath(found.origin)))
            if not _is_inside(folder, known):
                extra.append(folder)
    return list(dict.fromkeys(extra))


def _is_inside(path: str, folders: Iterable[str]) -> bool:
    return any(Path(path).is_relative_to(folder) for folder in folders)
