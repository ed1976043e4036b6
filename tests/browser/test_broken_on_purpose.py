"""Faults on a learner's machine, tested in a real browser with the real service.

Secant must explain each fault in a sentence and lose none of the learner's work. The server cannot override
file permissions, even if root runs the tests. One of its folders is a separate, small disk, which tests fill.
"""

import contextlib
import json
import os
import re
import signal
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nbformat
import pytest
from playwright.sync_api import Page, expect

from autograder.course.cells import grade_id
from secant.language import LANGUAGES, Language
from secant.workspace_state import OWN_WORKSPACE
from tests.browser.conftest import WARM
from tests.support import jupyterlab as lab
from tests.support.processes import all_pids, command, family
from tests.support.small_class import answered_notebook, solutions

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
LESSON = "01_what_autograd_does"
SOLUTIONS = solutions(ROOT, LESSON)
FIRST, SECOND, *_ = SOLUTIONS
WRONG = f"def {FIRST}(f, x, h):\n    return f(x)"
BURNING = f"def {FIRST}(f, x, h):\n    while True:\n        pass"
# This loop is endless too, but it leaves the processor to other tests.
ENDLESS = f"def {FIRST}(f, x, h):\n    import time\n    while True:\n        time.sleep(0.05)"
DISK_BYTES = 1_000_000
OPEN = """async (path) => {
  const app = window.jupyterapp;
  await app.restored;
  const notebook = await app.commands.execute('docmanager:open',
    {path, factory: 'Notebook', kernelPreference: {shouldStart: false, canStart: false}});
  await notebook.context.ready;
  app.shell.activateById('secant-panel');
}"""
WRITE = """([task, code]) => {
  const cells = [...window.jupyterapp.shell.currentWidget.content.model.cells];
  cells.findLast(cell => cell.getMetadata('nbgrader')?.grade_id === task).sharedModel.setSource(code);
}"""
DELETE = """task => {  // JupyterLab's own command spares a lesson's cells; other editors do not
  const { model } = window.jupyterapp.shell.currentWidget.content;
  const ids = [...model.cells].map(cell => cell.getMetadata('nbgrader')?.grade_id);
  model.sharedModel.deleteCell(ids.indexOf(task));
}"""
SELECT = """task => {
  const notebook = window.jupyterapp.shell.currentWidget.content;
  const ids = [...notebook.model.cells].map(cell => cell.getMetadata('nbgrader')?.grade_id);
  notebook.activeCellIndex = ids.indexOf(task);
}"""
DO = "command => window.jupyterapp.commands.execute(command)"
CLEAR = "() => [...window.jupyterapp.shell.widgets('main')].forEach(widget => widget.dispose())"
OUTSIDE = """() => {
  const found = [document.scrollingElement.scrollWidth - innerWidth];
  for (const each of document.querySelectorAll(
      '.secant-panel button, .secant-check, .secant-start button, .secant-start .secant-card'))
    if (each.checkVisibility()) found.push(each.getBoundingClientRect().right - innerWidth);
  return Math.max(...found);
}"""


def start_server(learner: Any, token: str, **options: Any) -> Any:
    """Start a learner's server, with a token and without root's privilege to write read-only files."""
    small_disk = learner.folder / "full"
    wrapper = ["bwrap", "--dev-bind", "/", "/", "--size", str(DISK_BYTES), "--tmpfs", str(small_disk)]
    wrapper += ["--cap-drop", "ALL", "--unshare-pid", "--proc", "/proc", "--die-with-parent"]
    wrapper += ["--setenv", OWN_WORKSPACE, str(learner.folder)]
    wrapper += ["--setenv", "SECANT_DATA", str(small_disk / "data"), "--"]
    flags = [WARM, f"--IdentityProvider.token={token}", "--ServerApp.disable_check_xsrf=False"]
    return lab.jupyterlab(learner.folder, flags=flags, wrapper=wrapper, home=learner.home, **options)


def tasks_only(answers: Mapping[str, str], language: Language) -> nbformat.NotebookNode:
    """Return lesson 1 without its explanations, which a browser takes longer to render than the tasks."""
    notebook = answered_notebook(ROOT, answers, language, LESSON)
    notebook.cells = [cell for cell in notebook.cells if grade_id(cell)]
    return notebook


