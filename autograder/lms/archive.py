"""Read a zip archive of untrusted files, entry by entry, so that a damaged entry does not affect the others.

The zipfile module rejects the whole archive when one entry has a damaged name, extra field or version, and it
keeps all entries in memory. Therefore, this module itself reads the table of contents, up to a limit, and
unpacks the data with zlib. The fields are documented in
https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT.
"""

import os
import re
import stat
import struct
import unicodedata
import zlib
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from autograder.course.errors import CourseError
from autograder.intake.files import MAX_FILE_BYTES
from autograder.intake.kinds import kind_of
from secant.language import say

# Maximum number of files taken from an archive. If there are more, the last files of the students with the
# most files are skipped.
MAX_ENTRIES = 100_000
# Maximum number of entries read from the table of contents; later entries are ignored.
MAX_LISTED = 1_000_000
MAX_NAME_BYTES = 1_000
MAX_TOTAL_BYTES = 8_000_000_000  # maximum total size of all unpacked entries, in bytes
# Maximum ratio of the total unpacked size to the archive's size. A total of up to HARMLESS_BYTES is always
# allowed.
MAX_RATIO = 100
HARMLESS_BYTES = 100_000_000

_CHUNK = 1 << 16
_TYPE_BYTES = 1 << 16  # number of bytes at the beginning of a file that are enough to recognize its type
_END, _END_64, _LOCATOR_64 = struct.Struct("<4s4H2LH"), struct.Struct("<4sQ2H2L4Q"), struct.Struct("<4sLQL")
_ENTRY, _HEADER = struct.Struct("<4s6H3L5H2L"), struct.Struct("<4s5H3L2H")
_ENCRYPTED, _UTF8 = 0x1, 0x800
_STORED, _DEFLATED = 0, 8
_UNIX = 3
_DRIVE = re.compile(r"[A-Za-z]:")
_FIRST_NUMBER = re.compile(r".*?_[0-9]+")
_OS_FILES = re.compile(r"(^|/)(__MACOSX/|\._|\.DS_Store$|Thumbs\.db$|desktop\.ini$)")


class Unreadable(Exception):
    """Raised if an entry or a part of an archive cannot be read; the message gives the reason."""


@dataclass(frozen=True)
class Member:
    """An entry of an archive.

    Attributes:
        path: the entry's name in Unicode's composed form (NFC), with slashes as separators.
        number: the entry's position in the table of contents, starting from 1.
        name: the bytes of the entry's name.
        refusal: the reason why the entry must not be read; empty if it may be read.
        stray: True if the name is invalid, so that the entry cannot belong to a student.
        ignored: True if the entry is a file that an operating system adds, such as .DS_Store.
    """

    path: str
    number: int
    name: bytes
    refusal: str
    stray: bool
    ignored: bool
    offset: int
    packed_size: int
    size: int
    method: int
    crc: int


