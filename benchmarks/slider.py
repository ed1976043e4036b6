"""How a slider feels in JupyterLab: painted frames a second in a drag, and the wait from move to frame.

`python -m benchmarks.slider [--json FILE]` starts JupyterLab with headless Chromium and drags our explorer
and its peer, ipywidgets' `interact` with matplotlib's inline backend drawing the same picture, on the same
server, which is as quick as our extension makes it for both.
A frame counts when the page has decoded its image and has passed the paint that shows it.
"""

import argparse
import json
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page
from rich.console import Console
from rich.table import Table

from tests.support import jupyterlab as lab

STEPS, HERTZ = 200, 60  # of a drag
DRAGS = 3  # of which the middle one counts: a shared machine stumbles now and then
MOVES = 40  # single moves, each waited for
TRACK = (0.15, 0.85)  # the part of the slider's track that a drag covers


@dataclass(frozen=True)
class Contest:
    """One slider of ours against the same slider of a peer's, each in a notebook of the given cells."""

    name: str  # ends the figure's name; empty for the first and hardest
    ours: tuple[str, ...]
    peer: tuple[str, ...]
    peer_name: str
    slider: int  # its number on the page, from 0, in both notebooks


DRAW = """
%matplotlib inline
import matplotlib.pyplot as plt
import numpy as np
import torch
from ipywidgets import FloatSlider, interact
from secant.explorers.kit.difference import gradient, median_errors, quotient

def f(x):
    return torch.log(x**3)

steps = torch.logspace(-15, 0.5, 63, dtype=torch.float64)
grid = np.linspace(0.6, 9.4, 401)

def show(x, log_h):
    h = 10**log_h
    here = torch.tensor([x], dtype=torch.float64)
    slope, tangent = quotient(f, here, h).item(), gradient(f, here).item()
    height = f(here).item()
    near = torch.linspace(max(1.0, x - 1), min(9.0, x + 1), 201, dtype=torch.float64)

    fig, (left, right) = plt.subplots(1, 2, figsize=(9, 4))
    left.plot(grid, 3 * np.log(grid), "k")
    left.axline((x, height), slope=slope, color="tab:orange", lw=4)
    left.axline((x, height), slope=tangent, color="tab:blue", ls="--", lw=2)
    left.plot([x, x + h], [height, f(here + h).item()], "D", mfc="none", ms=11)
    left.plot([x], [height], "ko")
    left.set(xlabel="$x$", ylabel="$f(x)$", xlim=(0.6, 9.4), ylim=(-2.2, 7.4))
    left.grid(alpha=0.25)
    for dtype, mark in ((torch.float32, "s-."), (torch.float64, "o-")):
        errors = median_errors(f, near.to(dtype), steps)
        right.loglog(steps, errors, mark, markevery=4, label=str(dtype))
    right.axvline(h, color="k", ls=":")
    right.plot([h], [median_errors(f, near, torch.tensor([h], dtype=torch.float64)).item()], "ko", mfc="none")
    right.plot([h], [abs(slope - tangent)], "D")
    right.set(xlabel="$h$", ylabel="error", xlim=(10**-15.3, 10**0.8), ylim=(1e-18, 10))
    right.grid(alpha=0.25)
    plt.show()
    print(slope, tangent, abs(slope - tangent))
"""
INTERACT = """
interact(
    show,
    x=FloatSlider(value=5, min=1, max=9, step=0.01),
    log_h=FloatSlider(value=0.3, min=-15, max=0.5, step=0.05),
);
"""

OURS = ("from secant import explore", "explore()")

# The explorers of the other lessons: the peer draws their own figure from the same numbers.
OTHER_DRAW = """
%matplotlib inline
from IPython.display import display
from ipywidgets import FloatSlider, interact
from secant import {name}

explorer = {name}()
first = explorer.{first}
for control in (first, explorer.log_h):
    control.unobserve_all("value")

def show(x, log_h):
    first.value, explorer.log_h.value = x, log_h
    explorer.update()
    display(explorer.static_figure())
    print(explorer.words())
"""
OTHER_INTERACT = """
interact(
    show,
    x=FloatSlider(value=first.value, min=first.min, max=first.max, step=first.step),
    log_h=FloatSlider(value=0, min=-15, max=0.5, step=0.05),
);
"""


def _other(lesson: int, name: str, first: str = "x") -> Contest:
    """Return the contest of a lesson's explorer, whose first slider goes by that attribute."""
    ours = (f"from secant import {name}", f"{name}()")
    peer = (OTHER_DRAW.format(name=name, first=first), OTHER_INTERACT)
    return Contest(f" (lesson {lesson})", ours, peer, PEER, 0)


PEER = "interact + inline matplotlib"
CONTESTS = (
    Contest("", OURS, (DRAW, INTERACT), PEER, 0),
    Contest(" (h)", OURS, (DRAW, INTERACT), PEER, 1),
    _other(2, "explore_chain"),
    _other(3, "explore_buffer"),
    _other(4, "explore_paths"),
    _other(5, "explore_arrows", "first"),
    _other(6, "explore_cut"),
    _other(7, "explore_saved"),
    _other(8, "explore_backward"),
    _other(9, "explore_second"),
    _other(10, "explore_engine"),
)

