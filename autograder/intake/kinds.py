"""Recognition of submitted files that are not notebooks, such as web pages, PDFs, shortcuts or Python code.

Students hand in files that a browser, an editor or a cloud drive has saved under a notebook's name. Three
checks are made in turn: for bytes that identify a binary format (`of_bytes`), for text that is not JSON
(`of_text`), and for JSON that is not a notebook (`of_json`). Each search takes time linear in the file's
length.
"""

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

_HEAD = 65_536  # number of characters or bytes at the start of a file that are examined to recognise it
_CHOOSE_NOTEBOOK = (
    "Choose the notebook itself, the file that ends in .ipynb.",
    "확장자가 .ipynb인 노트북 파일 자체를 고르세요.",
)
_DOWNLOAD_NOTEBOOK = (
    "Download the notebook itself: in JupyterLab File > Download, in Colab File > Download > Download "
    ".ipynb, on GitHub Download raw file.",
    "노트북 파일 자체를 내려받으세요. JupyterLab에서는 File > Download, Colab에서는 파일 > 다운로드 > "
    ".ipynb 다운로드, GitHub에서는 Download raw file입니다.",
)
_UNPACK = (
    "Unpack it and hand in the notebook that is in it.",
    "압축을 풀고 안에 있는 노트북을 제출하세요.",
)


@dataclass(frozen=True)
class Kind:
    """A type of file that students hand in by mistake.

    Attributes:
        name: the type's name, in English and in Korean.
        to_do: the advice to the student, in English and in Korean.
    """

    name: tuple[str, str]
    to_do: tuple[str, str]

    @property
    def en(self) -> str:
        """The message in English: what the file is, and what to do."""
        return f"It is {self.name[0]}. {self.to_do[0]}"

    @property
    def ko(self) -> str:
        """The message in Korean: what the file is, and what to do."""
        return f"{self.name[1]}입니다. {self.to_do[1]}"


def _kind(en: str, ko: str, to_do: tuple[str, str] = _CHOOSE_NOTEBOOK) -> Kind:
    return Kind((en, ko), to_do)


_ARCHIVE = _kind("a compressed archive", "압축 파일", _UNPACK)
_ZIP = _kind("a zip archive", "zip 압축 파일", _UNPACK)
_PDF = _kind("a PDF", "PDF 파일")
_RTF = _kind("a formatted text (RTF)", "서식 있는 텍스트(RTF)")
_WORD = _kind("a Word document", "Word 문서")
_OFFICE = _kind("an office document (such as Word, Excel or HWP)", "Word, Excel, 한글 같은 프로그램의 문서")
_PICTURE = _kind("a picture", "그림 파일")
_FILM = _kind("a video or a sound", "동영상이나 소리 파일")
_PROGRAM = _kind("a program", "실행 파일")
_DATABASE = _kind("a database", "데이터베이스 파일")
_COMPANION = _kind(
    "a file that macOS adds to another one (its name begins with ._)",
    "macOS가 다른 파일에 덧붙이는 파일(이름이 ._로 시작)",
)
_SHORTCUT = _kind(
    "a shortcut, which only says where a file is", "바로 가기(파일이 있는 곳만 적힌 파일)", _DOWNLOAD_NOTEBOOK
)
_WEB_PAGE = _kind(
    "a web page (HTML), such as a preview of the notebook or a sign-in page",
    "노트북의 미리보기나 로그인 화면 같은 웹 페이지(HTML)",
    _DOWNLOAD_NOTEBOOK,
)
_XML = _kind("XML", "XML 파일")
_EMAIL = _kind("an e-mail", "전자우편")
_POINTER = _kind(
    "a pointer of Git LFS or git-annex, whose content was not downloaded",
    "내용을 내려받지 않은 Git LFS나 git-annex의 포인터",
    (
        "Run `git lfs pull` (or `git annex get`), then take the file again.",
        "`git lfs pull`(또는 `git annex get`)을 실행한 뒤 파일을 다시 고르세요.",
    ),
)
_PATCH = _kind("a list of changes (a patch of git's)", "변경 사항만 적은 파일(git 패치)")
_PYTHON = _kind(
    "Python code as text",
    "텍스트로 저장한 Python 코드",
    (
        "Choose the notebook itself, the file that ends in .ipynb: renaming a .py file does not make one.",
        "확장자가 .ipynb인 노트북 파일 자체를 고르세요. .py 파일의 이름만 바꾼 것은 노트북이 아닙니다.",
    ),
)
_TEXT = _kind("plain text", "일반 텍스트")
_BINARY = _kind("a file of another kind", "다른 종류의 파일")
_NOTEBOOK = _kind(
    "a notebook under another name",
    "이름만 바뀐 노트북",
    ("Rename it so that its name ends in .ipynb.", "이름이 .ipynb로 끝나도록 바꾸세요."),
)
_JSON = _kind("JSON, but not a notebook", "노트북이 아닌 JSON", _DOWNLOAD_NOTEBOOK)

