"""The process inside the wall that has imported everything, and forks a candidate when it is asked to.

It holds no test, no secret and no descriptor but its control socket, because its children are strangers
that may read all its memory. It never computes and never starts a thread: a child of a process with
threads hangs at its first parallel sum.

A *container* is what one submission lives in: process 1 of new namespaces (the supervisor) and the
candidate, with all that it starts. When the supervisor ends, the kernel ends everything in the container.

    python -m autograder.sandbox.inside.template forked USER CONTROL
    python -m autograder.sandbox.inside.template single USER ORDERS CHANNEL

`forked` forks a container for each message on the socket, `single` is the one container of its wall. USER is
whom to become if started as root; the last arguments are numbers of inherited sockets.
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
    """Import what lessons import, and make the shell, so that no candidate has to."""
    with pages.kept():
        for name in LIBRARIES:
            importlib.import_module(name)
        import matplotlib.pyplot  # noqa: F401
        import torch

        import secant
        from autograder.sandbox.inside import candidate, pictures, plain  # noqa: F401
        from autograder.sandbox.inside.shell import make_shell

        pictures.leave_out()
        for name in secant.__all__:
            if secant.HOMES.get(name) not in secant.JUDGES:
                getattr(secant, name)  # imports it

        torch.set_num_threads(1)
        shell = make_shell()
        candidate.reset()
        candidate.seed(0)  # for the modules that it imports
        shell.run_cell("", store_history=False)
    threads = os.listdir("/proc/self/task")
    if len(threads) != 1:
        raise RuntimeError(f"the template has {len(threads)} threads after its imports, not one")
    return shell


def import_symbols() -> None:
    """Import what the first `backward(v)` of a process imports, sympy above all."""
    with pages.kept():
        import torch.fx.experimental.symbolic_shapes  # noqa: F401


def import_compiler() -> None:
    """Import what the first `torch.func.grad` or `jacrev` of a process imports, symbols too."""
    environment = dict(os.environ)
    with pages.kept():
        import torch._decomp.decompositions_for_jvp
        import torch._dynamo  # noqa: F401

    for name in set(os.environ) - set(environment):  # places of a compiler that nobody here needs
        del os.environ[name]


#: What most can do without: by name, its main module and what imports it.
_LATER = {
    "symbols": ("torch.fx.experimental.symbolic_shapes", import_symbols),
    "compiler": ("torch._dynamo", import_compiler),
}


def _prepare(guest: int) -> None:
    """Where root built the wall: leave root. There bubblewrap mounts no /proc, see wall.py."""
    if os.getuid() == 0:
        namespaces.mount_proc()
        privileges.become(guest)


def serve_forever(control: socket.socket, shell: Any) -> NoReturn:
    """Fork a container for every message that brings two sockets; end when the examiner does.

    A message with one socket names modules to preload; the reply goes to that socket. A message without a
    socket names what torch imports late.
    """
    preloader = Preloader()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel buries the builders
    control.send(json.dumps({"ready": True}).encode())
    collapsing = pages.collapsing()
    while True:
        for _ in collapsing:  # while nobody asks: a class gains by it, and one submission need not wait
            if _is_asked(control):
                break
        message, descriptors, _, _ = socket.recv_fds(control, 4096, 2)
        if not message:
            os._exit(0)
        if not descriptors:
            module, bring = _LATER[message.decode()]
            if module not in sys.modules:  # each worker asks for it
                bring()
                collapsing = pages.collapsing()
            continue
        if len(descriptors) == 1:
            _preload(preloader, json.loads(message), descriptors[0])
            collapsing = pages.collapsing()
            continue
        try:
            if os.fork() == 0:
                _build_container(ContainerLimits(**json.loads(message)), descriptors, shell)
        except OSError:
            pass  # no process to spare: the examiner sees its sockets closed
        finally:
            for descriptor in descriptors:
                os.close(descriptor)


def _preload(preloader: Preloader, modules: list[str], descriptor: int) -> None:
    """Import modules, and send by name why some could not be imported."""
    with socket.socket(fileno=descriptor) as reply:
        found = json.dumps(preloader.bring(modules)).encode()
        with contextlib.suppress(OSError):  # whoever asked has gone
            reply.sendall(found)


def _is_asked(control: socket.socket) -> bool:
    return bool(select.select([control], [], [], 0)[0])


def _build_container(limits: ContainerLimits, descriptors: list[int], shell: Any) -> NoReturn:
    """In a fork of the template: make the namespaces, and leave the supervisor in them."""
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
    """Become the template, or the one container, that the wall asked for."""
    kind, guest, *descriptors = arguments
    numbers = [int(text) for text in descriptors]
    privileges.close_all_but(numbers)
    privileges.lift_memory_limit()
    _prepare(int(guest))
    privileges.hide_arguments()
    shell = import_everything()
    if kind == "forked":
        serve_forever(socket.socket(fileno=numbers[0]), shell)
    orders = socket.socket(fileno=numbers[0])
    limits = ContainerLimits(**json.loads(orders.recv(4096)))
    supervise(orders, numbers[1], limits, shell, own_proc=False)


if __name__ == "__main__":
    main(sys.argv[1:])
