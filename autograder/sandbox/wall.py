r"""The wall (the sandbox) around students' code, as the examiner uses it.

    with Wall() as wall, wall.candidate() as candidate:
        loaded = candidate.load([("grad_square", source), ...], timeout=60.0)
        with candidate.task(seed=7) as task:
            task.define("import torch\ndef probe_it(): ...")
            answer = task.ask("grad_square", (3.0,), timeout=10.0)

Bubblewrap builds the outer wall, inside which there is no network, no file of the course, and no environment
variable except those that the grader sets. Inside it, a template process (inside/template.py) forks one
container for each submission. Each container has its own namespaces, limits and filter of system calls. If
the kernel does not allow namespaces within namespaces, each submission gets its own wall. That is slower but
just as safe. If no wall can be made, `WallUnavailable` explains what to install. Users may run their own
notebook without a wall (exam/selfcheck.py).
"""

import contextlib
import json
import os
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Literal, Self

from autograder.sandbox.bubblewrap import ALLOW, PACKAGE, bwrap_path
from autograder.sandbox.cgroup import remove_stale
from autograder.sandbox.client import CandidateClient
from autograder.sandbox.container import CONTAINER_SECONDS, Container, WalledContainer
from autograder.sandbox.inside.libraries import ImportGroup
from autograder.sandbox.inside.limits import ContainerLimits
from autograder.sandbox.leak_scan import suspects
from autograder.sandbox.results import CandidateError, WallError, WallUnavailable
from autograder.sandbox.template import (
    START_SECONDS,
    Template,
    TemplateHandle,
    WallOptions,
    bubblewrap,
    is_closed,
    last_lines,
    preload,
)
from autograder.sandbox.visible import OLD_COURSE, visible_files

Mode = Literal["forked", "single"]
Log = Callable[[str], None]

_EXIT_SECONDS = 0.5


