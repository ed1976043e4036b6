"""Copy the lessons into a workspace and open JupyterLab there: `secant lab --lang ko`."""

import errno
import json
import os
import shutil
import socket
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import date
from importlib.metadata import entry_points
from pathlib import Path
from urllib.parse import quote

import zmq

from secant.files import blocking_file, replace_file
from secant.lab.folders import jupyter_folders, make_private, write_error
from secant.lab.start_page import START, current_start_page, start_page, write_start_page
from secant.lab.workspace import LabError, copy_lessons, released_files, workspace_for
from secant.language import language, say
from secant.progress import store
from secant.tested import untested_torch_line
from secant.where import NoCourseError, course_root, remember_course
from secant.workspace_state import OWN_WORKSPACE, fingerprint

#: Errors after which nothing can be saved, but existing lessons can still be read: missing permission, a
#: read-only file system, a full disk or an exhausted quota.
UNWRITABLE_ERRORS = {
    errno.EACCES,
    errno.EPERM,
    errno.EROFS,
    errno.ENOSPC,
    getattr(errno, "EDQUOT", errno.ENOSPC),
}


@dataclass(frozen=True)
class Options:
    """The learner's options for the server.

    Attributes:
        port: the port to listen on; None for the first free one.
        browser: whether to open a browser.
    """

    port: int | None = None
    browser: bool = True


# --- JupyterLab's settings and server ---

# The folder of Secant's JupyterLab extension. JupyterLab loads it from here, so an edited version takes
# effect without being installed again.
LABEXTENSIONS = Path(__file__).with_name("labextensions")


def language_pack(locale: str) -> bool:
    """Return whether a translation of JupyterLab's menus is installed for a locale, such as "ko_KR"."""
    return any(entry.name == locale for entry in entry_points(group="jupyterlab.languagepack"))


def lab_defaults() -> dict[str, dict[str, object]]:
    """Return JupyterLab's default settings; a learner's own settings take precedence over them."""
    defaults: dict[str, dict[str, object]] = {
        "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
        # Open the start page as formatted text instead of Markdown source.
        "@jupyterlab/docmanager-extension:plugin": {"defaultViewers": {"markdown": "Markdown Preview"}},
    }
    if language() == "ko" and language_pack("ko_KR"):
        defaults["@jupyterlab/translation-extension:plugin"] = {"locale": "ko_KR"}
    return defaults


# Panels and services that a learner who works alone does not need: those for a class, for an instructor, or
# for access to the Internet. nbgrader's Validate button stays, because notebooks that are not lessons need
# it. In lessons, style.css hides it, because Secant's Check button takes its place.
HIDDEN_PANELS = (
    "@jupyter/nbgrader:assignment-list",
    "@jupyter/nbgrader:course-list",
    "@jupyter/nbgrader:create-assignment",
    "@jupyter/nbgrader:formgrader",
    "@jupyter/nbgrader:menu",
    "@jupyterlab/extensionmanager-extension:plugin",
    "jupyterlab-jupytext",
)
HIDDEN_SERVICES = (
    "jupyterlab_jupytext",
    "nbgrader.server_extensions.assignment_list",
    "nbgrader.server_extensions.course_list",
    "nbgrader.server_extensions.formgrader",
)
WARM_KERNELS = "autograder.kernels.server_extension"  # starts kernels with torch already imported


def jupyter_defaults() -> dict[str, dict[str, object]]:
    """Return the settings that Jupyter reads first, so that a learner's configuration overrides them."""
    defaults: dict[str, dict[str, object]] = {
        "LabServerApp": {"extra_labextensions_path": [str(LABEXTENSIONS)]}
    }
    if zmq.has("curve"):  # kernels need ZeroMQ's CURVE mechanism for encryption
        # A kernel that uses plain TCP prints a warning in the learner's terminal. Unix sockets would also
        # avoid the warning, but their paths must be short, and not every disk and system supports them.
        # Encryption works wherever TCP does.
        defaults["KernelManager"] = {"transport_encryption": "auto"}
    shell = os.environ.get("SHELL") or shutil.which("sh")
    if os.name == "posix" and shell:
        # Jupyter would use a login shell if it was not itself started from a terminal. That shell would not
        # find `autograder`, because /etc/profile resets PATH.
        defaults["ServerApp"] = {"terminado_settings": {"shell_command": [shell]}}
    return defaults


def settings_folder(workspace: Path) -> Path:
    """Return the folder for a workspace's settings and layouts. It is never inside the workspace.

    Jupyter runs code that it finds among its settings, and a workspace is data that may come from anywhere.
    """
    return store.path().with_name("lab") / fingerprint(os.fsencode(workspace))[:16]


