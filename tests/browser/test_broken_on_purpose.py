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
from tests.support.processes import command, everybody, family
from tests.support.small_class import answered, solutions

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


def serve(place: Any, token: str, **more: Any) -> Any:
    """Start a learner's server, with a token and without root's privilege to write read-only files."""
    full = place.folder / "full"
    wall = ["bwrap", "--dev-bind", "/", "/", "--size", str(DISK_BYTES), "--tmpfs", str(full)]
    wall += ["--cap-drop", "ALL", "--unshare-pid", "--proc", "/proc", "--die-with-parent"]
    wall += ["--setenv", OWN_WORKSPACE, str(place.folder)]
    wall += ["--setenv", "SECANT_DATA", str(full / "data"), "--"]
    flags = [WARM, f"--IdentityProvider.token={token}", "--ServerApp.disable_check_xsrf=False"]
    return lab.jupyterlab(place.folder, flags=flags, wrapped=wall, home=place.home, **more)


def tasks_alone(answers: Mapping[str, str], spoken: Language) -> nbformat.NotebookNode:
    """Return lesson 1 without its text, which a browser takes longer to draw than everything else."""
    notebook = answered(ROOT, answers, spoken, LESSON)
    notebook.cells = [cell for cell in notebook.cells if grade_id(cell)]
    return notebook


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Make the learner's folders, and solve the tasks of lesson 1 in each language."""
    folder, home = (tmp_path_factory.mktemp(name) for name in ("work", "home"))
    (folder / "full").mkdir()
    solved = {spoken: tasks_alone(SOLUTIONS, spoken) for spoken in LANGUAGES}
    return SimpleNamespace(folder=folder, home=home, solved=solved)


@pytest.fixture(scope="module")
def server(browser: Any, place: Any) -> Iterator[contextlib.ExitStack]:
    """Start a server in an exit stack that a test may close."""
    with contextlib.ExitStack() as stack:
        place.address = stack.enter_context(serve(place, "first"))
        place.port = int(place.address.rpartition(":")[2])
        yield stack


@pytest.fixture(scope="module")
def shared(browser: Any, place: Any, server: Any) -> Iterator[Page]:
    """Provide one page for all tests."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-US")
    page = context.new_page()
    page.set_default_timeout(30_000)
    enter(page, place, "first")
    yield page
    context.close()


def enter(page: Page, place: Any, token: str) -> None:
    """Open JupyterLab at the address that the terminal shows."""
    page.goto(f"{place.address}/lab?reset&token={token}")
    page.wait_for_function("() => window.jupyterapp !== undefined", timeout=60_000)


@pytest.fixture
def page(shared: Page) -> Iterator[Page]:
    """Provide the page, and close everything that a test opens in it."""
    yield shared
    shared.unroute_all()
    dismiss(shared)
    shared.evaluate(CLEAR)


def dismiss(page: Page) -> None:
    """Close the dialogs in which JupyterLab itself reports a failure."""
    page.wait_for_timeout(100)  # the dialogs may appear after Secant's message
    while (button := page.locator(".jp-Dialog button")).count():
        button.last.click()
        page.wait_for_timeout(100)


def lesson(place: Any, name: str, spoken: str = "en") -> Path:
    """Write the solved lesson into a file, and return its path."""
    path: Path = place.folder / name
    nbformat.write(place.solved[spoken], path)
    return path


def opened(page: Page, name: str) -> None:
    page.evaluate(OPEN, name)
    page.locator(".secant-toolbar >> visible=true").wait_for()


def check(page: Page) -> None:
    page.locator(".secant-check >> visible=true").click()
    over(page)


def over(page: Page) -> None:
    """Wait until no check runs."""
    expect(page.locator(".secant-panel")).to_have_attribute("aria-busy", "false")


def said(page: Page) -> str:
    return " ".join(page.locator(".secant-panel [role=alert] >> visible=true").all_inner_texts())


def verdict(page: Page, task: str) -> Any:
    return page.locator(f".secant-row[data-task={task}] .secant-outcome")


def answer_on_disk(path: Path) -> str:
    """Return the first task's answer from the file."""
    cells = nbformat.read(path, as_version=4).cells
    return next(str(c.source) for c in cells if c.metadata.get("nbgrader", {}).get("grade_id") == FIRST)


