"""Tests of files that are not notebooks: a message in both languages names the kind of file and a remedy."""

import gzip
import io
import json
import tarfile
import time
import zipfile
from pathlib import Path

import pytest
from PIL import Image

from autograder.intake.submission import Rejected
from autograder.intake.take_in import take_in

LESSON = "01_steps"
PLIST = '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "x">\n'


def make_zip(*names: str, first: str = "") -> bytes:
    """Return a zip file whose entries have these names."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name in (*([first] if first else []), *names):
            archive.writestr(name, "x")
    return data.getvalue()


def make_tar() -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("a.ipynb"))
    return data.getvalue()


def make_picture(image_format: str) -> bytes:
    data = io.BytesIO()
    Image.new("RGB", (3, 3)).save(data, image_format)
    return data.getvalue()


NOTEBOOK = json.dumps({"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)
CONFLICT = NOTEBOOK.replace(' "metadata"', '<<<<<<< HEAD\n "metadata"').replace(
    ' "nbformat":', '=======\n>>>>>>> theirs\n "nbformat":'
)
KINDS = {
    "page of GitHub": (b"\n\n<!DOCTYPE html>\n<html lang=en>", "a web page (HTML)", "웹 페이지(HTML)"),
    "page behind a comment": (b"<!-- saved from url=(0014)about:internet -->\r\n<HTML>", "a web page", "웹"),
    "page in Korean encoding": ("<html><title>채점</title>".encode("cp949"), "a web page", "웹 페이지"),
    "page in UTF-16": ("<html><body>x".encode("utf-16"), "a web page", "웹 페이지"),
    "XHTML": (b'<?xml version="1.0"?>\n<html xmlns="x">', "a web page", "웹 페이지"),
    "MHTML": (b"From: <Saved by Blink>\r\nSnapshot-Content-Location: https://x", "a web page", "웹 페이지"),
    "webarchive": (b"bplist00\xd1WebMainResource", "a web page", "웹 페이지"),
    "PDF": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3", "a PDF", "PDF 파일"),
    "gzip": (gzip.compress(NOTEBOOK.encode()), "a compressed archive", "압축 파일"),
    "tar": (make_tar(), "a compressed archive", "압축 파일"),
    "7z": (b"7z\xbc\xaf\x27\x1c\0\4", "a compressed archive", "압축 파일"),
    "zip": (make_zip("a.ipynb", "word/document.xml"), "a zip archive", "zip 압축 파일"),
    "RTF": (b"{\\rtf1\\ansi hello}", "a formatted text (RTF)", "RTF"),
    "Word": (make_zip("word/document.xml", first="[Content_Types].xml"), "a Word document", "Word 문서"),
    "Excel": (make_zip("xl/workbook.xml", first="[Content_Types].xml"), "an office document", "문서"),
    "HWPX": (make_zip("Contents/section0.xml", first="mimetype"), "an office document", "문서"),
    "HWP": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0", "an office document", "한글"),
    "PNG": (make_picture("PNG"), "a picture", "그림 파일"),
    "JPEG": (make_picture("JPEG"), "a picture", "그림 파일"),
    "GIF": (make_picture("GIF"), "a picture", "그림 파일"),
    "WebP": (make_picture("WEBP"), "a picture", "그림 파일"),
    "BMP": (make_picture("BMP"), "a picture", "그림 파일"),
    "HEIC": (b"\0\0\0\x24ftypheic\0\0", "a picture", "그림 파일"),
    "SVG": (b'<?xml version="1.0"?><svg xmlns="x"></svg>', "a picture", "그림 파일"),
    "film": (b"\0\0\0\x20ftypisom\0\0", "a video", "동영상"),
    "Python": ("# 답\nimport torch\n\ndef f(x):\n    1\n".encode(), "Python code as text", "Python 코드"),
    "Python in Korean encoding": ("# 답\nimport torch\n".encode("cp949"), "Python code", "Python 코드"),
    "Python of a script": (b"#!/usr/bin/env python\n# coding: utf-8\n\n# In[ ]:\n", "Python code", "Python"),
    "LFS": (b"version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 9\n", "Git LFS", "Git LFS"),
    "annex": (b"/annex/objects/SHA256E-s9--1.ipynb\n", "git-annex", "git-annex"),
    "conflict": (CONFLICT.encode(), "a merge conflict (<<<<<<<), at line 3", "3번째 줄에 병합 충돌"),
    "conflict on Windows": (CONFLICT.replace("\n", "\r\n").encode(), "a merge conflict", "병합 충돌"),
    "patch": (b"diff --git a/x.ipynb b/x.ipynb\n", "a patch of git's", "git 패치"),
    "url": (b"[InternetShortcut]\r\nURL=https://colab.research.google.com/x\r\n", "a shortcut", "바로 가기"),
    "webloc": (f"{PLIST}<plist><dict><key>URL</key></dict></plist>".encode(), "a shortcut", "바로 가기"),
    "binary webloc": (b"bplist00\xd1\1\2SURL_", "a shortcut", "바로 가기"),
    "lnk": (b"\x4c\0\0\0\x01\x14\x02\0\0\0", "a shortcut", "바로 가기"),
    "alias": (b"book\0\0\0\0mark\0\0\0\0", "a shortcut", "바로 가기"),
    "desktop": (b"[Desktop Entry]\nType=Link\n", "a shortcut", "바로 가기"),
    "gdoc": (b'{"":"WARNING!","doc_id":"1a","resource_key":"","email":"a@b"}', "a shortcut", "바로 가기"),
    "old gdoc": (b'{"url": "https://docs.google.com/x", "doc_id": "1"}', "a shortcut", "바로 가기"),
    "address": (b"https://colab.research.google.com/drive/1x\n", "a shortcut", "바로 가기"),
    "e-mail": (b"Return-Path: <a@b>\r\nSubject: homework\r\n", "an e-mail", "전자우편"),
    "XML": (b'<?xml version="1.0"?><note/>', "XML", "XML"),
    "JSON": (b'{"message": "Not Found"}', "JSON, but not a notebook", "노트북이 아닌 JSON"),
    "program": (b"\x7fELF\2\1\1\0", "a program", "실행 파일"),
    "pickle": (b"\x80\x04\x95\x00\x01\x02.", "a file of another kind", "다른 종류"),
    "companion of macOS": (b"\0\x05\x16\x07\0\2\0\0Mac OS X", "macOS", "macOS"),
    "essay": ("I forgot to save it. 죄송합니다.\n".encode(), "plain text", "일반 텍스트"),
    "essay in Korean encoding": ("죄송합니다.".encode("cp949"), "plain text", "일반 텍스트"),
    "answer of a chat": (b"Sure!\n```python\nimport torch\n```\n", "plain text", "일반 텍스트"),
}  # fmt: skip


@pytest.mark.parametrize("name", [f"{LESSON}.ipynb", "homework.dat"])
@pytest.mark.parametrize("kind", KINDS)
def test_rejection_names_the_kind_of_the_submitted_file(tmp_path: Path, kind: str, name: str) -> None:
    data, en, ko = KINDS[kind]
    (tmp_path / name).write_bytes(data)
    rejection = take_in(tmp_path, LESSON, {})
    assert isinstance(rejection, Rejected)
    assert rejection.reason == ("not_a_notebook" if name.endswith(".ipynb") else "no_notebook")
    assert en in rejection.en
    assert ko in rejection.ko
    assert "cut short" not in rejection.en
    assert "UTF-8" not in rejection.en


@pytest.mark.parametrize(
    ("data", "reason", "message"),
    [
        (b"", "empty", "The file is empty."),
        (b"\0" * 500, "empty", "The file is empty."),
        (NOTEBOOK[:60].encode(), "not_a_notebook", "cut short or damaged"),
        (NOTEBOOK.replace("cells", "c\xe9lls").encode("latin-1"), "encoding", "Save it as UTF-8."),
        (f"{NOTEBOOK}\n{NOTEBOOK}".encode(), "not_a_notebook", "from line 7 on"),
        (f"{NOTEBOOK}\n, junk".encode(), "not_a_notebook", "Something else follows the end"),
        (b'{"cells": ["<<<<<<< HEAD\\n", "=======\\n"', "not_a_notebook", "cut short or damaged"),
    ],
)
def test_damaged_notebook_is_rejected_with_the_reason_for_its_damage(
    tmp_path: Path, data: bytes, reason: str, message: str
) -> None:
    (tmp_path / f"{LESSON}.ipynb").write_bytes(data)
    rejection = take_in(tmp_path, LESSON, {})
    assert isinstance(rejection, Rejected)
    assert rejection.reason == reason
    assert message in rejection.en


@pytest.mark.parametrize(
    "text",
    [
        "<<<<<<< x\n" * 400_000,
        "<!-- x -->" * 400_000,
        "<?xml " * 600_000,
        "\n" * 4_000_000 + "x",
        "<!--" * 1_000_000,
        "=======\n" * 400_000 + "<<<<<<< x",
    ],
    ids=range(6),
)
def test_hostile_text_takes_linear_time(tmp_path: Path, text: str) -> None:
    (tmp_path / f"{LESSON}.ipynb").write_text(text)
    started = time.process_time()
    assert isinstance(take_in(tmp_path, LESSON, {}), Rejected)
    assert time.process_time() - started < 2