class Archive:
    """An open zip archive.

    Args:
        file: the archive.
        length: the size of the archive in bytes.

    Raises:
        Unreadable: if the archive has no table of contents.
    """

    def __init__(self, file: BinaryIO, length: int) -> None:
        self._file = file
        self._bytes_left = min(MAX_TOTAL_BYTES, max(HARMLESS_BYTES, MAX_RATIO * length))
        self._length = length
        self._counted_numbers: set[int] = set()
        self._begin, self._size, self._shift = _find_table(file, length)

    def members(self) -> Iterator[Member]:
        """Yield the files in the archive, in the order of its table of contents.

        If there are too many files, the last files of the students with the most files are skipped.

        Raises:
            Unreadable: if the table cannot be read to its end, or if files were skipped.
        """
        counts: Counter[str] = Counter()
        # This loop only counts. It ignores a damaged table, because the second loop raises the same error
        # after yielding the readable files.
        with suppress(Unreadable):
            for member in self._entries():
                counts[_student_part(member.path)] += 1
        limit, read_counts, left_out = _fair_share(counts.values(), MAX_ENTRIES), Counter[str](), 0
        for member in self._entries():
            read_counts[_student_part(member.path)] += 1
            if read_counts[_student_part(member.path)] <= limit:
                yield member
            else:
                left_out += 1
        if left_out:
            raise Unreadable(
                say(
                    en=f"The archive has more than {MAX_ENTRIES:,} entries. Of each student's, {limit:,} "
                    f"were read; {left_out:,} were not.",
                    ko=f"압축 파일의 항목이 {MAX_ENTRIES:,}개를 넘어서 학생마다 {limit:,}개까지만 읽고 "
                    f"{left_out:,}개는 읽지 않았습니다.",
                )
            )

    def _entries(self) -> Iterator[Member]:
        """Yield the files that the table of contents lists.

        Raises:
            Unreadable: if the table cannot be read to its end.
        """
        position, end, count = self._begin, self._begin + self._size, 0
        while position < end:
            count += 1
            if count > MAX_LISTED:
                raise Unreadable(
                    say(
                        en=f"The archive lists more than {MAX_LISTED:,} entries; the rest was not read.",
                        ko=f"압축 파일의 항목이 {MAX_LISTED:,}개를 넘습니다. 나머지는 읽지 않았습니다.",
                    )
                )
            member, position = self._member(position, count)
            if member is not None:
                yield member

    def _member(self, position: int, number: int) -> tuple[Member | None, int]:
        """Return the entry at an offset in the table (None for a folder) and the next entry's offset."""
        self._file.seek(position)
        head = self._file.read(_ENTRY.size)
        if len(head) < _ENTRY.size or head[:4] != b"PK\1\2":
            raise Unreadable(_broken_table_message())
        fields = _ENTRY.unpack(head)
        made_by, flags, method, crc, packed_size, size = fields[1] >> 8, fields[3], fields[4], *fields[7:10]
        name_size, extra_size, comment_size, attributes, offset = (
            fields[10],
            fields[11],
            fields[12],
            fields[15],
            fields[16],
        )
        name, extra = self._file.read(name_size), self._file.read(extra_size)
        next_position = position + _ENTRY.size + name_size + extra_size + comment_size
        path = _decode_name(name, bool(flags & _UTF8))
        if path.endswith("/"):
            return None, next_position
        size, packed_size, offset = _zip64_sizes(extra, size, packed_size, offset)
        mode = attributes >> 16 if made_by == _UNIX else 0
        stray = _invalid_name_reason(path, name_size)
        member = Member(
            path=path,
            number=number,
            name=name,
            refusal=stray or _refusal(flags, method, size, mode),
            stray=bool(stray),
            ignored=bool(_OS_FILES.search(path)),
            offset=offset + self._shift,
            packed_size=packed_size,
            size=size,
            method=method,
            crc=crc,
        )
        return member, next_position

    def read(self, member: Member) -> bytes:
        """Return the content of an entry, which has at most `MAX_FILE_BYTES` bytes.

        Raises:
            Unreadable: if the entry cannot be read, or if the archive's entries exceed the limit on their
                total size.
        """
        if member.refusal:
            raise Unreadable(member.refusal)
        self._count(member)
        if not 0 <= member.offset < self._length:
            raise Unreadable(_damaged_message())
        self._file.seek(member.offset)
        head = self._file.read(_HEADER.size)
        if len(head) < _HEADER.size or head[:4] != b"PK\3\4":
            raise Unreadable(_damaged_message())
        name_size, extra_size = _HEADER.unpack(head)[9:11]
        # An entry's name is stored twice, in the table and before the data. If the two differed, programs
        # might disagree about the archive's content.
        if self._file.read(name_size) != member.name:
            raise Unreadable(_damaged_message())
        self._file.seek(extra_size, os.SEEK_CUR)
        data = (
            self._inflate(member)
            if member.method == _DEFLATED
            else self._file.read(min(member.packed_size, MAX_FILE_BYTES))
        )
        if len(data) != member.size or zlib.crc32(data) != member.crc:
            raise Unreadable(_damaged_message())
        return data

    def _count(self, member: Member) -> None:
        """Subtract an entry's size from the remaining size limit, unless it has already been subtracted."""
        if member.number in self._counted_numbers:
            return
        if member.size > self._bytes_left:
            raise Unreadable(
                say(
                    en="All files together are far larger than the archive, and this student's are among "
                    "the largest.",
                    ko="압축을 풀면 압축 파일보다 지나치게 커지는데, 이 학생의 파일이 큰 편에 듭니다.",
                )
            )
        self._counted_numbers.add(member.number)
        self._bytes_left -= member.size

    def _inflate(self, member: Member) -> bytes:
        """Return the unpacked data of an entry, limited to one byte more than the declared size."""
        decompressor, parts, input_left, output_left = (
            zlib.decompressobj(-15),
            [],
            member.packed_size,
            member.size + 1,
        )
        try:
            while input_left > 0 and output_left > 0 and not decompressor.eof:
                chunk = self._file.read(min(_CHUNK, input_left))
                if not chunk:
                    break
                input_left -= len(chunk)
                parts.append(decompressor.decompress(chunk, output_left))
                output_left -= len(parts[-1])
                while decompressor.unconsumed_tail and output_left > 0:
                    parts.append(decompressor.decompress(decompressor.unconsumed_tail, output_left))
                    output_left -= len(parts[-1])
        except zlib.error:
            raise Unreadable(_damaged_message()) from None
        return b"".join(parts)