def processes(place: Any, word: str) -> list[int]:
    """Return the ids of the server's processes whose command contains a word."""
    servers = [pid for pid in everybody() if f"--ServerApp.port={place.port}" in command(pid)]
    return [pid for server in servers for pid in family(server) if word in command(pid)]


def worker(place: Any) -> int:
    """Return the id of the process that checks: the template's first fork, or a process started instead."""
    standing_in = processes(place, "service.worker")
    return (standing_in or processes(place, "kernels/template.py")[1:])[0]


def disk(place: Any) -> Path:
    """Return the path of the server's small disk, which also holds the learner's progress."""
    (server, *_) = processes(place, "jupyterlab")[-1:]
    return Path(f"/proc/{server}/root{place.folder}/full")


def fill(disk: Path) -> Path:
    """Fill a disk completely, and return the file that fills it."""
    junk = disk / "junk"
    with contextlib.suppress(OSError), junk.open("wb", buffering=0) as out:
        while True:
            out.write(b"x" * 512)
    return junk


# --- the notebook ---


def in_either(first: str) -> pytest.MarkDecorator:
    """Return a mark that runs a test in one language, and in the deep tests in the other language too."""
    deep = [pytest.param(other, marks=pytest.mark.deep) for other in LANGUAGES if other != first]
    return pytest.mark.parametrize("spoken", [first, *deep])


@in_either("en")
def test_failing_service_is_explained_in_the_panel(place: Any, page: Page, spoken: str) -> None:
    lesson(place, f"fails-{spoken}.ipynb", spoken)
    page.route("**/secant/api/lesson*", lambda route: route.fulfill(status=500, json={"message": "worn out"}))
    opened(page, f"fails-{spoken}.ipynb")
    assert "could not check the notebook (worn out)" in said(page)
    page.unroute_all()
    page.locator(".secant-check >> visible=true").click()
    # The first check waits for the worker, which imports torch.
    expect(verdict(page, FIRST)).to_have_text({"en": "Passed", "ko": "통과"}[spoken], timeout=90_000)
    over(page)
    assert said(page) == ""


def test_check_survives_copied_deleted_and_reordered_cells(place: Any, page: Page) -> None:
    path = lesson(place, "cells.ipynb")
    opened(page, path.name)
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
    assert "no longer in the notebook" in said(page)


def test_requested_hints_are_shown_again_after_reopening(place: Any, page: Page) -> None:
    nbformat.write(tasks_alone({}, "en"), place.folder / "hints.ipynb")
    opened(page, "hints.ipynb")
    shown = page.locator('.secant-panel[data-notebook="hints.ipynb"]')
    shown.wait_for(state="attached")
    row = page.locator(f".secant-row[data-task={SECOND}]")
    row.get_by_role("button", name="Hint 1").click()
    first = row.locator("section")
    expect(first.locator("p")).not_to_be_empty()  # the heading appears before the text
    words = first.inner_text()
    page.evaluate(lab.DISPOSE)
    opened(page, "hints.ipynb")
    shown.wait_for(state="attached")
    expect(first).to_have_count(1)
    expect(first).to_have_text(re.sub(r"\s+", " ", words), use_inner_text=True)
    assert row.get_by_role("button", name="Hint 1").count() == 0


# --- two at once ---


