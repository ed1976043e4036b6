"""A driver of WebKit, Safari's engine, with Selenium in a separate virtual environment.

Selenium depends on trio, and importing trio changes how pytest reports exceptions. Therefore this file is
also the program that runs in the separate environment. It drives the pages and prints its observations as
JSON.
"""

import glob
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = ROOT / ".venv-webkit"
SELENIUM = "selenium==4.51.0"
DRIVER = "WebKitWebDriver"
MINUTES = 5

PAINTED = """
  const canvas = document.querySelector('.secant-picture canvas');
  if (!canvas?.width || !canvas.height) return false;
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  return data.some((value, i) => i % 4 === 3 && value > 0);"""
TEXT = "return document.querySelector(arguments[0])?.textContent"
CHANGED = "return document.querySelector(arguments[0])?.textContent !== arguments[1]"
READY = "return document.querySelector('figure.live .secant-picture img') !== null"


def missing_program() -> str:
    """Return a message about the packages that WebKit needs and that are not installed, or ""."""
    packages = {DRIVER: "webkit2gtk-driver", "xvfb-run": "xvfb"}
    missing = [package for program, package in packages.items() if shutil.which(program) is None]
    return f"WebKit is not installed (apt install {' '.join(missing)})" if missing else ""


def prepare() -> None:
    """Create the virtual environment with Selenium, unless it exists.

    Raises:
        subprocess.CalledProcessError: if pip fails.
    """
    marker = ENVIRONMENT / SELENIUM
    if marker.exists():
        return
    subprocess.run([sys.executable, "-m", "venv", "--clear", ENVIRONMENT], check=True)
    pip = [
        str(ENVIRONMENT / "bin" / "python"),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ]
    subprocess.run([*pip, SELENIUM], check=True, timeout=60 * MINUTES)
    marker.touch()


def drive(*words: str) -> dict[str, Any]:
    """Run this file in its virtual environment, on a virtual screen, and return the JSON that it printed.

    Raises:
        RuntimeError: if the program fails; the message is the end of its traceback.
    """
    prepare()
    screen = ["xvfb-run", "--auto-servernum", "--server-args=-screen 0 1400x1000x24"]
    command = [*screen, str(ENVIRONMENT / "bin" / "python"), __file__, *words]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60 * MINUTES)
    if result.returncode:
        raise RuntimeError(result.stderr[-2000:])
    printed: dict[str, Any] = json.loads(result.stdout.splitlines()[-1])
    return printed


class Page:
    """A window of WebKit's MiniBrowser."""

    def __init__(self) -> None:
        from selenium import webdriver
        from selenium.webdriver.webkitgtk.options import Options
        from selenium.webdriver.webkitgtk.service import Service

        options = Options()
        (options.binary_location,) = glob.glob("/usr/lib/*/webkit2gtk-4.1/MiniBrowser")
        options.add_argument("--automation")
        self.driver = webdriver.WebKitGTK(options=options, service=Service(shutil.which(DRIVER)))
        self.driver.set_script_timeout(180)
        self.driver.set_window_size(1300, 900)

    def run(self, script: str, *arguments: object) -> Any:
        """Run a script's text in the page and return its value."""
        return self.driver.execute_script(script, *arguments)

    def wait(self, script: str, *arguments: object, seconds: float = 180) -> Any:
        """Wait until a script returns something true, and return it."""
        deadline = time.monotonic() + seconds
        while not (value := self.run(script, *arguments)):
            if time.monotonic() > deadline:
                raise TimeoutError(script)
            time.sleep(0.1)
        return value

    def press(self, selector: str, key: str) -> None:
        """Focus an element and press a key."""
        element = self.run("const e = document.querySelector(arguments[0]); e.focus(); return e", selector)
        element.send_keys(key)

    def click(self, selector: str) -> None:
        """Click an element with the mouse, which counts as the user's gesture."""
        element = self.run(
            "const e = document.querySelector(arguments[0]); e.scrollIntoView({block: 'center'}); return e",
            selector,
        )
        element.click()


def static_page(page: Page, address: str) -> dict[str, Any]:
    """Open a static page, move its h slider and choose a prediction; return the observations."""
    from selenium.webdriver.common.keys import Keys

    page.driver.get(address)
    page.run("document.querySelector('figure[data-frames]').scrollIntoView()")
    page.wait(READY)
    time.sleep(0.5)
    painted = page.run(PAINTED)
    quotient = page.run(TEXT, ".live .secant-quotient")
    page.press("input[data-control=h]", Keys.ARROW_LEFT)
    time.sleep(0.5)
    moved = page.run(TEXT, ".live .secant-quotient") != quotient
    page.click("fieldset label:nth-of-type(1) input")
    answer = page.run(TEXT, "[data-answers]")
    return {"painted": painted, "moved": moved, "answer": answer}


def lesson(page: Page, address: str, notebook: str) -> dict[str, Any]:
    """Open JupyterLab's start page and a lesson; use the lesson's controls and return the observations.

    The lesson is run, a prediction is chosen, the explorer is moved and copied, and the answers are checked.
    """
    from selenium.webdriver.common.keys import Keys

    page.driver.get(f"{address}/lab?reset")
    page.wait("return window.jupyterapp !== undefined")
    start = "const done = arguments[arguments.length - 1]; const app = window.jupyterapp;"
    run_start_page = (
        f"{start} app.restored.then(() => app.commands.execute('secant:start')).then(() => done())"
    )
    page.driver.execute_async_script(run_start_page)
    page.wait("return document.querySelectorAll('.secant-card').length > 1")
    cards = page.run("return document.querySelectorAll('.secant-card').length")
    open_and_run = f"""{start}
      (async (path) => {{
        document.body.dispatchEvent(new Event('pointerdown', {{bubbles: true}}));
        const panel = await app.commands.execute('docmanager:open', {{path, factory: 'Notebook'}});
        await panel.context.ready;
        await panel.sessionContext.ready;
        app.shell.activateById(panel.id);
        await app.commands.execute('notebook:run-all-cells');
      }})(arguments[0]).then(() => done());"""
    page.driver.execute_async_script(open_and_run, notebook)
    page.wait("return document.querySelector('.secant-explorer img[src]') !== null")
    page.press(".secant-prediction input", Keys.ARROW_DOWN)
    page.wait("return /Your choice is/.test(document.querySelector('.secant-prediction').textContent)")
    prediction = page.run(TEXT, ".secant-prediction")
    page.run("document.querySelector('.secant-explorer').scrollIntoView({block: 'center'})")
    page.wait(PAINTED)
    quotient = page.run(TEXT, ".secant-explorer .secant-quotient")
    page.press(".secant-explorer .secant-picture", Keys.ARROW_DOWN)
    page.wait(CHANGED, ".secant-explorer .secant-quotient", quotient)
    page.click(".secant-explorer .secant-copy")
    copied = page.wait("return document.querySelector('.secant-explorer .secant-note').textContent")
    page.click(".jp-NotebookPanel .secant-check")
    page.wait(
        "return /points/.test(document.querySelector('.secant-total')?.textContent)"
        " && document.querySelector('.secant-panel').getAttribute('aria-busy') === 'false'"
    )
    total = page.run(TEXT, ".secant-total")
    return {"cards": cards, "prediction": prediction, "copied": copied, "total": total}


ACTIONS: dict[str, Callable[..., dict[str, Any]]] = {"static": static_page, "lesson": lesson}

if __name__ == "__main__":
    window = Page()
    try:
        print(json.dumps(ACTIONS[sys.argv[1]](window, *sys.argv[2:])))
    finally:
        window.driver.quit()
