"""Tests of students' pictures: a process that can do nothing else decodes them and passes on only pixels."""

import base64
import io
import json
import os
import re
import subprocess
import sys
import time
import zlib
from collections.abc import Callable
from typing import Any

import pytest
from nbformat.v4 import new_markdown_cell
from PIL import Image

from autograder.intake.submission import Part
from autograder.page import pictures
from autograder.page.decoder import LONGEST_SIDE
from autograder.page.pictures import decode_all, kind_of, show_pictures, submitted_pictures
from autograder.page.prose import parts_as_markdown, prose, typed_text
from tests.support.pictures import picture

SCRIPT = b"<script>alert(1)</script><?php system('id') ?>"


def encode(data: bytes) -> str:
    return base64.b64encode(data).decode()


def save(image: Image.Image, kind: str, **options: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def open_image(data: str) -> Image.Image:
    return Image.open(io.BytesIO(base64.b64decode(data)))


def bomb(width: int, height: int) -> bytes:
    """Return a PNG file with few bytes and many pixels."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return len(body).to_bytes(4) + kind + body + zlib.crc32(kind + body).to_bytes(4)

    head = width.to_bytes(4) + height.to_bytes(4) + b"\1\0\0\0\0"
    rows = zlib.compress(bytes(min(height * (width // 8 + 1), 200_000_000)), 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def animation(kind: str) -> bytes:
    frames = [Image.new("RGB", (30, 20), colour) for colour in ("red", "blue")]
    return save(frames[0], kind, save_all=True, append_images=frames[1:])


def photograph() -> bytes:
    """Return a JPEG file as a phone takes it upright: rotated by its EXIF data, which also name the place."""
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by 90 degrees
    exif[0x010F] = "A telephone"
    exif.get_ifd(0x8825)[2] = (52.0, 31.0, 12.0)
    return save(Image.new("RGB", (400, 300), "green"), "JPEG", exif=exif)


@pytest.mark.whole
def test_each_kind_of_picture_is_encoded_again() -> None:
    grey_image = Image.frombytes("I;16", (20, 10), b"\x80\x10" * 200)
    transparent_image = Image.new("RGBA", (20, 10), (255, 0, 0, 0))
    results = decode_all(
        {
            **{kind: picture(3000, 2000, kind) for kind in ("PNG", "JPEG", "GIF", "WEBP")},
            "upright": encode(photograph()),
            "16 bits": encode(save(grey_image, "PNG")),
            "transparent": encode(save(transparent_image, "PNG")),
            "cmyk": encode(save(Image.new("CMYK", (20, 10)), "JPEG")),
            "black and white": encode(save(Image.new("1", (20, 10)), "PNG")),
            "noise": encode(save(Image.frombytes("RGB", (900, 900), os.urandom(2_430_000)), "PNG")),
            "url-safe": picture(20, 10).translate(str.maketrans("+/", "-_")).rstrip("="),
        }
    )
    images = {name: open_image(result["data"]) for name, result in results.items()}
    for kind in ("PNG", "JPEG", "GIF", "WEBP"):
        assert (images[kind].format, images[kind].size) == ("PNG", (LONGEST_SIDE, 1067))
        red, green, blue = images[kind].convert("RGB").getpixel((5, 5))  # type: ignore[misc]
        assert abs(red - 70) + abs(green - 130) + abs(blue - 180) < 12, kind  # steelblue
    assert images["upright"].size == (300, 400)
    assert not images["upright"].getexif()
    assert images["transparent"].convert("RGB").getpixel((0, 0)) == (255, 255, 255)
    assert images["noise"].format == "JPEG"
    assert images["16 bits"].size == images["cmyk"].size == images["url-safe"].size == (20, 10)


def test_nothing_but_pixels_of_a_polyglot_is_passed_on() -> None:
    image = Image.new("RGB", (40, 30), "orange")
    options = {"comment": SCRIPT}
    files = {
        "behind a PNG": save(image, "PNG") + SCRIPT,
        "behind a JPEG": save(image, "JPEG") + b"PK\3\4" + SCRIPT,
        "in a GIF's comment": save(image, "GIF", **options),
        "in a JPEG's comment": save(image, "JPEG", **options),
    }
    for name, result in decode_all({name: encode(data) for name, data in files.items()}).items():
        data = base64.b64decode(result["data"])
        assert SCRIPT not in data, name
        assert open_image(result["data"]).size == (40, 30)


@pytest.mark.parametrize(
    ("make_file", "reason"),  # made in the test, because a bomb takes half a second
    [
        (lambda: bomb(50_000, 50_000), "too_large"),
        (lambda: bomb(2_000_000_000, 2_000_000_000), "too_large"),
        (lambda: save(Image.new("RGB", (400, 300), "red"), "PNG")[:-200], "not_a_picture"),
        (lambda: save(Image.effect_noise((400, 300), 9), "JPEG")[:2_000], "not_a_picture"),
        (lambda: b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>', "not_a_picture"),
        (lambda: save(Image.new("RGB", (40, 30)), "BMP"), "not_a_picture"),
        (lambda: b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", "not_a_picture"),
        (lambda: b"", "not_a_picture"),
        (lambda: b"\x89PNG\r\n\x1a\n", "not_a_picture"),
    ],
    ids=["bomb", "vast", "cut PNG", "cut JPEG", "svg", "bmp", "eps", "empty", "head"],
)
def test_undecodable_picture_is_replaced_by_a_sentence(make_file: Callable[[], bytes], reason: str) -> None:
    hostile = encode(make_file())
    start_time = time.monotonic()
    results = decode_all({"hostile": hostile, "good": picture(20, 10)})
    assert results["hostile"] == {"missing": reason}
    assert open_image(results["good"]["data"]).size == (20, 10)
    assert time.monotonic() - start_time < pictures.WALL_SECONDS


def test_animation_shows_its_first_frame_and_a_sentence_about_it() -> None:
    results = decode_all({kind: encode(animation(kind)) for kind in ("GIF", "PNG", "WEBP")})
    for kind, result in results.items():
        red, _, blue = open_image(result["data"]).convert("RGB").getpixel((5, 5))  # type: ignore[misc]
        assert (red > 200, blue < 50, result["remark"]) == (True, True, "first_frame"), kind


@pytest.mark.parametrize("seed", range(4))
def test_damaged_pictures_are_shown_or_refused_and_harm_no_other(seed: int) -> None:
    import random

    rng = random.Random(seed)
    files = {}
    for kind in ("PNG", "JPEG", "GIF", "WEBP"):
        data = bytearray(save(Image.effect_noise((60, 40), 50).convert("RGB"), kind))
        for _ in range(8):
            data[rng.randrange(8, len(data))] = rng.randrange(256)
        files[kind] = encode(bytes(data))
    results = decode_all({**files, "good": picture(20, 10)})
    assert open_image(results.pop("good")["data"]).size == (20, 10)
    for result in results.values():
        assert result.keys() & {"data", "missing"}


_ATTACKS = """
import os, socket, sys
from autograder.page import decoder

def attack(name):
    try:
        attacks[name]()
    except (OSError, ImportError) as error:
        return {"why": f"{name}: {type(error).__name__}"}
    return {"why": f"{name}: got through"}

attacks = {
    "read": lambda: open("/etc/passwd").read(),
    "write": lambda: open("/tmp/left_by_a_decoder", "w"),
    "list": lambda: os.listdir("/"),
    "socket": lambda: socket.socket(socket.AF_INET),
    "fork": os.fork,
    "exec": lambda: os.execv("/bin/true", ["true"]),
    "kill": lambda: os.kill(os.getppid(), 0),
    "import": lambda: __import__("sqlite3"),
}
decoder._import_codecs = lambda: None
decoder.decode = attack
sys.stdin = open(0)
decoder.main()
"""


def test_compromised_picture_decoder_cannot_use_files_network_or_processes() -> None:
    names = ["read", "write", "list", "socket", "fork", "exec", "kill", "import"]
    process = subprocess.run(
        [sys.executable, "-c", _ATTACKS],
        input="".join(json.dumps(name) + "\n" for name in names),
        capture_output=True,
        text=True,
    )
    answers = [json.loads(line)["why"] for line in process.stdout.splitlines()]
    assert [answer.partition(":")[0] for answer in answers] == names, process.stderr
    assert [answer for answer in answers if "got through" in answer] == []


@pytest.mark.parametrize(
    "statement",
    [
        "while True: pass",
        "__import__('ctypes').string_at(0)",
        "bytearray(3 * 2**30)",
        "__import__('os')._exit(3)",
    ],
)
def test_a_picture_that_ends_or_holds_the_decoder_costs_itself_alone(
    statement: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = f"""
import sys
from autograder.page import decoder
decode = decoder.decode
decoder.CPU_SECONDS = 1
def spoilt(data):
    if data == "spoil":
        {statement}
    return decode(data)
decoder._import_codecs()
decoder._import_codecs = lambda: None
decoder.decode = spoilt
sys.stdin = open(0)
decoder.main()
"""
    real_popen = subprocess.Popen

    def start(command: list[str], **options: Any) -> subprocess.Popen[bytes]:
        return real_popen([sys.executable, "-c", program], **options)

    monkeypatch.setattr(subprocess, "Popen", start)
    start_time = time.monotonic()
    results = decode_all({"before": picture(20, 10), "spoilt": "spoil", "after": picture(30, 10)})
    assert time.monotonic() - start_time < pictures.WALL_SECONDS
    assert "data" in results["before"]
    assert results["spoilt"] == {"missing": "not_decoded"}
    assert "data" in results["after"]


def test_output_of_the_picture_decoder_is_validated() -> None:
    answers: list[Any] = [None, [], {"data": encode(SCRIPT), "animated": False}, {"why": "<b>"}, {"data": 1}]
    for answer in answers:
        assert pictures._validate(answer, 10**6) == {"missing": "not_decoded"}
    large_answer = {"data": picture(20, 10), "animated": False}
    assert pictures._validate(large_answer, 10) == {"missing": "too_large"}
    assert kind_of("!") == ""


PARTS = [
    Part("text", "Look <b>here</b>: $x^2$"),
    Part("picture", picture(20, 10), 'a "curve" [1](x)'),
    Part("code", "if x < 1:\n    print('[a](b)')"),
    Part("picture", "AAAA", "bad.png"),
    Part("missing", "elsewhere", "<img src=x>"),
    Part("cut"),
]


@pytest.mark.parametrize("language", ["en", "ko"])
def test_parts_of_a_note_are_shown_in_order_with_sentences_for_what_is_missing(language: Any) -> None:
    source, attachments = parts_as_markdown(PARTS, language, 3)
    cell = new_markdown_cell(source, attachments=attachments)
    assert list(submitted_pictures([cell])) == ["picture-3", "picture-4"]
    show_pictures([cell], decode_all(submitted_pictures([cell])), language)
    assert list(cell.attachments) == ["picture-3"]
    html = str(prose(cell.source, cell.attachments))
    tags = re.findall(r"<(div|img|pre|p)\b", html)
    assert tags == ["div", "img", "pre", "p", "p", "p"]
    assert "<b>" not in html
    assert html.count("<img") == 1
    assert 'alt="a curve 1 x"' in html
    assert "if x &lt; 1:\n    print(&#39;[a](b)&#39;)" in html
    sentences = {
        "en": ["damaged, or of another kind", "another site"],
        "ko": ["손상되었거나", "다른 사이트"],
    }[language]
    assert [sentence for sentence in sentences if sentence not in html] == []
    assert "if x < 1" in (typed_text(cell.source) or "")
    assert typed_text("# The lesson's own ![x](attachment:picture-1)") is None
