"""Build .venv if it is not ready, then run its Python: `python3 scripts/bootstrap.py -m secant lab`.

This script uses only the standard library, and only syntax that Python 3.6 can parse, so that an old Python
can report that it is too old. For each problem that the user can solve, it prints one sentence with the
solution, in English or Korean (SECANT_LANG).
"""

import errno
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from typing import Any, Iterable, Iterator  # noqa: UP035  (an old Python must be able to import this)

OLDEST = (3, 11)
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV = os.path.join(ROOT, ".venv")
STAMP = os.path.join(VENV, "secant-stamp.json")
ERRORS = os.path.join(VENV, "secant-errors.txt")
PYTHON = os.path.join(VENV, *(("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")))

# Disk space in gigabytes for the packages. PyTorch for Linux includes CUDA's libraries, unless pip uses its
# CPU build.
GIGABYTES = 2
GIGABYTES_WITH_CUDA = 6

# Seconds between two progress messages if the output is not a terminal.
SECONDS = 10

# Strings in pip's output that identify the cause of a failure.
NO_SPACE = ("no space left", "errno 28", "disk quota")
NOT_ALLOWED = ("permission denied", "errno 13", "read-only file system")
NO_NETWORK = (
    "connection broken",
    "connectionerror",
    "name resolution",
    "timed out",
    "unreachable",
    "failed to establish",
    "proxyerror",
    "sslerror",
    "max retries exceeded",
)


def say(en: str, ko: str) -> str:
    """Return the text in the language that SECANT_LANG names, or in English if Korean cannot be shown."""
    utf8 = (sys.stderr.encoding or "").lower().replace("-", "") == "utf8"
    return ko if os.environ.get("SECANT_LANG") == "ko" and utf8 else en


def tell(en: str, ko: str) -> None:
    """Print a progress message immediately, even if the output is a file."""
    print(say(en, ko), flush=True)


class Failure(Exception):
    """A problem that the user can solve; its text is the one sentence that the user sees."""

    def __init__(self, en: str, ko: str) -> None:
        super().__init__(say(en, ko))


# --- Failures that the user can fix ---


def too_old() -> Failure:
    """Return the failure for a Python that is too old, with a command that runs a newer one.

    If a newer version is installed, the command names that version.
    """
    version = "{}.{}".format(*sys.version_info[:2])
    names = [f"python3.{minor}" for minor in (12, 13, 11, 14)]
    available = [name for name in names if shutil.which(name) and is_new_enough(name)]
    name = (available or names)[0]
    return Failure(
        f"Secant needs Python 3.11 or newer and this is {version}: "
        f"{'' if available else 'install a newer one and '}run `make lab PYTHON={name}`.",
        f"Secant에는 Python 3.11 이상이 필요한데 지금은 {version}입니다. "
        f"{'' if available else '새 버전을 설치한 뒤 '}`make lab PYTHON={name}` 명령으로 실행해 주세요.",
    )


def no_venv_module() -> Failure:
    """Return the failure for a Python without venv, which Debian and Ubuntu put in a separate package."""
    package = "python{}.{}-venv".format(*sys.version_info[:2])
    return Failure(
        f"{sys.executable} cannot make virtual environments: on Debian and Ubuntu run "
        f"`sudo apt install python3-venv` (or {package}, if it is not the system's Python), then this again.",
        f"{sys.executable}에 가상 환경을 만드는 모듈이 없습니다. Debian이나 Ubuntu라면 "
        f"`sudo apt install python3-venv`(시스템 기본 Python이 아니라면 {package})를 실행한 뒤 "
        "다시 시도해 주세요.",
    )


def no_network() -> Failure:
    """Return the failure for packages that pip could not download."""
    return Failure(
        "The packages could not be downloaded: check the network (and the proxy) and run this again.",
        "패키지를 내려받지 못했습니다. 네트워크와 프록시 설정을 확인한 뒤 다시 실행해 주세요.",
    )


