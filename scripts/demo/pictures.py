"""Take the screenshots of a report and a feedback page for docs/images: `python -m scripts.demo.pictures`."""

import io
import sys
import tempfile
from pathlib import Path

from PIL import Image

from autograder.course.lesson import choose_lessons, find_lessons
from scripts.demo.__main__ import ROOT, demonstrate
from scripts.demo.people import ROWS
from secant.language import LANGUAGES, language
from tests.support.jupyterlab import chromium

IMAGES = ROOT / "docs" / "images"
# The size of each screenshot in pixels. The heights are chosen so that each screenshot ends at the end of a
# section.
WIDTH, HEIGHTS = 900, {"report": 940, "feedback": 840}
COLOURS = 64  # number of palette colours: enough for text and bars; full colour makes files four times larger


def main() -> int:
    """Take the screenshots of the first lesson's report and feedback page in both languages."""
    lessons = choose_lessons(find_lessons(ROOT), ["1"])
    with chromium() as browser:
        page = browser.new_page(color_scheme="light")
        for name in LANGUAGES:
            language(name)
            with tempfile.TemporaryDirectory() as place:
                pages = demonstrate(Path(place, "demo"), lessons, len(ROWS))
                for (kind, height), file in zip(HEIGHTS.items(), pages, strict=True):
                    page.set_viewport_size({"width": WIDTH, "height": height})
                    page.goto(file.as_uri())
                    screenshot = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
                    path = IMAGES / f"{kind}-{name}.png"
                    screenshot.quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)
                    print(f"{path}: {path.stat().st_size // 1000} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
