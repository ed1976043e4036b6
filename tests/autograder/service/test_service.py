"""Tests of the service as a page uses it: with a real server, its worker and real checks."""

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest

from autograder.course.lesson import find_lessons, wrong_answers
from secant.address import report_url
from tests.autograder.service.conftest import LESSON, ROOT, TOKEN, Server
from tests.support import plain_course as plain
from tests.support.lessons import save
from tests.support.processes import family
from tests.support.small_class import answered_notebook, solutions
from tests.support.waiting import wait_for

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

ENDLESS = "def {}(*args):\n    while True:\n        pass"
TASKS = list(solutions(ROOT, LESSON))


def outcomes(events: list[dict[str, Any]]) -> dict[str, str]:
    return {event["task"]["id"]: event["task"]["outcome"] for event in events if event["event"] == "task"}


@contextlib.contextmanager
def start_check(server: Server, path: str) -> Iterator[http.client.HTTPResponse]:
    """Start a check, wait until it has begun, and yield the response with its remaining lines unread."""
    with contextlib.closing(server.open("POST", "check", {"path": path, "task": None})) as connection:
        response = connection.getresponse()
        while (event := json.loads(response.readline())["event"]) == "waits":
            pass
        assert event == "begin"
        yield response


def stored_outcomes(server: Server, path: str) -> dict[str, str]:
    """Return the stored outcomes of a notebook's tasks."""
    last = server.ask("GET", "lesson", path=path)[1]["last"]
    return {row["id"]: row["outcome"] for row in last["rows"]} if last else {}


# --- Replies to a page ----------------------------------------------------------------------------------


def test_the_server_needs_no_torch() -> None:
    heavy_modules = "{'torch', 'matplotlib', 'jupytext', 'autograder.exam.examiner'}"
    code = f"import sys, autograder.service.handlers; print(sorted({heavy_modules} & set(sys.modules)))"
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert output.strip() == "[]"


@pytest.mark.costly("a real server, whose worker imports torch")
def test_service_returns_a_lessons_hints_and_solution(server: Server) -> None:
    path = server.save("told.ipynb", {}, "ko")
    status, lesson = server.ask("GET", "lesson", path=path)
    assert (status, lesson["lesson"], lesson["number"], lesson["language"]) == (200, LESSON, 1, "ko")
    assert lesson["report"] == report_url(LESSON)
    assert [task["report"] for task in lesson["tasks"]] == [
        report_url(LESSON, task["id"]) for task in lesson["tasks"]
    ]
    assert (lesson["title"], lesson["hidden"], lesson["last"]) == ("Autograd가 실제로 하는 일", True, None)
    assert [task["id"] for task in lesson["tasks"]] == TASKS
    assert lesson["tasks"][0]["title"] == "과제 1.1 · forward_difference"
    assert all(task["hints"] == 2 and not task["manual"] for task in lesson["tasks"])
    status, hint = server.ask("GET", "hint", path=path, task=TASKS[0], number=2)
    assert (status, hint["title"], hint["number"], hint["of"]) == (200, "힌트 2: 뼈대", 2, 2)
    assert "there = x + h" in hint["text"]
    assert server.ask("GET", "hint", path=path, task=TASKS[0], number=3)[0] == 404
    assert server.ask("GET", "hint", path=path, task="nothing", number=1)[0] == 404
    assert server.ask("GET", "hint", path=path, task=TASKS[0], number="x")[0] == 400
    status, solution = server.ask("POST", "solution", {"path": path, "task": TASKS[0]})
    assert (status, solution["noted"]) == (200, True)
    assert solution["code"].startswith("def forward_difference")
    assert "왜 맞을까요" in solution["words"]
    assert server.ask("POST", "solution", {"path": path, "task": "nothing"})[0] == 422


def test_progress_endpoint_returns_the_overview(server: Server) -> None:
    status, progress = server.ask("GET", "progress", lang="ko")
    assert (status, progress["language"], len(progress["lessons"])) == (200, "ko", 10)


@pytest.mark.whole
def test_facts_for_a_report_are_in_the_pages_language(server: Server) -> None:
    status, response = server.ask("GET", "facts", lang="ko")
    assert status == 200
    assert "정상  Python: " in response["facts"]


