"""The process that decodes a student's pictures: base64 in, fresh PNG or JPEG files out, and nothing else.

Decoders of pictures are C code that has had holes. So this process imports them, reads its input, and then
gives up every system call but those that compute, before the first byte is decoded. It has a limit of memory
and of processor time, and whoever started it ends it after a while.

    python -m autograder.page.decoder  < pictures, a line of JSON each  > what became of each, a line of JSON
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
MAX_PIXELS = 50_000_000  # as a telephone's camera takes
LONGEST_SIDE = 1_600  # of what is shown
MAX_PNG_BYTES = 500_000  # a larger picture is a photograph, which JPEG takes less room for
MEMORY_BYTES = 768 * 2**20
CPU_SECONDS = 10
OUTPUT_BYTES = 64 * 2**20
_PR_SET_NO_NEW_PRIVS = 38
_QUALITY = 85


def main() -> None:
    """Decode the pictures of standard input, one after another."""
    _import_codecs()
    pictures = [json.loads(line) for line in sys.stdin.buffer]
    _give_up_everything()
    for data in pictures:
        sys.stdout.write(json.dumps(decode(data)) + "\n")
        sys.stdout.flush()


def decode(data: str) -> dict[str, Any]:
    """Return a picture that was encoded again, or why it cannot be shown.

    Args:
        data: a file in base64, of whatever kind.
    """
    try:
        raw = base64.b64decode(data.translate(_FROM_ADDRESS) + "==")
        with Image.open(io.BytesIO(raw), formats=FORMATS) as image:
            if image.width * image.height > MAX_PIXELS:
                return {"why": "too_large"}
            image.draft("RGB", (LONGEST_SIDE, LONGEST_SIDE))  # of a JPEG, so that less is decoded
            picture = _upright(image)
            is_animated = bool(getattr(image, "is_animated", False))
        return {"data": base64.b64encode(_encoded(picture)).decode(), "animated": is_animated}
    except (MemoryError, Image.DecompressionBombError):
        return {"why": "too_large"}
    except Exception:  # whatever a decoder finds wrong with a stranger's bytes
        return {"why": "not_a_picture"}


_FROM_ADDRESS = str.maketrans("-_", "+/")


def _upright(image: Image.Image) -> Image.Image:
    """Return the first frame as it is to be seen: turned as the camera was, on white, not too large."""
    picture = ImageOps.exif_transpose(image)
    if picture.mode.startswith("I"):  # 16 bits of grey
        picture = picture.point(lambda value: value / 256).convert("L")
    elif picture.mode in ("P", "PA", "LA"):
        picture = picture.convert("RGBA")
    elif picture.mode not in ("L", "RGB", "RGBA"):
        picture = picture.convert("RGB")
    picture.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    if picture.mode != "RGBA":
        return picture
    return Image.alpha_composite(Image.new("RGBA", picture.size, "white"), picture).convert("RGB")


def _encoded(picture: Image.Image) -> bytes:
    """Return a picture without whatever else its file held: as PNG, or as JPEG if that would be large."""
    plain = Image.frombytes(picture.mode, picture.size, picture.tobytes())
    file = io.BytesIO()
    plain.save(file, "PNG")
    if file.tell() > MAX_PNG_BYTES:
        file = io.BytesIO()
        plain.save(file, "JPEG", quality=_QUALITY)
    return file.getvalue()


def _import_codecs() -> None:
    """Use each codec once, since later nothing can be imported."""
    Image.preinit()
    for kind in FORMATS:
        file = io.BytesIO()
        Image.new("RGB", (16, 16)).save(file, kind)
        assert "data" in decode(base64.b64encode(file.getvalue()).decode())
    assert decode("AAAA") == {"why": "not_a_picture"}


def _give_up_everything() -> None:
    """Limit what this process can use, then what it can ask the kernel for."""
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
