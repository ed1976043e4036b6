"""JupyterLab in headless Chromium: started, driven as a hand would, and always shut down again."""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from unittest import mock

import nbformat
from playwright.sync_api import Browser, Locator, Page, Playwright, sync_playwright

CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
ROOT = Path(__file__).parents[2]
SERVER_FLAGS = [
    "--no-browser",
    "--ServerApp.ip=127.0.0.1",
    "--IdentityProvider.token=",
    "--ServerApp.disable_check_xsrf=True",
    "--ServerApp.allow_root=True",
    "--LabApp.expose_app_in_browser=True",
    "--LanguageServerManager.autodetect=False",  # which starts npm
    # The extension as it stands here, not as it was installed.
    f"--LabServerApp.extra_labextensions_path={ROOT / 'secant' / 'lab' / 'labextensions'}",
]
RUN_ALL = """async (path) => {
  const app = window.jupyterapp;
  await app.restored;
  document.body.dispatchEvent(new Event('pointerdown', {bubbles: true}));  // who opens something has acted
  const panel = await app.commands.execute('docmanager:open', {path, factory: 'Notebook'});
  await panel.context.ready;
  await panel.sessionContext.ready;
  app.shell.activateById(panel.id);
  await app.commands.execute('notebook:run-all-cells');
}"""
OPEN = """async (path) => {
  const app = window.jupyterapp;
  await app.restored;
  const notebook = await app.commands.execute('docmanager:open',
    {path, factory: 'Notebook', kernelPreference: {shouldStart: false, canStart: false}});  // none is needed
  await notebook.context.ready;
}"""
DISPOSE = "() => window.jupyterapp.shell.currentWidget.dispose()"  # closing it would ask whether to save


def chromium_path() -> str | None:
    """Return where the system's Chromium or Chrome is, if there is one.

    First the one without windows, as Playwright does it: the same engine, and pages cost up to a third less.
    """
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    return next((found for name in names if (found := shutil.which(name))), None)


def firefox_path() -> str | None:
    """Return the path of the system's Firefox, or None if it has none."""
    return shutil.which("firefox-esr") or shutil.which("firefox")


@contextlib.contextmanager
def playwright() -> Iterator[Playwright]:
    """Start Playwright so that it can launch the system's Firefox, too: see `firefox.cjs`."""
    script = Path(__file__).with_name("firefox.cjs")
    with mock.patch.dict(os.environ, NODE_OPTIONS=f'--require "{script}"'):
        started = sync_playwright().start()
    try:
        yield started
    finally:
        started.stop()


def launch_chromium(started: Playwright) -> Browser:
    """Launch a headless Chromium that contacts no server by itself."""
    return started.chromium.launch(executable_path=chromium_path(), args=CHROMIUM_FLAGS)


def launch_firefox(started: Playwright) -> Browser:
    """Launch the system's Firefox, headless; Playwright drives it by WebDriver BiDi."""
    return started.firefox.launch(channel="moz-firefox", executable_path=firefox_path())


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """Start a headless Chromium with a Playwright that is for it alone."""
    with playwright() as started, launch_chromium(started) as browser:
        yield browser


@contextlib.contextmanager
def jupyterlab(
    directory: Path,
    *,
    language: str = "en",
    dark: bool = False,
    kernels: Path | None = None,
    program: str = "jupyterlab",
    flags: Sequence[str] = (),
    wrapped: Sequence[str] = (),
    home: Path | None = None,
    port: int | None = None,
) -> Iterator[str]:
    """Serve a directory with a JupyterLab of its own settings and yield its address.

    Args:
        directory: what it shows.
        language: of what the kernels say.
        dark: the theme.
        kernels: a data folder with more kernels, as in JUPYTER_PATH.
        program: the module that is run: jupyterlab or notebook.
        flags: more words for its command line.
        wrapped: what its command line begins with, as `bwrap`.
        home: a folder for its settings and what it remembers, if not one of its own.
        port: where it listens, if not anywhere.

    Raises:
        RuntimeError: if the server does not answer within a minute; the message ends with its log.
    """
    with tempfile.TemporaryDirectory(prefix="secant-lab-") as own, socket.socket() as free:
        free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server does it
        free.bind(("127.0.0.1", port or 0))
        port = free.getsockname()[1]
        free.close()
        home = home or Path(own)
        log = home / "server.log"
        said = {flag.partition("=")[0] for flag in flags}
        usual = [flag for flag in SERVER_FLAGS if flag.partition("=")[0] not in said]
        with log.open("w") as out:
            server = subprocess.Popen(
                [*wrapped, sys.executable, "-m", program, *usual, f"--ServerApp.port={port}", *flags],
                cwd=directory,
                env=_environment(home, language, dark, kernels),
                stdout=out,
                stderr=out,
                start_new_session=True,
            )
        try:
            address = f"http://127.0.0.1:{port}"
            _wait_until_ready(server, address, log)
            yield address
        finally:
            _stop(server)