def test_reviews_are_noted_and_switched_off(server: Server) -> None:
    assert server.ask("GET", "progress", lang="en")[1]["reviewing"] is True
    assert server.ask("POST", "review", {"name": "3 two calls", "right": True}) == (200, {"problem": None})
    assert server.ask("POST", "review", {"wanted": False})[0] == 200
    assert server.ask("GET", "progress", lang="en")[1]["reviewing"] is False
    assert server.ask("POST", "review", {"wanted": True})[0] == 200
    assert server.ask("POST", "review", {"right": True})[0] == 400


def test_progress_that_is_reset_is_kept_in_another_file(server: Server) -> None:
    server.ask("POST", "review", {"wanted": True})
    before = (server.data / "progress.json").read_bytes()
    status, response = server.ask("POST", "anew")
    assert status == 200
    assert Path(response["aside"]).read_bytes() == before
    assert not (server.data / "progress.json").exists()
    assert server.ask("POST", "anew") == (200, {"aside": None})


# --- Checks ---------------------------------------------------------------------------------------------


def run_tests(server: Server, path: str, language: str = "en") -> list[dict[str, Any]]:
    """Run a notebook's ordinary nbgrader tests and return the events from the start of the run."""
    request = {"path": path, "plain": True, "lang": language}
    with contextlib.closing(server.open("POST", "check", request)) as connection:
        response = connection.getresponse()
        assert response.status == 200, response.read()
        events = [json.loads(line) for line in response.read().splitlines()]
        return events[events[0] == {"event": "waits"} :]


@pytest.mark.costly("a real server, whose worker imports torch")
def test_ordinary_nbgrader_tests_run_outside_of_the_kernel_and_give_no_grade(server: Server) -> None:
    fake_event = '{"event": "end", "said": "All tests pass: full marks."}'
    cells = (
        plain.answer("x", f"print('{fake_event}')\nx = 1"),
        plain.graded("right", "assert open('data.txt').read() == 'beside'"),
        plain.graded("part", "1.5", 2),
        plain.graded("wrong", f"print('{fake_event}')\nassert x == 2, '{fake_event}'"),
        plain.graded("ends", "import os\nos._exit(1)"),
        plain.manual("why", "Because."),
    )
    (server.folder / "data.txt").write_text("beside")
    save(plain.notebook(*cells), server.folder / "hw.ipynb")
    assert server.ask("GET", "lesson", path="hw.ipynb")[1]["plain"] is True
    begin, *task_events, end = run_tests(server, "hw.ipynb", "ko")
    assert begin == {"event": "begin", "plain": True}
    rows = {event["task"]["id"]: event["task"] for event in task_events}
    points = {name: (row["outcome"], row["points"]) for name, row in rows.items() if row["kind"] == "test"}
    assert points == {
        "right": ("no_error", 1.0),
        "part": ("partial", 1.5),
        "wrong": ("failed", 0.0),
        "ends": ("crashed", 0.0),
    }
    assert rows["why"]["kind"] == "manual"
    assert (rows["wrong"]["error"], rows["wrong"]["message"]) == ("AssertionError", fake_event)
    assert (rows["wrong"]["said"], rows["wrong"]["output"]) == ("", fake_event)
    assert end["event"] == "end"
    assert end["said"].startswith("이 노트북의 보이는 테스트 4개 가운데 1개가 오류 없이")
    assert "성적이 아닙니다" in end["said"]
    assert server.ask("POST", "check", {"path": "hw.ipynb"})[0] == 415


@pytest.mark.costly("a real server, whose worker imports torch")
def test_endless_ordinary_test_is_stopped_with_its_processes(server: Server) -> None:
    save(plain.notebook(plain.graded("t", "while True: pass")), server.folder / "endless_hw.ipynb")
    request = {"path": "endless_hw.ipynb", "plain": True}
    with contextlib.closing(server.open("POST", "check", request)) as connection:
        response = connection.getresponse()
        while json.loads(response.readline())["event"] == "waits":
            pass
        (worker,) = server.workers()
        assert wait_for(lambda: len(family(worker)) > 3)  # the run has started its process
        assert server.ask("POST", "check", request)[0] == 409
        assert server.ask("POST", "stop", {"path": "endless_hw.ipynb"})[1] == {"stopped": True}
        assert [json.loads(line) for line in response.read().splitlines()] == [{"event": "stopped"}]
    assert wait_for(lambda: len(family(worker)) == 2)  # the worker, and the process that forks candidates


