"""A count of the printed lines that arrive in a notebook while its explorer is in use."""

import re
from pathlib import Path

from playwright.sync_api import Page

from tests.support import jupyterlab as lab

LINES = 1000  # lines that each cell prints
EXPLORER = "from secant import explore\nexplore()"
PRINTING = f"""import time
for line in range({LINES}):
    print("line", line)
    if line % 10 == 0:
        time.sleep(0.004)"""
BEGIN = """async (path) => {
  const { commands } = window.jupyterapp;
  await window.jupyterapp.restored;
  document.body.dispatchEvent(new Event('pointerdown', {bubbles: true}));  // who opens something has acted
  const { content, context } = await commands.execute('docmanager:open', {path, factory: 'Notebook'});
  await context.sessionContext.ready;
  window.jupyterapp.shell.activateById(content.parent.id);
  content.activeCellIndex = 0;
  await commands.execute('notebook:run-cell');
}"""
PRINT = """() => {
  window.printed = false;
  window.jupyterapp.shell.currentWidget.content.activeCellIndex = 1;
  window.jupyterapp.commands.execute('notebook:run-all-below').then(() => { window.printed = true; });
}"""
STDOUT = """() => [...window.jupyterapp.shell.currentWidget.content.model.cells].map(
  cell => cell.toJSON().outputs.filter(output => output.name === 'stdout')
    .map(output => [output.text].flat().join('')).join(''))"""


def count_arriving_lines(page: Page, address: str, root: Path, path: str, cells: int) -> int:
    """Return how many printed lines stand, in order, below the cells that printed them.

    A new kernel runs the cells. Before and while they print, the explorer is played, its slider is dragged,
    and its questions are opened.

    Args:
        page: a page with JupyterLab in which no document is open.
        address: the address of JupyterLab's server.
        root: the server's root folder.
        path: the path of the notebook to write, below the root folder.
        cells: the number of cells that print.
    """
    lab.write_notebook(root / path, [EXPLORER, *[PRINTING] * cells])
    try:
        page.evaluate(BEGIN, path)
        page.locator(".secant-explorer img[src]").first.wait_for(timeout=60_000)
        lab.wait_until_still(page.locator(".secant-explorer").first, 0.3)
        # Until ipykernel has replied to a widget once, it replies in the thread that runs the cells.
        for turn in range(2):
            _move(page, turn)
        page.evaluate(PRINT)
        while not page.evaluate("() => window.printed"):
            turn += 1
            _move(page, turn)
        return sum(_count_in_order(text) for text in page.evaluate(STDOUT))
    finally:
        page.evaluate(lab.DISPOSE)
        lab.shut_down(address, path)


def _move(page: Page, turn: int) -> None:
    """Press the explorer's play button, drag one of its sliders, and open one of its questions."""
    explorer = page.locator(".secant-explorer").first
    explorer.locator(".widget-toggle-button").first.click()
    page.wait_for_timeout(300)
    lab.drag(page, explorer.locator(".noUi-handle").nth(turn % 2), (0.2, 0.7)[turn // 2 % 2], steps=15)
    questions = explorer.get_by_role("button", name=re.compile(r"^\d$"))
    questions.nth(turn % questions.count()).click()


def _count_in_order(text: str) -> int:
    """Return the number of numbered lines in a text, or 0 if they are out of order or repeated."""
    numbers = [int(number) for number in re.findall(r"^line (\d+)$", text, re.MULTILINE)]
    return len(numbers) if numbers == sorted(set(numbers)) else 0
