"""The checks of `secant doctor`: whether lessons work on this computer, and advice if they do not."""

import importlib.util
import json
import platform
import shutil
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from packaging.requirements import Requirement
from packaging.version import Version

from secant.address import report_text
from secant.lab.folders import jupyter_folders, nearest_existing, write_error
from secant.lab.workspace import LabError, command, workspace_for
from secant.language import language, say
from secant.progress import store
from secant.requirements import installed, requirements
from secant.tested import is_untested_torch, tested_torch
from secant.where import NoCourseError, course_root, tried_versions

OLDEST_PYTHON = (3, 11)
DISK_GB = 0.5
#: JupyterLab extensions that draw sliders and pictures, keyed by the Python package that installs them.
FRONT_ENDS = {"ipywidgets": "@jupyter-widgets/jupyterlab-manager", "anywidget": "anywidget"}
KOREAN_FONTS = ("Noto Sans CJK", "Noto Sans KR", "Nanum", "Malgun Gothic", "Apple SD Gothic", "AppleGothic")
# This program runs in a separate process, because a library built for another machine may crash the process
# that loads it. The code is ASCII, because some locales allow only ASCII in a command's arguments.
_GRADIENT = """
import torch
x = torch.tensor(3.0, requires_grad=True)
(x * x).backward()
assert x.grad.item() == 6.0, f"the gradient of x * x at 3 is {x.grad.item()}"
print(torch.__version__)
"""
# Maximum number of seconds to import torch or secant; torch loads slowly from a cold disk.
_TIMEOUT_SECONDS = 180.0


@dataclass(frozen=True)
class CheckResult:
    """The result of one check of this computer.

    Attributes:
        id: the check's name in the JSON output, for programs.
        what: the check's name as shown to the reader, in the current language.
        ok: whether the check passed.
        found: the state that the check found, such as a package's version.
        todo: advice for the reader; empty if nothing needs to be done.
        needed: whether this check must pass before lessons can be used.
    """

    id: str
    what: str
    ok: bool
    found: str
    todo: str = ""
    needed: bool = True


def run_checks(folder: Path | None = None) -> list[CheckResult]:
    """Run all checks of this computer; `folder` replaces the usual folder for the learner's work."""
    # -P keeps Python from importing modules from the current folder.
    gradient_command, pipe = [sys.executable, "-P", "-c", _GRADIENT], subprocess.PIPE
    with subprocess.Popen(
        gradient_command, stdout=pipe, stderr=pipe, text=True, errors="replace"
    ) as gradient:
        findings = [_python(), *_packages(), *_server_extensions(), *_lab_extensions(), _kernel()]
        findings += _folders(folder)
        if language() == "ko":
            findings.append(_korean_font())
        findings.insert(1, _torch(gradient))
    return findings


# --- Installed packages ---


def _python() -> CheckResult:
    ok = sys.version_info >= OLDEST_PYTHON
    todo = say(en="Install Python 3.11 or newer.", ko="Python 3.11 이상을 설치하세요.")
    return CheckResult(
        "python", "Python", ok, f"{platform.python_version()} ({sys.executable})", "" if ok else todo
    )