@pytest.mark.costly("a real server, whose worker imports torch")
def test_a_check_sends_each_task_and_stores_its_verdicts(server: Server) -> None:
    (lesson,) = [lesson for lesson in find_lessons(ROOT) if lesson.name == LESSON]
    wrong_answer = wrong_answers(lesson)[0]
    broken_answer = {TASKS[1]: "def central_difference(f, x, h):\n    return nothing"}
    path = server.save("checked.ipynb", {wrong_answer.task: wrong_answer.source} | broken_answer, "ko")
    begin, *task_events, end = server.check(path)
    assert begin == {"event": "begin", "lesson": LESSON, "language": "ko", "hidden": True, "tasks": TASKS}
    rows = {event["task"]["id"]: event["task"] for event in task_events}
    assert {task for task, row in rows.items() if row["outcome"] != "passed"} == {wrong_answer.task, TASKS[1]}
    assert wrong_answer.hint["ko"] in rows[wrong_answer.task]["message"]
    fields = {"id", "points", "max_points", "outcome", "message", "seconds", "parts", "hints"}
    assert all(set(row) == fields for row in rows.values())
    kinds = [part["kind"] for part in rows[wrong_answer.task]["parts"]]
    assert kinds[:3] == ["call", "expected", "got"]
    *_, error, place, code, cause = rows[TASKS[1]]["parts"]
    assert (error["kind"], place["kind"], cause["kind"]) == ("trace", "place", "cause")
    assert "'nothing' is not defined" in error["text"]
    assert code == {"kind": "code", "text": "return nothing"}
    assert (end["event"], end["score"], end["max_score"], end["problem"]) == ("end", 6.0, 10.0, None)
    last = server.ask("GET", "lesson", path=path)[1]["last"]
    assert (last["score"], last["max_score"], last["hidden"]) == (6.0, 10.0, True)
    assert [(row["id"], row["changed"]) for row in last["rows"]] == [(task, False) for task in TASKS]
    assert end["gained"]["xp"] == 72
    assert end["gained"]["level"] is None
    assert all(achievement["title"] and achievement["how"] for achievement in end["gained"]["achievements"])
    assert end["gained"]["achievements"]

    server.save(path, {wrong_answer.task: wrong_answer.source}, "ko")
    last = server.ask("GET", "lesson", path=path)[1]["last"]
    assert [row["id"] for row in last["rows"] if row["changed"]] == [TASKS[1]]
    end = server.check(path, TASKS[1])[-1]
    assert (end["gained"]["xp"], end["gained"]["achievements"]) == (24, [])
    lesson = server.ask("GET", "lesson", path=path)[1]
    assert (lesson["last"]["score"], any(row["changed"] for row in lesson["last"]["rows"])) == (8.0, False)
    assert {task["id"]: task["best"] for task in lesson["tasks"]}[wrong_answer.task] == 0
    assert sum(task["best"] for task in lesson["tasks"]) == 8
    assert json.loads((server.data / "progress.json").read_text())


@pytest.mark.whole
def test_service_gives_the_same_verdicts_as_grading(server: Server) -> None:
    """Compare messages and points with those from `Checker`, for a notebook that also draws pictures."""
    from autograder.exam.selfcheck import Checker

    (lesson,) = [lesson for lesson in find_lessons(ROOT) if lesson.name == LESSON]
    wrong_sources = {answer.task: answer.source for answer in wrong_answers(lesson)}
    path = server.save("wrong.ipynb", wrong_sources)
    rows = {event["task"]["id"]: event["task"] for event in server.check(path) if event["event"] == "task"}
    with Checker(keep_warm=False) as checker:
        report = checker.check(server.folder / path)
    assert {(task.id, task.points, task.outcome, task.message) for task in report.tasks} == {
        (row["id"], row["points"], row["outcome"], row["message"]) for row in rows.values()
    }


def test_crashing_answer_costs_only_its_own_task(server: Server) -> None:
    crashing_answer = {TASKS[0]: f"def {TASKS[0]}(*args):\n    import os\n    os._exit(0)"}
    actual = outcomes(server.check(server.save("crash.ipynb", crashing_answer)))
    assert actual == dict.fromkeys(TASKS, "passed") | {TASKS[0]: "crashed"}


