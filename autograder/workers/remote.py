"""Jobs and results as bytes, for workers on other machines.

A worker refuses a job from another version of the grader. The bytes are JSON, so each field of a result is
checked when it is read. The version of a job is checked before anything else in it is read.
"""

import dataclasses
import importlib.metadata
import json
import math
import platform
import sys
import threading
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from autograder.exam.version import plain_version, torch_version
from autograder.page.version import page_version
from autograder.workers.jobs import (
    AnyJob,
    Busy,
    Examined,
    ExaminedPlain,
    Failed,
    Job,
    JobResult,
    NoWall,
    Page,
    PlainJob,
    Rendered,
)

Versions = dict[str, str]
_JOBS = {kind.__name__: kind for kind in (Job, PlainJob, Page)}
_RESULTS = {kind.__name__: kind for kind in (Examined, ExaminedPlain, Rendered, NoWall, Failed, Busy)}
_REFUSED = "refused"
_job_lock = threading.Lock()


class OtherVersion(Exception):
    """The error raised if a worker and this process have different versions of software that affects results.

    Attributes:
        machine: the name of the worker's machine.
        remote_versions: the versions of this software on the worker.
        local_versions: the versions of this software in the process that sent the job.
    """

    def __init__(self, machine: str, remote_versions: Versions, local_versions: Versions) -> None:
        super().__init__(machine)
        self.machine = machine
        self.remote_versions = remote_versions
        self.local_versions = local_versions


@cache
def versions() -> Versions:
    """Return the versions that must be equal on all machines for a file to get the same result everywhere."""
    return {
        "secant": importlib.metadata.version("secant"),
        "grading code": plain_version()[:12],  # a hash of all modules that affect a grade
        "page code": page_version()[:12],
        "torch": torch_version(),
        "Python": f"{sys.version_info.major}.{sys.version_info.minor}",
    }


def pack(job: AnyJob) -> bytes:
    """Return a job as bytes, together with this process's versions of the software that affects results."""
    return _dump({"versions": versions(), "kind": type(job).__name__, "job": _plain(job)})


def do(work: Callable[[AnyJob], JobResult], packed: bytes) -> bytes:
    """Do a job that `pack` has converted to bytes, and return the result as bytes."""
    order = json.loads(packed)
    if order["versions"] != versions():
        return _dump({"kind": _REFUSED, "versions": versions(), "where": platform.node()})
    job = _build(_JOBS[order["kind"]], order["job"])
    _import()
    with _job_lock:  # one job at a time, however many threads this worker has
        try:
            result = work(job)
        except Exception as error:
            result = Failed(f"{type(error).__name__}: {error}")
    return _dump({"kind": type(result).__name__, "done": _plain(result)})


@cache
def _import() -> None:
    """Import the modules that jobs need, and exclude them from garbage collection.

    The parent process of local workers does the same.
    """
    import autograder.workers.preloaded  # noqa: F401


def unpack(answer: object) -> JobResult:
    """Decode the result that a worker returned.

    Raises:
        OtherVersion: the worker refused the job because its version differs.
        ValueError: the answer cannot come from a worker of this version.
    """
    if not isinstance(answer, bytes):
        raise ValueError(f"a worker returned {type(answer).__name__}, not bytes")
    result = json.loads(answer)
    match result:
        case {"kind": "refused", "versions": dict(remote_versions), "where": str(machine)}:
            raise OtherVersion(
                machine, {str(name): str(text) for name, text in remote_versions.items()}, versions()
            )
        case {"kind": str(kind), "done": job_result} if kind in _RESULTS:
            return typing.cast(JobResult, _build(_RESULTS[kind], job_result))
    raise ValueError("a worker returned something else than a result")


# --- Converting dataclasses to and from JSON ------------------------------------------------------------


def _dump(data: Any) -> bytes:
    return json.dumps(data).encode()


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Mapping):
        return {name: _plain(entry) for name, entry in value.items()}
    if isinstance(value, frozenset):
        return sorted(value)
    return [_plain(entry) for entry in value] if isinstance(value, list | tuple) else value


_hints = cache(typing.get_type_hints)


def _build(kind: Any, value: Any) -> Any:
    """Rebuild a value of the given type from the plain data that `_plain` returned.

    Raises:
        ValueError: the data does not match the type.
    """
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if kind is Any:
        return value
    if dataclasses.is_dataclass(kind):
        hints = _hints(typing.cast(type, kind))
        if isinstance(value, dict) and value.keys() == hints.keys():
            return kind(**{name: _build(hint, value[name]) for name, hint in hints.items()})  # type: ignore[operator]
    elif origin is typing.Literal:
        if isinstance(value, str) and value in inner:
            return value
    elif origin in (typing.Union, types.UnionType):
        return None if value is None else _build(next(arg for arg in inner if arg is not type(None)), value)
    elif origin in (Sequence, tuple):
        if isinstance(value, list):
            return tuple(_build(inner[0], entry) for entry in value)
    elif origin is frozenset:
        if isinstance(value, list):
            return frozenset(_build(inner[0], entry) for entry in value)
    elif origin is Mapping:
        if isinstance(value, dict):
            return {name: _build(inner[1], entry) for name, entry in value.items()}
    elif kind is bytes:
        return bytes.fromhex(value)
    elif kind is float:
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            return float(value)
    elif type(value) is kind:
        return value
    raise ValueError(f"{str(value)[:80]!r} is not of the type {kind}")