def write_lab_config(settings_root: Path, page: str = START) -> Path:
    """Write Secant's defaults into a separate folder, so that the learner's configuration stays unchanged.

    Args:
        settings_root: the folder in which the settings' folder is created.
        page: the Markdown start page. If JupyterLab's address names this page, Secant's extension shows its
            start panel instead; without the extension, the learner sees the page itself.
    """
    make_private(settings_root)
    folder = settings_root / "jupyter"
    files: dict[str, object] = {
        "jupyter_config.json": jupyter_defaults(),
        "labconfig/default_setting_overrides.json": lab_defaults(),
        "labconfig/page_config.json": {
            "disabledExtensions": dict.fromkeys(HIDDEN_PANELS, True),
            "secantStart": page,
            "secantLanguage": language(),
        },
        "jupyter_server_config.json": {
            "ServerApp": {"jpserver_extensions": dict.fromkeys(HIDDEN_SERVICES, False) | {WARM_KERNELS: True}}
        },
    }
    (folder / "labconfig").mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        _write_changed(folder / name, json.dumps(content, indent=1))
    return folder


def _write_changed(file: Path, text: str) -> None:
    """Write a file only if its content differs, so that a read-only but up-to-date folder causes no error."""
    if not file.is_file() or file.read_bytes() != text.encode():
        replace_file(file, text.encode())


@contextmanager
def lab_config(workspace: Path, page: str) -> Iterator[Path]:
    """Yield a folder with Secant's default settings.

    The folder is next to the progress file or, if nothing can be written there, a temporary folder.
    """
    try:
        folder = write_lab_config(settings_folder(workspace), page)
    except OSError as error:
        if error.errno not in UNWRITABLE_ERRORS:
            raise
    else:
        yield folder
        return
    with tempfile.TemporaryDirectory(prefix="secant-lab-", ignore_cleanup_errors=True) as temporary_folder:
        yield write_lab_config(Path(temporary_folder), page)


def is_fresh(root: Path, folder: Path | None = None) -> bool:
    """Return whether the workspace is the usual folder, is empty, or does not exist yet.

    In these cases, any files that are already in the workspace must come from Secant.
    """
    workspace = workspace_for(root, language(), folder)
    is_default = folder is None or workspace == workspace_for(root, language())
    return is_default or not (workspace.is_dir() and any(workspace.iterdir()))


def claim(workspace: Path, settings_root: Path, is_new: bool) -> None:
    """Let the Check button run lessons without asking the learner, if Secant created the workspace.

    Args:
        workspace: the folder with the lessons.
        settings_root: the folder in which a marker file records that Secant created the workspace.
        is_new: the result of `is_fresh`: whether Secant is creating the workspace now.
    """
    marker = settings_root / "own"
    if is_new:
        marker.touch()
    if marker.exists():
        os.environ[OWN_WORKSPACE] = str(workspace)
    else:
        os.environ.pop(OWN_WORKSPACE, None)


def lab_arguments(
    workspace: Path, page: str, settings: Path, options: Options, extra_arguments: list[str]
) -> list[str]:
    """Return JupyterLab's command-line arguments; the learner's come last and override Secant's."""
    defaults = {
        "ServerApp.root_dir": workspace,
        "Application.log_level": "ERROR",  # Secant's server extension still prints the address
        "ServerApp.answer_yes": True,  # one Ctrl+C stops the server
        "ServerApp.allow_root": True,  # in a container the user is often root
        "LabApp.default_url": f"/lab/tree/{quote(page)}",
        "LabApp.workspaces_dir": settings.with_name("layouts"),
        # Keep JupyterLab from sending requests to the Internet.
        "LabApp.news_url": None,
        "LabApp.check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
        "LabApp.extension_manager": "readonly",
    }
    if options.port is not None:
        defaults |= {"ServerApp.port": options.port, "ServerApp.port_retries": 0}
    if not options.browser:
        defaults |= {"ServerApp.open_browser": False}
    overridden_names = {argument.removeprefix("--").partition("=")[0] for argument in extra_arguments}
    if "debug" in overridden_names:
        del defaults["Application.log_level"]
    return [
        f"--{name}={value}" for name, value in defaults.items() if name not in overridden_names
    ] + extra_arguments


def check_port(port: int) -> None:
    """Raise LabError if a server cannot listen on the port."""
    try:
        with socket.socket() as probe:
            # Jupyter's server sets SO_REUSEADDR, except on Windows, where this option would allow a second
            # listener.
            if os.name == "posix":
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", port))
    except (OSError, OverflowError) as error:
        raise LabError(
            say(
                en=f"Port {port} cannot be used ({getattr(error, 'strerror', 'no such port')}): "
                "choose another, or leave --port out to use the first free one.",
                ko=f"{port}번 포트를 쓸 수 없습니다. 다른 번호를 지정하거나, "
                "번호 없이 실행하면 비어 있는 포트를 알아서 찾습니다.",
            )
        ) from error


def check_jupyter() -> None:
    """Raise LabError if Jupyter cannot write its own files, because it would then exit with a traceback."""
    for variable, folder in jupyter_folders().items():
        if error := write_error(folder):
            raise LabError(
                say(
                    en=f"Jupyter cannot write to {folder} ({error.strerror}), where it keeps its own files: "
                    f"make that folder writable, or set the environment variable {variable} to another one.",
                    ko=f"Jupyter가 자기 파일을 두는 {folder} 폴더에 쓸 수 없습니다({error.strerror}). "
                    f"쓰기 권한을 주거나, 환경 변수 {variable}에 쓸 수 있는 다른 폴더를 지정하세요.",
                )
            )