@pytest.mark.whole
def test_an_endless_check_is_stopped_and_the_next_is_warm(server: Server) -> None:
    path = server.save("endless.ipynb", {TASKS[0]: ENDLESS.format(TASKS[0])})
    other_path = server.save("other.ipynb", {})
    with start_check(server, path) as response:
        assert outcomes([json.loads(response.readline())])[TASKS[1]] == "passed"
        status, refusal = server.ask("POST", "check", {"path": path, "task": TASKS[2], "lang": "ko"})
        assert (status, "확인하고" in refusal["message"]) == (409, True)
        assert server.check(other_path, TASKS[2])[-1]["event"] == "end"  # another notebook need not wait
        start_time = time.monotonic()
        assert server.ask("POST", "stop", {"path": path}) == (200, {"stopped": True})
        events = [json.loads(line) for line in response.read().splitlines()]
    duration = time.monotonic() - start_time
    assert (events[-1]["event"], events[-1]["problem"]) == ("stopped", None)
    assert duration < 3  # 0.05 s on an idle machine
    assert TASKS[1] in stored_outcomes(server, path)
    (worker,) = server.workers()
    assert wait_for(lambda: len(family(worker)) == 2)  # the worker, and the process that forks candidates
    assert server.ask("POST", "stop", {"path": path}) == (200, {"stopped": False})
    assert server.check(path, TASKS[1])[-1]["event"] == "end"
    assert server.workers() == [worker]


def test_a_page_that_goes_away_stops_its_check(server: Server) -> None:
    path = server.save("left.ipynb", {TASKS[0]: ENDLESS.format(TASKS[0])})
    with start_check(server, path) as response:
        (task,) = outcomes([json.loads(response.readline())])
    (worker,) = server.workers()
    assert wait_for(lambda: len(family(worker)) == 2)
    assert wait_for(lambda: task in stored_outcomes(server, path))
    assert server.check(path, TASKS[1])[-1]["event"] == "end"


@pytest.mark.whole
def test_a_worker_that_dies_is_started_again(server: Server) -> None:
    path = server.save("killed.ipynb", {TASKS[0]: ENDLESS.format(TASKS[0])})
    with start_check(server, path) as response:
        (worker,) = server.workers()
        members = family(worker)
        os.kill(worker, signal.SIGKILL)
        assert json.loads(response.read().splitlines()[-1])["event"] == "error"
    assert wait_for(lambda: not [pid for pid in members if Path(f"/proc/{pid}").exists()])
    assert server.check(path, TASKS[1])[-1]["event"] == "end"


def test_notebook_of_no_lesson_is_checked_by_its_visible_tests(server: Server, tmp_path: Path) -> None:
    """A notebook that belongs to no lesson is checked by the tests in that notebook; a message says so."""
    notebook = nbformat.v4.new_notebook()
    for source, marks in [
        ("def twice(x):\n    return 2 * x", {"grade_id": "twice", "solution": True, "grade": False}),
        (
            "from secant import check\ncheck.close(twice(2.0), 4.0)\ncheck.visible_passed()",
            {"grade_id": "test_twice", "solution": False, "grade": True, "points": 3},
        ),
    ]:
        notebook.cells.append(nbformat.v4.new_code_cell(source, metadata={"nbgrader": marks}))
    nbformat.write(notebook, server.folder / "03_own.ipynb")
    lesson = server.ask("GET", "lesson", path="03_own.ipynb")[1]
    assert (lesson["hidden"], lesson["number"], lesson["lesson"]) == (False, 3, "03_own")
    begin, row, end = server.check("03_own.ipynb")
    assert not begin["hidden"]
    assert (row["task"]["outcome"], row["task"]["points"], end["score"]) == ("passed", 3.0, 3.0)
    assert "hidden ones are not on this computer" in row["task"]["message"]
    notebook.cells[1].source = "from secant import check\ndef ("
    nbformat.write(notebook, server.folder / "03_own.ipynb")
    assert "Was a test cell changed?" in server.check("03_own.ipynb")[-1]["message"]


# --- Allowed and refused requests -----------------------------------------------------------------------


