"""A Jupyter server extension that answers requests as `autograder.service` does, from canned data.

The first line of a task's saved answer names the task's outcome, as in `# wrong`. With `# slow`, the verdict
never arrives.
"""

import asyncio
import json
from pathlib import Path
from typing import Any, cast

import nbformat
from jupyter_server.base.handlers import APIHandler
from jupyter_server.utils import url_path_join
from tornado import web

#: The lesson's tasks, each with the outcome that `fake_lesson` writes into the task's answer.
TASKS = {
    "slope": "passed",
    "tangent": "wrong",
    "untouched": "not_attempted",
    "broken": "crashed",
    "endless": "timed_out",
    "refused": "rejected",
    "no_grader": "grader_failure",
    "essay": "manual",
}
MESSAGES = {
    "passed": ("Passed, hidden tests included.", "숨은 테스트까지 모두 통과했습니다."),
    "wrong": ("Is the sign turned round?", "부호가 바뀌지 않았나요?"),
    "not_attempted": (
        "Not done yet: the placeholder is still there.",
        "아직 풀지 않았습니다. 답을 쓸 자리가 그대로 있습니다.",
    ),
    "crashed": ("Your code raised an error.", "코드에서 오류가 났습니다."),
    "timed_out": ("took longer than 5 s. Is there a loop that does not end?", "5초가 넘게 걸렸습니다."),
    "rejected": ("<img src=x onerror=alert(1)> is not allowed.", "<b>허용되지 않는</b> 답입니다."),
    "grader_failure": ("The test could not be run.", "테스트를 돌리지 못했습니다."),
    "manual": ("A person grades this.", "사람이 채점합니다."),
}
STATES = ("done", "done", "in_progress", *["new"] * 6, "missing")
# The second hint is hostile: if JupyterLab rendered it, its button could run a command, and its pictures
# would be loaded.
HINTS = (
    "Look at $f'(x)$ and <script>window.hacked = 1</script> `h`.",
    """<button data-commandlinker-command="application:close-all" class="secant-button">Check again</button>
![a chart](/api/picture-of-a-stranger) <img src="/api/picture-of-a-stranger" alt="another">
<div class="jp-Dialog secant-row" id="main" style="position: fixed">all of it</div>

[a link](https://example.org) and **bold** `code`, $x^2$

```python
def f(x): return x
```""",
)
NO_GAIN: dict[str, Any] = {"xp": 0, "level": None, "achievements": []}
LAST_CHECKS: dict[str, dict[str, Any]] = {}
RUNNING_CHECKS: dict[str, asyncio.Event] = {}
AGREED_PATHS: list[str] = []  # notebooks of unknown origin that the user has agreed to run
PASSED_TASKS: list[str] = []


def row(task: str, outcome: str, language: str) -> dict[str, Any]:
    """Return the public fields of a task's verdict with this outcome."""
    message = MESSAGES[outcome][language == "ko"]
    parts = [{"kind": "head", "text": message}]
    if outcome == "wrong":
        parts = [
            {"kind": "call", "text": f"{task}(f, 1.0)\nf: torch.sin(x), backward: g * torch.cos(x)"},
            {"kind": "expected", "text": "tensor([1.0000, 2.5000, 3.0000], dtype=torch.float64)"},
            {"kind": "got", "text": "tensor([1.0000, -2.5000, 3.0000], dtype=torch.float64)"},
            {"kind": "text", "text": "the values differ"},
            {"kind": "cause", "text": message},
        ]
    if outcome == "crashed":
        parts = [
            {"kind": "call", "text": "broken(1.0)"},
            *parts,
            {"kind": "trace", "text": "ZeroDivisionError: division by zero"},
            {"kind": "place", "text": "at broken, line 2:"},
            {"kind": "code", "text": "1 / 0"},
        ]
    points = 2.0 if outcome == "passed" else 0.0
    return {
        "id": task, "points": points, "max_points": 2.0, "outcome": outcome, "message": message,
        "seconds": 0.01, "parts": parts, "hints": 2,
    }  # fmt: skip


