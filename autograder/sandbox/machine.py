"""Checks that this machine can run strangers' code in a sandbox.

A failed check comes with advice on what to install.
"""

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from autograder.sandbox.bubblewrap import ALLOW, INSTALL, bwrap_path
from autograder.sandbox.cgroup import Cgroup
from autograder.sandbox.results import WallUnavailable
from autograder.sandbox.wall import Mode, Wall


@dataclass(frozen=True)
class CheckResult:
    """The result of one check of this machine.

    Attributes:
        name: the name of the thing that was checked.
        ok: True if the check succeeded.
        detail: what the check found.
        fix: what to install or to allow; empty if nothing is needed.
        needed: True if grading is refused when this check fails.
    """

    name: str
    ok: bool
    detail: str
    fix: str = ""
    needed: bool = True


def probe_machine() -> list[CheckResult]:
    """Check everything that the sandbox needs. This takes some seconds, because it builds a real sandbox."""
    if sys.platform != "linux":
        return [CheckResult("Linux", False, sys.platform, "Use a Linux machine, or WSL 2, to grade.")]
    checks: list[Callable[[], CheckResult | None]] = [
        _bubblewrap,
        _user_namespaces,
        _apparmor,
        _proc,
        _seccomp,
        _cgroup,
    ]
    findings = [finding for check in checks if (finding := check()) is not None]
    forked = _wall("forked", needed=False)
    # Grading needs only one of the sandbox's two modes, so "single" is needed only if "forked" fails.
    return [*findings, forked, _wall("single", needed=not forked.ok)]


def _bubblewrap() -> CheckResult:
    try:
        path = bwrap_path()
    except WallUnavailable as error:
        return CheckResult("bubblewrap", False, error.reason, error.fix)
    version = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout.strip()
    return CheckResult(
        "bubblewrap", bool(version), f"{version or 'does not run'} ({path})", "" if version else INSTALL
    )


def _user_namespaces() -> CheckResult:
    """Check whether a child of this process can make a user namespace."""
    program = shutil.which("unshare")
    limit = _setting("/proc/sys/user/max_user_namespaces")
    if limit == "0":
        return CheckResult("user namespaces", False, "user.max_user_namespaces is 0", ALLOW)
    if program is None:
        return CheckResult("user namespaces", True, f"not tried; at most {limit}", needed=False)
    result = subprocess.run([program, "--user", "true"], capture_output=True, text=True, check=False)
    if result.returncode == 0:
        return CheckResult("user namespaces", True, "this user can make them")
    return CheckResult("user namespaces", False, result.stderr.strip(), ALLOW)


def _apparmor() -> CheckResult | None:
    if _setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") != "1":
        return None
    loaded = _setting("/sys/kernel/security/apparmor/profiles")
    profile = Path("/etc/apparmor.d/bwrap-userns-restrict").exists() or "bwrap" in loaded
    detail = "user namespaces are restricted; " + (
        "bwrap has a profile" if profile else "bwrap has no profile"
    )
    return CheckResult("AppArmor", profile, detail, "" if profile else ALLOW, needed=False)


def _proc() -> CheckResult:
    """Check whether other mounts cover parts of /proc, as in Docker.

    If they do, no other /proc can be mounted.
    """
    covers = []
    with contextlib.suppress(OSError):
        points = [line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()]
        covers = [point for point in points if point.startswith("/proc/")]
    harmless = all(point.startswith("/proc/sys/fs/binfmt_misc") for point in covers)
    detail = "whole" if harmless else f"covered in parts: {', '.join(covers[:3])}"
    return CheckResult("/proc", harmless, detail, "" if harmless else ALLOW, needed=False)


def _seccomp() -> CheckResult:
    ok = Path("/proc/sys/kernel/seccomp/actions_avail").exists()
    return CheckResult("seccomp", ok, "available" if ok else "not in this kernel", "" if ok else ALLOW)


def _cgroup() -> CheckResult:
    group = Cgroup.create(2**30, 64, 1)
    if group is None or not _can_join(group):
        detail = "not writable for this user: the supervisor counts memory instead, ten times a second"
        return CheckResult("control groups", True, detail, needed=False)
    return CheckResult("control groups", True, "the kernel limits each submission's memory", needed=False)


def _can_join(group: Cgroup) -> bool:
    """Return whether a process can be put into this control group, and remove the group."""
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        has_joined = group.add(process.pid)
        process.communicate()
    group.remove()
    return has_joined


def _wall(mode: Mode, needed: bool) -> CheckResult:
    name = {
        "forked": "sandbox, containers forked from one template",
        "single": "sandbox, one for each submission",
    }[mode]
    wall = Wall(mode=mode)
    try:
        wall.start()
    except WallUnavailable as error:
        return CheckResult(name, False, error.reason, error.fix, needed)
    finally:
        wall.close()
    return CheckResult(name, True, f"tried from inside as user {os.getuid()}: it holds")


def _setting(path: str) -> str:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return ""
