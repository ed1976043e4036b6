"""Measure sliders' speed in JupyterLab: frames per second during a drag, and delay from mouse move to frame.

`python -m benchmarks.slider [--json FILE]` starts JupyterLab with headless Chromium, and drags the sliders of
our explorers and of their peers. A peer is a notebook that draws the same figure with another library. All
notebooks run on the same server, so our JupyterLab extension speeds up the peers as well. Lesson 1's explorer
has a peer for each commonly used library (benchmarks/slider/peers). The explorers of other lessons have one
peer: ipywidgets' `interact` with matplotlib's inline backend, which draws the explorer's own figure.

Each contestant (an explorer or a peer) is measured once in every round, in random order. The result is the
median over all rounds. benchmarks/slider/page.py defines which frames count as painted.
"""

import argparse
import importlib.util
import json
import random
import statistics
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page
from rich.console import Console
from rich.table import Table

from benchmarks.slider.page import WATCH, SliderMeasurement, measure_slider, settle
from tests.support import jupyterlab as lab

ROOT = Path(__file__).resolve().parents[2]
REQUIREMENTS = "benchmarks/requirements.txt"
# Enable our JupyterLab extension explicitly, because .venv-bench imports the packages of .venv but not the
# settings that enable the extension.
QUICK = "--ServerApp.jpserver_extensions={'secant.lab.server_extension': True}"
ROUNDS = 3


@dataclass(frozen=True)
class Contestant:
    """A notebook with sliders and a figure.

    Attributes:
        name: the contestant's name in the table of results.
        cells: the sources of the notebook's cells.
        svg: a CSS selector for the element that changes last in a frame, or None if the figure is not an SVG.
    """

    name: str
    cells: tuple[str, ...]
    svg: str | None = None


@dataclass(frozen=True)
class Contest:
    """A comparison of one of our explorers with its peers.

    Attributes:
        explorer: our explorer.
        peers: the peers.
        sliders: the sliders to drag. Each value is a slider's number, counted from 0 among the sliders on the
            page. Each key is a suffix, such as " (h)", that is appended to the names of that slider's
            results.
    """

    explorer: Contestant
    peers: tuple[Contestant, ...]
    sliders: dict[str, int]


@dataclass(frozen=True)
class Peer:
    """A notebook that draws the figure of lesson 1's explorer with another library.

    Attributes:
        name: the peer's name in the table of results.
        package: the package that the peer needs.
        first: the line of code that the notebook runs before it imports the peer's module.
        svg: a CSS selector for the element that changes last in a frame, or None if the figure is not an SVG.
    """

    name: str
    package: str
    first: str = "%matplotlib inline"
    svg: str | None = None


# A CSS selector for the element of bqplot's right-hand figure that is moved last in each frame. In the DOM,
# only the legend follows this element.
LAST_OF_BQPLOT = ".bqplot:last-child .svg-figure > g > g > g:nth-last-child(2)"
PEERS = {  # the libraries compared with lesson 1's explorer, keyed by their modules in peers/
    "interact": Peer("interact + inline matplotlib", "ipywidgets"),
    "ipympl": Peer("ipympl", "ipympl", "%matplotlib widget"),
    "bqplot": Peer("bqplot", "bqplot", svg=LAST_OF_BQPLOT),
    "plotly": Peer("Plotly FigureWidget", "plotly", svg=".js-plotly-plot .cartesianlayer"),
    "canvas": Peer("bare canvas", "anywidget"),
}

# A JavaScript expression for the figure's element: the widest image, canvas or SVG in the cells' outputs.
PICTURE = """[...document.querySelectorAll('.jp-OutputArea :is(img, canvas, svg)')]
  .sort((a, b) => a.clientWidth - b.clientWidth).at(-1)"""

# The two cells of the notebook that is compared with the explorer of lesson 2 or a later lesson. In the
# notebook, ipywidgets' `interact` draws the explorer's own figure, from the numbers that the explorer itself
# computes.
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
OTHERS = {  # for each lesson, the function that makes its explorer, and the first slider's attribute
    2: ("explore_chain", "x"),
    3: ("explore_buffer", "x"),
    4: ("explore_paths", "x"),
    5: ("explore_arrows", "first"),
    6: ("explore_cut", "x"),
    7: ("explore_saved", "x"),
    8: ("explore_backward", "x"),
    9: ("explore_second", "x"),
    10: ("explore_engine", "x"),
}


def first_contest(peers: Iterable[str]) -> Contest:
    """Return the contest between lesson 1's explorer and its peers, with the sliders for x and h."""
    return Contest(_our_explorer("explore"), tuple(map(_peer, peers)), {"": 0, " (h)": 1})


def other_contest(lesson: int) -> Contest:
    """Return the contest between another lesson's explorer and its peer."""
    name, first = OTHERS[lesson]
    cells = (OTHER_DRAW.format(name=name, first=first), OTHER_INTERACT)
    peer = Contestant(PEERS["interact"].name, cells)
    return Contest(_our_explorer(name), (peer,), {f" (lesson {lesson})": 0})


def _our_explorer(name: str) -> Contestant:
    return Contestant("ours", (f"from secant import {name}", f"{name}()"))


def _peer(module: str) -> Contestant:
    peer = PEERS[module]
    place = f"import sys\nsys.path.insert(0, {str(ROOT)!r})"
    return Contestant(
        peer.name,
        (place, peer.first, f"from benchmarks.slider.peers import {module}\n{module}.show()"),
        peer.svg,
    )