@pytest.fixture(scope="module")
def learner(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Make the learner's folders, and solve the tasks of lesson 1 in each language."""
    folder, home = (tmp_path_factory.mktemp(name) for name in ("work", "home"))
    (folder / "full").mkdir()
    solved = {language: tasks_only(SOLUTIONS, language) for language in LANGUAGES}
    return SimpleNamespace(folder=folder, home=home, solved=solved)


@pytest.fixture(scope="module")
def server(browser: Any, learner: Any) -> Iterator[contextlib.ExitStack]:
    """Start a server, and yield an exit stack that stops the server when a test closes the stack."""
    with contextlib.ExitStack() as stack:
        learner.address = stack.enter_context(start_server(learner, "first"))
        learner.port = int(learner.address.rpartition(":")[2])
        yield stack


@pytest.fixture(scope="module")
def shared_page(browser: Any, learner: Any, server: Any) -> Iterator[Page]:
    """Provide one browser page, logged in to JupyterLab, for all tests."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-US")
    page = context.new_page()
    page.set_default_timeout(30_000)
    log_in(page, learner, "first")
    yield page
    context.close()


def log_in(page: Page, learner: Any, token: str) -> None:
    """Open JupyterLab at the address that the terminal shows."""
    page.goto(f"{learner.address}/lab?reset&token={token}")
    page.wait_for_function("() => window.jupyterapp !== undefined", timeout=60_000)


@pytest.fixture
def page(shared_page: Page) -> Iterator[Page]:
    """Provide the page, and close everything that a test opens in it."""
    yield shared_page
    shared_page.unroute_all()
    close_dialogs(shared_page)
    shared_page.evaluate(CLEAR)


def close_dialogs(page: Page) -> None:
    """Close the dialogs in which JupyterLab itself reports a failure."""
    page.wait_for_timeout(100)  # the dialogs may appear after Secant's message
    while (button := page.locator(".jp-Dialog button")).count():
        button.last.click()
        page.wait_for_timeout(100)


def write_lesson(learner: Any, name: str, language: str = "en") -> Path:
    """Write the solved lesson into a file, and return its path."""
    path: Path = learner.folder / name
    nbformat.write(learner.solved[language], path)
    return path


def open_notebook(page: Page, name: str) -> None:
    page.evaluate(OPEN, name)
    page.locator(".secant-toolbar >> visible=true").wait_for()


def check(page: Page) -> None:
    page.locator(".secant-check >> visible=true").click()
    wait_for_check(page)


def wait_for_check(page: Page) -> None:
    """Wait until no check runs."""
    expect(page.locator(".secant-panel")).to_have_attribute("aria-busy", "false")


def alerts(page: Page) -> str:
    return " ".join(page.locator(".secant-panel [role=alert] >> visible=true").all_inner_texts())


def verdict(page: Page, task: str) -> Any:
    return page.locator(f".secant-row[data-task={task}] .secant-outcome")


def answer_on_disk(path: Path) -> str:
    """Return the first task's answer from the file."""
    cells = nbformat.read(path, as_version=4).cells
    return next(str(c.source) for c in cells if c.metadata.get("nbgrader", {}).get("grade_id") == FIRST)


def server_pids(learner: Any, word: str) -> list[int]:
    """Return the ids of the server's processes whose command contains a word."""
    servers = [pid for pid in all_pids() if f"--ServerApp.port={learner.port}" in command(pid)]
    return [pid for server in servers for pid in family(server) if word in command(pid)]


def worker_pid(learner: Any) -> int:
    """Return the id of the process that checks notebooks: the template's first fork, or its substitute."""
    substitutes = server_pids(learner, "service.worker")
    return (substitutes or server_pids(learner, "kernels/template.py")[1:])[0]


def disk(learner: Any) -> Path:
    """Return the path of the server's small disk, which also holds the learner's progress."""
    (server, *_) = server_pids(learner, "jupyterlab")[-1:]
    return Path(f"/proc/{server}/root{learner.folder}/full")


def fill(disk: Path) -> Path:
    """Fill a disk completely, and return the file that fills it."""
    junk = disk / "junk"
    with contextlib.suppress(OSError), junk.open("wb", buffering=0) as out:
        while True:
            out.write(b"x" * 512)
    return junk


# --- the notebook ---


def in_one_language(first: str) -> pytest.MarkDecorator:
    """Return a mark that runs a test in one language, and in the deep tests in the other language too."""
    deep = [pytest.param(language, marks=pytest.mark.deep) for language in LANGUAGES if language != first]
    return pytest.mark.parametrize("language", [first, *deep])


@in_one_language("en")
def test_failing_service_is_explained_in_the_panel(learner: Any, page: Page, language: str) -> None:
    write_lesson(learner, f"fails-{language}.ipynb", language)
    page.route("**/secant/api/lesson*", lambda route: route.fulfill(status=500, json={"message": "worn out"}))
    open_notebook(page, f"fails-{language}.ipynb")
    assert "could not check the notebook (worn out)" in alerts(page)
    page.unroute_all()
    page.locator(".secant-check >> visible=true").click()
    # The first check waits for the worker, which imports torch.
    expect(verdict(page, FIRST)).to_have_text({"en": "Passed", "ko": "통과"}[language], timeout=90_000)
    wait_for_check(page)
    assert alerts(page) == ""


def test_check_survives_copied_deleted_and_reordered_cells(learner: Any, page: Page) -> None:
    path = write_lesson(learner, "cells.ipynb")
    open_notebook(page, path.name)
    page.evaluate(SELECT, FIRST)
    for action in ("copy-cell", "paste-cell-below"):
        page.evaluate(DO, f"notebook:{action}")
    page.evaluate(WRITE, [FIRST, WRONG])
    check(page)
    row = page.locator(f".secant-row[data-task={FIRST}]")
    expect(verdict(page, FIRST)).to_have_text("Wrong")
    assert "more than once. The last one" in row.inner_text()
    for task in (FIRST, FIRST, f"test_{SECOND}"):
        page.evaluate(DELETE, task)
    check(page)
    assert f"No {FIRST} was found" in row.inner_text()
    assert "more than once" not in row.inner_text()
    # The course's own test decides, although the notebook's test cell is deleted.
    expect(verdict(page, SECOND)).to_have_text("Passed")
    row.get_by_role("button", name=FIRST).first.click()
    assert "no longer in the notebook" in alerts(page)


def test_requested_hints_are_shown_again_after_reopening(learner: Any, page: Page) -> None:
    nbformat.write(tasks_only({}, "en"), learner.folder / "hints.ipynb")
    open_notebook(page, "hints.ipynb")
    panel = page.locator('.secant-panel[data-notebook="hints.ipynb"]')
    panel.wait_for(state="attached")
    row = page.locator(f".secant-row[data-task={SECOND}]")
    row.get_by_role("button", name="Hint 1").click()
    first = row.locator("section")
    expect(first.locator("p")).not_to_be_empty()  # the heading appears before the text
    text = first.inner_text()
    page.evaluate(lab.DISPOSE)
    open_notebook(page, "hints.ipynb")
    panel.wait_for(state="attached")
    expect(first).to_have_count(1)
    expect(first).to_have_text(re.sub(r"\s+", " ", text), use_inner_text=True)
    assert row.get_by_role("button", name="Hint 1").count() == 0


# --- two at once ---


def test_lesson_open_in_two_tabs_and_as_a_copy_is_checked(learner: Any, page: Page) -> None:
    path = write_lesson(learner, "tabs.ipynb")
    open_notebook(page, path.name)
    check(page)
    other_page = page.context.new_page()
    other_page.set_default_timeout(30_000)
    other_page.goto(f"{learner.address}/lab?reset")
    # JupyterLab removes `reset` from its address once it has dropped the earlier layout.
    other_page.wait_for_function(
        "() => window.jupyterapp !== undefined && !location.search.includes('reset')"
    )
    open_notebook(other_page, path.name)
    before = path.stat().st_mtime_ns
    check(other_page)
    assert path.stat().st_mtime_ns == before  # there was nothing to save

    page.evaluate(WRITE, [FIRST, ENDLESS])
    page.locator(".secant-check >> visible=true").click()
    expect(verdict(page, SECOND)).to_have_text("Passed")
    write_lesson(learner, "copy.ipynb")
    other_page.evaluate("() => window.jupyterapp.shell.currentWidget.context.revert()")
    check(other_page)
    assert "already being checked" in alerts(other_page)
    open_notebook(other_page, "copy.ipynb")
    check(other_page)
    expect(verdict(other_page, FIRST)).to_have_text("Passed")
    page.get_by_role("button", name="Stop", exact=True).click()
    wait_for_check(page)

    page.evaluate(WRITE, [FIRST, WRONG])
    check(page)
    other_page.evaluate(lab.DISPOSE)
    check(other_page)
    assert "changed elsewhere" in alerts(other_page)
    assert page.locator(".jp-Dialog").count() == other_page.locator(".jp-Dialog").count() == 0
    assert answer_on_disk(path) == WRONG
    other_page.close()


# --- the disk ---


@in_one_language("ko")
def test_unwritable_notebook_is_explained_in_the_panel(learner: Any, page: Page, language: str) -> None:
    folder = learner.folder / f"closed-{language}"
    folder.mkdir()
    path = write_lesson(learner, f"closed-{language}/lesson.ipynb", language)
    path.chmod(0o444)
    folder.chmod(0o555)
    open_notebook(page, f"closed-{language}/lesson.ipynb")
    page.evaluate(WRITE, [FIRST, WRONG])
    check(page)
    assert {"en": "is not writable", "ko": "쓰기 권한이 없어"}[language] in alerts(page)
    assert answer_on_disk(path) == SOLUTIONS[FIRST]
    close_dialogs(page)
    folder.chmod(0o755)
    path.chmod(0o644)
    check(page)
    assert answer_on_disk(path) == WRONG


@in_one_language("ko")
def test_full_disk_is_reported_in_the_panel(learner: Any, page: Page, language: str) -> None:
    path = disk(learner) / "lesson.ipynb"
    nbformat.write(learner.solved[language], path)
    open_notebook(page, "full/lesson.ipynb")
    check(page)
    junk = fill(path.parent)
    page.evaluate(WRITE, [FIRST, WRONG])
    check(page)
    assert {"en": "disk is full", "ko": "디스크가 가득 차서"}[language] in alerts(page)
    assert answer_on_disk(path) == SOLUTIONS[FIRST]
    close_dialogs(page)
    junk.unlink()
    check(page)
    assert answer_on_disk(path) == WRONG
    assert alerts(page) == ""


def test_full_disk_does_not_damage_progress(learner: Any, page: Page) -> None:
    write_lesson(learner, "kept.ipynb")
    open_notebook(page, "kept.ipynb")
    check(page)
    progress = disk(learner) / "data" / "progress.json"
    before = progress.read_bytes()
    junk = fill(disk(learner))
    page.evaluate(WRITE, [FIRST, WRONG])
    check(page)
    expect(verdict(page, FIRST)).to_have_text("Wrong")
    assert "No space left on device" in alerts(page)
    assert progress.read_bytes() == before
    page.evaluate(lab.DISPOSE)
    open_notebook(page, "kept.ipynb")
    expect(verdict(page, FIRST)).to_have_text("Passed")  # the last verdict that could be saved
    assert page.locator(".secant-row[data-stale]").get_attribute("data-task") == FIRST
    junk.unlink()
    check(page)
    assert alerts(page) == ""
    assert json.loads(progress.read_bytes())["lessons"][LESSON][FIRST]["outcome"] == "wrong"


# --- processes ---


def test_an_endless_loop_is_stopped_at_once_and_the_next_check_is_warm(learner: Any, page: Page) -> None:
    write_lesson(learner, "endless.ipynb")
    open_notebook(page, "endless.ipynb")
    pid = worker_pid(learner)
    page.evaluate(WRITE, [FIRST, BURNING])
    page.locator(".secant-check >> visible=true").click()
    expect(verdict(page, SECOND)).to_have_text("Passed")
    start = time.monotonic()
    page.get_by_role("button", name="Stop", exact=True).click()
    wait_for_check(page)
    duration = time.monotonic() - start
    assert duration < 3  # seconds; other tests may be slowing down the machine
    assert "Stopped" in alerts(page)
    expect(verdict(page, SECOND)).to_have_text("Passed")
    page.evaluate(WRITE, [FIRST, SOLUTIONS[FIRST]])
    check(page)
    expect(verdict(page, FIRST)).to_have_text("Passed")
    assert worker_pid(learner) == pid


def test_a_worker_that_is_killed_in_mid_check_comes_back(learner: Any, page: Page) -> None:
    write_lesson(learner, "killed.ipynb")
    open_notebook(page, "killed.ipynb")
    page.evaluate(WRITE, [FIRST, ENDLESS])
    page.locator(".secant-check >> visible=true").click()
    expect(verdict(page, SECOND)).to_have_text("Passed")
    os.kill(worker_pid(learner), signal.SIGKILL)
    wait_for_check(page)
    assert "process that checks has ended" in alerts(page)
    page.evaluate(WRITE, [FIRST, SOLUTIONS[FIRST]])
    check(page)
    expect(verdict(page, FIRST)).to_have_text("Passed")


def test_kernel_restart_during_a_drag_leaves_no_error(learner: Any, page: Page) -> None:
    lab.write_notebook(learner.folder / "drag.ipynb", ["from secant import explore\nexplore()"])
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.evaluate(lab.RUN_ALL, "drag.ipynb")
    handle = lab.slider(page, 0)
    lab.wait_until_still(handle, 0.3)
    track = lab.box(lab.track(handle))
    middle = track["y"] + track["height"] / 2
    handle.hover()
    page.mouse.down()
    page.mouse.move(track["x"] + 0.3 * track["width"], middle)
    restart = "() => window.jupyterapp.shell.currentWidget.sessionContext.restartKernel()"
    page.evaluate(restart)
    for percent in range(30, 70):
        page.mouse.move(track["x"] + percent / 100 * track["width"], middle)
    page.mouse.up()
    expect(page.locator(".secant-explorer.jupyter-widgets-disconnected")).to_have_count(1)
    expect(page.locator(".secant-problems", has_text="run this cell again")).to_be_visible()
    assert len(errors) < 3, errors
    page.evaluate(DO, "notebook:run-all-cells")
    expect(page.locator(".jupyter-widgets-disconnected")).to_have_count(0, timeout=60_000)
    explorer = page.locator(".secant-explorer")
    explorer.locator("img").first.wait_for()
    handle = lab.slider(page, 0)
    lab.wait_until_still(handle, 0.3)
    before = explorer.locator(".secant-words").inner_text()
    lab.drag(page, handle, 0.8)
    expect(explorer.locator(".secant-words")).not_to_have_text(before, use_inner_text=True)
    assert len(errors) < 3, errors
    assert page.locator(".secant-problems", has_text="run this cell again").count() == 0
    page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    expect(page.locator(".secant-problems", has_text="run this cell again")).to_be_visible()


# --- the window, and the server ---


@pytest.mark.parametrize(("width", "height"), [(1024, 768), (640, 400)])
def test_panel_is_usable_in_a_small_window_and_at_200_percent(
    learner: Any, page: Page, width: int, height: int
) -> None:
    write_lesson(learner, "small.ipynb")
    # Open the notebook in a wide window, because a narrow window's toolbar hides some buttons in a menu.
    open_notebook(page, "small.ipynb")
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate(DO, "secant:check")
    wait_for_check(page)
    expect(verdict(page, FIRST)).to_have_text("Passed")
    assert page.evaluate(OUTSIDE) <= 0
    last = page.locator(".secant-row").last
    last.get_by_role("button", name="Worked solution").click()
    expect(last.locator("section")).to_be_in_viewport()
    assert page.evaluate(OUTSIDE) <= 0
    page.evaluate(DO, "secant:start")
    page.locator(".secant-card").last.scroll_into_view_if_needed()
    assert page.evaluate(OUTSIDE) <= 0
    page.set_viewport_size({"width": 1280, "height": 800})


def test_open_page_reconnects_to_a_restarted_server(learner: Any, page: Page, server: Any) -> None:
    """This test comes last, because it stops the server."""
    path = write_lesson(learner, "anew.ipynb")
    open_notebook(page, path.name)
    page.evaluate(WRITE, [FIRST, ENDLESS])
    page.locator(".secant-check >> visible=true").click()
    expect(verdict(page, SECOND)).to_have_text("Passed")
    dialog = page.locator(".jp-Dialog")  # from here on, JupyterLab may report the lost server at any time
    page.add_locator_handler(dialog, lambda: close_dialogs(page))
    server.close()
    wait_for_check(page)
    assert "server does not answer" in alerts(page)
    page.evaluate(WRITE, [FIRST, WRONG])
    check(page)
    assert "server does not answer" in alerts(page)
    # Without the old cookie secret, the new server rejects the page's cookie, as on another machine.
    for secret in (learner.home / "runtime").glob("*cookie_secret"):
        secret.unlink()
    server.enter_context(start_server(learner, "second", port=learner.port))
    check(page)
    assert "does not recognise this page" in alerts(page)
    page.request.get(f"{learner.address}/lab?token=second")  # log in again, as another tab would
    check(page)
    expect(verdict(page, FIRST)).to_have_text("Wrong")
    assert answer_on_disk(path) == WRONG
    page.remove_locator_handler(dialog)