def overview(language: str) -> dict[str, Any]:
    """Return a learner's progress: none at first, and a lot as soon as the task `tangent` has passed."""
    ko, has_progress = language == "ko", "tangent" in PASSED_TASKS
    lessons = [
        {
            "folder": f"{number:02}_lesson", "number": number, "minutes": 80,
            "title": "팬아웃과 브로드캐스트" if ko else "Branches and broadcasts: where gradients add up",
            "tags": ["연쇄 법칙"] if ko else ["chain rule", "broadcast"],
            "prerequisites": {1: [], 10: [4]}.get(number, [number - 1]),
            "path": None if number == 10 else f"{language}/lesson.ipynb",
            "state": STATES[number - 1] if has_progress else "new",
            "beside": f"{language}/lesson.ipynb" if has_progress and number == 2 else None,
            "points": 14 if has_progress and number < 3 else 0, "max_points": 14,
            "passed": 7 if has_progress and number < 3 else 0, "graded": 7,
            "predictions": {"made": int(has_progress), "of": 3}, "tasks": [],
        }
        for number in range(1, 11)
    ]  # fmt: skip
    achievements = [
        {
            "id": f"a{number}", "title": f"{'성취' if ko else 'Achievement'} {number}",
            "how": "예측이 빗나간 이유를 알아냅니다." if ko else "Find out why a prediction was wrong.",
            "earned": "2026-11-20T10:00:00+00:00" if has_progress and number < 6 else None,
        }
        for number in range(1, 14)
    ]  # fmt: skip
    return {
        "language": language,
        "hidden": True,
        "level": {
            "number": 3, "title": "접선" if ko else "Tangent",
            "xp": 180 if has_progress else 0, "from": 0, "to": 300,
        },
        "continue": {
            "path": f"{language}/lesson.ipynb", "lesson": "03_lesson", "number": 3,
            "title": ".backward()", "task": "tangent", "task_title": None,
        },
        "lessons": lessons,
        "achievements": achievements,
        "review": None, "reviewing": True, "elsewhere": False,
        "saved": {"path": "/home/you/.local/share/secant/progress.json", "problem": None},
        "report": "https://example.org/issues/new?title=Secant",
    }  # fmt: skip


HOMEWORK = "homework.ipynb"  # a notebook with ordinary nbgrader tests


def plain_events() -> list[dict[str, Any]]:
    """Return the events of a run of ordinary nbgrader tests, one of each kind, with hostile output."""
    claims = {"error": "", "message": "", "output": ""}
    test = {"kind": "test", "max_points": 2.0, "said": "", "seconds": 0.01, **claims}
    rows: list[dict[str, Any]] = [
        {**test, "id": "test_determinant", "points": 2.0, "outcome": "no_error"},
        {
            **test, "id": "test_counts", "points": 0.0, "outcome": "failed",
            "error": "AssertionError", "message": "<img src=x onerror=alert(1)> Passed: 3 of 3 points",
            "output": "This is your grade: passed\n<b>3 / 3</b>",
        },
        {**test, "id": "test_part", "points": 1.5, "outcome": "partial", "said": "It gives 1.5 points."},
        {"kind": "manual", "id": "why", "max_points": 2.0},
    ]  # fmt: skip
    summary = (
        "1 of 3 ran without an error. This is no grade: only your notebook's own visible tests were run."
    )
    stopped_cells = [
        {"label": "cell 2", "line": 3, "error": "NameError", "message": "name 'm' is not defined"}
    ]
    return [
        {"event": "begin", "plain": True},
        *({"event": "task", "task": row} for row in rows),
        {"event": "end", "said": summary, "left_out": "", "stopped": stopped_cells, "seconds": 0.1},
    ]


class Handler(APIHandler):
    """A base class with methods that the endpoints share."""

    def answers(self, path: str) -> dict[str, str]:
        """Return the outcome that each task's saved answer names; respond with 404 if there is no lesson."""
        file = Path(cast(str, self.settings["server_root_dir"])).expanduser() / path
        if not path.endswith("lesson.ipynb") or not file.is_file():
            raise web.HTTPError(404, "no lesson")
        cells = {
            cell.metadata.get("nbgrader", {}).get("grade_id"): cell for cell in nbformat.read(file, 4).cells
        }
        return {
            task: cells[task].source.partition("\n")[0].removeprefix("# ") for task in TASKS if task in cells
        }

    @staticmethod
    def language(path: str) -> str:
        return "ko" if path.startswith("ko/") else "en"


class Lesson(Handler):
    @web.authenticated
    def get(self) -> None:
        path = self.get_query_argument("path")
        if path == HOMEWORK:
            self.finish({"plain": True, "name": path, "agreed": path in AGREED_PATHS})
            return
        self.answers(path)
        label = "과제" if self.language(path) == "ko" else "Task"
        tasks = [
            {
                "id": task, "title": f"{label} 3.{number} · {task}", "max_points": 2.0,
                "manual": outcome == "manual", "hints": 2, "shown": [], "best": 0.0,
                "report": f"https://example.org/issues/new?title={task}",
                "about": f"Lesson: 03_lesson\nTask: {task}\nVersion: 9",
            }
            for number, (task, outcome) in enumerate(TASKS.items(), start=1)
        ]  # fmt: skip
        self.finish(
            {
                "lesson": "03_lesson", "number": 3, "language": self.language(path),
                "hidden": "visible" not in path, "title": ".backward()", "tasks": tasks, "report": "https://example.org/issues/new?title=03_lesson",
                "about": "Lesson: 03_lesson\nVersion: 9",
                "last": LAST_CHECKS.get(path), "agreed": "stranger" not in path or path in AGREED_PATHS,
            }
        )  # fmt: skip