# Written into the page: when the mouse moved and when a new picture of an output was painted.
WATCH = """() => {
  window.moves = []; window.frames_ = [];
  document.addEventListener('pointermove', e => window.moves.push(e.timeStamp), true);
  document.addEventListener('load', e => {
    const image = e.target;
    if (image.tagName !== 'IMG' || !image.closest('.jp-OutputArea')) return;
    image.decode().then(() => requestAnimationFrame(() => {
      const after = new MessageChannel();  // its message comes once this frame is painted
      after.port1.onmessage = () => window.frames_.push(performance.now());
      after.port2.postMessage(0);
    })).catch(() => {});  // replaced before it was shown: not a frame
  }, true);
}"""


def frames_per_second(page: Page, number: int) -> float:
    """Drag the slider over its track and return how many frames a second were painted meanwhile."""
    handle = lab.slider(page, number)
    lab.drag(page, handle, TRACK[0])
    _settle(page)
    page.evaluate("() => { moves.length = 0; frames_.length = 0; }")
    lab.drag(page, handle, TRACK[1], steps=STEPS, hertz=HERTZ)
    _settle(page)
    moves, frames = page.evaluate("[moves, frames_]")
    distinct = [b for a, b in zip([0.0, *frames], frames, strict=False) if b - a > 4]  # one paint counts once
    seconds: float = (max(distinct[-1], moves[-1]) - moves[0]) / 1000
    return len(distinct) / seconds


def latencies(page: Page, number: int) -> list[float]:
    """Move the slider a little, wait for its frame, and again. Returns each wait in milliseconds."""
    handle = lab.slider(page, number)
    lab.drag(page, handle, TRACK[0])
    _settle(page)
    box, track = lab.box(handle), lab.box(lab.track(handle))
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    waits = []
    for step in range(1, MOVES + 1):
        page.evaluate("() => { moves.length = 0; frames_.length = 0; }")
        page.mouse.move(x + (TRACK[1] - TRACK[0]) * track["width"] * step / MOVES, y)
        page.wait_for_function("frames_.length > 0", polling=50, timeout=10_000)
        waits.append(page.evaluate("frames_[0] - moves[0]"))
        time.sleep(0.05 + 0.013 * (step % 4))  # in no fixed rhythm with the screen
    page.mouse.up()
    return waits


def _settle(page: Page) -> None:
    """Wait until no frame has come for a while."""
    count = -1
    while count != (count := page.evaluate("frames_.length")):
        time.sleep(0.7)


def measure(
    browser: Browser, address: str, directory: Path, cells: tuple[str, ...], number: int
) -> tuple[float, float]:
    """Return frames a second, and the median latency in milliseconds, of a notebook's slider."""
    lab.write_notebook(directory / "slider.ipynb", cells)
    with lab.run_notebook(browser, address, "slider.ipynb") as page:
        lab.slider(page, number)
        picture = page.locator(".jp-OutputArea img").last
        picture.wait_for(timeout=60_000)
        # A browser paints what is in view. At once: interact may replace the picture while one waits.
        picture.evaluate("image => image.scrollIntoView({block: 'nearest'})")
        page.evaluate(WATCH)
        _settle(page)
        frames = statistics.median(frames_per_second(page, number) for _ in range(DRAGS))
        return frames, statistics.median(latencies(page, number))


def rows(contests: tuple[Contest, ...] = CONTESTS) -> list[dict[str, Any]]:
    """Run every contest on one server and return the benchmark's rows."""
    console = Console(stderr=True)
    found: list[dict[str, Any]] = []
    with (
        tempfile.TemporaryDirectory() as place,
        lab.jupyterlab(Path(place)) as address,
        lab.chromium() as browser,
    ):
        for contest in contests:
            results = []
            for who, cells in (("ours", contest.ours), (contest.peer_name, contest.peer)):
                console.print(f"slider{contest.name}: dragging {who} ...")
                results.append(measure(browser, address, Path(place), cells, contest.slider))
            (frames, latency), (peer_frames, peer_latency) = results
            console.print(f"{frames:.1f}, {peer_frames:.1f} frames/s; {latency:.0f}, {peer_latency:.0f} ms")
            found += [
                _row(f"slider frames{contest.name}", frames, contest.peer_name, peer_frames, "frames/s"),
                _row(f"slider latency{contest.name}", latency, contest.peer_name, peer_latency, "ms"),
            ]
    return found


def _row(figure: str, ours: float, peer: str, peer_value: float, unit: str) -> dict[str, Any]:
    ratio = peer_value / ours if unit == "ms" else ours / peer_value
    return {
        "figure": figure,
        "ours": round(ours, 1),
        "peer": peer,
        "peer_value": round(peer_value, 1),
        "ratio": round(ratio, 2),
        "unit": unit,
    }


def show(found: list[dict[str, Any]]) -> None:
    """Print the rows as a table."""
    table = Table("figure", "ours", "peer", "peer's", "times better", "unit")
    for row in found:
        keys = ("figure", "ours", "peer", "peer_value", "ratio", "unit")
        table.add_row(*(str(row[key]) for key in keys))
    Console().print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", type=Path, help="also write the rows into this file")
    arguments = parser.parse_args()
    found = rows()
    show(found)
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
