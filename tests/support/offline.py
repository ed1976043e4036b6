"""A learner's session without a network, with `secant lab`, a browser and a lesson.

    bwrap --dev-bind / / --unshare-net python -m tests.support.offline FOLDER

This command prints, as JSON, the addresses that the browser requested, the requests that failed, the
addresses that Python processes connected to, and the texts that the lesson showed.
"""

import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from playwright.sync_api import Page
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from tests.support import jupyterlab as lab

LESSON = "01_what_autograd_does/01_what_autograd_does.ipynb"
# Code that runs at the start of every Python process (the server, kernels and checks).
AUDIT = """
import os, sys
def audit(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        where = arguments[0] if event == "socket.getaddrinfo" else arguments[1]
        with open(os.environ["AUDIT"], "a") as file:
            print(event, where, file=file)
sys.addaudithook(audit)
"""


CHECK = """async (path) => {
  const root = JSON.parse(document.getElementById('jupyter-config-data').textContent).baseUrl;
  const mark = document.cookie.match(/_xsrf=([^;]*)/)[1];
  const answer = await fetch(`${root}secant/api/check`, {
    method: 'POST',
    headers: {'Content-Type': 'application/json', 'X-XSRFToken': mark},
    body: JSON.stringify({path, task: null}),
  });
  return (await answer.text()).trim().split('\\n').map(line => JSON.parse(line));
}"""


def is_offline() -> bool:
    """Return whether this machine has no route to the Internet, tried with a test address of RFC 5737."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return True
    return False


@contextlib.contextmanager
def lab_server(folder: Path) -> Iterator[str]:
    """Start `secant lab` with a separate home inside a folder; yield the address that it prints."""
    home, site, log = folder / "home", folder / "site", folder / "log.txt"
    for directory in (home, site):
        directory.mkdir()
    (site / "sitecustomize.py").write_text(AUDIT)
    path = os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH")]))
    variables = {
        "HOME": str(home),
        "PYTHONPATH": path,
        "AUDIT": str(folder / "audit.txt"),
        "SECANT_DATA": str(home),
    }
    command = [sys.executable, "-m", "secant", "lab", "--no-browser", "--workspace", str(folder / "work")]
    with log.open("w") as out:
        server = subprocess.Popen(
            [*command, "--LabApp.expose_app_in_browser=True"],
            env=os.environ | variables,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
        )
    try:
        yield address(server, log)
    finally:
        server.terminate()  # SIGINT would not work: a shell's background processes ignore it
        server.wait(30)


def address(server: "subprocess.Popen[Any]", log: Path) -> str:
    """Wait until the server listens at the address in its log, and return that address."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and server.poll() is None:
        if match := re.search(r"http://127\.0\.0\.1:(\d+)/\S+token=\w+", log.read_text()):
            with socket.socket() as client:
                if client.connect_ex(("127.0.0.1", int(match[1]))) == 0:
                    return match[0]
        time.sleep(0.05)
    raise RuntimeError(f"JupyterLab did not start:\n{log.read_text()}")


SHOW = """() => {
  const { shell } = window.jupyterapp;
  const panel = [...shell.widgets('main')].find(widget => widget.content?.widgets);
  shell.activateById(panel.id);  // the start page may have come to the front meanwhile
  const notebook = panel.content;
  const number = notebook.widgets.findIndex(cell => /^explore/m.test(cell.model.sharedModel.getSource()));
  notebook.activeCellIndex = number;
  return notebook.scrollToItem(number, 'center');
}"""


def use_lesson(page: Page) -> dict[str, Any]:
    """Run a notebook, move a slider of its first explorer, check its answers, and return what was seen."""
    page.evaluate(lab.RUN_ALL, LESSON)
    explorer = page.locator(".secant-explorer").first
    picture = explorer.locator("img, canvas").first
    picture.wait_for(state="attached", timeout=120_000)
    for _ in range(30):  # while cells run, JupyterLab scrolls to the last one and hides distant cells
        page.evaluate(SHOW)
        with contextlib.suppress(PlaywrightTimeout):
            picture.wait_for(timeout=2_000)
            break
    words = explorer.locator(".secant-words")
    lab.wait_until_still(explorer, 0.5)
    before = words.inner_text()
    lab.drag(page, explorer.locator(".noUi-handle").first, 0.3)
    page.wait_for_function("([e, old]) => e.innerText !== old", arg=[words.element_handle(), before])
    formulas = page.locator("mjx-container").count()
    events = page.evaluate(CHECK, LESSON) if find_spec("autograder.service") else None
    return {"formulas": formulas, "before": before, "after": words.inner_text(), "checked": events}


def session(folder: Path) -> dict[str, Any]:
    """Run one session from start to end, and return the observations that the module's docstring lists."""
    requested: list[str] = []
    failures: list[str] = []
    with lab_server(folder) as url, lab.chromium() as browser:
        context = browser.new_context(locale="en-US", viewport={"width": 1280, "height": 900})
        context.on("request", lambda request: requested.append(request.url))
        context.on("requestfailed", lambda request: failures.append(f"{request.url} {request.failure}"))
        context.on(
            "response",
            lambda response: (
                failures.append(f"{response.url} {response.status}") if response.status >= 400 else None
            ),
        )
        page = context.new_page()
        page.on("websocket", lambda websocket: requested.append(websocket.url))
        page.goto(url)
        page.wait_for_function("() => window.jupyterapp !== undefined", timeout=60_000)
        observations = use_lesson(page)
        page.screenshot(path=folder / "page.png")
        context.close()
    audit_lines = Path(folder, "audit.txt").read_text().splitlines()
    return {
        "address": url,
        "asked": requested,
        "failed": failures,
        "called": audit_lines,
        "seen": observations,
    }


if __name__ == "__main__":
    print(json.dumps({"cut off": is_offline(), **session(Path(sys.argv[1]))}))