_MAGIC: tuple[tuple[bytes, Kind], ...] = (
    (b"\x1f\x8b", _ARCHIVE),
    (b"7z\xbc\xaf\x27\x1c", _ARCHIVE),
    (b"Rar!\x1a\x07", _ARCHIVE),
    (b"\xfd7zXZ\0", _ARCHIVE),
    (b"BZh", _ARCHIVE),
    (b"\x28\xb5\x2f\xfd", _ARCHIVE),
    (b"{\\rtf", _RTF),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", _OFFICE),
    (b"HWP Document File", _OFFICE),
    (b"\x89PNG\r\n\x1a\n", _PICTURE),
    (b"\xff\xd8\xff", _PICTURE),
    (b"GIF8", _PICTURE),
    (b"II*\0", _PICTURE),
    (b"MM\0*", _PICTURE),
    (b"ID3", _FILM),
    (b"OggS", _FILM),
    (b"\x1aE\xdf\xa3", _FILM),
    (b"\x7fELF", _PROGRAM),
    (b"MZ\x90\0", _PROGRAM),
    (b"SQLite format 3\0", _DATABASE),
    (b"\x89HDF\r\n\x1a\n", _DATABASE),
    (b"\0\x05\x16\x07", _COMPANION),
    (b"\x4c\0\0\0\x01\x14\x02\0", _SHORTCUT),  # a Windows .lnk file
    (b"book\0\0\0\0mark", _SHORTCUT),  # a macOS alias
)
_ZIP_MARKS = (b"PK\3\4", b"PK\5\6", b"PK\7\x08")
_FIRST_NAME = slice(30, 60)  # position of the first entry's name in a zip file
# The name of the first entry in an Office, OpenDocument, HWPX or Pages document begins with one of these.
_OFFICE_ENTRIES = (
    b"[Content_Types].xml",
    b"_rels/",
    b"docProps/",
    b"word/",
    b"xl/",
    b"ppt/",
    b"mimetype",
    b"Index/",
)
_MEDIA = re.compile(rb"RIFF....(?:(?P<picture>WEBP)|WAVE|AVI )|....ftyp(?P<heic>hei|mif1|avif)?", re.DOTALL)
_PICTURES = ("picture", "heic")

_SPACE = r"[\s\ufeff]*"
_PROLOG = rf"{_SPACE}(?:<\?xml[^>]*>{_SPACE}|<!--(?:(?!-->).)*-->{_SPACE}){{0,9}}"
_CONFLICT, _SEPARATOR = re.compile(r"^<<<<<<< ", re.MULTILINE), re.compile(r"^=======\r?$", re.MULTILINE)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")  # control characters that never occur in text
_LINES_OF_PYTHON = re.compile(
    r"^(?:import [A-Za-z_]|from [\w.]+ import |(?:async )?def \w+ *\(|class \w+ *[:(]|# %%|# In ?\[|#!.*py)",
    re.MULTILINE,
)
_TEXTS: tuple[tuple[re.Pattern[str], Kind], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE | re.DOTALL), kind)
    for pattern, kind in (
        (rf"{_SPACE}version https://git-lfs\.github\.com/|{_SPACE}/annex/objects/", _POINTER),
        (rf"{_SPACE}\[(?:InternetShortcut|Desktop Entry)\]|{_SPACE}https?://\S+\s*\Z", _SHORTCUT),
        (rf"{_PROLOG}(?:<!DOCTYPE plist|<plist)(?=.*<key>URL</key>)", _SHORTCUT),
        (rf"{_PROLOG}<svg[\s>]|{_PROLOG}<!DOCTYPE svg", _PICTURE),
        (rf"{_PROLOG}<(?:!DOCTYPE html|html|head|body|meta|title|script|div|p|table|a)[\s>]", _WEB_PAGE),
        (rf"{_SPACE}(?:From: <Saved by |Snapshot-Content-Location:)", _WEB_PAGE),
        (rf"{_SPACE}(?:Return-Path|Received|Delivered-To|MIME-Version|Message-ID|From|X-[\w-]+): ", _EMAIL),
        (rf"{_SPACE}<\?xml\s", _XML),
        (rf"{_SPACE}diff --git |{_SPACE}--- a/", _PATCH),
    )
)


