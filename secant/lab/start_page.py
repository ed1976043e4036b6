"""The start page: the Markdown page that JupyterLab opens first.

It lists the lessons and the learner's progress, and explains how to work and where work is saved. Secant's
JupyterLab extension shows a panel with the same content instead, and any other front end can show this page.
"""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from secant.files import replace_file
from secant.lab.workspace import LabError, command, create, read_if_file
from secant.language import Language, say
from secant.progress.course import read_course
from secant.progress.overview import find_newer_versions, lessons_done, overview
from secant.workspace_state import fingerprint, read_state

START = "START.md"
TITLE: dict[Language, str] = {
    "en": "# Secant: learn PyTorch's autograd",
    "ko": "# Secant: PyTorch autograd 배우기",
}

Say = Callable[..., str]


def speaker(language: Language) -> Say:
    """Return a function like `say` that uses the page's language, even if the process uses another one."""

    def say_in_language(*, en: str, ko: str) -> str:
        return ko if language == "ko" else en

    return say_in_language


def link(text: str, name: str) -> str:
    """Return a Markdown link to a file of the workspace."""
    return f"[{text}]({quote(name)})"


def cell(text: str) -> str:
    """Escape text for a cell of a Markdown table."""
    return text.replace("|", "\\|")


# --- Sections on the learner's progress ---


def level_line(data: dict[str, Any], say: Say) -> str:
    """Return a line with the level, a progress bar to the next level, and the experience points."""
    level = data["level"]
    name = say(
        en=f"Level {level['number']}: {level['title']}", ko=f"레벨 {level['number']}: {level['title']}"
    )
    if level["to"] is None:
        return f"**{name}** · {level['xp']} XP"
    filled = (level["xp"] - level["from"]) * 10 // (level["to"] - level["from"])
    bar = "▰" * filled + "▱" * (10 - filled)
    left = level["to"] - level["xp"]
    return f"**{name}** · {bar} · {level['xp']} XP" + say(
        en=f", {left} to the next level", ko=f" · 다음 레벨까지 {left} XP"
    )


def continue_link(data: dict[str, Any], say: Say) -> str:
    """Return a link to the next step in the course; "" if the course has not been begun or is finished."""
    next_step = data["continue"]
    has_begun = any(lesson["state"] in ("in_progress", "done") for lesson in data["lessons"])
    if next_step is None or not has_begun:
        return ""
    place = link(f"{next_step['number']}. {next_step['title']}", next_step["path"])
    task = f", {next_step['task_title']}" if next_step["task_title"] else ""
    return say(en=f"Continue: {place}{task}", ko=f"이어서 하기: {place}{task}")


def state_of(lesson: dict[str, Any], say: Say, hidden: bool = True) -> str:
    """Return a lesson's status in a few words; `hidden` is True if the course has hidden tests."""
    if lesson["beside"]:
        return say(en="new version beside yours", ko="새 버전이 옆에 있음")
    words = {
        "new": say(en="new", ko="시작 전"),
        "in_progress": say(en="in progress", ko="진행 중"),
        "done": say(en="✓ done", ko="✓ 완료") if hidden else say(en="✓ all tasks", ko="✓ 모든 과제"),
        "missing": say(en="its file is gone", ko="파일 없음"),
    }
    return words[lesson["state"]]


def lesson_table(lessons: list[dict[str, Any]], say: Say, *, hidden: bool = True) -> str:
    """Return a Markdown table of the released lessons.

    If the course has hidden tests (`hidden`), the table shows points, and otherwise the number of tasks
    passed.
    """
    score_title = (
        say(en="Points", ko="점수") if hidden else say(en="Visible tests passed", ko="보이는 테스트 통과")
    )
    head = say(
        en=f"| Lesson | Time | About | Needs | {score_title} | State |",
        ko=f"| 수업 | 시간 | 다루는 내용 | 먼저 들을 수업 | {score_title} | 상태 |",
    )
    rows = [_row(lesson, say, hidden) for lesson in lessons if lesson["released"]]
    return "\n".join([head, "|---|---|---|---|---|---|", *rows])


