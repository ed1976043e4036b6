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
    Busy,
    Done,
    Examined,
    ExaminedPlain,
    Failed,
    Job,
    NoWall,
    Page,
    PlainJob,
    Rendered,
    Work,
)

Versions = dict[str, str]
_JOBS = {kind.__name__: kind for kind in (Job, PlainJob, Page)}
_DONE = {kind.__name__: kind for kind in (Examined, ExaminedPlain, Rendered, NoWall, Failed, Busy)}
_REFUSED = "refused"
_one_job = threading.Lock()


class OtherVersion(Exception):
    """The error raised if a worker and this process have different versions of software that affects results.

    Attributes:
        where: the name of the worker's machine.
        there: the versions of this software on the worker.
        here: the versions of this software in the process that sent the job.
    """

    def __init__(self, where: str, there: Versions, here: Versions) -> None:
        super().__init__(where)
        self.where = where
        self.there = there
        self.here = here


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


def pack(job: Work) -> bytes:
    """Return a job as bytes, together with this process's versions of the software that affects results."""
    return _dump({"versions": versions(), "kind": type(job).__name__, "job": _plain(job)})


def do(work: Callable[[Work], Done], packed: bytes) -> bytes:
    """Do a job that `pack` has converted to bytes, and return the result as bytes."""
    order = json.loads(packed)
    if order["versions"] != versions():
        return _dump({"kind": _REFUSED, "versions": versions(), "where": platform.node()})
    job = _built(_JOBS[order["kind"]], order["job"])
    _import()
    with _one_job:  # one job at a time, however many threads this worker has
        try:
            done = work(job)
        except Exception as error:
            done = Failed(f"{type(error).__name__}: {error}")
    return _dump({"kind": type(done).__name__, "done": _plain(done)})


@cache
def _import() -> None:
    """Import the modules that jobs need, and exclude them from garbage collection.

    The parent process of local workers does the same.
    """
    import autograder.workers.preloaded  # noqa: F401


def unpack(answer: object) -> Done:
    """Decode the result that a worker returned.

    Raises:
        OtherVersion: the worker refused the job because its version differs.
        ValueError: the answer cannot come from a worker of this version.
    """
    if not isinstance(answer, bytes):
        raise ValueError(f"a worker returned {type(answer).__name__}, not bytes")
    result = json.loads(answer)
    match result:
        case {"kind": "refused", "versions": dict(there), "where": str(where)}:
            raise OtherVersion(where, {str(name): str(text) for name, text in there.items()}, versions())
        case {"kind": str(kind), "done": done} if kind in _DONE:
            return typing.cast(Done, _built(_DONE[kind], done))
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


def _built(kind: Any, value: Any) -> Any:
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
            return kind(**{name: _built(hint, value[name]) for name, hint in hints.items()})  # type: ignore[operator]
    elif origin is typing.Literal:
        if isinstance(value, str) and value in inner:
            return value
    elif origin in (typing.Union, types.UnionType):
        return None if value is None else _built(next(arg for arg in inner if arg is not type(None)), value)
    elif origin in (Sequence, tuple):
        if isinstance(value, list):
            return tuple(_built(inner[0], entry) for entry in value)
    elif origin is frozenset:
        if isinstance(value, list):
            return frozenset(_built(inner[0], entry) for entry in value)
    elif origin is Mapping:
        if isinstance(value, dict):
            return {name: _built(inner[1], entry) for name, entry in value.items()}
    elif kind is bytes:
        return bytes.fromhex(value)
    elif kind is float:
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            return float(value)
    elif type(value) is kind:
        return value
    raise ValueError(f"{str(value)[:80]!r} is not of the type {kind}")