def measure(
    browser: Browser, address: str, directory: Path, contestant: Contestant, sliders: Iterable[int]
) -> list[SliderMeasurement]:
    """Return the measurements of the given sliders in a contestant's notebook."""
    lab.write_notebook(directory / "slider.ipynb", contestant.cells)
    with lab.open_lab(browser, address) as page:
        page.evaluate(WATCH)
        page.evaluate("selector => { window.svg_ = selector; }", contestant.svg)
        with lab.running(page, address, "slider.ipynb"):
            _show_picture(page)
            return [measure_slider(page, number) for number in sliders]


def _show_picture(page: Page) -> None:
    """Wait for the figure and scroll it into view, because a browser paints only visible parts of a page."""
    lab.slider(page, 0)
    page.wait_for_function(f"() => ({PICTURE})?.clientWidth > 300", polling=50, timeout=60_000)
    settle(page)
    page.evaluate(f"() => ({PICTURE}).scrollIntoView({{block: 'nearest'}})")


def rows(contests: Sequence[Contest], rounds: int) -> list[dict[str, Any]]:
    """Run every contest on one server and return the benchmark's rows."""
    console = Console(stderr=True)
    benchmark_rows: list[dict[str, Any]] = []
    with (
        tempfile.TemporaryDirectory() as place,
        lab.jupyterlab(Path(place), flags=[QUICK]) as address,
        lab.chromium() as browser,
    ):
        for contest in contests:
            measurements: dict[tuple[str, str], list[SliderMeasurement]] = {}
            for turn in range(rounds):
                for contestant in shuffle([contest.explorer, *contest.peers], turn):
                    results = measure(browser, address, Path(place), contestant, contest.sliders.values())
                    for suffix, result in zip(contest.sliders, results, strict=True):
                        measurements.setdefault((suffix, contestant.name), []).append(result)
                        console.print(
                            f"slider{suffix}, round {turn + 1}, {contestant.name}: "
                            f"{result.frames:.1f} frames/s, {result.latency:.0f} ms"
                        )
            benchmark_rows += contest_rows(contest, measurements)
    return benchmark_rows


def shuffle(contestants: Sequence[Contestant], turn: int) -> list[Contestant]:
    """Return the contestants in random order, which differs between rounds but not between runs."""
    return random.Random(turn).sample(contestants, len(contestants))


def contest_rows(
    contest: Contest, measurements: dict[tuple[str, str], list[SliderMeasurement]]
) -> list[dict[str, Any]]:
    """Return two table rows for each slider and peer: the frames per second and the latency.

    Args:
        contest: the contest.
        measurements: the measurements, keyed by the slider's suffix (see `Contest`) and the contestant's
            name.
    """
    results = []
    for suffix in contest.sliders:
        our_measurements = measurements[suffix, contest.explorer.name]
        for peer in contest.peers:
            peer_measurements = measurements[suffix, peer.name]
            frames = [
                statistics.median(result.frames for result in group)
                for group in (our_measurements, peer_measurements)
            ]
            latency = [
                statistics.median(result.latency for result in group)
                for group in (our_measurements, peer_measurements)
            ]
            results += [
                _row(f"slider frames{suffix}", peer.name, "frames/s", *frames),
                _row(f"slider latency{suffix}", peer.name, "ms", *latency),
            ]
    return results


def _row(figure: str, peer: str, unit: str, our_value: float, peer_value: float) -> dict[str, Any]:
    ratio = peer_value / our_value if unit == "ms" else our_value / peer_value
    return {
        "figure": figure,
        "ours": round(our_value, 1),
        "peer": peer,
        "peer_value": round(peer_value, 1),
        "ratio": round(ratio, 2),
        "unit": unit,
    }


def show(rows: list[dict[str, Any]]) -> None:
    """Print the rows as a table."""
    table = Table("figure", "ours", "peer", "peer's", "times better", "unit")
    for row in rows:
        keys = ("figure", "ours", "peer", "peer_value", "ratio", "unit")
        table.add_row(*(str(row[key]) for key in keys))
    Console().print(table)


def missing_peers(peers: Iterable[str]) -> list[str]:
    """Return the peers that are not installed."""
    return [peer for peer in peers if importlib.util.find_spec(PEERS[peer].package) is None]


def main() -> None:
    """Run the benchmark with the options from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", type=Path, help="also write the rows into this file")
    parser.add_argument(
        "--peers",
        nargs="+",
        choices=PEERS,
        metavar="PEER",
        help=f"of lesson 1's explorer: {', '.join(PEERS)}; all that are installed when left out",
    )
    lessons = [1, *OTHERS]
    parser.add_argument(
        "--lessons", nargs="+", type=int, choices=lessons, default=lessons, metavar="N", help="only these"
    )
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"{ROUNDS} when left out")
    arguments = parser.parse_args()
    if arguments.rounds < 1:
        parser.error("--rounds: at least 1")
    absent_peers = missing_peers(arguments.peers or PEERS) if 1 in arguments.lessons else []
    advice = (
        f"not installed: {', '.join(absent_peers)}. To install what the peers need:\n"
        f"    {sys.executable} -m pip install -r {REQUIREMENTS}"
    )
    if absent_peers and arguments.peers:
        parser.error(advice)
    peers = [peer for peer in arguments.peers or PEERS if peer not in absent_peers]
    contests = [
        first_contest(peers) if lesson == 1 else other_contest(lesson) for lesson in arguments.lessons
    ]
    results = rows(contests, arguments.rounds)
    show(results)
    if absent_peers:
        Console(stderr=True).print(f"Left out, {advice}", markup=False)
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
