"""A process without the modules and names that Windows lacks, to test that code also runs on Windows.

    python -m tests.support.windows PROGRAM... : runs PROGRAM, Python source, in such a process

Libraries are imported first, because they have separate code for Windows. This repository's modules are
imported afterwards. Such a process only approximates Windows: files and consoles behave as on this system.
"""

import importlib
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from types import SimpleNamespace

#: Modules that exist only on POSIX systems.
MODULES = "crypt fcntl grp posix pty pwd readline resource syslog termios tty"
#: Modules, each with the names that it lacks on Windows.
NAMES = {
    os: """
        fork forkpty getuid geteuid getgid getegid getpgid getpgrp getpriority getsid initgroups killpg mkfifo
        nice openpty pidfd_open pipe2 posix_spawn posix_spawnp sched_getaffinity sched_setaffinity sched_yield
        setgid setgroups setpgid setpriority setsid setuid statvfs sysconf uname wait wait3 wait4 waitid
        chown fchmod lchown chroot memfd_create O_CLOEXEC O_DIRECTORY O_NOFOLLOW O_NONBLOCK WNOHANG
        """,
    signal: """
        SIGALRM SIGCHLD SIGCONT SIGHUP SIGKILL SIGPIPE SIGQUIT SIGSTOP SIGTSTP SIGUSR1 SIGUSR2 ITIMER_REAL
        alarm getitimer pause pidfd_send_signal pthread_kill pthread_sigmask setitimer sigwait
        """,
    socket: "AF_UNIX CMSG_LEN CMSG_SPACE SCM_CREDENTIALS SCM_RIGHTS SO_PASSCRED recv_fds send_fds",
    select: "epoll poll",
}
#: Libraries that lessons and checks import.
LIBRARIES = """
    concurrent.futures.thread multiprocessing.connection asyncio IPython.core.interactiveshell ipywidgets
    jupytext matplotlib.pyplot nbformat networkx rich.console rich.table torch.func typer platformdirs
    filelock zmq jupyter_core.paths nbconvert.preprocessors
    """


def become_windows() -> None:
    """Import the libraries, and then remove the modules and names that Windows lacks from this process."""
    for name in LIBRARIES.split():
        importlib.import_module(name)
    for library in (shutil, subprocess, tempfile):  # these get copies of os and signal, which keep all names
        for module in (os, signal):
            if getattr(library, module.__name__.removeprefix("_"), None) is module:
                setattr(library, module.__name__, SimpleNamespace(**vars(module)))
    tempfile._os = subprocess.os  # type: ignore[attr-defined]
    for module, names in NAMES.items():
        for name in names.split():
            if hasattr(module, name):
                delattr(module, name)
    for name in MODULES.split():
        sys.modules[name] = None  # type: ignore[assignment]  # makes importing the module fail
    sys.platform = "win32"


if __name__ == "__main__":
    become_windows()
    exec(sys.argv[1])