def of_bytes(data: bytes) -> Kind | None:
    """Return the type of a binary file, recognised by its bytes; None if the file may be text."""
    head = data[:_HEAD]
    if head.startswith(_ZIP_MARKS):
        if not head[_FIRST_NAME].startswith(_OFFICE_ENTRIES):
            return _ZIP
        return _WORD if b"word/document" in data else _OFFICE
    if kind := next((kind for mark, kind in _MAGIC if head.startswith(mark)), None):
        return kind
    if b"%PDF-" in head[:1024]:
        return _PDF
    if head[257:262] == b"ustar":
        return _ARCHIVE
    if head.startswith(b"bplist00"):
        return _WEB_PAGE if b"WebMainResource" in data else _SHORTCUT
    if match := _MEDIA.match(head):
        return _PICTURE if any(match[name] for name in _PICTURES) else _FILM
    return _PICTURE if head.startswith(b"BM") and head[6:10] == bytes(4) else None


def of_text(text: str) -> Kind | None:
    """Return the type of a text file that is not JSON; None if the file looks like a damaged notebook."""
    head = text[:_HEAD]
    if (match := _CONFLICT.search(text)) and _SEPARATOR.search(text, match.end()):
        return _conflict(text.count("\n", 0, match.start()) + 1)
    if kind := next((kind for pattern, kind in _TEXTS if pattern.match(head)), None):
        return kind
    if head.lstrip("\ufeff \t\r\n").startswith(("{", "[")):
        return None
    if _CONTROL.search(head):
        return _BINARY
    return _PYTHON if _LINES_OF_PYTHON.search(head) and "```" not in head else _TEXT


def of_undecodable(data: bytes) -> Kind | None:
    """Return the type of a file in an unknown encoding; None if the file looks like a notebook."""
    return of_text(data.decode("latin-1"))


def of_json(document: Any) -> Kind:
    """Return the type of a JSON file that is not a notebook, such as a shortcut written by Google Drive."""
    is_pointer = isinstance(document, Mapping) and bool({"doc_id", "url"} & set(document))
    return _SHORTCUT if is_pointer else _JSON


def kind_of(data: bytes) -> Kind | None:
    """Return the type of a file that is not named like a notebook; None if the type is unknown."""
    text = data.decode(json.detect_encoding(data), "replace")
    if kind := of_bytes(data) or of_text(text):
        return kind
    if '"nbformat"' in text:
        return _NOTEBOOK
    with suppress(ValueError, RecursionError):
        return of_json(json.loads(text[:_HEAD]))
    return None


def _conflict(line: int) -> Kind:
    """Return the file type (a `Kind`) for a file with git's merge conflict markers.

    Args:
        line: the line number of the first marker, which the type's name mentions.
    """
    return _kind(
        f"a file with the marks of a merge conflict (<<<<<<<), at line {line}",
        f"{line}번째 줄에 병합 충돌 표시(<<<<<<<)가 있는 파일",
        (
            "Resolve the conflict, or get the notebook from before the merge: git checkout --ours FILE.",
            "충돌을 해결하거나 병합하기 전의 노트북을 되돌리세요: git checkout --ours 파일",
        ),
    )