@contextmanager
def open_archive(path: Path) -> Iterator[Archive]:
    """Open a zip archive for the duration of a `with` block.

    Raises:
        CourseError: if the file does not exist, or is a folder.
        Unreadable: if the file is not a zip archive.
    """
    if path.is_dir():
        raise CourseError(
            say(
                en=f"{path} is a folder. Some browsers unpack what they download: make a zip of it again.",
                ko=f"{path}: 폴더입니다. 브라우저가 압축을 푼 것이라면 다시 zip으로 묶으세요.",
            )
        )
    if not path.is_file():
        raise CourseError(
            say(
                en=f"{path}: there is no such file. Name the archive that you have downloaded.",
                ko=f"{path}: 없는 파일입니다. 내려받은 압축 파일을 지정하세요.",
            )
        )
    with path.open("rb") as file:
        yield Archive(file, path.stat().st_size)


def _student_part(path: str) -> str:
    """Return the part of a path that is probably the same for all files of one student.

    In an archive with folders, this is the first folder; in a flat archive, the text up to the first number.
    """
    match = _FIRST_NUMBER.match(path)
    return path.partition("/")[0] if "/" in path or not match else match[0]


def _fair_share(counts: Collection[int], total: int) -> int:
    """Return one limit for all counts such that the limited counts add up to at most `total`."""
    remaining, counts_left = total, len(counts)
    for count in sorted(counts):
        if count * counts_left > remaining:
            return max(1, remaining // counts_left)
        remaining, counts_left = remaining - count, counts_left - 1
    return total


def _no_zip_message(file: BinaryIO) -> str:
    """Return the message that a file is not a complete zip archive; it names the file's type if known."""
    file.seek(0)
    head = file.read(_TYPE_BYTES)
    kind = None if head.startswith(b"PK") else kind_of(head)
    en, ko = (f"It is {kind.name[0]}. ", f"{kind.name[1]}입니다. ") if kind else ("", "")
    return say(
        en=f"This is not a zip archive, or its end is missing. {en}Nothing was collected: download it again.",
        ko=f"zip 파일이 아니거나 끝부분이 잘려서 아무것도 옮기지 않았습니다. {ko}다시 내려받으세요.",
    )


def _find_table(file: BinaryIO, length: int) -> tuple[int, int, int]:
    """Return the offset and size of the table of contents, and the shift to add to all offsets in it.

    The shift is not zero if there is other data before the archive.
    """
    file.seek(max(0, length - 65_535 - _END.size))
    tail = file.read()
    index = tail.rfind(b"PK\5\6")
    if index < 0 or len(tail) - index < _END.size:
        raise Unreadable(_no_zip_message(file))
    end = length - len(tail) + index
    *_, size, offset, _ = _END.unpack(tail[index : index + _END.size])
    if 0xFFFFFFFF in (size, offset) and end >= _LOCATOR_64.size + _END_64.size:
        file.seek(end - _LOCATOR_64.size)
        signature, _, _, _ = _LOCATOR_64.unpack(file.read(_LOCATOR_64.size))
        end -= _LOCATOR_64.size + _END_64.size
        file.seek(end)
        *_, size, offset = fields = _END_64.unpack(file.read(_END_64.size))
        if signature != b"PK\6\7" or fields[0] != b"PK\6\6":
            raise Unreadable(_broken_table_message())
    begin = end - size
    if begin < 0:
        raise Unreadable(_broken_table_message())
    return begin, size, begin - offset


def _zip64_sizes(extra: bytes, size: int, packed_size: int, offset: int) -> tuple[int, int, int]:
    """Return the sizes and the offset of an entry; for a large entry, take them from the zip64 field."""
    position = 0
    while position + 4 <= len(extra):
        kind, length = struct.unpack_from("<2H", extra, position)
        if kind == 1:
            fields = iter(
                struct.unpack_from(f"<{min(length, len(extra) - position - 4) // 8}Q", extra, position + 4)
            )
            values = [
                next(fields, value) if value == 0xFFFFFFFF else value for value in (size, packed_size, offset)
            ]
            return values[0], values[1], values[2]
        position += 4 + length
    return size, packed_size, offset


def _decode_name(name: bytes, is_utf8: bool) -> str:
    """Decode an entry's name as UTF-8, else as cp949 (Korean Windows), else as cp437 (zip's default)."""
    if is_utf8:
        text = name.decode("utf-8", "backslashreplace")
    else:
        text = next(filter(None, (_decode_strictly(name, "utf-8"), _decode_korean(name))), "") or name.decode(
            "cp437"
        )
    return unicodedata.normalize("NFC", text.replace("\\", "/"))


def _decode_strictly(name: bytes, encoding: str) -> str:
    try:
        return name.decode(encoding)
    except UnicodeDecodeError:
        return ""


def _decode_korean(name: bytes) -> str:
    """Decode a name as cp949 if the result is Korean; otherwise return "".

    If the second byte of a character is in the ASCII range, the encoding is probably cp437 instead.
    """
    text = _decode_strictly(name, "cp949")
    non_ascii = [char for char in text if not char.isascii()]
    is_korean = non_ascii and all(
        "가" <= char <= "힣" and char.encode("cp949")[1] >= 0x80 for char in non_ascii
    )
    return text if is_korean else ""


def _invalid_name_reason(path: str, name_size: int) -> str:
    """Return the reason why an entry's name cannot belong to a student's file; empty if it can."""
    if not path or name_size > MAX_NAME_BYTES or "\0" in path:
        return say(
            en="Its name is empty, too long or not valid.",
            ko="이름이 비었거나 너무 길거나 쓸 수 없는 이름입니다.",
        )
    parts = path.split("/")
    if parts[0] == "" or ".." in parts or _DRIVE.match(path):
        return say(en="Its name leads out of the archive.", ko="이름이 압축 파일 바깥을 가리킵니다.")
    return ""


def _refusal(flags: int, method: int, size: int, mode: int) -> str:
    """Return the reason why an entry must not be read; empty if it may be read."""
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        return say(en="It is a link or a device, not a file.", ko="파일이 아니라 링크나 장치입니다.")
    if flags & _ENCRYPTED:
        return say(en="It is encrypted.", ko="암호가 걸려 있습니다.")
    if method not in (_STORED, _DEFLATED):
        return say(
            en=f"It uses compression method {method}, which none of these systems uses.",
            ko=f"이런 시스템이 쓰지 않는 압축 방식({method})입니다.",
        )
    if size > MAX_FILE_BYTES:
        megabytes = MAX_FILE_BYTES // 1_000_000
        return say(en=f"It is larger than {megabytes} MB.", ko=f"{megabytes} MB보다 큽니다.")
    return ""


def _damaged_message() -> str:
    return say(en="It is damaged in the archive.", ko="압축 파일 안에서 손상되었습니다.")


def _broken_table_message() -> str:
    return say(
        en="The archive's table of contents is damaged from here on: download it again.",
        ko="압축 파일의 목차가 여기부터 손상되었습니다. 다시 내려받으세요.",
    )