def launch(workspace: Path, page: str, settings: Path, options: Options, extra_arguments: list[str]) -> None:
    """Run JupyterLab's server in this process, with the defaults from the folder `settings`."""
    paths = [str(settings), os.environ.get("JUPYTER_CONFIG_PATH", "")]
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(path for path in paths if path)
    os.environ["SECANT_LANG"] = language()
    # With this PATH, terminals in JupyterLab find `autograder`.
    tools = sysconfig.get_path("scripts")
    os.environ["PATH"] = os.pathsep.join([tools, os.environ.get("PATH", os.defpath)])
    # Jupyter and nbgrader also read settings from the current folder. They must not read the repository's
    # settings, which are an instructor's, or settings that came with the workspace.
    os.chdir(settings)
    lines = [
        say(en=f"Your lessons are in {workspace}", ko=f"수업 파일은 {workspace} 폴더에 있습니다."),
        untested_torch_line(),
        say(
            en="Starting JupyterLab. Ctrl+C ends it.",
            ko="JupyterLab을 시작합니다. 끝내려면 Ctrl+C를 누르세요.",
        ),
    ]
    print(*filter(None, lines), sep="\n", flush=True)
    # Imported late, because the import takes a second and the error messages above should appear at once.
    from jupyterlab.labapp import LabApp

    LabApp.launch_instance(lab_arguments(workspace, page, settings, options, extra_arguments))


# --- The command `secant lab` ---


def prepare(root: Path, today: date, folder: Path | None = None) -> tuple[Path, str]:
    """Copy the lessons and write the start page; return the workspace and the page's name.

    Raises:
        LabError: if there is a problem that the learner can solve; the message has the advice.
        OSError: if a file cannot be read or written.
    """
    release, workspace = root / "release" / language(), workspace_for(root, language(), folder)
    if not release.is_dir():
        raise LabError(
            say(
                en=f"There is no release/{language()}/ in {root}: `make build` makes it from course/.",
                ko=f"{root}에 release/{language()}/ 폴더가 없습니다. `make build`를 실행하면 만들어집니다.",
            )
        )
    try:
        copy_lessons(release, workspace, today)
        return workspace, write_start_page(workspace, start_page(root, workspace, language()))
    except OSError as error:
        if error.errno not in UNWRITABLE_ERRORS or not _has_all_lessons(release, workspace):
            raise
        print(_cannot_save_message(workspace, error), file=sys.stderr)
        return workspace, current_start_page(workspace)


def _has_all_lessons(release: Path, workspace: Path) -> bool:
    return all((workspace / name).is_file() for name in released_files(release))


def _cannot_save_message(workspace: Path, error: OSError) -> str:
    return say(
        en=f"Nothing can be saved in {workspace} ({error.strerror}). The lessons still open, but what you "
        "write in them is not saved. Make the folder writable, free disk space, or choose another folder "
        "with --workspace; then start again.",
        ko=f"{workspace} 폴더에 저장할 수 없습니다({error.strerror}). 수업은 열리지만 작성한 내용이 남지 "
        "않습니다. 폴더에 쓰기 권한을 주거나 디스크 공간을 비우거나 --workspace로 다른 폴더를 지정한 뒤 "
        "다시 시작하세요.",
    )


def _unready_message(error: OSError) -> str:
    """Return a message about why the lessons could not be prepared, with advice if the cause is known."""
    misplaced = isinstance(error, FileExistsError | NotADirectoryError | FileNotFoundError)
    if misplaced and error.filename and (file := blocking_file(Path(error.filename))):
        return say(
            en=f"{file} is a file, but a folder is needed there. Move or rename it, then start again.",
            ko=f"폴더가 있어야 할 자리에 {file} 파일이 있습니다. 옮기거나 이름을 바꾼 뒤 다시 시작하세요.",
        )
    reason = ": ".join(str(part) for part in (error.filename, error.strerror) if part) or str(error)
    return say(en=f"The lessons could not be prepared: {reason}.", ko=f"수업을 준비하지 못했습니다. {reason}")


def main(options: Options, folder: Path | None = None, extra_arguments: Sequence[str] = ()) -> int:
    """Copy the lessons and run JupyterLab; return the exit code.

    Args:
        options: the learner's options for the server.
        folder: the folder to use for the learner's work instead of the usual one.
        extra_arguments: further arguments for JupyterLab.
    """
    with ExitStack() as stack:
        try:
            if options.port is not None:
                check_port(options.port)
            root = course_root()
            is_new = is_fresh(root, folder)
            workspace, page = prepare(root, date.today(), folder)
            remember_course(root, workspace)
            check_jupyter()
            settings = stack.enter_context(lab_config(workspace, page))
            claim(workspace, settings.parent, is_new)
        except (LabError, NoCourseError) as error:
            print(error, file=sys.stderr)
            return 1
        except OSError as error:
            print(_unready_message(error), file=sys.stderr)
            return 1
        launch(workspace, page, settings, options, list(extra_arguments))
    return 0
