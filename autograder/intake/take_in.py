"""The intake: a submitted path in; a rebuilt notebook, or a plain sentence why there is none, out.

A submitted file is hostile bytes. It is opened without following links, read once within a bound, hashed,
and only that copy is looked at (files.py, parse.py). Of what it says, nothing counts but the text of its
cells, their order, and the marks that tell which cell is which (pairing.py): metadata, tags, outputs, the
kernel's name and files beside it change no point (rebuild.py).

The submission must be in one folder. Of several notebooks in it one counts, whole. Archives are not opened.
"""

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from nbformat import NotebookNode

from autograder.course.cells import grade_id
from autograder.intake.files import Unread, is_named_after, names_of, read, read_named_pictures
from autograder.intake.pairing import settle, text_definitions, unwritten
from autograder.intake.parse import parse
from autograder.intake.rebuild import layout_of, notebook_of, parts_of, steps_of
from autograder.intake.submission import Part, Refused, Rejected, Script, Submission
from secant.visible import visible


@dataclass(frozen=True)
class Found:
    """The bytes of a submitted file, read and not looked at yet; `notes` as of `take_in`.

    Attributes:
        others: the other notebooks, in the order in which they would count; see `understand`.
        unread: those that could not even be read, such as links.
        pictures: the pictures beside the notebooks that a notebook names, by their paths.
    """

    name: str
    data: bytes
    notes: Sequence[str]
    others: Sequence["Found"] = ()
    unread: Sequence[Unread] = ()
    pictures: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """The SHA-256 of the bytes, in hexadecimal; with others or pictures, of all that was found."""
        own = hashlib.sha256(self.data).hexdigest()
        if not self.others and not self.unread and not self.pictures:
            return own
        others = [other.digest for other in self.others]
        unread = [f" {visible(name)}: {why.en}" for name, why in self.unread]
        pictures = [f" {name!r} {hashlib.sha256(data).hexdigest()}" for name, data in self.pictures.items()]
        return hashlib.sha256("".join([own, *others, *unread, *pictures]).encode()).hexdigest()


def take_in(
    path: Path,
    lesson: str,
    releases: Mapping[str, NotebookNode],
    root: Path | None = None,
    given: Path | None = None,
) -> Submission | Rejected:
    """Find a submission's file and understand it, with the arguments and errors of the two steps."""
    found = find(path, lesson, root, given)
    return found if isinstance(found, Rejected) else understand(found, lesson, releases)


def find(path: Path, lesson: str, root: Path | None = None, given: Path | None = None) -> Found | Rejected:
    """Find and read a submission's file.

    In a folder, the notebook is the one called like the lesson, as in 03_x.ipynb, or like the lesson in a
    language, as in 03_x.ko.ipynb. If there is none, it is the one whose name
    differs only as browsers and file managers change names (the last of several, by length and then by
    name), or else the only notebook there is. Beside one that is named so, the others are read as well.

    Args:
        path: the submitted folder, or a notebook file.
        lesson: the lesson's name.
        root: a folder above `path` that we made ourselves. Every folder below it must be a real one;
            without it, only `path` itself must.
        given: a folder of the files that students get with the lesson; those that come back unchanged are no
            side files.

    Raises:
        OSError: this machine could not read the file, which is not the student's fault.
    """
    path = Path(os.path.abspath(path))
    root = None if root is None else Path(os.path.abspath(root))
    try:
        notebooks, unread = read(path, lesson, root, given)
        pictures = read_named_pictures(path, root, [data for _, data, _ in notebooks])
        first, *others = (Found(*each, pictures=pictures) for each in notebooks)
        return replace(first, others=others, unread=unread)
    except Refused as refusal:
        return refusal.outcome