class Wall:
    """A wall (a sandbox) that starts candidates, each in its own container.

    A candidate is a process that runs a student's code. A wall may be shared between threads. The thread that
    starts it must live as long as the wall, because bubblewrap ends when that thread ends.

    Args:
        limits: the limits on what one submission may use.
        mode: "forked" or "single" (see the module's docstring); None for the first mode that works here.
        hidden: files and folders that must not exist inside the sandbox. When the wall starts, code inside
            the sandbox checks this.
        language: "en" or "ko", the language of the course's text inside the wall.
        plain: whether only plain assignments (with ordinary nbgrader tests) are graded inside the wall. Then
            the template does not import torch, and starts sooner. No lesson may be graded inside such a wall:
            if a notebook changed functions of torch, they would not be restored before the tests.
        log: a function that receives notices, e.g. a notice that the slower mode is used.
    """

    def __init__(
        self,
        limits: ContainerLimits | None = None,
        *,
        mode: Mode | None = None,
        hidden: Iterable[str | Path] = (),
        language: str = "en",
        plain: bool = False,
        log: Log | None = None,
    ) -> None:
        self.limits = limits or ContainerLimits()
        self.mode = mode
        self._hidden = [os.path.abspath(path) for path in hidden]
        self._language = language
        self.plain = plain
        self._log: Log = log or (lambda text: None)
        self._lock = threading.Lock()
        self._template: Template | None = None
        self._control: socket.socket | None = None
        self._joined = False
        self._prepared: set[ImportGroup] = set()
        self._may_preload = True
        # For each module, the reason why it was not imported; empty if it was imported.
        self._preloaded: dict[str, str] = {}
        self._suspects: tuple[str, ...] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @classmethod
    def join(cls, handle: TemplateHandle) -> Self:
        """Return a wall (a sandbox) around a template that another process has started and will end."""
        options = handle.options
        wall = cls(
            options.limits,
            mode="forked",
            hidden=options.hidden,
            language=options.language,
            plain=options.plain,
        )
        wall._control, wall._joined, wall._suspects = handle.control, True, handle.suspects
        return wall

    @property
    def suspects(self) -> tuple[str, ...]:
        """The visible files in the sandbox that may contain a part of a course; see leak_scan.py."""
        if self._suspects is None:
            self._suspects = suspects(visible_files(self._hidden))
        return self._suspects

    def prepare(self, group: ImportGroup) -> None:
        """Have the template import a group of modules that torch imports only when it needs them.

        Containers then do not have to import them.

        Args:
            group: the name of the group; see inside/template.py.
        """
        if self.mode != "forked" or group in self._prepared:
            return
        # The template may have ended. If so, the next attempt to use it will fail.
        with self._lock, contextlib.suppress(OSError):
            (self._control or self._start_template()).send(group.encode())
            self._prepared.add(group)

    def preload(self, modules: Sequence[str]) -> dict[str, str]:
        """Have the template import modules that submissions import, once for all submissions.

        Args:
            modules: the modules' dotted names.

        Returns:
            The reasons why modules were not imported, keyed by module. Each submission has to import these
            modules itself.
        """
        new_modules = [module for module in modules if module not in self._preloaded]
        if self.mode == "forked" and self._may_preload and new_modules:
            with self._lock:
                refusals = preload(self._control or self._start_template(), new_modules)
                # If a module ends the template process, preloading is switched off, so that only one template
                # is lost.
                self._may_preload = refusals is not None
                self._preloaded |= dict.fromkeys(new_modules, "") | (refusals or {})
        return {module: reason for module in modules if (reason := self._preloaded.get(module))}

    def start(self) -> None:
        """Build the sandbox (the wall), and test it from inside.

        Raises:
            WallUnavailable: this machine cannot build a sandbox in the requested mode.
        """
        if self._joined:
            return self._try_out()
        bwrap_path()
        remove_stale()
        modes: list[Mode] = [self.mode] if self.mode else ["forked", "single"]
        for mode in modes:
            self.mode = mode
            try:
                return self._try_out()
            except WallUnavailable:
                self.close()
                raise
            except WallError as error:
                self.close()
                refusal = error
                self._log(f"no wall of the kind {mode!r}: {refusal}")
        self.mode = None
        raise WallUnavailable(f"No sandbox can be built on this machine: {refusal}", ALLOW) from refusal

    def close(self) -> None:
        """End the template, and with it every container that was forked from it."""
        with self._lock:
            self._end_template()

    def candidate(self) -> CandidateClient:
        """Return the client for a new candidate, to be used in a `with` statement.

        The candidate's container is made when its cells are loaded.
        """
        return CandidateClient(self.open_container)

    def open_container(self) -> Container:
        """Make one container with a candidate that has not loaded anything."""
        match self.mode:
            case "forked":
                return self._fork_container()
            case "single":
                return self._build_container()
        raise WallError("the wall has not been started")

    def _fork_container(self) -> Container:
        for attempt in (1, 2):
            grader_ends, container_ends = _sockets()
            container = WalledContainer(
                grader_ends[1], grader_ends[0], self.limits, self._is_template_running
            )
            try:
                with self._lock:
                    control = self._control or self._start_template()
                    order = json.dumps(self.limits.as_dict()).encode()
                    socket.send_fds(control, [order], [end.fileno() for end in container_ends])
                _close(container_ends)
                container.open(time.monotonic() + CONTAINER_SECONDS)
                return container
            except (OSError, WallError) as error:
                container.close()
                if attempt == 2:
                    raise WallError(f"no container could be made: {error}") from error
                self._log(f"trying again: {error}")
                self._end_dead_template()
            finally:
                _close(container_ends)
        raise AssertionError

    def _build_container(self) -> Container:
        grader_ends, container_ends = _sockets()
        container = WalledContainer(grader_ends[1], grader_ends[0], self.limits)
        with tempfile.TemporaryFile() as stderr:
            try:
                container.process = bubblewrap("single", container_ends, self._options(), stderr)
                grader_ends[0].send(json.dumps(self.limits.as_dict()).encode())
                _close(container_ends)
                container.open(time.monotonic() + START_SECONDS)
                return container
            except (OSError, WallError) as error:
                container.close()
                raise WallError(f"no container could be made: {error} {last_lines(stderr)}") from error
            finally:
                _close(container_ends)

    def _options(self) -> WallOptions:
        return WallOptions(self.plain, self._hidden, self._language, self.limits)

    def _start_template(self) -> socket.socket:
        self._template = Template(self._options())
        try:
            self._control, _, self._suspects = self._template.wait()
        except WallError:
            self._end_template()
            raise
        return self._control

    def _is_template_running(self) -> bool:
        if self._joined:
            return self._control is not None and not is_closed(self._control)
        # The template may end a moment after its children do, so wait before reporting that it is running.
        return self._template is not None and self._template.is_running(_EXIT_SECONDS)

    def _end_dead_template(self) -> None:
        """Remove the template if its process has ended, so that a new one can be started.

        A running template is kept, because other threads may use containers that were forked from it.
        """
        with self._lock:
            if self._template is not None and not self._template.is_running():
                self._end_template()

    def _end_template(self) -> None:
        if self._template is not None:
            self._template.close()
        if not self._joined:
            self._control = self._template = None
            self._prepared.clear()
            self._preloaded.clear()

    def _try_out(self) -> None:
        """Try to escape from inside the sandbox, before any stranger's code runs there.

        Raises:
            WallUnavailable: an attempt succeeded.
            WallError: the attempts could not be run.
        """
        with self.candidate() as candidate:
            view = visible_files(self._hidden)
            hidden = [*self._hidden, *view.masked, f"{PACKAGE}/{OLD_COURSE}"]
            source = f"HIDDEN = {hidden!r}\nSHOWN = {view.shown!r}\n{_PROOF}"
            try:
                (cell,) = candidate.load([("proof", source)], timeout=30.0).cells
            except CandidateError as error:
                raise WallError(f"the wall could not be tried: {error!r}") from error
        if not cell.ok or not cell.output.endswith("held\n"):
            failure = cell.output.strip() or f"{cell.error}: {cell.message}"
            raise WallUnavailable(f"The sandbox does not hold on this machine: {failure}", ALLOW)