def _environment(home: Path, language: str, dark: bool, kernels: Path | None) -> dict[str, str]:
    places = {
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "runtime",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "IPYTHONDIR": "ipython",
    }
    settings = home / "settings" / "@jupyterlab" / "apputils-extension"
    settings.mkdir(parents=True, exist_ok=True)
    theme = {"theme": "JupyterLab Dark" if dark else "JupyterLab Light"}
    settings.joinpath("themes.jupyterlab-settings").write_text(json.dumps(theme))
    silent = {"fetchNews": "false", "checkForUpdates": False}  # neither asks nor looks for news
    settings.joinpath("notification.jupyterlab-settings").write_text(json.dumps(silent))
    own = {name: str(home / place) for name, place in places.items()}
    more = {"JUPYTER_PATH": str(kernels)} if kernels else {}
    return {**os.environ, **own, **more, "SECANT_LANG": language}


def _wait_until_ready(server: subprocess.Popen[bytes], address: str, log: Path) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and server.poll() is None:
        with contextlib.suppress(urllib.error.URLError, OSError):
            urllib.request.urlopen(f"{address}/api", timeout=2).close()
            return
        time.sleep(0.1)
    raise RuntimeError(f"JupyterLab did not start:\n{log.read_text()[-2000:]}")


def _stop(server: subprocess.Popen[bytes]) -> None:
    """End the server, which ends its kernels; then whatever is left of its session."""
    server.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        server.wait(15)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(server.pid, signal.SIGKILL)
    server.wait()


def write_notebook(path: Path, cells: Sequence[str]) -> None:
    """Write code cells as a notebook for the python3 kernel."""
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(source) for source in cells],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
    )
    nbformat.write(notebook, path)


@contextlib.contextmanager
def run_notebook(browser: Browser, address: str, path: str, **window: Any) -> Iterator[Page]:
    """Open a notebook in a fresh page and run all its cells; see `open_lab` and `running`."""
    with open_lab(browser, address, **window) as page:
        try:
            page.evaluate(RUN_ALL, path)
            yield page
        finally:
            page.close()  # first, or it would start the kernel again
            shut_down(address, path)


@contextlib.contextmanager
def open_lab(
    browser: Browser,
    address: str,
    *,
    density: float = 1,
    width: int = 1280,
    height: int = 800,
    asked: list[str] | None = None,
) -> Iterator[Page]:
    """Open JupyterLab in a fresh page, with no notebook yet.

    Every address that the page asks for is added to `asked`, which slows the page down.
    """
    context = browser.new_context(
        viewport={"width": width, "height": height}, device_scale_factor=density, locale="en-US"
    )
    try:
        page = context.new_page()
        if asked is not None:
            page.on("request", lambda request: asked.append(request.url))
            page.on("websocket", lambda websocket: asked.append(websocket.url))
        page.goto(f"{address}/lab?reset")  # without what the page before had open
        page.wait_for_function("() => window.jupyterapp !== undefined", timeout=60_000)
        yield page
    finally:
        context.close()


@contextlib.contextmanager
def running(page: Page, address: str, path: str) -> Iterator[None]:
    """Open a notebook (its path below the server's root) and run all its cells.

    At the end it is closed and its kernel shut down.
    """
    page.evaluate(RUN_ALL, path)
    try:
        yield
    finally:
        page.evaluate(DISPOSE)
        shut_down(address, path)


def sessions(address: str) -> list[dict[str, Any]]:
    """Return what the server runs: a session for each notebook, with its kernel."""
    with urllib.request.urlopen(f"{address}/api/sessions", timeout=30) as answer:
        return json.load(answer)


def shut_down(address: str, path: str) -> None:
    """End the kernel of a notebook, if it has one."""
    for session in sessions(address):
        if session["path"] == path:
            request = urllib.request.Request(f"{address}/api/sessions/{session['id']}", method="DELETE")
            urllib.request.urlopen(request, timeout=30).close()


def wait_until_still(place: Locator, seconds: float = 1) -> None:
    """Wait until something on the page keeps its place and size for a while: all above it is then drawn."""
    place.scroll_into_view_if_needed()
    before: dict[str, Any] = {}
    while before != (before := box(place)):
        time.sleep(seconds)


def row(page: Page, task: str) -> Locator:
    """Return a task's row in the panel."""
    return page.locator(f".secant-row[data-task={task}]")


def slider(page: Page, number: int) -> Locator:
    """Return the handle of the page's slider with that number, from 0, scrolled into view."""
    handle = page.locator(".widget-slider .noUi-handle").nth(number)
    handle.wait_for(timeout=60_000)
    handle.scroll_into_view_if_needed()
    return handle


def track(handle: Locator) -> Locator:
    """Return what a slider's handle runs on."""
    return handle.locator("xpath=ancestor::*[contains(@class, 'noUi-base')]")


def box(place: Locator) -> dict[str, Any]:
    """Return x, y, width and height on the page, in its pixels.

    Raises:
        RuntimeError: if it is not on the page.
    """
    found = place.bounding_box()
    if found is None:
        raise RuntimeError(f"not on the page: {place}")
    return dict(found)


def drag(page: Page, handle: Locator, to: float, *, steps: int = 20, hertz: float = 60) -> None:
    """Drag a slider's handle with the mouse to a fraction of its track, so many mouse moves a second."""
    handle.hover()  # waits until the page has come to rest there
    place, way = box(handle), box(track(handle))
    x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    end = way["x"] + to * way["width"]
    page.mouse.move(x, y)
    page.mouse.down()
    start = time.perf_counter()
    for step in range(1, steps + 1):
        page.mouse.move(x + (end - x) * step / steps, y)
        time.sleep(max(0.0, start + step / hertz - time.perf_counter()))
    page.mouse.up()