def understand(found: Found, lesson: str, releases: Mapping[str, NotebookNode]) -> Submission | Rejected:
    """Say which cell is which. Of several notebooks one counts, and no answer of another does.

    That is the one with the lesson's name; of several languages, the one with more answers. If it answers
    nothing, it is the next one that answers something. No verdict has a say in it, so there is no second try.
    If none answers anything and one of them cannot be read, its answers may be in there: it is as if it were
    the only one.

    Notes are words, some with the id of the cell they are about: `renamed`, `several_notebooks`,
    `side_files`, `hard_link`, `old_format`, `unchanged` (every answer is the released stub), `two_languages`
    (answers are written in more than one), `counted:` (this file of several) and `other_answers:` (this file
    has an answer that the one that counted does not have);
    `duplicate:`, `changed_test:`, `missing_test:`, `changed_metadata:`, `changed_type:`, `missing_answer:`,
    `found_by_name:`, `found_by_place:` (a note stands in cells that the student added, or in the lesson's own
    text), `defined_twice:` (several written cells define what the task asks for), `left_out:` (a cell of code
    that is too long to run).

    Args:
        found: the file.
        lesson: the lesson's name.
        releases: the released notebook in each language: what the student was given.
    """
    if found.others or found.unread:
        return _of_several(found, lesson, releases)
    try:
        submitted = parse(found.data)
        language, pairing = settle(submitted, lesson, releases)
    except Refused as refusal:
        return refusal.outcome
    layout = layout_of(pairing)
    parts = parts_of(pairing, layout, found.pictures)
    answers = {
        grade_id(ours): cell.source + _fingerprints(parts.get(ours.id, ()))
        for ours, cell in ((pairing.lesson[index], cell) for index, cell in pairing.answers.items())
    }
    script = Script(
        steps=steps_of(pairing, layout),
        language=language,
        digest=found.digest,
        unwritten=sorted(unwritten(pairing)),
        text_definitions=text_definitions(pairing),
    )
    return Submission(
        script=script,
        answers=answers,
        notebook=notebook_of(releases[language], pairing, layout),
        file=visible(found.name),
        notes=[*found.notes, *(["old_format"] if submitted.old_format else []), *pairing.flags],
        parts=parts,
    )


def _fingerprints(parts: Sequence[Part]) -> str:
    """Return a line for each picture of an answer, so that another picture is another answer."""
    pictures = [part.text for part in parts if part.kind == "picture"]
    return "".join(f"\npicture {hashlib.sha256(data.encode()).hexdigest()}" for data in pictures)


def _of_several(found: Found, lesson: str, releases: Mapping[str, NotebookNode]) -> Submission | Rejected:
    """Understand each notebook, take the one that counts, and note who else has answers."""
    files = [replace(found, others=(), unread=()), *found.others]
    every = [understand(one, lesson, releases) for one in files]
    good = [one for one in every if isinstance(one, Submission)]
    if not good:
        return every[0]
    names = names_of(lesson)
    versions = [
        one
        for one, file in zip(every, files, strict=True)
        if isinstance(one, Submission) and file.name in names
    ]
    first = min(versions or good[:1], key=lambda one: len(one.unwritten))
    chosen = next((one for one in (first, *good) if _written(one)), first)
    unread = _unread(found.unread, zip(files, every, strict=True), lesson)
    if unread and not _written(chosen):
        return unread[0]
    notes = ["two_languages"] if sum(bool(_written(one)) for one in versions) > 1 else []
    differing = [one for one in good if _written(one).items() - _written(chosen).items()]
    if differing or unread or chosen is not first or not versions:
        notes.append(f"counted:{chosen.file}")
    notes += [f"other_answers:{one.file}" for one in differing]
    script = replace(chosen.script, digest=found.digest)
    return replace(chosen, script=script, notes=[*chosen.notes, *notes])


def _unread(
    unread: Iterable[Unread], every: Iterable[tuple[Found, Submission | Rejected]], lesson: str
) -> list[Rejected]:
    """The notebooks that cannot be read and may be this lesson's, each with its name in the message."""
    refused = [(file.name, one) for file, one in every if isinstance(one, Rejected)]
    return [
        replace(why, en=f"{visible(name)[:60]}: {why.en}", ko=f"{visible(name)[:60]}: {why.ko}")
        for name, why in (*refused, *unread)
        # Another lesson's notebook has been read. Under this lesson's name it may be one that lost its cells.
        if why.reason != "wrong_notebook" or is_named_after(lesson, name)
    ]


def _written(one: Submission) -> dict[str, str]:
    """The answers that are no stubs, by task."""
    return {task: text.strip() for task, text in one.answers.items() if task not in one.unwritten}
