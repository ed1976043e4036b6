"""The steps that create the namespaces and mounts of a container.

Each function does one step, and raises `KernelRefused` if the kernel refuses it. The template (template.py)
calls them in the right order.
"""

import ctypes
import os
from collections.abc import Iterator

from autograder.sandbox.inside.kernel import KernelRefused, check_result, libc
from autograder.sandbox.inside.limits import ContainerLimits

_NEWNS, _NEWCGROUP, _NEWUTS, _NEWIPC = 0x20000, 0x2000000, 0x4000000, 0x8000000
_NEWUSER, _NEWPID, _NEWNET = 0x10000000, 0x20000000, 0x40000000
ALL_NAMESPACES = _NEWNS | _NEWCGROUP | _NEWUTS | _NEWIPC | _NEWUSER | _NEWPID | _NEWNET

_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_NOEXEC = 1, 2, 4, 8
_MS_BIND, _MS_REC, _MS_PRIVATE = 0x1000, 0x4000, 0x40000


def _mount(source: str | None, target: str, kind: str | None, flags: int, options: str | None = None) -> None:
    encoded = [None if text is None else os.fsencode(text) for text in (source, target, kind, options)]
    result = libc().mount(*encoded[:3], ctypes.c_ulong(flags), encoded[3])
    check_result(result, f"mount {target}")


def enter_namespaces() -> None:
    """Move this process into new namespaces of every kind, keeping its user and group ids.

    The next child of this process becomes process 1 of the new PID namespace.
    """
    user, group = os.getuid(), os.getgid()
    check_result(libc().unshare(ALL_NAMESPACES), "unshare")
    texts = {"setgroups": "deny", "uid_map": f"{user} {user} 1", "gid_map": f"{group} {group} 1"}
    for name, text in texts.items():
        try:
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)
        except OSError as error:
            raise KernelRefused(error.errno, f"write {name}: {error.strerror}") from None


def mount_private_tmp(limits: ContainerLimits) -> None:
    """Mount private, empty file systems over all directories that are writable inside the sandbox."""
    _mount(None, "/", None, _MS_REC | _MS_PRIVATE)
    options = f"size={limits.disk_mb}m,nr_inodes=10000,mode=1777"
    for path in ("/tmp", "/dev/shm"):
        points = _mounts_below(path)
        mounts = [(point, os.open(point, os.O_PATH)) for point in points]
        links = list(_sibling_links(points, path))
        _mount("tmpfs", path, "tmpfs", _MS_NOSUID | _MS_NODEV, options)
        # Restore the mounts that the new file system hides, such as the mount of an installed Python.
        for point, handle in mounts:
            os.makedirs(os.path.dirname(point), exist_ok=True)
            if os.path.isdir(f"/proc/self/fd/{handle}"):
                os.mkdir(point)
            else:
                os.close(os.open(point, os.O_CREAT | os.O_EXCL))
            _mount(f"/proc/self/fd/{handle}", point, None, _MS_BIND | _MS_REC)
            os.close(handle)
        for link, target in links:
            os.symlink(target, link)


def _sibling_links(points: list[str], top: str) -> Iterator[tuple[str, str]]:
    """Yield the path and the target of each symbolic link in the folders that contain mount points.

    An example is the link `lib64` of a virtual environment. Links in the folder `top` itself are skipped.
    """
    folders = {os.path.dirname(point) for point in points} - {top}
    for entry in (entry for folder in folders for entry in os.scandir(folder)):
        if entry.is_symlink():
            yield entry.path, os.readlink(entry.path)


def _mounts_below(path: str) -> list[str]:
    """Return the mount points below a folder, but leave out those inside another of them."""
    with open("/proc/self/mountinfo") as file:
        points = sorted(line.split()[4].encode().decode("unicode_escape") for line in file)
    outermost: list[str] = []
    for point in points:
        if point.startswith(path + "/") and not any(point.startswith(other + "/") for other in outermost):
            outermost.append(point)
    return outermost


def mount_proc() -> None:
    """Mount a /proc that shows only the processes of this PID namespace.

    Only process 1 of a new namespace calls this function.
    """
    _mount("proc", "/proc", "proc", _MS_NOSUID | _MS_NODEV | _MS_NOEXEC)


def cover_proc() -> int:
    """Mount a read-only /proc over the writable one, and return a descriptor of the writable one.

    After that, no other process can reach the writable /proc, through which it could make itself the
    last one that the kernel kills when the machine runs out of memory.
    """
    handle = os.open("/proc", os.O_PATH | os.O_DIRECTORY)
    _mount("proc", "/proc", "proc", _MS_NOSUID | _MS_NODEV | _MS_NOEXEC | _MS_RDONLY)
    return handle
