"""Decode the pictures in a student's notes in a separate process, then put them into the notebook.

Until its pictures are decoded, a cell's attachments are the student's raw bytes. These never appear in a
notebook or page that a person opens. A picture that could not be decoded and encoded again is replaced with a
sentence.
"""

import base64
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, MutableMapping, Sequence
from pathlib import Path
from typing import Any

from autograder.page.prose import with_remarks
from secant.language import Language

WALL_SECONDS = 30.0  # maximum number of seconds to decode all pictures of a submission
MAX_CHARS = 3_000_000  # maximum number of base64 characters in one re-encoded picture
MAX_ALL_CHARS = 12_000_000  # maximum total of base64 characters in a submission's re-encoded pictures
_KINDS = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg"}

Cells = Sequence[MutableMapping[str, Any]]
#: The result for a picture: either its re-encoded `data` in base64, perhaps with a `remark`, or the reason
#: why it is `missing`.
DecodedPicture = Mapping[str, str]
_NOT_DECODED: DecodedPicture = {"missing": "not_decoded"}


def submitted_pictures(cells: Cells) -> dict[str, str]:
    """Return the pictures of a graded notebook that are not decoded yet, in base64 and keyed by name."""
    bundles = [cell.get("attachments", {}) for cell in cells]
    return {
        name: str(data) for bundle in bundles for name, kinds in bundle.items() for data in kinds.values()
    }


def decode_all(pictures: Mapping[str, str]) -> dict[str, DecodedPicture]:
    """Decode pictures in a separate process, and return the results, keyed by name.

    Args:
        pictures: the pictures that a student submitted, in base64 and keyed by name.
    """
    results_by_name: dict[str, DecodedPicture] = {}
    chars_left = MAX_ALL_CHARS
    deadline = time.monotonic() + WALL_SECONDS
    waiting = dict(pictures)
    while waiting and (seconds := deadline - time.monotonic()) > 0:
        results = _decode([*waiting.values()], seconds)
        for name, result in zip([*waiting], results, strict=False):
            results_by_name[name] = _validate(result, chars_left)
            chars_left -= len(results_by_name[name].get("data", ""))
            del waiting[name]
        if waiting:  # the process died at this picture, so another process decodes the pictures after it
            stopped_at = next(iter(waiting))
            results_by_name[stopped_at] = _NOT_DECODED
            del waiting[stopped_at]
    return results_by_name | dict.fromkeys(waiting, _NOT_DECODED)


def show_pictures(cells: Cells, pictures: Mapping[str, DecodedPicture], language: Language) -> None:
    """Put decoded pictures into the cells that show them.

    Args:
        cells: the cells of a graded notebook.
        pictures: the result of `decode_all`.
        language: the language of the sentence that replaces a picture that cannot be shown.
    """
    for cell in cells:
        if "attachments" not in cell:
            continue
        bundle = {name: pictures.get(name, _NOT_DECODED) for name in cell.pop("attachments")}
        cell["source"] = with_remarks(cell["source"], bundle, language)
        attachments = {
            name: {kind_of(decoded["data"]): decoded["data"]}
            for name, decoded in bundle.items()
            if "data" in decoded
        }
        if attachments:
            cell["attachments"] = attachments


def kind_of(data: str) -> str:
    """Return the media type of a picture in base64, or "" if it is neither PNG nor JPEG."""
    try:
        head = base64.b64decode(data[:24], validate=True)
    except ValueError:
        return ""
    return next((kind for signature, kind in _KINDS.items() if head.startswith(signature)), "")


def _decode(pictures: Sequence[str], seconds: float) -> list[Any]:
    """Decode pictures in a new process; return the results up to the picture at which the process died."""
    with tempfile.TemporaryFile() as requests, tempfile.TemporaryFile() as answers:
        requests.write("".join(json.dumps(data) + "\n" for data in pictures).encode())
        requests.seek(0)
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "autograder.page.decoder"],
            stdin=requests,
            stdout=answers,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env={"PYTHONPATH": str(Path(__file__).resolve().parents[2]), "LC_ALL": "C.UTF-8"}
            | {name: os.environ[name] for name in ("LD_LIBRARY_PATH", "SYSTEMROOT") if name in os.environ},
        )
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        answers.seek(0)
        results: list[Any] = []
        for line in answers.read().split(b"\n")[: len(pictures)]:
            try:
                results.append(json.loads(line))
            except ValueError:
                break
        return results


def _validate(result: Any, max_chars: int) -> DecodedPicture:
    """Validate a result of the decoder process, which a malicious picture may have compromised."""
    match result:
        case {"data": str(data), "animated": bool(animated)} if kind_of(data):
            if len(data) > min(MAX_CHARS, max_chars):
                return {"missing": "too_large"}
            return {"data": data, "remark": "first_frame"} if animated else {"data": data}
        case {"why": "too_large" | "not_a_picture" as reason}:
            return {"missing": str(reason)}
    return _NOT_DECODED