def test_lesson_open_in_two_tabs_and_as_a_copy_is_checked(place: Any, page: Page) -> None:
    path = lesson(place, "tabs.ipynb")
    opened(page, path.name)
    check(page)
    other = page.context.new_page()
    other.set_default_timeout(30_000)
    other.goto(f"{place.address}/lab?reset")
    # JupyterLab removes `reset` from its address once it has dropped the earlier layout.
    other.wait_for_function("() => window.jupyterapp !== undefined && !location.search.includes('reset')")
    opened(other, path.name)
    before = path.stat().st_mtime_ns
    check(other)
    assert path.stat().st_mtime_ns == before  # there was nothing to save

    page.evaluate(WRITE, [FIRST, ENDLESS])
    page.locator(".secant-check >> visible=true").click()
    expect(verdict(page, SECOND)).to_have_text("Passed")
    lesson(place, "copy.ipynb")
    other.evaluate("() => window.jupyterapp.shell.currentWidget.context.revert()")
    check(other)
    assert "already being checked" in said(other)
    opened(other, "copy.ipynb")
    check(other)
    expect(verdict(other, FIRST)).to_have_text("Passed")
    page.get_by_role("button", name="Stop", exact=True).click()
    over(page)

    page.evaluate(WRITE, [FIRST, WRONG])
    check(page)
    other.evaluate(lab.DISPOSE)
    check(other)
    assert "changed elsewhere" in said(other)
    assert page.locator(".jp-Dialog").count() == other.locator(".jp-Dialog").count() == 0
    assert answer_on_disk(path) == WRONG
    other.close()


# --- the disk ---


@in_either("ko")
def test_unwritable_notebook_is_explained_in_the_panel(place: Any, page: Page, spoken: str) -> None:
    folder = place.folder / f"closed-{spoken}"
    folder.mkdir()
    path = lesson(place, f"closed-{spoken}/lesson.ipynb", spoken)
    path.chmod(0o444)
    folder.chmod(0o555)
    opened(page, f"closed-{spoken}/lesson.ipynb")
    page.evaluate(WRITE, [FIRST, WRONG])
    check(page)
    assert {"en": "is not writable", "ko": "쓰기 권한이 없어"}[spoken] in said(page)
    assert answer_on_disk(path) == SOLUTIONS[FIRST]
    dismiss(page)
    folder.chmod(0o755)
    path.chmod(0o644)
    check(page)
    assert answer_on_disk(path) == WRONG


@in_either("ko")
def test_full_disk_is_reported_in_the_panel(place: Any, page: Page, spoken: str) -> None:
    path = disk(place) / "lesson.ipynb"
    nbformat.write(place.solved[spoken], path)
    opened(page, "full/lesson.ipynb")
    check(page)
    junk = fill(path.parent)
    page.evaluate(WRITE, [FIRST, WRONG])
    check(page)
    assert {"en": "disk is full", "ko": "디스크가 가득 차서"}[spoken] in said(page)
    assert answer_on_disk(path) == SOLUTIONS[FIRST]
    dismiss(page)
    junk.unlink()
    check(page)
    assert answer_on_disk(path) == WRONG
    assert said(page) == ""


def test_full_disk_does_not_damage_progress(place: Any, page: Page) -> None:
    lesson(place, "kept.ipynb")
    opened(page, "kept.ipynb")
    check(page)
    progress = disk(place) / "data" / "progress.json"
    before = progress.read_bytes()
    junk = fill(disk(place))
    page.evaluate(WRITE, [FIRST, WRONG])
    check(page)
    expect(verdict(page, FIRST)).to_have_text("Wrong")
    assert "No space left on device" in said(page)
    assert progress.read_bytes() == before
    page.evaluate(lab.DISPOSE)
    opened(page, "kept.ipynb")
    expect(verdict(page, FIRST)).to_have_text("Passed")  # the last verdict that could be saved
    assert page.locator(".secant-row[data-stale]").get_attribute("data-task") == FIRST
    junk.unlink()
    check(page)
    assert said(page) == ""
    assert json.loads(progress.read_bytes())["lessons"][LESSON][FIRST]["outcome"] == "wrong"


# --- processes ---


