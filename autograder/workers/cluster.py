"""The workers of a Dask cluster. They share no files with this machine.

Workers may join, leave or be killed at any time. If a worker ends, Dask gives its job to another one. This
module adds three things. It sends jobs as bytes (remote.py). It gives each worker its next job before the
current one is finished. And it ends a run with a clear message if the cluster can no longer be reached.
"""

import logging
import time
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from typing import Any

from autograder.course.errors import CourseError
from autograder.workers import remote
from autograder.workers.executors import JobFunction

CONNECT_SECONDS = 20.0
PATIENCE_SECONDS = 60.0  # maximum number of seconds without any worker; workers may still be starting
_POLL_SECONDS = 1.0
# Number of jobs that each worker has at a time: one runs and one is queued, so that no worker has to wait for
# the network.
_JOBS_PER_WORKER = 2
_HINT = "Finished grades are kept; run the same command to continue."


def cluster(address: str, patience: float = PATIENCE_SECONDS) -> "ClusterWorkers":
    """Return the workers of the Dask cluster whose scheduler is at the given address.

    Dask's own settings (~/.config/dask, DASK_...) also apply here. For TLS, see docs/scale.md.

    Raises:
        CourseError: the package distributed is not installed, or no scheduler answers.
    """
    try:
        from distributed import Client
    except ImportError:
        raise CourseError(
            "--scheduler needs the package distributed: `pip install 'secant[scale]'`."
        ) from None
    # Dask's log messages about lost connections are hidden, because this module reports them itself.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, TypeError, RuntimeError) as error:
        reason = " ".join(str(error).split()).rstrip(".")
        raise CourseError(f"No Dask scheduler answers at {address}: {reason}.") from None
    return ClusterWorkers(client, address, patience)


class ClusterWorkers:
    """The workers of a Dask cluster, including those that join later.

    Args:
        client: Dask's connection to the scheduler.
        address: the address of the scheduler.
        patience: how many seconds the cluster may be without any worker.
    """

    def __init__(self, client: Any, address: str, patience: float) -> None:
        self._client = client
        self._address = address
        self._patience = patience
        # With pure=True, Dask would merge identical calls, such as the first and second attempt at a job.
        self._executor = client.get_executor(pure=False, retries=0)
        self._workers = 0
        self._last_count = self._last_worker = time.monotonic()
        self._count()

    @property
    def slots(self) -> int:
        """The number of jobs that the workers may have at a time."""
        return max(1, _JOBS_PER_WORKER * self._workers)

    def check_workers(self) -> None:
        """Count the workers, at most once a second.

        Raises:
            CourseError: the scheduler no longer answers, or there has been no worker for too long.
        """
        if self._client.status != "running":
            raise CourseError(f"The Dask scheduler at {self._address} no longer answers. {_HINT}")
        now = time.monotonic()
        if now - self._last_count < _POLL_SECONDS:
            return
        self._last_count = now
        self._count()
        if now - self._last_worker > self._patience:
            start = f"`dask worker {self._address} --nthreads 1`"
            raise CourseError(
                f"The Dask scheduler at {self._address} has had no worker for {self._patience:.0f} s. Start "
                f"some: {start}. A worker without {_required_package()} ends at its first job. {_HINT}"
            )

    def submit(self, work: JobFunction, job: Any) -> Future[Any]:
        result: Future[Any] = Future()

        def set_result(answer: Future[Any]) -> None:
            try:
                result.set_result(remote.unpack(answer.result()))
            except CancelledError as error:
                result.set_exception(error)
            except remote.OtherVersion as error:
                result.set_exception(CourseError(_other_version_message(error)))
            except Exception as error:
                lacks_grader = "deserialization of the task graph" in str(error)
                result.set_exception(
                    CourseError(_no_grader_message(self._address)) if lacks_grader else error
                )

        self._executor.submit(remote.do, work, remote.pack(job)).add_done_callback(set_result)
        return result

    def settle(self, future: Future[Any]) -> None:
        pass

    def close(self, kill: bool = False) -> None:
        with suppress(Exception):  # the scheduler may already have ended
            self._executor.shutdown(wait=not kill)
        with suppress(Exception):
            self._client.close()

    def _count(self) -> None:
        try:
            self._workers = len(self._client.nthreads())
        except OSError:  # the connection is lost; `check_workers` will notice that soon
            self._workers = 0
        if self._workers:
            self._last_worker = time.monotonic()


def _other_version_message(error: remote.OtherVersion) -> str:
    return (
        f"The worker on {error.machine} has {_format_versions(error.remote_versions)}, "
        f"but this command has {_format_versions(error.local_versions)}: it graded nothing. "
        f"Install the same versions on both, and restart the worker. {_HINT}"
    )


def _format_versions(versions: remote.Versions) -> str:
    return ", ".join(f"{name} {text}" for name, text in versions.items())


def _no_grader_message(address: str) -> str:
    return (
        f"The Dask scheduler at {address} needs {_required_package()}, as its workers do: "
        f"install it there. {_HINT}"
    )


def _required_package() -> str:
    return f"secant {remote.versions()['secant']}"