def _torch(gradient: "subprocess.Popen[str]") -> CheckResult:
    name = say(en="PyTorch computes a gradient", ko="PyTorch gradient 계산")
    try:
        version, stderr = gradient.communicate(timeout=_TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        gradient.kill()
        version, stderr = gradient.communicate()
    if gradient.returncode == 0:
        return CheckResult("torch", name, True, version.strip())
    last_line = (stderr.strip().splitlines() or [say(en="no answer", ko="응답 없음")])[-1]
    todo = say(
        en="Reinstall it: https://pytorch.org/get-started/locally/",
        ko="다시 설치하세요: https://pytorch.org/get-started/locally/",
    )
    return CheckResult("torch", name, False, last_line, todo)


def _packages() -> list[CheckResult]:
    """Return a finding for all packages, and one for each package that is missing, unsuitable or untested."""
    needed_requirements, tested_versions = requirements(), _tested_versions()
    problems = [
        finding
        for requirement in needed_requirements
        if (finding := _package(requirement, tested_versions.get(requirement.name)))
    ]
    good_count = len(needed_requirements) - sum(not finding.ok for finding in problems)
    summary = say(
        en=f"{good_count} of {len(needed_requirements)} as needed",
        ko=f"{len(needed_requirements)}개 중 {good_count}개 정상",
    )
    return [
        CheckResult(
            "packages", say(en="packages", ko="패키지"), good_count == len(needed_requirements), summary
        ),
        *problems,
    ]


def _package(requirement: Requirement, listed_version: str | None) -> CheckResult | None:
    """Return a finding about a required package, or None if there is nothing to report.

    Args:
        requirement: the requirement.
        listed_version: the version that the lessons were tested with, if there is one.
    """
    fix = f'{Path(sys.executable).name} -m pip install "{requirement}"'
    version, ok = installed(requirement)
    if not version:
        message = say(en="not installed", ko="설치되지 않음")
        return CheckResult(f"package {requirement.name}", requirement.name, False, message, fix)
    if not ok:
        message = say(
            en=f"{version}, but {requirement.specifier} is needed",
            ko=f"{version}, 필요: {requirement.specifier}",
        )
        return CheckResult(f"package {requirement.name}", requirement.name, False, message, fix)
    tested_version, is_untested = (
        listed_version,
        listed_version is not None and _minor(version) != _minor(listed_version),
    )
    if requirement.name == "torch":
        tested_version, is_untested = tested_torch(), is_untested_torch(version)
    if not is_untested:
        return None
    note = say(
        en=f"{version}; the lessons were tested with {tested_version}",
        ko=f"{version}, 수업 확인에 쓴 버전은 {tested_version}",
    )
    return CheckResult(f"package {requirement.name}", requirement.name, True, note)


def _minor(version: str) -> tuple[int, ...]:
    return Version(version).release[:2]


def _tested_versions() -> dict[str, str]:
    """Return the package versions that the lessons were tested with, keyed by package.

    The result is empty if the course's list of these versions cannot be read.
    """
    try:
        lines = tried_versions(course_root()).read_text(encoding="utf-8").splitlines()
    except (NoCourseError, OSError):
        return {}
    return dict(line.split("==", 1) for line in lines if "==" in line and not line.startswith("#"))


# --- Jupyter's extensions and kernel ---


def _server_extensions() -> list[CheckResult]:
    """Return a finding for each Jupyter server extension that the installation of Secant enables."""
    from jupyter_core.paths import jupyter_config_path
    from jupyter_server.extension.config import ExtensionConfigManager

    config = json.loads(Path(__file__).with_name("jupyter_server_config.json").read_text(encoding="utf-8"))
    enabled_extensions = ExtensionConfigManager(
        read_config_path=jupyter_config_path()
    ).get_jpserver_extensions()
    findings = []
    for name in config["ServerApp"]["jpserver_extensions"]:
        ok = bool(enabled_extensions.get(name)) and importlib.util.find_spec(name) is not None
        todo = (
            f"jupyter server extension enable --sys-prefix {name}"
            if name not in enabled_extensions
            else _enable_advice(name)
        )
        findings.append(
            CheckResult(
                f"server extension {name}",
                say(en="Jupyter extension", ko="Jupyter 확장"),
                ok,
                _on_or_off(name, ok),
                "" if ok else todo,
                needed=False,  # lessons work without server extensions, but less well
            )
        )
    return findings


def _enable_advice(name: str) -> str:
    return say(
        en=f"Your own Jupyter settings switch it off: jupyter server extension enable {name}",
        ko=f"개인 Jupyter 설정에서 꺼져 있습니다: jupyter server extension enable {name}",
    )


def _lab_extensions() -> list[CheckResult]:
    """Return a finding for each widget package's JupyterLab extension, and one for Secant's own extension."""
    from jupyter_core.paths import jupyter_path
    from jupyterlab_server.config import get_federated_extensions, get_page_config

    our_folder = Path(__file__).with_name("labextensions")  # `secant lab` loads extensions from here
    places = [str(our_folder), *jupyter_path("labextensions")]
    installed_extensions = get_federated_extensions(places)
    disabled_names = {
        name.partition(":")[0] for name in get_page_config(places).get("disabledExtensions", ())
    }
    needed_names = {requirement.name for requirement in requirements()}
    names = {front: package for package, front in FRONT_ENDS.items() if package in needed_names}
    own_packages = our_folder.glob("*/package.json")
    names |= {json.loads(path.read_text(encoding="utf-8"))["name"]: "secant" for path in own_packages}
    findings = []
    for name, package in names.items():
        ok = name in installed_extensions and name not in disabled_names
        reinstall = f"{Path(sys.executable).name} -m pip install --force-reinstall --no-deps {package}"
        todo = f"jupyter labextension enable {name}" if name in installed_extensions else reinstall
        title = say(en="JupyterLab extension", ko="JupyterLab 확장")
        findings.append(
            CheckResult(f"lab extension {name}", title, ok, _on_or_off(name, ok), "" if ok else todo)
        )
    return findings


def _on_or_off(name: str, is_on: bool) -> str:
    state = say(en="on", ko="켜짐") if is_on else say(en="missing or switched off", ko="없거나 꺼져 있음")
    return f"{name}: {state}"


def _kernel() -> CheckResult:
    """Check that Secant is installed in the Python that runs lessons.

    An older Jupyter may have registered another Python as the kernel.
    """
    from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel

    name = say(en="the lessons' Python", ko="수업을 실행하는 Python")
    try:
        python = KernelSpecManager().get_kernel_spec("python3").argv[0]
    except (NoSuchKernel, IndexError):
        todo = f"{Path(sys.executable).name} -m pip install ipykernel"
        return CheckResult("kernel", name, False, say(en="no kernel", ko="커널 없음"), todo)
    if python in ("python", "python3"):  # Jupyter runs its own interpreter for these two names
        python = sys.executable
    devnull = subprocess.DEVNULL
    try:
        has_secant = python == sys.executable or not subprocess.call(
            [python, "-P", "-c", "import secant"],
            stdin=devnull,
            stdout=devnull,
            stderr=devnull,
            timeout=_TIMEOUT_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        has_secant = False
    todo = say(
        en=f"Secant is not installed there. {Path(sys.executable).name} -m ipykernel install --sys-prefix",
        ko=f"그곳에는 Secant가 없습니다. {Path(sys.executable).name} -m ipykernel install --sys-prefix",
    )
    return CheckResult("kernel", name, has_secant, python, "" if has_secant else todo)


# --- Folders for the learner's work ---


def _folders(folder: Path | None) -> list[CheckResult]:
    """Return findings about the course and about the folders for the learner's work."""
    try:
        root = course_root()
        workspace = workspace_for(root, language(), folder)
    except (NoCourseError, LabError) as error:
        return [CheckResult("lessons", say(en="lessons", ko="수업 파일"), False, str(error))]
    return [
        CheckResult("lessons", say(en="lessons", ko="수업 파일"), True, str(root)),
        _writable(
            "workspace", say(en="your work", ko="작업 폴더"), workspace, _other_folder_advice("--workspace")
        ),
        _progress(),
        _jupyter(),
        _disk(workspace),
    ]


def _other_folder_advice(setting: str) -> str:
    return say(
        en=f"Make it writable, or choose another with {setting}.",
        ko=f"쓰기 권한을 주거나 {setting}에 다른 폴더를 지정하세요.",
    )


def _writable(id: str, title: str, folder: Path, todo: str, *, needed: bool = True) -> CheckResult:
    if error := write_error(folder):
        return CheckResult(id, title, False, f"{folder}: {error.strerror}", todo, needed)
    suffix = "" if folder.exists() else say(en=" (not there yet)", ko=" (아직 없음)")
    return CheckResult(id, title, True, f"{folder}{suffix}", needed=needed)


def _progress() -> CheckResult:
    """Check that the learner's progress can be read and saved; the lessons do not depend on the progress."""
    name = say(en="your progress", ko="진행 상황")
    left_out: list[str] = []
    current_language = language()
    try:
        store.read(left_out)
    except store.StoreError as error:
        return CheckResult(
            "data", name, False, error.reason[current_language], error.advice[current_language], needed=False
        )
    if left_out:
        return CheckResult(
            "data", name, False, store.incomplete_message(left_out, current_language), needed=False
        )
    return _writable("data", name, store.path().parent, _other_folder_advice("SECANT_DATA"), needed=False)


def _jupyter() -> CheckResult:
    """Return one finding for Jupyter's data and runtime folders, because one usually contains the other."""
    name = say(en="Jupyter's own files", ko="Jupyter 파일")
    for variable, folder in jupyter_folders().items():
        finding = _writable("jupyter", name, folder, _other_folder_advice(variable))
        if not finding.ok:
            return finding
    return finding


def _disk(folder: Path) -> CheckResult:
    free_gigabytes = shutil.disk_usage(nearest_existing(folder)).free / 1e9
    ok = free_gigabytes >= DISK_GB
    todo = say(en=f"Free {DISK_GB:g} GB or more.", ko=f"{DISK_GB:g} GB 이상 비우세요.")
    state = say(en=f"{free_gigabytes:.1f} GB free", ko=f"{free_gigabytes:.1f} GB 남음")
    return CheckResult("disk", say(en="disk", ko="디스크"), ok, state, "" if ok else todo)


def _korean_font() -> CheckResult:
    """Check for a Korean font: Secant's own pictures contain no words, but a learner's plots may."""
    from matplotlib import font_manager

    names = sorted(
        {font.name for font in font_manager.fontManager.ttflist if font.name.startswith(KOREAN_FONTS)}
    )
    todo = "그래프에 한글을 쓰려면 나눔고딕 같은 한글 글꼴을 설치하세요. 수업에는 없어도 됩니다."
    state = names[0] if names else "없음"
    return CheckResult(
        "korean font", "그래프용 한글 글꼴", bool(names), state, "" if names else todo, needed=False
    )


# --- The command `secant doctor` ---


def main(folder: Path | None = None, *, as_json: bool = False, as_report: bool = False) -> int:
    """Print the findings as a table, as JSON or as a report; return the exit code."""
    findings = run_checks(folder)
    is_ready = all(finding.ok for finding in findings if finding.needed)
    if as_report:
        from secant.lab.problem import facts

        print(f"{report_text()}\n\n{facts(findings)}")
    elif as_json:
        print(
            json.dumps(
                {"ready": is_ready, "findings": [asdict(finding) for finding in findings]}, ensure_ascii=False
            )
        )
    else:
        _show(findings, is_ready, folder)
    return 0 if is_ready else 1


def mark(finding: CheckResult) -> str:
    """Return the word that is printed before a finding: ok, no, or note."""
    if finding.ok:
        return say(en="ok", ko="정상")
    return say(en="no", ko="문제") if finding.needed else say(en="note", ko="참고")


def _show(findings: list[CheckResult], is_ready: bool, folder: Path | None) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False, markup=False, emoji=False)
    table = Table("", "", say(en="Found", ko="확인 결과"), box=None, padding=(0, 2, 0, 0))
    for finding in findings:
        style = "green" if finding.ok else "red" if finding.needed else "yellow"
        table.add_row(Text(mark(finding), style), Text(finding.what), Text(finding.found, overflow="fold"))
    console.print(table)
    findings_with_advice = [finding for finding in findings if finding.todo]
    if findings_with_advice:
        console.print(say(en="\nWhat to do", ko="\n해결 방법"), style="bold")
    for finding in findings_with_advice:
        # The advice is not wrapped, because it may contain a command to copy.
        console.print(f"- {finding.what}: {finding.todo}", soft_wrap=True)
    console.print()
    if is_ready:
        root = course_root()
        start_command = command(root, language(), workspace_for(root, language(), folder))
        console.print(
            say(
                en=f"The lessons work on this computer. Begin with: {start_command}",
                ko=f"바로 배울 수 있습니다. 시작: {start_command}",
            ),
            soft_wrap=True,
        )
    else:
        console.print(say(en="First fix what is marked 'no'.", ko="먼저 '문제'라고 표시된 것을 해결하세요."))
    console.print(
        say(
            en="Grading other people's work needs more (Linux and bubblewrap): autograder doctor",
            ko="다른 사람의 과제를 채점하려면 더 필요합니다(Linux와 bubblewrap): autograder doctor",
        ),
        style="dim",
        soft_wrap=True,
    )