def _row(lesson: dict[str, Any], say: Say, hidden: bool) -> str:
    passed, graded = lesson["passed"], lesson["graded"]
    points = f"{lesson['points']:g} / {lesson['max_points']:g}"
    tasks = say(en=f"{passed} of {graded} tasks", ko=f"과제 {graded}개 중 {passed}개")
    title = cell(f"{lesson['number']}. {lesson['title']}")
    columns = [
        link(title, lesson["path"]) if lesson["path"] else title,
        say(en=f"{lesson['minutes']} min", ko=f"{lesson['minutes']}분"),
        cell(", ".join(lesson["tags"])),
        ", ".join(map(str, lesson["prerequisites"])) or "–",
        points if hidden else tasks,
        state_of(lesson, say, hidden),
    ]
    return f"| {' | '.join(columns)} |"


def released_line(lessons: list[dict[str, Any]], say: Say) -> str:
    """Return a line about how many planned lessons are released; "" if all of them are."""
    released_count = sum(lesson["released"] for lesson in lessons)
    if released_count == len(lessons):
        return ""
    return say(
        en=f"{released_count} of the {len(lessons)} planned lessons can be taken so far.",
        ko=f"계획한 수업 {len(lessons)}개 가운데 지금은 {released_count}개를 들을 수 있습니다.",
    )


def achievements(data: dict[str, Any], say: Say) -> str:
    """Return a section with a Markdown table of all achievements, the earned ones first."""
    entries = data["achievements"]
    earned_count = sum(entry["earned"] is not None for entry in entries)
    total = len(entries)
    title = say(
        en=f"## Achievements: {earned_count} of {total}", ko=f"## 성취: {total}개 중 {earned_count}개"
    )
    head = say(en="| | Achievement | How |", ko="| | 이름 | 조건 |")
    rows = [
        f"| {'★' if entry['earned'] else '☆'} | {cell(entry['title'])} | {cell(entry['how'])} |"
        for entry in sorted(entries, key=lambda entry: entry["earned"] is None)
    ]
    return "\n".join([title, "", head, "|---|---|---|", *rows])


def new_versions_section(newer_versions: dict[str, str], say: Say) -> str:
    """Return a section with advice on lessons that changed after they were copied; "" if none changed."""
    lines = [
        say(
            en=f"- Yours: {link(name, name)}. New: {link(newer_name, newer_name)}.",
            ko=f"- 작업하던 파일: {link(name, name)}, 새 버전: {link(newer_name, newer_name)}",
        )
        for name, newer_name in newer_versions.items()
    ]
    if not lines:
        return ""
    return say(en=NEW_VERSIONS_EN, ko=NEW_VERSIONS_KO) + "\n".join(lines)


NEW_VERSIONS_EN = """## New versions

A lesson has changed since it was copied here. Your own file was not touched; the new one is beside it.
Continue with yours, or copy your answers across and continue with the new one.

"""

NEW_VERSIONS_KO = """## 새 버전이 나온 수업

이곳에 복사한 뒤로 내용이 바뀐 수업이 있습니다. 작업하던 파일은 건드리지 않고
새 버전을 바로 옆에 두었습니다. 쓰던 파일로 계속해도 되고,
작성한 답을 새 파일로 옮겨 이어 가도 됩니다.

"""

CHECK_EN = """
Before you consider a lesson finished, press **Check** above the notebook. It runs everything from the top in
a fresh process, which exposes answers that depend on a cell you have since changed or deleted, and it runs
the hidden tests too. A task's points count once it has passed all of its tests, and you never lose them.

Where there is no such button, as in VS Code, `autograder check 1` in a terminal does the same for lesson 1.
`autograder check 1 --solution TASK` shows the worked solution of a task: why it is right, and a common
detour. All of this stays on this computer.
"""

VISIBLE_EN = """
Before you hand a lesson in, press **Check** above the notebook. It runs everything from the top in a fresh
process, which exposes answers that depend on a cell you have since changed or deleted, and it runs the
visible tests again. The hidden tests are not on this computer: they decide your points when your instructor
grades the class. A task whose visible tests have passed stays marked as such.

Where there is no such button, as in VS Code, `autograder check 1` in a terminal does the same for lesson 1.
All of this stays on this computer. Worked solutions are not included: your instructor releases them with the
feedback.
"""