def test_service_checks_only_notebooks_below_its_root(server: Server, tmp_path: Path) -> None:
    path = server.save("good.ipynb", {})
    outside_path = tmp_path / "outside.ipynb"
    nbformat.write(answered_notebook(ROOT, {}, "en", LESSON), outside_path)
    folder = server.folder
    (folder / "link.ipynb").symlink_to(outside_path)
    (folder / "folder").symlink_to(tmp_path)
    (folder / "inside.ipynb").symlink_to(folder / path)
    (folder / ".hidden.ipynb").write_bytes((folder / path).read_bytes())
    (folder / ".secret").mkdir()
    (folder / ".secret" / "a.ipynb").write_bytes((folder / path).read_bytes())
    (folder / "unhidden.ipynb").symlink_to(folder / ".secret" / "a.ipynb")
    (folder / "text.txt").write_text("x")
    (folder / "folder.ipynb").mkdir()
    (folder / "circle.ipynb").symlink_to(folder / "circle.ipynb")
    os.mkfifo(folder / "pipe.ipynb")
    invalid_paths = [
        "link.ipynb",
        "folder/outside.ipynb",
        f"../{tmp_path.name}/outside.ipynb",
        str(outside_path),
        "sub/../../good.ipynb",
        ".hidden.ipynb",
        ".secret/a.ipynb",
        "unhidden.ipynb",
        "text.txt",
        "folder.ipynb",
        "circle.ipynb",
        "pipe.ipynb",
        "none.ipynb",
        "a\0.ipynb",
        "x" * 1900 + ".ipynb",
        "%s%d.ipynb",
    ]
    responses = {name: server.ask("GET", "lesson", path=name, lang="ko") for name in invalid_paths}
    assert {status for status, _ in responses.values()} == {404}
    assert all("노트북이 없습니다" in response["message"] for _, response in responses.values())
    assert {server.ask("POST", "check", {"path": name})[0] for name in invalid_paths} == {404}
    assert server.ask("GET", "lesson", path="inside.ipynb")[0] == 200
    nbformat.write(nbformat.v4.new_notebook(), folder / "empty.ipynb")
    assert server.ask("GET", "lesson", path="empty.ipynb")[0] == 404
    (folder / f"{LESSON}.ipynb").write_text("{")
    status, response = server.ask("POST", "check", {"path": f"{LESSON}.ipynb"})
    assert (status, "cut short or damaged" in response["message"]) == (422, True)


@pytest.mark.parametrize(
    ("body", "status"),
    [(b"{", 400), ([], 400), ({}, 400), ({"path": 3}, 400), (b" " * 20_000, 413), (b"[" * 9_000, 400)],
)
def test_a_request_with_an_odd_body_is_refused_with_a_message(server: Server, body: Any, status: int) -> None:
    actual_status, response = server.ask("POST", "check", body)
    assert (actual_status, response["message"] != "") == (status, True)


def test_a_request_for_an_odd_task_is_refused(server: Server) -> None:
    path = server.save("tasks.ipynb", {})
    assert server.ask("POST", "check", {"path": path, "task": "nothing"})[0] == 404
    assert server.ask("POST", "check", {"path": path, "task": 3})[0] == 400
    assert server.ask("POST", "check", {"path": path, "task": "x" * 300})[0] == 400


def test_requests_without_token_or_from_other_sites_are_refused(server: Server) -> None:
    """A request needs the token. With only a login cookie, requests from other sites' pages are refused."""
    path = server.save("mine.ipynb", {})
    body = {"path": path, "task": TASKS[0]}

    def post_statuses(headers: dict[str, str]) -> set[int]:
        return {server.status("POST", name, body, headers) for name in ("check", "stop", "solution")}

    def get_statuses(headers: dict[str, str]) -> set[int]:
        query = {"path": path, "task": TASKS[0], "number": 1}
        return {server.status("GET", name, None, headers, **query) for name in ("lesson", "hint", "progress")}

    assert (post_statuses({}), get_statuses({})) == ({403}, {403})
    with contextlib.closing(server.open("GET", "progress", headers={}, token=TOKEN)) as login:
        cookies = [value for key, value in login.getresponse().getheaders() if key.lower() == "set-cookie"]
    cookie_header = {"Cookie": "; ".join(value.partition(";")[0] for value in cookies)}
    assert "username" in cookie_header["Cookie"]
    foreign_headers = cookie_header | {"Origin": "http://evil.example", "Referer": "http://evil.example/"}
    neighbour_headers = cookie_header | {"Referer": "http://127.0.0.1:1/"}  # another server on this machine
    image_headers = cookie_header | {
        "Sec-Fetch-Site": "same-site",
        "Referer": f"http://127.0.0.1:{server.port}/",
    }
    rebound_headers = cookie_header | {"Host": "evil.example"}
    for headers in (foreign_headers, neighbour_headers, image_headers, rebound_headers, cookie_header):
        assert post_statuses(headers) <= {403, 404}
        assert get_statuses(headers) <= {403, 404}
    page_headers = cookie_header | {"Sec-Fetch-Site": "same-origin"}
    # A link or an image in a notebook's text can make the browser send such requests.
    for destination in ("image", "document", "iframe"):
        assert get_statuses(page_headers | {"Sec-Fetch-Dest": destination}) == {403}
    assert get_statuses(page_headers | {"Sec-Fetch-Dest": "empty"}) == get_statuses(page_headers) == {200}


