"""The clone of the repository in which faults are tried, so that the user's working tree stays unchanged."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from scripts.mutants import faults
from scripts.mutants.faults import Fault

#: The name that stands for all tests of a run if the run crashed or did not end, and therefore reported no
#: failed test.
WHOLE_RUN = "(the whole run)"
_INTERRUPTED = 2  # pytest's exit code if it was stopped
_ENDED_NORMALLY = (0, 1, 5)  # pytest's exit codes: passed, tests failed, no tests collected


class Tree:
    """A clone with its own environment, so that kernels, sandboxes and workers import the clone's code.

    Args:
        root: the clone's folder.
        log: the file that receives the output of the last run.
        python: the interpreter that runs the tests; by default the one in the clone's environment.
    """

    def __init__(self, root: Path, log: Path, python: str | None = None) -> None:
        self.root, self.log = root, log
        self._python = python or str(root / ".venv" / "bin" / "python")

    def check_out(self, repository: Path, commit: str) -> None:
        """Check out a commit of the repository, and clone the repository first if it is not cloned yet."""
        if not (self.root / ".git").exists():
            self.root.parent.mkdir(parents=True, exist_ok=True)
            _git(None, "clone", "--quiet", "--shared", "--no-checkout", str(repository), str(self.root))
        _git(self.root, "checkout", "--quiet", "--force", "--detach", commit)

    def install(self) -> None:
        """Bring the clone's environment up to date, and compile the code."""
        bootstrap = [sys.executable, "scripts/bootstrap.py", "--extra", "dev"]
        # Python compares this bytecode with a hash of the source. Comparing modification times would miss
        # a second fault that is written within the same second.
        compile_code = [self._python, "-m", "compileall", "-q", "-f", "--invalidation-mode", "checked-hash"]
        for command in (bootstrap, [*compile_code, "autograder", "scripts", "secant", "tests"]):
            subprocess.run(command, cwd=self.root, check=True)

    def write(self, chosen_faults: Iterable[Fault]) -> None:
        """Restore the files of the commit, then write these faults into them."""
        _git(self.root, "checkout", "--quiet", "--force", ".")
        _git(self.root, "clean", "--quiet", "--force", "-d")
        faults.write(self.root, chosen_faults)

    def failures(
        self, options: Sequence[str], tests: Sequence[str] = (), first: bool = False, seconds: float = 14400
    ) -> list[str]:
        """Run pytest and return the tests that failed.

        Args:
            options: options and paths for pytest.
            tests: the tests to run; if empty, all tests are run.
            first: whether to stop at the first failure. The test that failed is returned first, followed by
                those of `tests` that have not run.
            seconds: the time limit of the run.
        """
        with TemporaryDirectory() as folder:
            cache = Path(folder, "v", "cache", "lastfailed")
            # Turn off the plugin that limits the tests' processor time, because an exceeded limit does not
            # mean that a fault was noticed.
            own = ["-q", "-p", "no:costs", "-o", f"cache_dir={folder}"]
            # A module that cannot be imported counts as one failed test, with workers and without them.
            own += ["--continue-on-collection-errors"]
            command = [self._python, "-m", "pytest", *own, *options]
            if tests:
                cache.parent.mkdir(parents=True)
                cache.write_text(json.dumps(dict.fromkeys(tests, True)), encoding="utf-8")
                command += ["--last-failed", "--last-failed-no-failures", "none"]
            code = self._run([*command, *(["-x"] if first else [])], seconds)
            failed_tests = list(json.loads(cache.read_text(encoding="utf-8"))) if cache.exists() else []
        if first and code == _INTERRUPTED and any(map(self._has_failed_now, failed_tests)):
            code = 1  # pytest's workers report the stop after the first failure as an interruption
        if code not in _ENDED_NORMALLY or (code == 1 and not failed_tests):
            return [WHOLE_RUN]
        if code != 1:
            return []
        return sorted(failed_tests, key=self._has_failed_now, reverse=True) if first else failed_tests

    def _run(self, command: list[str], seconds: float) -> int | None:
        """Run a command in the clone and return its exit code, or None if it took too long."""
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        with open(self.log, "wb") as log:
            process = subprocess.Popen(
                command,
                cwd=self.root,
                env=environment | {"SECANT_LANG": "en"},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                return process.wait(seconds)
            except subprocess.TimeoutExpired:
                return None
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def _has_failed_now(self, test: str) -> bool:
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        heads = tuple(f"{word} {test}" for word in ("FAILED", "ERROR"))
        return any(line in heads or line.startswith(tuple(f"{head} - " for head in heads)) for line in lines)


def commit_of(repository: Path) -> str:
    """Return the id of the commit that is checked out."""
    return _git(repository, "rev-parse", "HEAD").strip()


def _git(folder: Path | None, *arguments: str) -> str:
    place = ["-C", str(folder)] if folder else []
    command = [shutil.which("git") or "git", *place, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