def test_an_endless_loop_is_stopped_at_once_and_the_next_check_is_warm(place: Any, page: Page) -> None:
    lesson(place, "endless.ipynb")
    opened(page, "endless.ipynb")
    running = worker(place)
    page.evaluate(WRITE, [FIRST, BURNING])
    page.locator(".secant-check >> visible=true").click()
    expect(verdict(page, SECOND)).to_have_text("Passed")
    started = time.monotonic()
    page.get_by_role("button", name="Stop", exact=True).click()
    over(page)
    took = time.monotonic() - started
    assert took < 3  # seconds, on a machine that runs other tests too
    assert "Stopped" in said(page)
    expect(verdict(page, SECOND)).to_have_text("Passed")
    page.evaluate(WRITE, [FIRST, SOLUTIONS[FIRST]])
    check(page)
    expect(verdict(page, FIRST)).to_have_text("Passed")
    assert worker(place) == running


def test_a_worker_that_is_killed_in_mid_check_comes_back(place: Any, page: Page) -> None:
    lesson(place, "killed.ipynb")
    opened(page, "killed.ipynb")
    page.evaluate(WRITE, [FIRST, ENDLESS])
    page.locator(".secant-check >> visible=true").click()
    expect(verdict(page, SECOND)).to_have_text("Passed")
    os.kill(worker(place), signal.SIGKILL)
    over(page)
    assert "process that checks has ended" in said(page)
    page.evaluate(WRITE, [FIRST, SOLUTIONS[FIRST]])
    check(page)
    expect(verdict(page, FIRST)).to_have_text("Passed")


def test_kernel_restart_during_a_drag_leaves_no_error(place: Any, page: Page) -> None:
    lab.write_notebook(place.folder / "drag.ipynb", ["from secant import explore\nexplore()"])
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.evaluate(lab.RUN_ALL, "drag.ipynb")
    handle = lab.slider(page, 0)
    lab.wait_until_still(handle, 0.3)
    way = lab.box(lab.track(handle))
    middle = way["y"] + way["height"] / 2
    handle.hover()
    page.mouse.down()
    page.mouse.move(way["x"] + 0.3 * way["width"], middle)
    restart = "() => window.jupyterapp.shell.currentWidget.sessionContext.restartKernel()"
    page.evaluate(restart)
    for part in range(30, 70):
        page.mouse.move(way["x"] + part / 100 * way["width"], middle)
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
    place: Any, page: Page, width: int, height: int
) -> None:
    lesson(place, "small.ipynb")
    # Opened in a wide window, because a narrow toolbar moves buttons that do not fit into a menu.
    opened(page, "small.ipynb")
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate(DO, "secant:check")
    over(page)
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


def test_open_page_reconnects_to_a_restarted_server(place: Any, page: Page, server: Any) -> None:
    """This test comes last, because it stops the server."""
    path = lesson(place, "anew.ipynb")
    opened(page, path.name)
    page.evaluate(WRITE, [FIRST, ENDLESS])
    page.locator(".secant-check >> visible=true").click()
    expect(verdict(page, SECOND)).to_have_text("Passed")
    dialog = page.locator(".jp-Dialog")  # from here on, JupyterLab may report the lost server at any time
    page.add_locator_handler(dialog, lambda: dismiss(page))
    server.close()
    over(page)
    assert "server does not answer" in said(page)
    page.evaluate(WRITE, [FIRST, WRONG])
    check(page)
    assert "server does not answer" in said(page)
    # Without its cookie secret, the new server rejects the page's cookie, like one on another machine.
    for secret in (place.home / "runtime").glob("*cookie_secret"):
        secret.unlink()
    server.enter_context(serve(place, "second", port=place.port))
    check(page)
    assert "does not recognise this page" in said(page)
    page.request.get(f"{place.address}/lab?token=second")  # as another tab does at the new address
    check(page)
    expect(verdict(page, FIRST)).to_have_text("Wrong")
    assert answer_on_disk(path) == WRONG
    page.remove_locator_handler(dialog)