def no_space() -> Failure:
    """Return the failure for a lack of disk space for the course or for temporary files."""
    places = f"{ROOT}, {os.environ.get('TMPDIR', '/tmp')}"
    return Failure(
        f"No space is left on the disk ({places}): make room and run this again; "
        "TMPDIR=/other/folder chooses another place for temporary files.",
        f"디스크 공간이 부족합니다({places}). 공간을 비운 뒤 다시 실행해 주세요. "
        "임시 파일을 둘 곳은 TMPDIR=/다른/폴더로 바꿀 수 있습니다.",
    )


def not_allowed(path: str) -> Failure:
    """Return the failure for a path that the user is not allowed to write to."""
    return Failure(
        f"{path} cannot be written: move the course to a folder of your own, or, if it was once run with "
        f"sudo, take it back with `sudo chown -R $USER {ROOT}`.",
        f"{path}에 쓸 수 없습니다. 쓰기 권한이 있는 폴더로 저장소를 옮기거나, 예전에 sudo로 실행한 적이 "
        f"있다면 `sudo chown -R $USER {ROOT}`로 소유자를 되돌려 주세요.",
    )


def failure_from_output(output: str) -> Failure:
    """Return the failure that fits the output of a failed command."""
    text = output.lower()
    for words, failure in ((NO_SPACE, no_space), (NO_NETWORK, no_network)):
        if any(word in text for word in words):
            return failure()
    if any(word in text for word in NOT_ALLOWED):
        return not_allowed(VENV)
    last_line = (output.strip().splitlines() or ["?"])[-1]
    return Failure(
        f"Setting up failed: {last_line} (all of it is in {ERRORS}).",
        f"설치하지 못했습니다: {last_line} (자세한 내용은 {ERRORS}에 있습니다.)",
    )


def explain(error: OSError) -> Failure:
    """Return the failure that fits an error of the operating system."""
    path = str(error.filename or ROOT)
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return no_space()
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return not_allowed(path)
    return Failure(
        f"Setting up failed: {path}: {error.strerror}.", f"설치하지 못했습니다. {path}: {error.strerror}"
    )


# --- What is installed in .venv ---


