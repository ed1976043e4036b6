"""The process that kernels are forked from: it has imported what they will import, and never computes.

The process that checks is such a fork as well (`be_module`), so a learner's torch is in memory once.

    python template.py CONTROL MODULE...

For each order on the socket CONTROL (a message with four files: the kernel's own channel, and its standard
input, output and error) it forks. The fork says on the channel that it can be that kernel, waits for a word
that it is still wanted, and becomes one; its end is told there by the template. When the process that
started the template ends, or closes the socket, the template ends, and with it every kernel.

It is a script, and imports nothing of this repository, so that a kernel begins without a trace of it. It has
one thread: a fork of a process with threads hangs at its first parallel sum.
"""

import contextlib
import ctypes
import gc
import importlib
import importlib.util
import json
import os
import runpy
import select
import signal
import socket
import sys
from importlib.machinery import PathFinder
from typing import Any

LONGEST = 1 << 20  # bytes of an order
_PR_SET_PDEATHSIG = 1
_INLINE = "module://matplotlib_inline.backend_inline"


def main() -> None:
    """Import, serve, and in each fork be a kernel, or run a module."""
    number, *modules = sys.argv[1:]
    if not sys.flags.safe_path:
        del sys.path[0]  # this script's folder
    before = set(os.environ)
    gc.disable()  # modules leave little garbage, and looking for it takes a quarter of the time
    for name in modules:
        importlib.import_module(name)
    added = {name: os.environ[name] for name in set(os.environ) - before}
    threads = len(os.listdir("/proc/self/task"))
    if threads != 1:
        sys.exit(f"{threads} threads after the imports, of which a fork would have one")
    gc.freeze()  # a collection in a fork would otherwise touch, and so copy, every page
    gc.enable()
    template = os.getpid()
    order, files = serve(socket.socket(fileno=int(number)))
    order["env"] = added | order["env"]
    if "module" in order:
        be_module(order, files)
    else:
        be_kernel(order, files, template)


def serve(control: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """Fork for every order. Returns in the forks alone, with the order and its files."""
    owner = os.pidfd_open(os.getppid())  # the socket may be open in a fork of the owner as well
    kernels: dict[int, tuple[int, socket.socket]] = {}  # by what is ready when they have ended
    poll = select.poll()
    for place in (owner, control.fileno()):
        poll.register(place, select.POLLIN)
    while True:
        for ready, _ in poll.poll():
            if ready in kernels:
                poll.unregister(ready)
                pid, channel = kernels.pop(ready)
                os.close(ready)
                tell(channel, exit=os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
                channel.close()
                continue
            message, files, _, _ = socket.recv_fds(control, LONGEST, 4) if ready != owner else (b"", [], 0, 0)
            if not message:
                os._exit(0)
            channel = socket.socket(fileno=files[0])
            try:
                pid = os.fork()
            except OSError as error:
                tell(channel, refused=str(error))
                channel.close()
            else:
                if pid == 0:
                    channel.detach()
                    control.close()
                    for place, (_, other) in kernels.items():
                        os.close(place)
                        other.close()
                    os.close(owner)
                    return json.loads(message), files
                place = os.pidfd_open(pid)
                kernels[place] = pid, channel
                poll.register(place, select.POLLIN)
            for file in files[1:]:
                os.close(file)


def tell(channel: socket.socket, **what: Any) -> None:
    """Send a word to who ordered the kernel, if it still listens."""
    with contextlib.suppress(OSError):
        channel.send(json.dumps(what).encode())


def part(order: dict[str, Any], files: list[int], look: bool) -> None:
    """In a fork: have what a process of its own would: session, folder, standard streams, environment.

    Args:
        look: whether its folder's files may stand in the way of what is imported already.
    """
    os.setsid()
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    with socket.socket(fileno=files[0]) as channel:
        try:
            os.chdir(order["cwd"])
            reason = shadowed(os.getcwd()) if look else ""
        except OSError as error:
            reason = str(error)
        if reason:
            tell(channel, refused=reason)
            os._exit(0)
        tell(channel, pid=os.getpid())
        if not channel.recv(1):
            os._exit(0)  # a kernel of the usual kind has taken this one's place
    for number, file in enumerate(files[1:]):
        os.dup2(file, number)
        os.close(file)
    os.environ.clear()
    os.environ.update(order["env"])
    begin_anew()


def be_module(order: dict[str, Any], files: list[int]) -> None:
    """In a fork: run a module as `python -P -m` would, and return at its end."""
    part(order, files, look=False)
    sys.path[:0] = [path for path in order["path"] if path not in sys.path]
    sys.argv = sys.orig_argv = [order["module"]]
    runpy.run_module(order["module"], run_name="__main__", alter_sys=True)


def be_kernel(order: dict[str, Any], files: list[int], template: int) -> None:
    """In a fork: become the kernel that `python -m ipykernel_launcher` would be, and return at its end."""
    part(order, files, look=True)
    use_threads(threads_of_numpy())
    launcher = importlib.util.find_spec("ipykernel_launcher")
    assert launcher is not None
    sys.argv = [str(launcher.origin), *order["arguments"]]
    sys.orig_argv = order["command"]

    import ipywidgets
    from ipykernel.kernelapp import IPKernelApp

    app = IPKernelApp.instance(parent_handle=template)
    app.initialize()
    ipywidgets.load_ipython_extension(app.shell)  # which it does itself where it is imported in a kernel
    app.start()


def shadowed(folder: str) -> str:
    """Say which file of a kernel's folder it would import instead of what is imported already, if any."""
    if os.path.exists(os.path.join(folder, "matplotlibrc")):
        return "matplotlib would read the folder's matplotlibrc"
    for name, module in list(sys.modules.items()):
        path = getattr(module, "__file__", None)
        if path is None or "." in name or name == "__main__":
            continue
        spec = PathFinder.find_spec(name, [folder])
        origin = spec.origin if spec is not None and spec.has_location else None
        if origin is not None and not (os.path.exists(path) and os.path.samefile(origin, path)):
            return f"the folder has a {name} of its own"
    return ""


def begin_anew() -> None:
    """Have what the libraries chose when they were imported be chosen as in a process of its own."""
    import matplotlib
    import torch

    torch.default_generator.seed()  # else all kernels would draw the same numbers; `random` sees to itself
    if "numpy.random" in sys.modules:  # which numpy imports when it is used
        sys.modules["numpy.random"].seed()
    matplotlib.rcParams["backend"] = os.environ.get("MPLBACKEND") or _INLINE


def threads_of_numpy() -> int:
    """How many threads OpenBLAS would have in a process of its own."""
    names = ("OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS")
    wanted = next((os.environ[name] for name in names if os.environ.get(name, "").isdigit()), "0")
    return int(wanted) or len(os.sched_getaffinity(0))


def use_threads(number: int) -> None:
    """Let numpy's OpenBLAS have its threads, which the template was started without."""
    with open("/proc/self/maps") as maps:
        libraries = {line.split()[-1] for line in maps if "openblas" in line}
    for library in libraries:
        for name in ("scipy_openblas_set_num_threads64_", "openblas_set_num_threads"):
            with contextlib.suppress(OSError, AttributeError):
                getattr(ctypes.CDLL(library), name)(number)


if __name__ == "__main__":
    main()
