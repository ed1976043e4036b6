"""JupyterLab and a headless browser, which tests drive as a user would and then shut down."""

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
    "--LanguageServerManager.autodetect=False",  # would start npm to find language servers
    # Load the extension from the repository and not from where it was installed.
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
    """Return the path of the system's Chromium or Chrome, or None if it has none.

    The headless shell is preferred, as in Playwright: it has the same engine, and pages cost up to a third
    less processor time.
    """
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    return next((path for name in names if (path := shutil.which(name))), None)


def firefox_path() -> str | None:
    """Return the path of the system's Firefox, or None if it has none."""
    return shutil.which("firefox-esr") or shutil.which("firefox")


@contextlib.contextmanager
def playwright() -> Iterator[Playwright]:
    """Start Playwright so that it can launch the system's Firefox, too: see `firefox.cjs`."""
    script = Path(__file__).with_name("firefox.cjs")
    with mock.patch.dict(os.environ, NODE_OPTIONS=f'--require "{script}"'):
        driver = sync_playwright().start()
    try:
        yield driver
    finally:
        driver.stop()


def launch_chromium(driver: Playwright) -> Browser:
    """Launch a headless Chromium that contacts no server by itself."""
    return driver.chromium.launch(executable_path=chromium_path(), args=CHROMIUM_FLAGS)


