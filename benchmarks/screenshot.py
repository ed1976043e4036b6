"""Take the pictures in docs/images: `python -m benchmarks.screenshot`, the explorer in JupyterLab."""

import io
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser

from tests.support import jupyterlab as lab

IMAGES = Path(__file__).parents[1] / "docs" / "images"
CELLS = ("from secant import explore", "explore(x=3, h=1)")
COLOURS = 256  # of the palette: enough for a picture of a page, at a third of the bytes


def screenshot(browser: Browser, language: str, path: Path, *, dark: bool = False) -> None:
    """Save a picture of JupyterLab with the explorer in a language, as a small PNG."""
    with tempfile.TemporaryDirectory() as place:
        lab.write_notebook(Path(place, "explore.ipynb"), CELLS)
        with (
            lab.jupyterlab(Path(place), language=language, dark=dark) as address,
            lab.run_notebook(browser, address, "explore.ipynb", density=1.5, width=1120, height=860) as page,
        ):
            page.evaluate("window.jupyterapp.commands.execute('application:toggle-left-area')")
            lab.wait_until_still(page.locator(".secant-explorer"))
            page.mouse.move(0, 0)
            taken = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    path.parent.mkdir(parents=True, exist_ok=True)
    taken.quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)


def main() -> None:
    with lab.chromium() as browser:
        for language in ("en", "ko"):
            path = IMAGES / f"explorer-{language}.png"
            screenshot(browser, language, path)
            print(f"{path}: {path.stat().st_size // 1000} kB")


if __name__ == "__main__":
    main()