def installation_digest() -> str:
    """Return a digest of everything that the installation depends on.

    The digest includes the repository's path, because a repository that was moved needs a new .venv.
    """
    digest = hashlib.sha256(os.fsencode(ROOT))
    for name in ("constraints.txt", "pyproject.toml", *settings(), *front_end()):
        with open(os.path.join(ROOT, name), "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()


def settings() -> "list[str]":
    """Return the paths of Jupyter's settings files, which the installation copies."""
    folder = os.path.join("secant", "lab")
    names = sorted(os.listdir(os.path.join(ROOT, folder)))
    return [os.path.join(folder, name) for name in names if name.endswith("_config.json")]


def front_end() -> "list[str]":
    """Return the paths of the JupyterLab extension's files.

    The installation copies them to JupyterLab's folder, so .venv has to be updated when they change.
    """
    folder = os.path.join("secant", "lab", "labextensions")
    paths = [
        os.path.join(folder_path, name)
        for folder_path, _, names in os.walk(os.path.join(ROOT, folder))
        for name in names
    ]
    return sorted(os.path.relpath(path, ROOT) for path in paths)


def read_stamp() -> "dict[str, Any]":
    """Return the record of what was installed, or an empty dict if there is none."""
    try:
        with open(STAMP, encoding="utf-8") as file:
            stamp = json.load(file)
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def write_stamp(stamp: "dict[str, Any]") -> None:
    """Record what is installed in .venv; {"building": true} means that the installation is not complete."""
    with open(STAMP + ".new", "w", encoding="utf-8") as file:
        json.dump(stamp, file)
    os.replace(STAMP + ".new", STAMP)  # so that a set-up that is killed leaves a whole record


def is_ready(extras: "list[str]") -> bool:
    """Return whether .venv is up to date and has all of these extras."""
    stamp = read_stamp()
    has_extras = set(extras) <= set(stamp.get("extras", []))
    return stamp.get("installed") == installation_digest() and has_extras and os.path.exists(PYTHON)


def is_new_enough(python: str, module: str = "sys") -> bool:
    """Return whether a Python interpreter runs, is new enough, and can import the given module."""
    code = f"import sys, {module}; sys.exit(sys.version_info < {OLDEST!r})"
    devnull = subprocess.DEVNULL
    try:
        return subprocess.call([python, "-c", code], stdin=devnull, stdout=devnull, stderr=devnull) == 0
    except OSError:
        return False


# --- Building .venv ---


def wait_for_others() -> object:
    """Wait until no other set-up is running, and return a lock to hold until this set-up has finished.

    On Windows, return None without waiting.
    """
    try:
        import fcntl
    except ImportError:  # Windows has no fcntl
        return None
    lock = open(os.path.abspath(__file__), "rb")  # noqa: SIM115  (held, not read)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        tell("Waiting for another set-up to finish.", "다른 설치 작업이 끝나기를 기다리고 있습니다.")
        fcntl.flock(lock, fcntl.LOCK_EX)
    except OSError:  # the file system has no locks
        pass
    return lock


def check_space() -> None:
    """Raise a Failure if the packages do not fit on the disk; warn if only PyTorch's CPU build fits."""
    free = shutil.disk_usage(ROOT).free / 1e9
    if free < GIGABYTES:
        raise Failure(
            f"Only {free:.1f} GB are free in {ROOT} and the packages need {GIGABYTES} GB or more: "
            "make room and run this again.",
            f"{ROOT}에 남은 공간이 {free:.1f} GB뿐인데 패키지를 설치하려면 {GIGABYTES} GB 이상이 필요합니다. "
            "공간을 비운 뒤 다시 실행해 주세요.",
        )
    if sys.platform == "linux" and free < GIGABYTES_WITH_CUDA:
        tell(
            f"{free:.1f} GB are free, which is enough only for PyTorch's CPU build.",
            f"남은 공간이 {free:.1f} GB라서 CPU용 PyTorch만 설치할 수 있습니다.",
        )


def announce() -> None:
    """Print what will be installed, how large it is, and how long the installation takes."""
    if sys.platform == "linux":
        tell(
            f"Installing packages into .venv, once: about {GIGABYTES} GB, or {GIGABYTES_WITH_CUDA} GB with "
            "the CUDA libraries that come with the ordinary PyTorch for Linux. This takes some minutes.",
            f"필요한 패키지를 .venv에 설치합니다(처음 한 번만). 약 {GIGABYTES} GB이며, Linux용 기본 "
            f"PyTorch처럼 CUDA 라이브러리가 딸려 오면 약 {GIGABYTES_WITH_CUDA} GB입니다. 몇 분 걸립니다.",
        )
    else:
        tell(
            f"Installing packages into .venv, once: about {GIGABYTES} GB. This takes some minutes.",
            f"필요한 패키지를 .venv에 설치합니다(처음 한 번만). 약 {GIGABYTES} GB이며 몇 분 걸립니다.",
        )


def check_python() -> None:
    """Raise a Failure if this Python cannot make our .venv."""
    if sys.version_info < OLDEST:
        raise too_old()
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError:
        raise no_venv_module() from None


def make_venv() -> None:
    """Remove any old .venv and make a new one with pip in it."""
    if os.path.lexists(VENV):
        tell("Removing a .venv that is not complete.", "완성되지 않은 .venv를 지웁니다.")
        if os.path.isdir(VENV) and not os.path.islink(VENV):
            shutil.rmtree(VENV)
        else:
            os.remove(VENV)
    os.mkdir(VENV)
    write_stamp({"building": True})
    # Install pip in a separate step, because venv would hide the reason for a failure.
    run([sys.executable, "-m", "venv", "--without-pip", VENV], capture=True)
    run([PYTHON, "-m", "ensurepip", "--default-pip"], capture=True)


def run(command: "list[str]", capture: bool = False) -> None:
    """Run a command and raise a Failure if it fails.

    Args:
        command: the command.
        capture: whether to write all output of the command to the file ERRORS, not only its error output.
    """
    with open(ERRORS, "wb") as errors:
        code = subprocess.call(command, cwd=ROOT, stdout=errors if capture else None, stderr=errors)
    if code != 0:
        raise_command_failure()


def raise_command_failure() -> None:
    """Raise the failure that fits what the last command wrote to ERRORS."""
    with open(ERRORS, encoding="utf-8", errors="replace") as file:
        raise failure_from_output(file.read())


class PipProgress:
    """A line about pip's progress: rewritten in place in a terminal, otherwise printed periodically.

    pip prints a line for each package that it examines or downloads. While it installs them it prints
    nothing, so the installed packages are counted in .venv.
    """

    def __init__(self, folder: str) -> None:
        """Prepare to show the progress of pip.

        Args:
            folder: the folder of pip's temporary files.
        """
        self.folder = folder
        self.is_terminal = sys.stdout.isatty()
        self.names = set()  # type: set[str]
        self.downloads = 0
        self.file, self.size = "", ""
        self.total = self.before = 0
        self.start_time = self.printed = time.time()
        self.line = ""

    def follow(self, process: "subprocess.Popen[bytes]") -> None:
        """Show the progress of pip until pip exits."""
        reader = threading.Thread(target=self.read, args=(process.stdout,), daemon=True)
        reader.start()
        while process.poll() is None:
            self.show()
            time.sleep(0.2)
        reader.join(5)

    def read(self, lines: "Iterable[bytes]") -> None:
        """Read pip's output and update the numbers of packages after each line."""
        for line in lines:
            self.note(line.decode("utf-8", "replace").strip())

    def note(self, line: str) -> None:
        """Update the numbers of packages from a line of pip's output.

        Examples are `Collecting torch==2.14.1` and `Downloading torch-2.14.1-cp312.whl (188.0 MB)`.
        """
        keyword, _, rest = line.partition(" ")
        if keyword == "Collecting":
            self.names.add(re.split("[^A-Za-z0-9._-]", rest, maxsplit=1)[0])
        elif keyword == "Downloading" or line.startswith("Using cached "):
            name, _, size = rest.replace("cached ", "", 1).rpartition(" (")
            if name and not name.endswith(".metadata"):
                self.downloads += 1
                self.file, self.size = name.rpartition("/")[2], size.rstrip(")")
        elif line.startswith("Installing collected packages: "):
            self.before = count_installed()
            self.total = line.count(",") + 1

    def text(self) -> str:
        """Return the line that describes pip's progress and the elapsed time."""
        seconds = int(time.time() - self.start_time)
        elapsed = say(f"{seconds} s", f"{seconds}초")
        if self.total:
            installed = min(max(0, count_installed() - self.before), self.total)
            en = f"Installing packages: {installed} of {self.total}"
            ko = f"패키지를 설치하는 중: {self.total}개 중 {installed}개"
        elif self.downloads:
            # The total is unknown until the last download, because pip finds further packages between
            # downloads.
            name = f"{self.file.partition('-')[0]}, {self.fetched()}"
            en = f"Downloading package {self.downloads} ({name})"
            ko = f"{self.downloads}번째 패키지를 내려받는 중({name})"
        else:
            en = f"Looking for packages: {len(self.names)} found"
            ko = f"필요한 패키지를 찾는 중: {len(self.names)}개"
        return f"{say(en, ko)}, {elapsed}"

    def fetched(self) -> str:
        """Return how much of the current file has been downloaded, or only its size if the file is small."""
        if not self.size.endswith((" MB", " GB")):
            return self.size
        for folder_path, _, names in os.walk(self.folder):
            if self.file in names:
                try:
                    megabytes = os.path.getsize(os.path.join(folder_path, self.file)) / 1e6
                except OSError:  # pip has moved the file in the meantime
                    break
                return say(f"{megabytes:.1f} of {self.size}", f"{self.size} 중 {megabytes:.1f} MB")
        return self.size

    def show(self) -> None:
        """Show the progress line if enough time has passed since it was last shown."""
        now = time.time()
        if now - self.printed < (1 if self.is_terminal else SECONDS):
            return
        self.printed = now
        text = self.text()
        if self.is_terminal:
            self.clear()
            # A Korean character is two columns wide.
            self.line = text[: shutil.get_terminal_size().columns // (1 if text.isascii() else 2) - 1]
            print(self.line, end="", flush=True)
        else:
            print(text, flush=True)

    def clear(self) -> None:
        """Clear the progress line in the terminal."""
        if self.line:
            print(f"\r{' ' * (shutil.get_terminal_size().columns - 1)}\r", end="", flush=True)
            self.line = ""


def count_installed() -> int:
    """Return how many packages are installed in .venv."""
    lib = os.path.join(VENV, "Lib" if os.name == "nt" else "lib")
    return sum(name.endswith(".dist-info") for _, names, _ in walk_to(lib, "site-packages") for name in names)


def walk_to(folder: str, name: str) -> "Iterator[tuple[str, list[str], list[str]]]":
    """Search a folder for subfolders with this name.

    A matching folder is not searched further.

    Yields:
        for each matching folder, a tuple like those of os.walk: the folder's path, the names of its
            subfolders, and the names of its files.
    """
    for path, folders, files in os.walk(folder):
        if os.path.basename(path) == name:
            yield path, list(folders), files
            folders.clear()


def install(extras: "list[str]") -> None:
    """Install the packages in constraints.txt, and Secant in editable mode, so that `git pull` updates it."""
    package = ROOT + (f"[{','.join(extras)}]" if extras else "")
    pip = [
        PYTHON,
        "-m",
        "pip",
        "install",
        "--disable-pip-version-check",
        "--no-input",
        "--progress-bar",
        "off",
    ]
    command = [*pip, "-r", os.path.join(ROOT, "constraints.txt"), "-e", package]
    # pip downloads into temporary files. Put them into a separate folder, so that their sizes show the
    # progress.
    folder = tempfile.mkdtemp(prefix="secant-pip-")
    environment = dict(os.environ, PYTHONUNBUFFERED="1", TMPDIR=folder, TEMP=folder, TMP=folder)
    progress = PipProgress(folder)
    pipe = subprocess.PIPE
    try:
        with open(ERRORS, "wb") as errors:  # noqa: SIM117  (for old Pythons)
            with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=pipe, stderr=errors) as process:
                progress.follow(process)
    finally:
        progress.clear()
        shutil.rmtree(folder, ignore_errors=True)
    if process.returncode != 0:
        raise_command_failure()


def prepare(extras: "list[str]") -> None:
    """Make .venv ready, unless it is ready already."""
    if is_ready(extras):
        return
    lock = wait_for_others()  # noqa: F841  (released when it goes out of scope)
    if is_ready(extras):
        return
    check_space()
    stamp = read_stamp()
    # Keep a working .venv that is not marked as incomplete; the user may have made it.
    keeps_venv = (
        not stamp.get("building") and stamp.get("root", ROOT) == ROOT and is_new_enough(PYTHON, "pip")
    )
    if not keeps_venv:
        check_python()
    announce()
    if not keeps_venv:
        make_venv()
    write_stamp({"building": True})
    extras = sorted({*extras, *(stamp.get("extras", []) if keeps_venv else [])})
    try:
        install(extras)
    except Failure:
        # pip has restored the packages that it could not replace, so a .venv that worked still works and is
        # kept.
        if keeps_venv:
            write_stamp(stamp)
        raise
    write_stamp({"installed": installation_digest(), "root": ROOT, "extras": extras})
    tell("Ready.", "준비가 끝났습니다.")


def run_venv_python(arguments: "list[str]") -> int:
    """Replace this process with .venv's Python, which then handles Ctrl-C and sets the exit code.

    On Windows, run .venv's Python as a child process and return its exit code.
    """
    if os.name == "nt":
        return subprocess.call([PYTHON, *arguments])
    os.execv(PYTHON, [PYTHON, *arguments])


def main(arguments: "list[str]") -> int:
    """Build .venv with the extras, run its Python with the other arguments, and return the exit code.

    Args:
        arguments: `[--extra NAME]... [arguments for .venv's Python]`.
    """
    extras = []
    while arguments[:1] == ["--extra"]:
        extras.append(arguments[1])
        arguments = arguments[2:]
    try:
        prepare(extras)
    except Failure as failure:
        print(failure, file=sys.stderr)
        return 1
    except OSError as error:
        print(explain(error), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        message = say("Stopped: run the same command again.", "중단했습니다. 같은 명령을 다시 실행해 주세요.")
        print("\n" + message, file=sys.stderr)
        return 130
    return run_venv_python(arguments) if arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