def launch_firefox(driver: Playwright) -> Browser:
    """Launch the system's Firefox without a window; Playwright drives it with WebDriver BiDi."""
    return driver.firefox.launch(channel="moz-firefox", executable_path=firefox_path())


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """Start a headless Chromium and a Playwright that drives only this browser."""
    with playwright() as driver, launch_chromium(driver) as browser:
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
    wrapper: Sequence[str] = (),
    home: Path | None = None,
    port: int | None = None,
) -> Iterator[str]:
    """Serve a directory with a JupyterLab that has separate settings, and yield its address.

    Args:
        directory: the directory that JupyterLab shows.
        language: the language of Secant's texts in the kernels.
        dark: whether to use the dark theme.
        kernels: a folder with further kernel specifications, to be put on JUPYTER_PATH.
        program: the module to run: jupyterlab or notebook.
        flags: further arguments for the server.
        wrapper: a command that runs the server, such as `bwrap` with its arguments.
        home: the folder for the server's settings and state; by default a temporary one.
        port: the port to listen on; by default a free one.

    Raises:
        RuntimeError: if the server does not answer within a minute; the message ends with its log.
    """
    with tempfile.TemporaryDirectory(prefix="secant-lab-") as temporary_home, socket.socket() as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # the same option as in Jupyter's server
        sock.bind(("127.0.0.1", port or 0))
        port = sock.getsockname()[1]
        sock.close()
        home = home or Path(temporary_home)
        log = home / "server.log"
        overridden = {flag.partition("=")[0] for flag in flags}
        defaults = [flag for flag in SERVER_FLAGS if flag.partition("=")[0] not in overridden]
        with log.open("w") as out:
            server = subprocess.Popen(
                [*wrapper, sys.executable, "-m", program, *defaults, f"--ServerApp.port={port}", *flags],
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
    folders = {
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
    # With these settings, JupyterLab neither requests news nor shows a dialog about them.
    notifications = {"fetchNews": "false", "checkForUpdates": False}
    settings.joinpath("notification.jupyterlab-settings").write_text(json.dumps(notifications))
    variables = {name: str(home / folder) for name, folder in folders.items()}
    extra = {"JUPYTER_PATH": str(kernels)} if kernels else {}
    return {**os.environ, **variables, **extra, "SECANT_LANG": language}


def _wait_until_ready(server: subprocess.Popen[bytes], address: str, log: Path) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and server.poll() is None:
        with contextlib.suppress(urllib.error.URLError, OSError):
            urllib.request.urlopen(f"{address}/api", timeout=2).close()
            return
        time.sleep(0.1)
    raise RuntimeError(f"JupyterLab did not start:\n{log.read_text()[-2000:]}")


def _stop(server: subprocess.Popen[bytes]) -> None:
    """Stop the server, which stops its kernels, and then kill the remaining processes of its session."""
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
            page.close()  # closed first, because an open page would start the kernel again
            shut_down(address, path)


@contextlib.contextmanager
def open_lab(
    browser: Browser,
    address: str,
    *,
    density: float = 1,
    width: int = 1280,
    height: int = 800,
    requested: list[str] | None = None,
) -> Iterator[Page]:
    """Open JupyterLab in a fresh page, without a notebook.

    Every address that the page requests is added to `requested` if it is given; that slows the page down.
    """
    context = browser.new_context(
        viewport={"width": width, "height": height}, device_scale_factor=density, locale="en-US"
    )
    try:
        page = context.new_page()
        if requested is not None:
            page.on("request", lambda request: requested.append(request.url))
            page.on("websocket", lambda websocket: requested.append(websocket.url))
        page.goto(f"{address}/lab?reset")  # without the documents that an earlier page had open
        page.wait_for_function("() => window.jupyterapp !== undefined", timeout=60_000)
        yield page
    finally:
        context.close()


@contextlib.contextmanager
def running(page: Page, address: str, path: str) -> Iterator[None]:
    """Open a notebook and run all its cells; at the end, close it and shut down its kernel.

    Args:
        page: a page that shows JupyterLab.
        address: the server's address.
        path: the notebook's path below the server's root.
    """
    page.evaluate(RUN_ALL, path)
    try:
        yield
    finally:
        page.evaluate(DISPOSE)
        shut_down(address, path)


def sessions(address: str) -> list[dict[str, Any]]:
    """Return the server's sessions, one with a kernel for each running notebook."""
    with urllib.request.urlopen(f"{address}/api/sessions", timeout=30) as answer:
        return json.load(answer)


def shut_down(address: str, path: str) -> None:
    """Shut down a notebook's kernel, if it has one."""
    for session in sessions(address):
        if session["path"] == path:
            request = urllib.request.Request(f"{address}/api/sessions/{session['id']}", method="DELETE")
            urllib.request.urlopen(request, timeout=30).close()


def wait_until_still(element: Locator, seconds: float = 1) -> None:
    """Wait until an element keeps its place and size for `seconds`: the page above it is then complete."""
    element.scroll_into_view_if_needed()
    before: dict[str, Any] = {}
    while before != (before := box(element)):
        time.sleep(seconds)


def row(page: Page, task: str) -> Locator:
    """Return the row of a task in Secant's panel."""
    return page.locator(f".secant-row[data-task={task}]")


def slider(page: Page, number: int) -> Locator:
    """Return the handle of a slider, scrolled into view; the page's sliders are numbered from 0."""
    handle = page.locator(".widget-slider .noUi-handle").nth(number)
    handle.wait_for(timeout=60_000)
    handle.scroll_into_view_if_needed()
    return handle


def track(handle: Locator) -> Locator:
    """Return the track on which a slider's handle moves."""
    return handle.locator("xpath=ancestor::*[contains(@class, 'noUi-base')]")


def box(element: Locator) -> dict[str, Any]:
    """Return x, y, width and height of an element on the page, in CSS pixels.

    Raises:
        RuntimeError: if the element is not on the page.
    """
    bounds = element.bounding_box()
    if bounds is None:
        raise RuntimeError(f"not on the page: {element}")
    return dict(bounds)


def drag(page: Page, handle: Locator, to: float, *, steps: int = 20, hertz: float = 60) -> None:
    """Drag a slider's handle with the mouse.

    Args:
        page: the page with the slider.
        handle: the slider's handle.
        to: the fraction of the track to drag to, from 0 to 1.
        steps: the number of mouse moves.
        hertz: the number of mouse moves per second.
    """
    handle.hover()  # waits until the handle no longer moves
    handle_box, track_box = box(handle), box(track(handle))
    x, y = handle_box["x"] + handle_box["width"] / 2, handle_box["y"] + handle_box["height"] / 2
    end = track_box["x"] + to * track_box["width"]
    page.mouse.move(x, y)
    page.mouse.down()
    start = time.perf_counter()
    for step in range(1, steps + 1):
        page.mouse.move(x + (end - x) * step / steps, y)
        time.sleep(max(0.0, start + step / hertz - time.perf_counter()))
    page.mouse.up()
