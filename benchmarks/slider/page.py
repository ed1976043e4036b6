"""A slider dragged in a page: painted frames a second, and the wait from mouse move to painted frame.

What counts is a frame of the screen, however many times the picture was touched for it: the first one painted
after the picture in a cell's output changed. An image (`interact`, ours) has changed once it is loaded and
decoded; a canvas (ipympl, the bare one, ours) when something is drawn on it; SVG (bqplot, Plotly) when the
part of the document changes that the peer changes last. A change made within an animation frame is painted
by that very frame, any other by the next. A message that the page sends itself in a frame comes when that
frame has been painted: then it counts.
"""

import statistics
import time
from dataclasses import dataclass

from playwright.sync_api import Page

from tests.support import jupyterlab as lab

STEPS, HERTZ = 200, 60  # of a drag
MOVES = 40  # single moves, each waited for
TRACK = (0.15, 0.85)  # the part of the slider's track that a drag covers

# Written into the page, before there is a notebook.
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
class Feel:
    """How a slider feels: frames a second in a drag, milliseconds from move to frame."""

    frames: float
    latency: float


def feel(page: Page, number: int) -> Feel:
    """Return how the page's slider of that number feels."""
    return Feel(frames_per_second(page, number), statistics.median(latencies(page, number)))


def frames_per_second(page: Page, number: int) -> float:
    """Drag the slider over its track and return how many frames a second were painted meanwhile."""
    handle = lab.slider(page, number)
    lab.drag(page, handle, TRACK[0])
    settle(page)
    page.evaluate("() => { moves.length = 0; frames_.length = 0; }")
    lab.drag(page, handle, TRACK[1], steps=STEPS, hertz=HERTZ)
    settle(page)
    return per_second(*page.evaluate("[moves, frames_]"))


def per_second(moves: list[float], frames: list[float]) -> float:
    """Return frames a second, from the times in milliseconds of the mouse's moves and the frames painted.

    A drag lasts until the last of both: a picture that lags behind the hand is not quicker for it. Frames
    closer than the screen could show count once.
    """
    distinct = [b for a, b in zip([0.0, *frames], frames, strict=False) if b - a > 4]
    return 1000 * len(distinct) / (max(distinct[-1], moves[-1]) - moves[0])


def latencies(page: Page, number: int) -> list[float]:
    """Move the slider a little, wait for its frame, and again. Returns each wait in milliseconds."""
    handle = lab.slider(page, number)
    lab.drag(page, handle, TRACK[0])
    settle(page)
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


def settle(page: Page) -> None:
    """Wait until no frame has come for a while."""
    count = -1
    while count != (count := page.evaluate("frames_.length")):
        time.sleep(0.7)
