"""Measurements of a slider dragged in a page: frames per second, and the delay from mouse move to frame.

A frame counts if it is the first one that the screen paints after the figure in a cell's output changed. It
counts once, even if the figure changed several times before it was painted. An image (in `interact` and our
explorers) changes when it is loaded and decoded. A canvas (in ipympl, the bare canvas and our explorers)
changes when something is drawn on it. An SVG (in bqplot and Plotly) changes when the element that is updated
last in a frame changes. A change made within an animation frame is painted in that frame, and any other
change in the next one. A frame must not be counted before it is painted. The page therefore sends itself a
message within the frame. The message arrives after the painting, and the page then counts the frame.
"""

import statistics
import time
from dataclasses import dataclass

from playwright.sync_api import Page

from tests.support import jupyterlab as lab

STEPS, HERTZ = 200, 60  # number of mouse moves in a drag, and number of mouse moves per second
MOVES = 40  # number of mouse moves used to measure the delay; each waits for the previous one's frame
TRACK = (0.15, 0.85)  # where a drag begins and ends, as fractions of the slider's track

# A script that the page runs before it opens a notebook, to record mouse moves and painted frames.
WATCH = """() => {
  window.moves = []; window.frames_ = []; window.svg_ = null;
  document.addEventListener('pointermove', e => window.moves.push(e.timeStamp), true);
  const isPicture = node => node.isConnected && node.closest('.jp-OutputArea') !== null;

  const frame = window.requestAnimationFrame.bind(window);
  const painted = new MessageChannel();
  painted.port1.onmessage = () => window.frames_.push(performance.now());
  let now = null, waiting = false, counted = null;  // the frame that is being made, by its time
  const count = time => {
    if (time !== counted) painted.port2.postMessage(counted = time);
  };
  window.requestAnimationFrame = callback => frame(time => {
    now = time;
    queueMicrotask(() => { now = null; });
    try { callback(time); } finally { now = null; }
  });
  const changed = () => {
    if (now !== null) return count(now);
    if (!waiting) frame(time => { waiting = false; count(time); });
    waiting = true;
  };

  document.addEventListener('load', e => {
    if (e.target.tagName !== 'IMG' || !isPicture(e.target)) return;
    e.target.decode().then(changed, () => {});  // replaced before it was shown: not a frame
  }, true);

  const canvas = CanvasRenderingContext2D.prototype;
  for (const name of ['drawImage', 'putImageData', 'stroke', 'fill', 'fillRect', 'clearRect']) {
    const own = canvas[name];
    canvas[name] = function (...given) {
      if (isPicture(this.canvas)) changed();
      return own.apply(this, given);
    };
  }

  new MutationObserver(found => {
    if (svg_ && found.some(({target}) => target.closest?.(svg_))) changed();
  }).observe(document, {subtree: true, childList: true, attributes: true});
}"""


@dataclass(frozen=True)
class SliderMeasurement:
    """A slider's measurements.

    Attributes:
        frames: the number of frames painted per second during a drag.
        latency: the median delay in milliseconds from a mouse move to the frame that shows its effect.
    """

    frames: float
    latency: float


def measure_slider(page: Page, number: int) -> SliderMeasurement:
    """Return the measurements of the page's slider with this index."""
    return SliderMeasurement(frames_per_second(page, number), statistics.median(latencies(page, number)))


def frames_per_second(page: Page, number: int) -> float:
    """Drag the slider along its track and return the number of frames painted per second."""
    handle = lab.slider(page, number)
    lab.drag(page, handle, TRACK[0])
    settle(page)
    page.evaluate("() => { moves.length = 0; frames_.length = 0; }")
    lab.drag(page, handle, TRACK[1], steps=STEPS, hertz=HERTZ)
    settle(page)
    return per_second(*page.evaluate("[moves, frames_]"))


def per_second(moves: list[float], frames: list[float]) -> float:
    """Return the number of frames painted per second during a drag.

    A drag ends with the last move or the last frame, whichever is later, so that a figure that lags behind
    the mouse does not seem faster. Frames at most 4 ms apart count once, because no screen shows both.

    Args:
        moves: the timestamps of the mouse moves in milliseconds.
        frames: the timestamps of the painted frames in milliseconds.
    """
    distinct_frames = [b for a, b in zip([0.0, *frames], frames, strict=False) if b - a > 4]
    return 1000 * len(distinct_frames) / (max(distinct_frames[-1], moves[-1]) - moves[0])


def latencies(page: Page, number: int) -> list[float]:
    """Move the slider in small steps, and return the milliseconds from each step to the frame it causes."""
    handle = lab.slider(page, number)
    lab.drag(page, handle, TRACK[0])
    settle(page)
    box, track = lab.box(handle), lab.box(lab.track(handle))
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    delays = []
    for step in range(1, MOVES + 1):
        page.evaluate("() => { moves.length = 0; frames_.length = 0; }")
        page.mouse.move(x + (TRACK[1] - TRACK[0]) * track["width"] * step / MOVES, y)
        page.wait_for_function("frames_.length > 0", polling=50, timeout=10_000)
        delays.append(page.evaluate("frames_[0] - moves[0]"))
        time.sleep(0.05 + 0.013 * (step % 4))  # varied, so that moves do not coincide with screen refreshes
    page.mouse.up()
    return delays


def settle(page: Page) -> None:
    """Wait until no new frame has been painted in the page for 0.7 seconds."""
    count = -1
    while count != (count := page.evaluate("frames_.length")):
        time.sleep(0.7)
