"""The template process from which kernels are forked. It has imported the modules that kernels need.

The process that checks notebooks is another fork of the template (`be_module`), so that torch is in memory
only once.

    python template.py CONTROL MODULE...

The template forks for each request on the socket CONTROL. A request is a message with four descriptors: the
kernel's own channel, and its standard input, output and error. The fork reports on the channel that it can
become the requested kernel, waits for a byte that confirms the request, and becomes the kernel. When the
kernel ends, the template sends the kernel's exit code on the channel. When the process that started the
template ends or closes the socket, the template ends, and with it every kernel.

This file is run as a script and imports nothing from this repository, so that no module of the repository is
loaded in a new kernel. The template runs no computations and has only one thread, because a fork of a process
with threads hangs at its first parallel sum.
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

MAX_ORDER_BYTES = 1 << 20  # maximum size of a request in bytes
_PR_SET_PDEATHSIG = 1
_INLINE = "module://matplotlib_inline.backend_inline"


def main() -> None:
    """Import the modules, and fork for each request. Each fork becomes a kernel or runs a module."""
    number, *modules = sys.argv[1:]
    if not sys.flags.safe_path:
        del sys.path[0]  # removes this script's folder from sys.path
    before = set(os.environ)
    gc.disable()  # imports leave little garbage, and looking for it takes a quarter of the import time
    for name in modules:
        importlib.import_module(name)
    added_environment = {name: os.environ[name] for name in set(os.environ) - before}
    threads = len(os.listdir("/proc/self/task"))
    if threads != 1:
        sys.exit(f"{threads} threads after the imports, of which a fork would have one")
    gc.freeze()  # a garbage collection in a fork would otherwise touch, and so copy, every memory page
    gc.enable()
    template = os.getpid()
    order, files = serve(socket.socket(fileno=int(number)))
    order["env"] = added_environment | order["env"]
    if "module" in order:
        be_module(order, files)
    else:
        be_kernel(order, files, template)


def serve(control: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """Fork for every request. Only a fork returns from this function, with its request and descriptors."""
    # Watch the process that started this template, and not only the socket, because a fork of that process
    # may keep the socket open after the process itself has ended.
    owner = os.pidfd_open(os.getppid())
    # The process id and channel of each kernel, keyed by the pidfd that becomes readable when the kernel
    # ends.
    kernels: dict[int, tuple[int, socket.socket]] = {}
    poll = select.poll()
    for descriptor in (owner, control.fileno()):
        poll.register(descriptor, select.POLLIN)
    while True:
        for ready_descriptor, _ in poll.poll():
            if ready_descriptor in kernels:
                poll.unregister(ready_descriptor)
                pid, channel = kernels.pop(ready_descriptor)
                os.close(ready_descriptor)
                report(channel, exit=os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
                channel.close()
                continue
            message, files, _, _ = (
                socket.recv_fds(control, MAX_ORDER_BYTES, 4) if ready_descriptor != owner else (b"", [], 0, 0)
            )
            if not message:
                os._exit(0)
            channel = socket.socket(fileno=files[0])
            try:
                pid = os.fork()
            except OSError as error:
                report(channel, refused=str(error))
                channel.close()
            else:
                if pid == 0:
                    channel.detach()
                    control.close()
                    for descriptor, (_, other_channel) in kernels.items():
                        os.close(descriptor)
                        other_channel.close()
                    os.close(owner)
                    return json.loads(message), files
                descriptor = os.pidfd_open(pid)
                kernels[descriptor] = pid, channel
                poll.register(descriptor, select.POLLIN)
            for file in files[1:]:
                os.close(file)


def report(channel: socket.socket, **message: Any) -> None:
    """Send a message to the process that requested the kernel, unless that process has closed the channel."""
    with contextlib.suppress(OSError):
        channel.send(json.dumps(message).encode())


def detach(order: dict[str, Any], files: list[int], check_folder: bool) -> None:
    """Give a fork the session, folder, standard streams and environment of a separate process.

    Args:
        order: the request, which contains the working folder and the environment.
        files: the descriptors of the channel, and of standard input, output and error.
        check_folder: True to refuse the request if the working folder contains files that a new process would
            import in place of modules that this process has already imported.
    """
    os.setsid()
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    with socket.socket(fileno=files[0]) as channel:
        try:
            os.chdir(order["cwd"])
            reason = shadowing_reason(os.getcwd()) if check_folder else ""
        except OSError as error:
            reason = str(error)
        if reason:
            report(channel, refused=reason)
            os._exit(0)
        report(channel, pid=os.getpid())
        if not channel.recv(1):
            os._exit(0)  # The provisioner has started an ordinary kernel instead, so this fork is not needed.
    for number, file in enumerate(files[1:]):
        os.dup2(file, number)
        os.close(file)
    os.environ.clear()
    os.environ.update(order["env"])
    reset_libraries()


def be_module(order: dict[str, Any], files: list[int]) -> None:
    """Run a module in a fork as `python -P -m` would, and return when the module ends."""
    detach(order, files, check_folder=False)
    sys.path[:0] = [path for path in order["path"] if path not in sys.path]
    sys.argv = sys.orig_argv = [order["module"]]
    runpy.run_module(order["module"], run_name="__main__", alter_sys=True)


def be_kernel(order: dict[str, Any], files: list[int], template: int) -> None:
    """Run a kernel in a fork as `python -m ipykernel_launcher` would, and return when the kernel ends."""
    detach(order, files, check_folder=True)
    use_threads(threads_of_numpy())
    launcher = importlib.util.find_spec("ipykernel_launcher")
    assert launcher is not None
    sys.argv = [str(launcher.origin), *order["arguments"]]
    sys.orig_argv = order["command"]

    import ipywidgets
    from ipykernel.kernelapp import IPKernelApp

    app = IPKernelApp.instance(parent_handle=template)
    app.initialize()
    # When ipywidgets is imported in a kernel, it loads its IPython extension. Here, ipywidgets was imported
    # before the kernel existed, so the extension is loaded now.
    ipywidgets.load_ipython_extension(app.shell)
    app.start()


def shadowing_reason(folder: str) -> str:
    """Return the reason why a kernel in this folder could not use all modules that have been imported.

    The reason names a file in the folder that the kernel would use instead. It is empty if there is no such
    file.
    """
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


def reset_libraries() -> None:
    """Choose new random seeds, and matplotlib's backend.

    In a new process, importing the libraries would do both.
    """
    import matplotlib
    import torch

    # Without new seeds, all kernels would generate the same random numbers. `random` reseeds itself in a
    # fork.
    torch.default_generator.seed()
    if "numpy.random" in sys.modules:  # numpy imports numpy.random only when it is first used
        sys.modules["numpy.random"].seed()
    matplotlib.rcParams["backend"] = os.environ.get("MPLBACKEND") or _INLINE


def threads_of_numpy() -> int:
    """Return the number of threads that OpenBLAS would have in a new process."""
    names = ("OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS")
    thread_count = next((os.environ[name] for name in names if os.environ.get(name, "").isdigit()), "0")
    return int(thread_count) or len(os.sched_getaffinity(0))


def use_threads(number: int) -> None:
    """Set the number of threads that numpy's OpenBLAS uses. In the template, it uses only one thread."""
    with open("/proc/self/maps") as maps:
        libraries = {line.split()[-1] for line in maps if "openblas" in line}
    for library in libraries:
        for name in ("scipy_openblas_set_num_threads64_", "openblas_set_num_threads"):
            with contextlib.suppress(OSError, AttributeError):
                getattr(ctypes.CDLL(library), name)(number)


if __name__ == "__main__":
    main()
