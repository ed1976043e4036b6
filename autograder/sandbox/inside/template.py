"""The template: the process inside the sandbox that has done all imports, and forks containers.

It holds no test, no secret and no descriptor except its control socket, because its children run strangers'
code, which may read all its memory. It runs no computations and never starts a thread, because a fork of a
process with threads hangs at its first parallel sum.

A *container* is the environment of one submission: process 1 of new namespaces (the supervisor), the
candidate (the process that runs the student's code), and all processes that the candidate starts. When the
supervisor ends, the kernel ends everything in the container.

    python -m autograder.sandbox.inside.template forked lessons USER CONTROL
    python -m autograder.sandbox.inside.template single lessons USER ORDERS CHANNEL

With `forked`, the process forks a container for each message on the socket. With `single`, it becomes the
only container of its sandbox. With `plain` instead of `lessons`, it does not import torch and the other
modules that only lessons need. USER is the user id that replaces root, if root started the process. CONTROL,
ORDERS and CHANNEL are the descriptors of inherited sockets.
"""

import contextlib
import importlib
import json
import os
import select
import signal
import socket
import sys
from typing import Any, NoReturn

from autograder.sandbox.inside import namespaces, pages, privileges
from autograder.sandbox.inside.libraries import LIBRARIES
from autograder.sandbox.inside.limits import ContainerLimits
from autograder.sandbox.inside.preloading import Preloader
from autograder.sandbox.inside.supervisor import report, supervise


def import_everything() -> Any:
    """Import the modules that lessons import, and create the shell, so that no candidate has to do so."""
    with pages.frozen_imports():
        for name in LIBRARIES:
            importlib.import_module(name)
        import secant
        from autograder.sandbox.inside import pictures, wire
        from secant.checking import situation  # noqa: F401 - questions import it, so all tasks' forks share it

        wire.load_tensors()
        pictures.exclude_drawing()
        for name in secant.__all__:
            if secant.HOMES.get(name) not in secant.JUDGES:
                getattr(secant, name)  # makes `secant` import the module that defines this name
        return _make_shell()


def import_for_plain() -> Any:
    """Import the modules that most plain assignments need, and create the shell.

    A plain assignment has ordinary nbgrader tests. Torch is not among the modules.
    """
    with pages.frozen_imports():
        from autograder.sandbox.inside import pictures

        pictures.exclude_drawing()
        return _make_shell()


def _make_shell() -> Any:
    """Create the shell, and bring imported libraries into the state in which a candidate starts.

    Raises:
        RuntimeError: an import has started a thread.
    """
    import matplotlib.pyplot  # noqa: F401

    from autograder.sandbox.inside import plain  # noqa: F401
    from autograder.sandbox.inside.shell import make_shell

    shell = make_shell()
    _reset()
    shell.run_cell("", store_history=False)
    threads = os.listdir("/proc/self/task")
    if len(threads) != 1:
        raise RuntimeError(f"the template has {len(threads)} threads after its imports, not one")
    return shell


def _reset() -> None:
    from autograder.sandbox.inside import candidate

    candidate.reset()  # also limits torch to one thread
    candidate.seed(0)  # seeding is done here because it imports further modules


def import_symbols() -> None:
    """Import the modules that the first call to `backward(v)` in a process would import, mainly sympy."""
    with pages.frozen_imports():
        import torch.fx.experimental.symbolic_shapes  # noqa: F401


def import_compiler() -> None:
    """Import the modules that the first `torch.func.grad` or `jacrev` in a process would import.

    They include those of `import_symbols`.
    """
    environment = dict(os.environ)
    with pages.frozen_imports():
        import torch._decomp.decompositions_for_jvp
        import torch._dynamo  # noqa: F401

    # Drop the environment variables that the imports have set: paths for a compiler, which no notebook needs.
    for name in set(os.environ) - set(environment):
        del os.environ[name]


