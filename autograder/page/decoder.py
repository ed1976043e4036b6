"""The process that decodes a student's pictures: it reads base64 and writes new PNG or JPEG files.

Image decoders are C code with a history of security holes. So this process imports them and reads its input,
then gives up every system call except those for computing, and only then decodes. Its memory and its
processor time are limited, and its parent kills it if it takes too long.

    python -m autograder.page.decoder < pictures > results

Each line of the input is a picture in base64, as a JSON string. Each line of the output is a result, as JSON.
"""

import base64
import io
import json
import resource
import sys
from typing import Any

from PIL import (
    GifImagePlugin,  # noqa: F401 - later nothing can be imported
    Image,
    ImageOps,
    JpegImagePlugin,  # noqa: F401
    MpoImagePlugin,  # noqa: F401
    PngImagePlugin,  # noqa: F401
    TiffImagePlugin,  # noqa: F401 - how a camera was held stands in a TIFF's form
    WebPImagePlugin,  # noqa: F401
)

from autograder.sandbox.inside.kernel import prctl
from autograder.sandbox.inside.privileges import close_all_but, hide_memory
from autograder.sandbox.inside.seccomp import allow_computing_alone

FORMATS = ("PNG", "JPEG", "GIF", "WEBP")
MAX_PIXELS = 50_000_000  # maximum number of pixels to decode, about as many as a photograph from a phone has
LONGEST_SIDE = 1_600  # maximum length in pixels of a picture's longer side on the page
MAX_PNG_BYTES = 500_000  # a PNG with more bytes is probably a photograph, which takes less space as JPEG
MEMORY_BYTES = 768 * 2**20
CPU_SECONDS = 10
OUTPUT_BYTES = 64 * 2**20
_PR_SET_NO_NEW_PRIVS = 38
_QUALITY = 85


def main() -> None:
    """Decode the pictures on standard input and print a result for each."""
    _import_codecs()
    pictures = [json.loads(line) for line in sys.stdin.buffer]
    _give_up_everything()
    for data in pictures:
        sys.stdout.write(json.dumps(decode(data)) + "\n")
        sys.stdout.flush()


def decode(data: str) -> dict[str, Any]:
    """Decode a picture and encode it again.

    Args:
        data: the submitted file in base64; it may be of any type.

    Returns:
        The new picture, and whether the old one was animated; or the reason why the picture cannot be shown.
    """
    try:
        raw = base64.b64decode(data.translate(_FROM_URL_SAFE) + "==")
        with Image.open(io.BytesIO(raw), formats=FORMATS) as image:
            if image.width * image.height > MAX_PIXELS:
                return {"why": "too_large"}
            # a large JPEG is decoded at a smaller size, which takes less time
            image.draft("RGB", (LONGEST_SIDE, LONGEST_SIDE))
            picture = _turn_upright(image)
            is_animated = bool(getattr(image, "is_animated", False))
        return {"data": base64.b64encode(_encode(picture)).decode(), "animated": is_animated}
    except (MemoryError, Image.DecompressionBombError):
        return {"why": "too_large"}
    except Exception:  # a decoder may raise any error for malformed or malicious bytes
        return {"why": "not_a_picture"}


_FROM_URL_SAFE = str.maketrans("-_", "+/")


def _turn_upright(image: Image.Image) -> Image.Image:
    """Return a picture's first frame, upright, on white, scaled down so that no side exceeds LONGEST_SIDE."""
    picture = ImageOps.exif_transpose(image)
    if picture.mode.startswith("I"):  # 16-bit greyscale is reduced to 8 bits
        picture = picture.point(lambda value: value / 256).convert("L")
    elif picture.mode in ("P", "PA", "LA"):
        picture = picture.convert("RGBA")
    elif picture.mode not in ("L", "RGB", "RGBA"):
        picture = picture.convert("RGB")
    picture.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    if picture.mode != "RGBA":
        return picture
    return Image.alpha_composite(Image.new("RGBA", picture.size, "white"), picture).convert("RGB")


def _encode(picture: Image.Image) -> bytes:
    """Return a picture's pixels, and nothing else from its file, as PNG, or as JPEG if the PNG is large."""
    plain = Image.frombytes(picture.mode, picture.size, picture.tobytes())
    file = io.BytesIO()
    plain.save(file, "PNG")
    if file.tell() > MAX_PNG_BYTES:
        file = io.BytesIO()
        plain.save(file, "JPEG", quality=_QUALITY)
    return file.getvalue()


def _import_codecs() -> None:
    """Use each picture format's codec once, so that no import is needed after system calls are given up."""
    Image.preinit()
    for kind in FORMATS:
        file = io.BytesIO()
        Image.new("RGB", (16, 16)).save(file, kind)
        assert "data" in decode(base64.b64encode(file.getvalue()).decode())
    assert decode("AAAA") == {"why": "not_a_picture"}


def _give_up_everything() -> None:
    """Limit the resources of this process, then give up all system calls except those for computing."""
    with open("/proc/self/statm") as file:
        mapped = int(file.read().split()[0]) * resource.getpagesize()
    limits = {
        resource.RLIMIT_AS: mapped + MEMORY_BYTES,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_CPU: CPU_SECONDS,
        resource.RLIMIT_FSIZE: OUTPUT_BYTES,
    }
    for kind, value in limits.items():
        _, highest = resource.getrlimit(kind)
        value = value if highest == resource.RLIM_INFINITY else min(value, highest)
        resource.setrlimit(kind, (value, value))
    close_all_but(())
    hide_memory()
    prctl(_PR_SET_NO_NEW_PRIVS, 1)
    allow_computing_alone()


if __name__ == "__main__":
    main()
