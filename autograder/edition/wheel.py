"""Build a wheel from the installed code of Secant and the files of a course, such as a class edition.

https://packaging.python.org/en/latest/specifications/binary-distribution-format/
"""

import base64
import hashlib
import importlib.metadata
import io
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import autograder
import secant
from autograder.course.errors import CourseError
from secant.address import project, urls, version
from secant.where import INSIDE

# Files that pip installs outside the packages; pyproject.toml lists the same files.
SHARED = {
    "secant/lab/jupyter_server_config.json": "etc/jupyter/jupyter_server_config.d/secant.json",
    "secant/lab/jupyter_nbconvert_config.json": "etc/jupyter/jupyter_nbconvert_config.json",
    "secant/lab/labextensions/secant/": "share/jupyter/labextensions/secant/",
}
_CODE = (".py", ".toml", ".typed", ".json", ".js", ".css", ".orig", ".md", ".j2")
_SKIPPED_PARTS = ("__pycache__", "_course")
_COPIED_FIELDS = (
    "Metadata-Version",
    "Name",
    "Summary",
    "License-Expression",
    "License-File",
    "Requires-Python",
)
_WHEEL = "Wheel-Version: 1.0\nGenerator: autograder pack\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def make_wheel(course: Mapping[str, bytes], *, problems: str = "") -> tuple[str, bytes]:
    """Return a wheel's name and bytes. The same course and code always give the same bytes.

    The wheel's version is Secant's version plus a hash of the content, so that pip can tell one wheel from
    another.

    Args:
        course: the contents of the course's files, keyed by their paths in the course directory.
        problems: the address for problem reports from the class; empty for Secant's own address.

    Raises:
        CourseError: Secant is not installed here as a package.
    """
    try:
        distribution = importlib.metadata.distribution("secant")
    except importlib.metadata.PackageNotFoundError:
        raise CourseError("Secant is not installed here: run `make build`, or `pip install .`.") from None
    code = dict(_code())
    files = {**code, **{f"{INSIDE}/{name}": data for name, data in course.items()}}
    content = b"".join(_hash(f"{name}\0".encode() + files[name]) for name in sorted(files))
    digest = hashlib.sha256(content + problems.encode())
    name = f"secant-{version().partition('+')[0]}+class.r{digest.hexdigest()[:8]}"
    for source, target in SHARED.items():
        shared_files = {file: data for file, data in code.items() if file.startswith(source)}
        files |= {
            f"{name}.data/data/{target}{f.removeprefix(source)}": data for f, data in shared_files.items()
        }
    metadata_files = {
        "METADATA": _metadata(distribution, name.removeprefix("secant-"), problems),
        "WHEEL": _WHEEL,
        "entry_points.txt": distribution.read_text("entry_points.txt") or "",
        "licenses/LICENSE": distribution.read_text("licenses/LICENSE") or "",
    }
    files |= {f"{name}.dist-info/{file}": text.encode() for file, text in metadata_files.items()}
    record = f"{name}.dist-info/RECORD"
    lines = [f"{file},sha256={_base64_hash(data)},{len(data)}" for file, data in sorted(files.items())]
    files[record] = "".join(f"{line}\n" for line in [*lines, f"{record},,"]).encode()
    return f"{name}-py3-none-any.whl", make_zip(files)


def make_zip(files: Mapping[str, bytes]) -> bytes:
    """Return a zip of the given files, without any information about this machine or the current time."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(files.items()):
            entry = zipfile.ZipInfo(name)  # a zip entry without a timestamp is dated 1980
            entry.create_system, entry.external_attr = 3, 0o100644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return buffer.getvalue()


def _code() -> Iterator[tuple[str, bytes]]:
    """Yield the files of the packages secant and autograder, excluding the course installed with them."""
    for package in (secant, autograder):
        folder = Path(package.__file__ or "").resolve().parent
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(folder.parent)
            is_packed = path.suffix in _CODE and not any(
                part in _SKIPPED_PARTS or part[0] == "." for part in name.parts
            )
            if is_packed and path.is_file():
                yield name.as_posix(), path.read_bytes()


def _metadata(distribution: importlib.metadata.Distribution, version: str, problems: str) -> str:
    fields = [(key, distribution.metadata[key]) for key in _COPIED_FIELDS if key in distribution.metadata]
    requirements = [("Requires-Dist", requirement) for requirement in _requirements(distribution)]
    addresses = urls() | ({"Issues": problems} if problems else {})
    links = [("Project-URL", f"{label}, {url}") for label, url in addresses.items()]
    return "".join(
        f"{key}: {value}\n" for key, value in [*fields, ("Version", version), *links, *requirements]
    )


def _requirements(distribution: importlib.metadata.Distribution) -> list[str]:
    """Return the packages that pip must install.

    In a repository of Secant, they are read from its pyproject.toml, because the metadata of the installed
    package may be older.
    """
    if table := project():
        return list(table["dependencies"])
    return [requirement for requirement in distribution.requires or [] if "extra ==" not in requirement]


def _hash(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def _base64_hash(data: bytes) -> str:
    return base64.urlsafe_b64encode(_hash(data)).rstrip(b"=").decode()