# This code runs as a student's cell. It prints "held" if the sandbox holds, and otherwise a list of what the
# code was able to do.
_PROOF = """
import ctypes, os, socket
from pathlib import Path
def files(place):
    if os.path.isfile(place):
        yield place
    for top, folders, names in os.walk(place):
        folders[:] = [name for name in folders if os.path.join(top, name) not in SHOWN]
        yield from (path for path in (os.path.join(top, name) for name in names) if path not in SHOWN)
holes = [f"{path} is visible" for place in HIDDEN for path in files(place)]
status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
for name, value in {"CapEff": "0" * 16, "NoNewPrivs": "1", "Seccomp": "2"}.items():
    if status[name].strip() != value:
        holes.append(f"{name} is {status[name].strip()}")
if os.getuid() == 0:
    holes.append("root")
if len([name for name in os.listdir("/proc") if name.isdigit()]) != 2:
    holes.append("other processes are visible")
for path in ("/", "/dev", "/proc/sys/kernel", os.path.dirname(os.__file__)):
    if os.access(path, os.W_OK):
        holes.append(f"{path} is writable")
try:
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(("192.0.2.1", 9))
    holes.append("there is a network")
except OSError:
    pass
if ctypes.CDLL(None).unshare(0x10000000) == 0:
    holes.append("namespaces can be made")
print("; ".join(holes) or "held")
"""


def _sockets() -> tuple[list[socket.socket], list[socket.socket]]:
    """Return the grader's ends of two socket pairs, and the container's ends.

    The first pair carries commands to the supervisor. The second pair carries values from the candidate.
    """
    orders, supervisor = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    channel, candidate = socket.socketpair()
    # This makes the kernel add the supervisor's process id to the supervisor's messages.
    orders.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
    return [orders, channel], [supervisor, candidate]


def _close(ends: Iterable[socket.socket]) -> None:
    for end in ends:
        end.close()