def test_a_notebook_of_unknown_origin_is_not_run_before_its_reader_agrees(server: Server) -> None:
    marker = server.folder / "ran"
    path = server.save("sent.ipynb", {TASKS[0]: f"open({str(marker)!r}, 'w')"})
    assert server.ask("GET", "lesson", path=path)[1]["agreed"] is False
    status, answer = server.ask("POST", "check", {"path": path, "task": None, "agree": False})
    assert status == 428
    assert "sent.ipynb is not one of the lessons" in answer["message"]
    assert not marker.exists()
    assert server.check(path)[-1]["event"] == "end"
    assert marker.exists()
    assert server.ask("GET", "lesson", path=path)[1]["agreed"] is True
    assert server.status("POST", "check", {"path": path, "task": TASKS[0], "agree": False}) == 200


# --- The command line -----------------------------------------------------------------------------------


def run_check(server: Server, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-X", "importtime", "-m", "autograder.cli", "check", *arguments]
    return subprocess.run(
        command,
        cwd=server.folder,
        env=server.environment | {"COLUMNS": "100"} | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_check_command_uses_the_running_server(server: Server) -> None:
    path = server.save("typed.ipynb", {TASKS[0]: ENDLESS.format(TASKS[0]).replace("True", "False")})
    result = run_check(server, path, "--json")
    report = json.loads(result.stdout)
    assert result.returncode == 1
    assert list(report) == ["lesson", "score", "max_score", "tasks"]
    assert [task["id"] for task in report["tasks"]] == TASKS
    fields = {"id", "points", "max_points", "outcome", "message", "seconds"}
    assert all(set(task) == fields for task in report["tasks"])
    assert " torch\n" not in result.stderr  # the server's worker has already imported torch


@pytest.mark.whole
def test_a_server_that_is_dead_or_silent_is_not_waited_for(server: Server, tmp_path: Path) -> None:
    path = server.save("fallback.ipynb", {})
    with socket.create_server(("127.0.0.1", 0)) as silent_server:
        port = silent_server.getsockname()[1]
        info = {
            "pid": os.getpid(),
            "port": port,
            "root_dir": str(server.folder),
            "token": "",
            "base_url": "/",
        }
        info["url"] = f"http://127.0.0.1:{port}/"
        (tmp_path / "jpserver-1.json").write_text(json.dumps(info))
        dead_info = info | {"pid": 2**22 + 1, "url": "http://127.0.0.1:9/"}
        (tmp_path / "jpserver-2.json").write_text(json.dumps(dead_info))
        (tmp_path / "jpserver-3.json").write_text("{")
        result = run_check(server, path, "--json", JUPYTER_RUNTIME_DIR=str(tmp_path))
    assert json.loads(result.stdout)["score"] == 10


# --- A killed server ------------------------------------------------------------------------------------


def test_no_process_outlives_a_killed_server(server: Server) -> None:
    """This must be the last test of the file, because it kills the server that all tests share."""
    path = server.save("end.ipynb", {TASKS[0]: ENDLESS.format(TASKS[0])})
    with start_check(server, path) as response:
        (task,) = outcomes([json.loads(response.readline())])
        members = family(server.process.pid)[1:]
        assert len(members) >= 4
        server.process.kill()
        server.process.wait()
    assert wait_for(lambda: not [pid for pid in members if Path(f"/proc/{pid}").exists()])
    notes = [json.loads(file.read_bytes()) for file in (server.data / "checks").glob("*.json")]
    (note,) = [note for note in notes if note["path"] == str(server.folder.resolve() / path)]
    assert task in [row["id"] for row in note["rows"]]  # the verdicts from before the kill are stored
