"""The page that JupyterLab opens at: the lessons, how to work, and where the work is kept."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from secant.lab.workspace import Copied, LabError, content_of, create, fingerprint
from secant.language import language, say

START = "START.md"


@dataclass(frozen=True)
class Lesson:
    """One lesson as the syllabus has it, in the language in use."""

    folder: str
    title: str
    minutes: int
    tags: tuple[str, ...]


def read_syllabus(path: Path) -> list[Lesson]:
    """All lessons of the course in their order."""
    entries = tomllib.loads(path.read_text(encoding="utf-8"))["lesson"]
    return [
        Lesson(
            entry["folder"], entry["title"][language()], entry["minutes"], tuple(entry["tags"][language()])
        )
        for entry in entries
    ]


def link(text: str, name: str) -> str:
    """A Markdown link to a file of the workspace."""
    return f"[{text}]({quote(name)})"


def files_of(lesson: Lesson, copied: list[Copied]) -> list[Copied]:
    """A lesson's files; none if it is not released yet."""
    return [file for file in copied if file.name.startswith(f"{lesson.folder}/")]


def state_of(files: list[Copied]) -> str:
    """How far a lesson is, in words."""
    if any(file.beside for file in files):
        return say(en="new version beside yours", ko="새 버전이 옆에 있음")
    if any(file.edited for file in files):
        return say(en="in progress", ko="진행 중")
    return say(en="new", ko="시작 전")


def lesson_table(lessons: list[Lesson], copied: list[Copied]) -> str:
    """The lessons that can be opened now, as a Markdown table."""
    head = say(en="| Lesson | Time | About | State |", ko="| 수업 | 시간 | 다루는 내용 | 상태 |")
    lines = [head, "|---|---|---|---|"]
    for number, lesson in enumerate(lessons, start=1):
        if files := files_of(lesson, copied):
            title = link(f"{number}. {lesson.title}", f"{lesson.folder}/{lesson.folder}.ipynb")
            minutes = say(en=f"{lesson.minutes} min", ko=f"{lesson.minutes}분")
            lines.append(f"| {title} | {minutes} | {', '.join(lesson.tags)} | {state_of(files)} |")
    return "\n".join(lines)


def how_many(lessons: list[Lesson], copied: list[Copied]) -> str:
    """One line about lessons that are not written yet, empty once all are there."""
    here = sum(bool(files_of(lesson, copied)) for lesson in lessons)
    if here == len(lessons):
        return ""
    return say(
        en=f"{here} of the {len(lessons)} planned lessons can be taken so far.",
        ko=f"계획한 수업 {len(lessons)}개 가운데 지금은 {here}개를 들을 수 있습니다.",
    )


def new_versions(copied: list[Copied]) -> str:
    """What has changed since it was copied, and what to do about it; empty if nothing has."""
    lines = [
        say(
            en=f"- Yours: {link(file.name, file.name)}. New: {link(file.beside, file.beside)}.",
            ko=f"- 작업하시던 파일: {link(file.name, file.name)}, 새 버전: {link(file.beside, file.beside)}",
        )
        for file in copied
        if file.beside
    ]
    if not lines:
        return ""
    return say(en=NEW_VERSIONS_EN, ko=NEW_VERSIONS_KO) + "\n".join(lines)


NEW_VERSIONS_EN = """## New versions

A lesson has changed since it was copied here. Your own file was not touched; the new one stands beside it.
Go on with yours, or copy your answers across and go on with the new one.

"""

NEW_VERSIONS_KO = """## 새 버전이 나온 수업

이곳에 복사한 뒤로 내용이 바뀐 수업이 있습니다. 작업하시던 파일은 건드리지 않고
새 버전을 바로 옆에 두었습니다. 쓰시던 파일로 계속하셔도 되고,
작성한 답을 새 파일로 옮겨 이어 가셔도 됩니다.

"""

HOW_TO_EN = """## How to work

- Open a lesson from the table and go from top to bottom. **Shift+Enter** runs a cell and goes to the next.
- Where a cell says *Write your answer here*, put your answer in place of the `raise NotImplementedError(…)`.
- Something odd? *Kernel > Restart Kernel…* begins again with a clean memory; what you wrote stays.

## How to check your answers

Run your answer, then the test cell right below it. An error says what was expected, what came back and,
often, why. These are the visible tests; the lesson says in words what hidden tests look for besides.

Before you call a lesson finished, press **Validate** above the notebook: it runs everything from the top in a
fresh kernel, so that an answer that leans on a cell you have since changed or deleted shows itself.

To let the hidden tests look too, save, open *File > New > Terminal* and type `autograder check` and the
lesson's number: `autograder check 1`. It stays on this computer. `autograder check 1 --solution TASK` shows
the worked solution of a task: why it is right, and a detour that many take.

## Where your work is kept

In `{workspace}`, and nowhere else. JupyterLab saves by itself every two minutes; **Ctrl+S** saves at once.
A file that is there is never overwritten. To begin a lesson afresh, rename or delete its notebook and run
`{command}` again. To stop, press **Ctrl+C** in the terminal where you started.
"""