#: The groups of modules that most notebooks never need, keyed by name. Each value is a pair: the group's main
#: module, and the function that imports the group.
_IMPORT_GROUPS = {
    "symbols": ("torch.fx.experimental.symbolic_shapes", import_symbols),
    "compiler": ("torch._dynamo", import_compiler),
}


def _prepare(guest: int) -> None:
    """Mount /proc and give up root, if root built the sandbox.

    In that case, bubblewrap mounts no /proc; see bubblewrap.py.
    """
    if os.getuid() == 0:
        namespaces.mount_proc()
        privileges.become(guest)


def serve_forever(control: socket.socket, shell: Any) -> NoReturn:
    """Fork a container for every message that comes with two sockets.

    A message with one socket names modules to preload, and the reply goes to that socket. A message without a
    socket names a group of modules that torch imports only when it needs them. It has no effect if torch is
    not imported. This process exits when the examiner closes the control socket.
    """
    preloader = Preloader()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel reaps the forks that build containers
    control.send(json.dumps({"ready": True}).encode())
    collapse_steps = pages.collapse_steps()
    while True:
        # Memory is moved into large pages only while no request is waiting. This pays off for a whole class,
        # but a single submission should not have to wait for it.
        for _ in collapse_steps:
            if _has_order(control):
                break
        message, descriptors, _, _ = socket.recv_fds(control, 4096, 2)
        if not message:
            os._exit(0)
        if not descriptors:
            module, import_group = _IMPORT_GROUPS[message.decode()]
            # Every worker sends this request, so the group may already have been imported.
            if module not in sys.modules and "torch" in sys.modules:
                import_group()
                collapse_steps = pages.collapse_steps()
            continue
        if len(descriptors) == 1:
            _preload(preloader, json.loads(message), descriptors[0])
            collapse_steps = pages.collapse_steps()
            continue
        try:
            if os.fork() == 0:
                _build_container(ContainerLimits(**json.loads(message)), descriptors, shell)
        except OSError:
            pass  # no process can be forked; the examiner will notice that its sockets are closed
        finally:
            for descriptor in descriptors:
                os.close(descriptor)


def _preload(preloader: Preloader, modules: list[str], descriptor: int) -> None:
    """Import modules, and reply with the reasons why some could not be imported."""
    with socket.socket(fileno=descriptor) as reply:
        had_torch = "torch" in sys.modules
        reply_data = json.dumps(preloader.load(modules)).encode()
        if "torch" in sys.modules and not had_torch:
            with pages.frozen_imports():
                _reset()
        with contextlib.suppress(OSError):  # raised if the process that sent the request has ended
            reply.sendall(reply_data)


def _has_order(control: socket.socket) -> bool:
    return bool(select.select([control], [], [], 0)[0])


def _build_container(limits: ContainerLimits, descriptors: list[int], shell: Any) -> NoReturn:
    """Make new namespaces in a fork of the template, and start the supervisor in them."""
    orders = socket.socket(fileno=descriptors[0])
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.setsid()
        privileges.close_all_but(descriptors)
        namespaces.enter_namespaces()
        namespaces.mount_private_tmp(limits)
        if os.fork() == 0:
            supervise(orders, descriptors[1], limits, shell, own_proc=True)
    except BaseException as error:
        report(orders, {"error": str(error)})
    finally:
        os._exit(0)


def main(arguments: list[str]) -> None:
    """Become a template or the only container of a sandbox, depending on the arguments."""
    kind, assignments, guest, *descriptors = arguments
    numbers = [int(text) for text in descriptors]
    privileges.close_all_but(numbers)
    privileges.lift_memory_limit()
    _prepare(int(guest))
    privileges.hide_arguments()
    shell = import_for_plain() if assignments == "plain" else import_everything()
    if kind == "forked":
        serve_forever(socket.socket(fileno=numbers[0]), shell)
    orders = socket.socket(fileno=numbers[0])
    limits = ContainerLimits(**json.loads(orders.recv(4096)))
    supervise(orders, numbers[1], limits, shell, own_proc=False)


if __name__ == "__main__":
    main(sys.argv[1:])
