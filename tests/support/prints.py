"""A notebook whose cells print thousands of lines while a hand is on its explorer; the lines that arrive."""

import re
from pathlib import Path

from playwright.sync_api import Page

from tests.support import jupyterlab as lab

LINES = 1000  # of a cell
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


def lines_that_arrive(page: Page, address: str, place: Path, path: str, cells: int) -> int:
    """Return how many of the lines stand in the cells that printed them, in order.

    The explorer is played, dragged and sent to its questions before and meanwhile. The kernel is a new one.

    Args:
        page: JupyterLab's, with nothing open.
        address: its server's.
        place: its server's root.
        path: of the notebook to write, below that root.
        cells: how many print.
    """
    lab.write_notebook(place / path, [EXPLORER, *[PRINTING] * cells])
    try:
        page.evaluate(BEGIN, path)
        page.locator(".secant-explorer img[src]").first.wait_for(timeout=60_000)
        lab.wait_until_still(page.locator(".secant-explorer").first, 0.3)
        for turn in range(2):  # ipykernel answers a widget in the cells' thread until it has once answered it
            _move(page, turn)
        page.evaluate(PRINT)
        while not page.evaluate("() => window.printed"):
            turn += 1
            _move(page, turn)
        return sum(_in_order(text) for text in page.evaluate(STDOUT))
    finally:
        page.evaluate(lab.DISPOSE)
        lab.shut_down(address, path)


def _move(page: Page, turn: int) -> None:
    """Play, drag and go to a question."""
    explorer = page.locator(".secant-explorer").first
    explorer.locator(".widget-toggle-button").first.click()
    page.wait_for_timeout(300)
    lab.drag(page, explorer.locator(".noUi-handle").nth(turn % 2), (0.2, 0.7)[turn // 2 % 2], steps=15)
    questions = explorer.get_by_role("button", name=re.compile(r"^\d$"))
    questions.nth(turn % questions.count()).click()


def _in_order(text: str) -> int:
    """Return how many lines there are, or 0 for such as no cell has printed."""
    numbers = [int(number) for number in re.findall(r"^line (\d+)$", text, re.MULTILINE)]
    return len(numbers) if numbers == sorted(set(numbers)) else 0
