"""Write the results of a class to the file that the option `--json` names."""

import json
import tempfile
import textwrap
from collections.abc import Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from autograder.course.errors import CourseError
from autograder.terminal import err
from secant.files import replace_file


def refuse_unwritable(json_file: Path) -> None:
    """Raise an error if the file for the results cannot be written.

    Without this check, the error would appear only after grading, which may take an hour.

    Raises:
        CourseError: no file can be written at this path.
    """
    if json_file.is_dir() or not json_file.absolute().parent.is_dir():
        raise CourseError(f"--json {json_file}: no file can be written there. Nothing was graded.")
    if not json_file.exists() or json_file.is_file():
        try:
            tempfile.TemporaryFile(dir=json_file.absolute().parent).close()
        except OSError as error:
            raise CourseError(f"--json {json_file}: {error.strerror}. Nothing was graded.") from None


def write_results(json_file: Path, rows: Iterable[Mapping[str, Any]]) -> bool:
    """Write the results that `grade --json` asks for, row by row.

    Returns:
        True if the results were written; otherwise False, and the reason is printed.
    """
    texts = (textwrap.indent(json.dumps(row, ensure_ascii=False, indent=1), " ") for row in rows)
    parts = ((",\n" if number else "[\n") + text for number, text in enumerate(texts))
    try:
        # a special file such as /dev/stdout cannot be replaced
        if json_file.exists() and not json_file.is_file():
            with json_file.open("w", encoding="utf-8") as file:
                file.writelines([*parts, "\n]\n"])
        else:
            replace_file(json_file.absolute(), (part.encode() for part in chain(parts, ["\n]\n"])))
    except OSError as error:
        err.print(f"{json_file} could not be written: {error.strerror}. The gradebook has the results;")
        err.print("run the same command again: it writes the file, and grades nothing twice.")
        return False
    return True