class Check(Handler):
    @web.authenticated
    async def post(self) -> None:
        body = self.get_json_body() or {}
        if body.get("plain"):
            assert body["path"] == HOMEWORK
            assert body["agree"]
            AGREED_PATHS.append(HOMEWORK)
            self.stop = asyncio.Event()
            for event in plain_events():
                await self.say(**event)
            return
        path, task_id = body["path"], body["task"]
        if "stranger" in path and not body["agree"] and path not in AGREED_PATHS:
            raise web.HTTPError(428, reason="not agreed")
        AGREED_PATHS.append(path)
        if path in RUNNING_CHECKS:
            raise web.HTTPError(409, reason="busy")
        answers, stop = self.answers(path), asyncio.Event()
        tasks = [task for task in answers if task == task_id or (task_id is None and TASKS[task] != "manual")]
        RUNNING_CHECKS[path] = stop
        hidden = "visible" not in path
        self.stop = stop
        try:
            if "checker_is_starting" in path:
                await self.say(event="waits")
                await asyncio.sleep(1)
            await self.say(event="begin", lesson="03_lesson", language="en", hidden=hidden, tasks=tasks)
            rows = []
            for task in tasks:
                if answers[task] == "slow":
                    await stop.wait()
                    await self.say(event="stopped", gained={**NO_GAIN, "xp": 12}, problem=None)
                    return
                rows.append(row(task, answers[task], self.language(path)))
                await self.say(event="task", task=rows[-1])
            is_first_pass = "tangent" not in PASSED_TASKS and answers.get("tangent") == "passed"
            level = {"number": 3, "title": overview(self.language(path))["level"]["title"]}
            gain = (
                {"xp": 24, "level": level, "achievements": [{"title": "One", "how": "Pass."}]}
                if is_first_pass
                else NO_GAIN
            )
            PASSED_TASKS.extend(task for task in tasks if answers[task] == "passed")
            if task_id is None:
                LAST_CHECKS[path] = {
                    "rows": [{**row, "changed": row["id"] == "broken"} for row in rows],
                    "hidden": hidden,
                    "when": "2026-11-20T10:00:00+00:00",
                }
            await self.say(event="end", score=2, max_score=14, seconds=0.1, gained=gain, problem=None)
        finally:
            del RUNNING_CHECKS[path]

    async def say(self, **event: Any) -> None:
        self.write(json.dumps(event) + "\n")
        await self.flush()

    def on_connection_close(self) -> None:
        self.stop.set()


class Stop(Handler):
    @web.authenticated
    def post(self) -> None:
        stop_event = RUNNING_CHECKS.get((self.get_json_body() or {})["path"])
        if stop_event:
            stop_event.set()
        self.finish({"stopped": stop_event is not None})


class Hint(Handler):
    @web.authenticated
    def get(self) -> None:
        number = int(self.get_query_argument("number"))
        text = HINTS[number - 1]
        self.finish({"title": f"Hint {number}: the idea", "text": text, "number": number, "of": 2})


class Solution(Handler):
    @web.authenticated
    def post(self) -> None:
        task = (self.get_json_body() or {})["task"]
        code = f"def {task}(f, x):\n    return f(x)  # {'longer than the panel is wide ' * 3}"
        self.finish({"code": code, "words": "**Why it works.** It does.", "noted": task not in PASSED_TASKS})


class Progress(Handler):
    @web.authenticated
    def get(self) -> None:
        self.finish(overview(self.get_query_argument("lang", "en")))


class Facts(Handler):
    @web.authenticated
    def get(self) -> None:
        ko = self.get_query_argument("lang") == "ko"
        self.finish({"facts": "정상  Python: 3.11.2" if ko else "ok  Python: 3.11.2"})


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": "tests.support.fake_service"}]


def _load_jupyter_server_extension(server: Any) -> None:
    base = server.web_app.settings["base_url"]
    for handler in (Lesson, Check, Stop, Hint, Solution, Progress, Facts):
        address = url_path_join(base, "secant/api", handler.__name__.lower())
        server.web_app.add_handlers(".*$", [(address, handler)])