HOW_TO_KO = """## 진행 방법

- 표에서 수업을 열고 위에서 아래로 차례대로 진행하세요.
  **Shift+Enter**를 누르면 셀이 실행되고 다음 셀로 넘어갑니다.
- 과제 셀에 *여기에 답을 쓰세요*라고 적힌 `raise NotImplementedError(…)` 줄을 지우고 답을 작성하세요.
- 결과가 이상하면 *Kernel > Restart Kernel…* 메뉴로 메모리를 비우고 다시 시작하세요.
  작성한 내용은 그대로 남습니다.

## 답 확인하기

답을 작성한 셀을 실행한 다음, 바로 아래의 테스트 셀을 실행하세요.
틀렸다면 기대한 값과 실제로 나온 값이 표시되고, 원인까지 알려 주는 경우도 많습니다.
여기서 확인되는 것은 보이는 테스트입니다. 숨은 테스트가 무엇을 더 살펴보는지는 수업에 글로 적어 두었습니다.

수업을 마치기 전에는 노트북 위쪽의 **Validate** 버튼을 눌러 보세요.
새 커널에서 처음부터 끝까지 다시 실행하므로, 이미 고치거나 지운 셀에 기대고 있던 답이 있다면 이때 드러납니다.

숨은 테스트까지 돌려 보려면 저장한 뒤 *File > New > Terminal*을 열고
`autograder check` 뒤에 수업 번호를 적어 실행하세요. 예: `autograder check 1`.
모두 이 컴퓨터 안에서만 실행됩니다.
`autograder check 1 --solution 과제이름`은 그 과제의 모범 풀이를 보여 줍니다.
왜 맞는지, 흔히 어디서 돌아가는지도 함께 설명합니다.

## 작업이 저장되는 곳

모든 작업은 `{workspace}` 폴더에만 저장됩니다.
2분마다 자동으로 저장되며, **Ctrl+S**를 누르면 바로 저장됩니다.
이 폴더에 이미 있는 파일은 절대 덮어쓰지 않습니다.
수업을 처음부터 다시 하고 싶다면 노트북 파일의 이름을 바꾸거나 지운 뒤 `{command}` 명령을 다시 실행하세요.
끝내려면 처음 명령을 실행한 터미널에서 **Ctrl+C**를 누르세요.
"""


def start_page(lessons: list[Lesson], copied: list[Copied], workspace: Path, command: str) -> str:
    """The whole page as Markdown, in the language in use; `command` is what starts it again."""
    parts = [
        say(en="# Secant: learn PyTorch's autograd", ko="# Secant: PyTorch autograd 배우기"),
        say(
            en="Each lesson is a notebook that you read, run and complete. Sliders show a secant turning "
            "into the tangent, and tests tell you at once how your answer does.",
            ko="수업마다 읽고 실행하고 직접 채워 나가는 노트북이 하나씩 있습니다. 슬라이더를 움직이며 "
            "할선이 접선이 되는 모습을 살펴보고, 작성한 답은 테스트로 바로 확인할 수 있습니다.",
        ),
        lesson_table(lessons, copied),
        how_many(lessons, copied),
        new_versions(copied),
        say(en=HOW_TO_EN, ko=HOW_TO_KO).format(workspace=workspace, command=command),
    ]
    return "\n\n".join(part for part in parts if part)


def signed(text: str) -> bytes:
    """The page with a mark by which we know it again as ours, unchanged."""
    body = text.encode()
    return body + f"\n<!-- {fingerprint(body)} -->\n".encode()


def is_ours(page: bytes) -> bool:
    """Whether a page is as we wrote it."""
    body, _, mark = page.rpartition(b"\n<!-- ")
    return mark == f"{fingerprint(body)} -->\n".encode()


def write_start_page(workspace: Path, text: str) -> str:
    """Write the page and return its name; one that the learner has edited stays, and ours goes beside it."""
    for name in (START, "START (new).md", *(f"START (new {number}).md" for number in range(2, 100))):
        path = workspace / name
        if create(path, signed(text)):
            return name
        if is_ours(content_of(path) or b""):
            path.write_bytes(signed(text))
            return name
    raise LabError(
        say(
            en=f"Please delete some of the START pages in {workspace}.",
            ko=f"{workspace} 폴더의 START 파일 몇 개를 지워 주세요.",
        )
    )