CHECK_KO = """
수업을 마치기 전에는 노트북 위쪽의 **답 확인** 버튼을 눌러 보세요.
새 프로세스에서 처음부터 끝까지 다시 실행하므로,
이미 고치거나 지운 셀에 기대고 있던 답이 있다면 이때 드러납니다.
숨은 테스트도 함께 실행합니다.
모든 테스트를 통과한 과제만 점수가 되고, 한번 얻은 점수는 줄어들지 않습니다.

VS Code처럼 이 버튼이 없는 곳이라면 터미널에서 `autograder check 1`을 실행하세요.
수업 01의 답을 똑같이 확인합니다.
`autograder check 1 --solution 과제이름`은 그 과제의 모범 풀이를 보여 줍니다.
그 답이 왜 맞는지, 흔한 실수나 다른 방법은 무엇인지도 함께 설명합니다.
모두 이 컴퓨터 안에서만 실행됩니다.
"""

VISIBLE_KO = """
수업을 제출하기 전에는 노트북 위쪽의 **답 확인** 버튼을 눌러 보세요.
새 프로세스에서 처음부터 끝까지 다시 실행하므로,
이미 고치거나 지운 셀에 기대고 있던 답이 있다면 이때 드러납니다.
이때 실행되는 것도 보이는 테스트입니다.
숨은 테스트는 이 컴퓨터에 없고, 점수는 강사가 채점할 때 숨은 테스트로 정해집니다.
보이는 테스트를 통과한 과제는 통과한 것으로 계속 표시됩니다.

VS Code처럼 이 버튼이 없는 곳이라면 터미널에서 `autograder check 1`을 실행하세요.
수업 01의 답을 똑같이 확인합니다. 모두 이 컴퓨터 안에서만 실행됩니다.
모범 풀이는 여기에 없습니다. 강사가 피드백과 함께 공개합니다.
"""

HOW_TO_EN = """## How to work

- Open a lesson from the table and work from top to bottom. **Shift+Enter** runs a cell and moves to the next
  one, also into a folded test cell. The arrow keys skip folded cells.
- Where a cell says *Write your answer here*, put your answer in place of the `raise NotImplementedError(…)`.
- If something looks wrong, *Kernel > Restart Kernel…* starts again with a clean memory; what you wrote stays.

## How to check your answers

Run your answer, then the test cell right below it. An error says what was expected, what came back and,
often, why. These are the visible tests. The lesson describes what the hidden tests check in addition.

{check}

## Where your work is kept

Your work is in `{workspace}`, and nowhere else. Your progress is in `{progress}`;
`secant progress` in a terminal shows and exports it.

JupyterLab saves automatically every two minutes; **Ctrl+S** saves at once.
An existing file is never overwritten. To start a lesson over, rename or delete its notebook and run
`{command}` again. To stop, press **Ctrl+C** in the terminal where you started.
"""

HOW_TO_KO = """## 진행 방법

- 표에서 수업을 열고 위에서 아래로 차례대로 진행하세요.
  **Shift+Enter**를 누르면 셀이 실행되고 다음 셀로 넘어갑니다. 접힌 테스트 셀에도 이렇게 갑니다.
  화살표 키는 접힌 셀을 건너뜁니다.
- 과제 셀에 *여기에 답을 쓰세요*라고 적힌 `raise NotImplementedError(…)` 줄을 지우고 답을 작성하세요.
- 결과가 이상하면 *Kernel > Restart Kernel…* 메뉴로 메모리를 비우고 다시 시작하세요.
  작성한 내용은 그대로 남습니다.

## 답 확인하기

답을 작성한 셀을 실행한 다음, 바로 아래의 테스트 셀을 실행하세요.
틀렸다면 기대한 값과 실제로 나온 값이 표시되고, 원인까지 알려 주는 경우도 많습니다.
여기서 실행되는 것은 보이는 테스트입니다. 숨은 테스트가 무엇을 더 확인하는지는 수업에 적혀 있습니다.

{check}

## 작업이 저장되는 곳

모든 작업은 `{workspace}` 폴더에만 저장됩니다.
점수와 레벨은 `{progress}` 파일에 있습니다. 터미널에서 `secant progress`를 실행하면 보거나 내보낼 수 있습니다.
2분마다 자동으로 저장되며, **Ctrl+S**를 누르면 바로 저장됩니다.
이 폴더에 이미 있는 파일은 절대 덮어쓰지 않습니다.
수업을 처음부터 다시 하고 싶다면 노트북 파일의 이름을 바꾸거나 지운 뒤 `{command}` 명령을 다시 실행하세요.
끝내려면 처음 명령을 실행한 터미널에서 **Ctrl+C**를 누르세요.
"""


