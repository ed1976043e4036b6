"""Take the screenshots of lesson 1's explorer for docs/images: `python -m scripts.animation`.

The explorer runs in JupyterLab. In each language, there is a still picture and an animation. For the
animation, the mouse drags a slider. After each move of the mouse, a screenshot is taken as soon as the page's
numbers are updated. The frames are therefore real, but their pace is not. `benchmarks.slider` measures how
fast the explorer follows a drag.
"""

import argparse
import io
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, FloatRect, Page
from rich.progress import track

from tests.support import jupyterlab as lab

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
CELLS = ("from secant import explore", "explore(x=2.2, h=3)")
EXPLORER = ".secant-explorer"
HIDE_FILE_BROWSER = "() => window.jupyterapp.commands.execute('application:toggle-left-area')"
WIDTH, HEIGHT, DENSITY = 1120, 960, 1.5
COLOURS = 256  # number of palette colours: enough for a page; full colour makes the file three times larger
MARGIN = 6  # width in pixels of the margin shown around the explorer
# The constants below concern only the animation.
MOVES = 52
# How long a frame is shown, in milliseconds: an ordinary frame, the first frame, and the last frame.
PACE, FIRST, LAST = 75, 700, 1300
END_OF_DRAG = 0.12  # where the slider is released, as a fraction of its track
# Seconds to wait after a move for the figure and the numbers; the numbers are updated up to 0.2 seconds late.
SETTLING_SECONDS = 0.4
LIMIT = 1_500_000  # maximum size in bytes of an animation


def mouse_positions(start: float, end: float) -> Iterator[float]:
    """Yield the mouse's position at each move, as a fraction of the slider's track.

    The steps are small at first, because the secant turns most at the start of the drag.
    """
    for move in range(1, MOVES + 1):
        yield start + (end - start) * (move / MOVES) ** 2.2


def photograph(page: Page, clip: FloatRect) -> Image.Image:
    """Take screenshots of part of the page until two in a row are equal, or for 3 s; return the last one."""
    previous, screenshot = b"", page.screenshot(clip=clip)
    deadline = time.monotonic() + 3
    while previous != screenshot and time.monotonic() < deadline:
        previous, screenshot = screenshot, page.screenshot(clip=clip)
    return Image.open(io.BytesIO(screenshot)).convert("RGB")


def drag(page: Page, number: int) -> list[Image.Image]:
    """Drag a slider of the explorer and return the frames.

    Args:
        page: the page.
        number: the position of the slider among all sliders of the explorer, from 0.
    """
    handle = page.locator(f"{EXPLORER} .noUi-handle").nth(number)
    explorer = lab.box(page.locator(EXPLORER))
    clip = FloatRect(
        x=explorer["x"] - MARGIN,
        y=explorer["y"] - MARGIN,
        width=explorer["width"] + 2 * MARGIN,
        height=min(explorer["height"], HEIGHT - explorer["y"]) + 2 * MARGIN,
    )
    handle.hover()
    place, track_box = lab.box(handle), lab.box(lab.track(handle))
    x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    start = (x - track_box["x"]) / track_box["width"]
    frames = [photograph(page, clip)]
    page.mouse.move(x, y)
    page.mouse.down()
    for position in track(list(mouse_positions(start, END_OF_DRAG)), "Dragging", transient=True):
        page.mouse.move(track_box["x"] + position * track_box["width"], y)
        time.sleep(SETTLING_SECONDS)
        frames.append(photograph(page, clip))
    page.mouse.up()
    return frames


def save(frames: list[Image.Image], path: Path) -> None:
    """Save frames as an animated WebP that repeats forever.

    Raises:
        RuntimeError: if too few frames differ, or if the file is too large for a README.
    """
    if len({frame.tobytes() for frame in frames}) < MOVES // 2:
        raise RuntimeError("the explorer did not follow the slider")
    durations = [FIRST, *[PACE] * (len(frames) - 2), LAST]
    frames[0].save(
        path, save_all=True, append_images=frames[1:], duration=durations, loop=0, quality=75, method=6
    )
    if path.stat().st_size > LIMIT:
        raise RuntimeError(f"{path} is larger than {LIMIT / 1e6} MB")


def take(browser: Browser, language: str, number: int) -> Iterator[Path]:
    """Take the still picture and the animation in one language, and yield their paths."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        lab.write_notebook(Path(place, "explore.ipynb"), CELLS)
        with (
            lab.jupyterlab(Path(place), language=language) as address,
            lab.run_notebook(
                browser, address, "explore.ipynb", density=DENSITY, width=WIDTH, height=HEIGHT
            ) as page,
        ):
            page.locator(f"{EXPLORER} .noUi-handle").first.wait_for(timeout=60_000)
            page.evaluate(HIDE_FILE_BROWSER)
            lab.wait_until_still(page.locator(EXPLORER))
            page.mouse.move(0, 0)
            image_path = IMAGES / f"explorer-{language}.png"
            screenshot = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
            screenshot.quantize(COLOURS, dither=Image.Dither.NONE).save(image_path, optimize=True)
            yield image_path
            animation_path = IMAGES / f"explorer-{language}.webp"
            save(drag(page, number), animation_path)
            yield animation_path


def main() -> int:
    """Take the screenshots in the languages named on the command line."""
    parser = argparse.ArgumentParser(prog="python -m scripts.animation", description=__doc__)
    parser.add_argument("--lang", nargs="+", choices=("en", "ko"), default=("en", "ko"))
    parser.add_argument("--slider", type=int, default=1, help="which slider is dragged, from 0")
    options = parser.parse_args()
    with lab.chromium() as browser:
        for language in options.lang:
            for path in take(browser, language, options.slider):
                print(f"{path}: {path.stat().st_size // 1000} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
