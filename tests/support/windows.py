"""This process without what Windows does not have, for code that must run there too.

    python -m tests.support.windows PROGRAM... : runs PROGRAM, Python source, in such a process

The libraries are imported before, since theirs is another road on Windows; all that is ours comes after.
It is no Windows: files and consoles stay this system's.
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

#: Modules that exist on POSIX systems alone.
MODULES = "crypt fcntl grp posix pty pwd readline resource syslog termios tty"
#: Names that other modules lack on Windows.
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
#: What lessons and checks import and is not ours.
LIBRARIES = """
    concurrent.futures.thread multiprocessing.connection asyncio IPython.core.interactiveshell ipywidgets
    jupytext matplotlib.pyplot nbformat networkx rich.console rich.table torch.func typer platformdirs
    filelock zmq jupyter_core.paths nbconvert.preprocessors
    """


def become_windows() -> None:
    """Take away what Windows does not have."""
    for name in LIBRARIES.split():
        importlib.import_module(name)
    for library in (shutil, subprocess, tempfile):  # which have another road there, and need theirs here
        for module in (os, signal):
            if getattr(library, module.__name__.removeprefix("_"), None) is module:
                setattr(library, module.__name__, SimpleNamespace(**vars(module)))
    tempfile._os = subprocess.os  # type: ignore[attr-defined]
    for module, names in NAMES.items():
        for name in names.split():
            if hasattr(module, name):
                delattr(module, name)
    for name in MODULES.split():
        sys.modules[name] = None  # type: ignore[assignment]  # so that importing it fails
    sys.platform = "win32"


if __name__ == "__main__":
    become_windows()
    exec(sys.argv[1])