def start_page(root: Path, workspace: Path, language: Language) -> str:
    """Return the whole start page as Markdown.

    Args:
        root: the folder with course/ and release/.
        workspace: the folder that the lessons were copied to.
        language: the page's language.
    """
    say, data = speaker(language), overview(root, workspace, language)
    newer_versions = find_newer_versions(read_course(root, language), workspace, read_state(workspace))
    parts = [
        TITLE[language],
        say(
            en="Each lesson is a notebook that you read, run and complete. Sliders show a secant turning "
            "into the tangent, and tests tell you at once whether your answer is right.",
            ko="수업마다 읽고 실행하고 직접 채워 나가는 노트북이 하나씩 있습니다. 슬라이더를 움직이며 "
            "할선이 접선이 되는 모습을 살펴보고, 작성한 답은 테스트로 바로 확인할 수 있습니다.",
        ),
        level_line(data, say) + " · " + lessons_done(data["lessons"], say),
        data["saved"]["problem"] or "",
        continue_link(data, say),
        lesson_table(data["lessons"], say, hidden=data["hidden"]),
        released_line(data["lessons"], say),
        new_versions_section(newer_versions, say),
        say(en=HOW_TO_EN, ko=HOW_TO_KO)
        .format(
            check=(
                say(en=CHECK_EN, ko=CHECK_KO) if data["hidden"] else say(en=VISIBLE_EN, ko=VISIBLE_KO)
            ).strip(),
            workspace=workspace,
            progress=data["saved"]["path"],
            command=command(root, language, workspace),
        )
        .strip(),
        achievements(data, say) if data["achievements"] else "",
        f"[{say(en='Report a problem', ko='문제 알리기')}]({data['report']})" if data["report"] else "",
    ]
    return "\n\n".join(part for part in parts if part)


def _names() -> Iterator[str]:
    yield from (START, "START (new).md", *(f"START (new {number}).md" for number in range(2, 100)))


def refresh(root: Path, workspace: Path) -> bool:
    """Update the start page after a check, in the page's language; return whether that was possible.

    Only a page that is unchanged since Secant wrote it is replaced. Errors are ignored, because the next
    start of JupyterLab writes the page again.
    """
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        for path in (workspace / name for name in _names()):
            if not path.exists():
                break
            if is_unedited(page := read_if_file(path) or b""):
                language: Language = "ko" if page.startswith(TITLE["ko"].encode()) else "en"
                replace_file(path, signed(start_page(root, workspace, language)))
                return True
    return False


def signed(text: str) -> bytes:
    """Return the page as bytes, with a hash at the end that shows later whether the page was edited."""
    # A folder's name that the system could not decode contains surrogates. They are turned back into the
    # original bytes, and bytes that are not UTF-8 become replacement characters.
    body = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace").encode()
    return body + f"\n<!-- {fingerprint(body)} -->\n".encode()


def is_unedited(page: bytes) -> bool:
    """Return whether a page is unchanged since Secant wrote it."""
    body, _, mark = page.rpartition(b"\n<!-- ")
    return mark == f"{fingerprint(body)} -->\n".encode()


def current_start_page(workspace: Path) -> str:
    """Return the name of the first start page that has not been edited; START if there is none.

    The names are tried in this order: "START.md", "START (new).md", "START (new 2).md" and so on.
    """
    unedited_names = (name for name in _names() if is_unedited(read_if_file(workspace / name) or b""))
    return next(unedited_names, START)


def write_start_page(workspace: Path, text: str) -> str:
    """Write the start page and return its name.

    A page that the learner has edited stays, and the new one is written next to it under another name.
    """
    for name in _names():
        path = workspace / name
        if create(path, signed(text)):
            return name
        if is_unedited(read_if_file(path) or b""):
            replace_file(path, signed(text))  # if the disk is full, the old page stays
            return name
    raise LabError(
        say(
            en=f"Please delete some of the START pages in {workspace}.",
            ko=f"{workspace} 폴더의 START 파일 몇 개를 지워 주세요.",
        )
    )
