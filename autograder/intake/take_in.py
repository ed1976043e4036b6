"""The intake: turns a submitted path into a rebuilt notebook, or into a sentence that explains the rejection.

A submitted file is hostile bytes. It is opened without following links, read once up to a size limit, and
hashed. All later steps use the bytes read, not the file (files.py, parse.py). The intake uses only the text
of the cells, their order, and the ids that identify each cell (pairing.py). Metadata, tags, outputs, the
kernel's name and accompanying files never change a score (rebuild.py).

A submission is a single folder. If the folder contains several notebooks, exactly one of them counts, as a
whole. Archives are not opened.
"""

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from nbformat import NotebookNode

from autograder.course.cells import grade_id
from autograder.intake.files import (
    UnreadNotebook,
    is_named_after,
    names_of,
    read_lesson_notebooks,
    read_named_pictures,
)
from autograder.intake.pairing import pair_with_release, text_definitions, unwritten
from autograder.intake.parse import parse
from autograder.intake.rebuild import layout_of, notebook_of, parts_of, steps_of
from autograder.intake.submission import Part, Refused, Rejected, Script, Submission
from secant.visible import visible


@dataclass(frozen=True)
class SubmittedFile:
    """The bytes of a submitted file, read but not yet parsed.

    Attributes:
        name: the file's name.
        data: the file's bytes.
        notes: remarks for staff; see `parse_submission`.
        other_files: the other notebooks in order of preference; see `parse_submission`.
        unread: the notebooks that could not be read, such as links, each with the reason.
        pictures: the contents of the picture files that the notebooks refer to, keyed by path.
    """

    name: str
    data: bytes
    notes: Sequence[str]
    other_files: Sequence["SubmittedFile"] = ()
    unread: Sequence[UnreadNotebook] = ()
    pictures: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """A SHA-256 hash (hex) of the file and of any other notebooks and pictures that were found."""
        own_hash = hashlib.sha256(self.data).hexdigest()
        if not self.other_files and not self.unread and not self.pictures:
            return own_hash
        other_digests = [other.digest for other in self.other_files]
        unread = [f" {visible(name)}: {rejection.en}" for name, rejection in self.unread]
        pictures = [f" {name!r} {hashlib.sha256(data).hexdigest()}" for name, data in self.pictures.items()]
        return hashlib.sha256("".join([own_hash, *other_digests, *unread, *pictures]).encode()).hexdigest()


def take_in(
    path: Path,
    lesson: str,
    releases: Mapping[str, NotebookNode],
    root: Path | None = None,
    released_files: Path | None = None,
) -> Submission | Rejected:
    """Find and parse a file. For the arguments and errors, see `find_file` and `parse_submission`."""
    outcome = find_file(path, lesson, root, released_files)
    return outcome if isinstance(outcome, Rejected) else parse_submission(outcome, lesson, releases)


def find_file(
    path: Path, lesson: str, root: Path | None = None, released_files: Path | None = None
) -> SubmittedFile | Rejected:
    """Find and read a submission's file.

    In a folder, the notebook that counts is the one with the lesson's name, as in 03_x.ipynb, or with the
    lesson's name and a language, as in 03_x.ko.ipynb. If there is no such notebook, a copy counts, recognised
    by its name. Among several copies, the one with the longest name counts. Among names of equal length, the
    last in sorted order counts. If there is no copy either, the folder's only notebook counts. All other
    notebooks are also read.

    Args:
        path: the submitted folder, or a notebook file.
        lesson: the lesson's name.
        root: a folder above `path` that the autograder created. No part of `path` below `root` may be a link.
            Without `root`, only the last part of `path` is checked.
        released_files: a folder with the files that students receive with the lesson. Unchanged copies of
            these files in the submission do not count as side files.

    Raises:
        OSError: this machine could not read the file, which is not the student's fault.
    """
    path = Path(os.path.abspath(path))
    root = None if root is None else Path(os.path.abspath(root))
    try:
        notebooks, unread = read_lesson_notebooks(path, lesson, root, released_files)
        pictures = read_named_pictures(path, root, [data for _, data, _ in notebooks])
        first, *other_files = (SubmittedFile(*notebook, pictures=pictures) for notebook in notebooks)
        return replace(first, other_files=other_files, unread=unread)
    except Refused as refusal:
        return refusal.outcome


def parse_submission(
    submitted_file: SubmittedFile, lesson: str, releases: Mapping[str, NotebookNode]
) -> Submission | Rejected:
    """Match a submission's cells with the lesson's, and choose the notebook that counts if there are several.

    The notebook with the lesson's name counts. If it exists in several languages, the version with the most
    answers counts. If that notebook answers nothing, the next one that answers something counts. Answers from
    the other notebooks are ignored. The choice does not depend on any test result, so several notebooks do
    not give a student several tries. If one notebook cannot be read and the other notebooks answer nothing,
    the answers may be in the unreadable notebook. In that case, the submission is rejected.

    Each remark for staff is a word, in some cases followed by the id of a cell or the name of a file:
    `renamed`, `several_notebooks`, `side_files`, `hard_link`, `old_format`, `unchanged` (every answer is the
    released stub), `two_languages` (answers are written in more than one language), `counted:` (the only file
    that counted), `other_answers:` (a file with an answer that the counted file does not have), `duplicate:`,
    `changed_test:`, `missing_test:`, `changed_metadata:`, `changed_type:`, `missing_answer:`,
    `found_by_name:`, `found_by_place:` (a written answer was found in cells that the student added or in the
    lesson's own text, or code was found where the task's cell was), `defined_twice:` (several written cells
    define the function or class that the task asks for), `left_out:` (a code cell is too long to run).

    Args:
        submitted_file: the submitted file.
        lesson: the lesson's name.
        releases: the released notebooks that students received, keyed by language.
    """
    if submitted_file.other_files or submitted_file.unread:
        return _parse_several(submitted_file, lesson, releases)
    try:
        submitted = parse(submitted_file.data)
        language, pairing = pair_with_release(submitted, lesson, releases)
    except Refused as refusal:
        return refusal.outcome
    layout = layout_of(pairing)
    parts = parts_of(pairing, layout, submitted_file.pictures)
    answers = {
        grade_id(lesson_cell): cell.source + _fingerprints(parts.get(lesson_cell.id, ()))
        for lesson_cell, cell in ((pairing.lesson[index], cell) for index, cell in pairing.answers.items())
    }
    script = Script(
        steps=steps_of(pairing, layout),
        language=language,
        digest=submitted_file.digest,
        unwritten=sorted(unwritten(pairing)),
        text_definitions=text_definitions(pairing),
    )
    return Submission(
        script=script,
        answers=answers,
        notebook=notebook_of(releases[language], pairing, layout),
        file=visible(submitted_file.name),
        notes=[*submitted_file.notes, *(["old_format"] if submitted.old_format else []), *pairing.flags],
        parts=parts,
    )


def _fingerprints(parts: Sequence[Part]) -> str:
    """Return, for each picture in an answer, a line with its hash, so that a replaced picture is noticed."""
    pictures = [part.text for part in parts if part.kind == "picture"]
    return "".join(f"\npicture {hashlib.sha256(data.encode()).hexdigest()}" for data in pictures)


def _parse_several(
    submitted_file: SubmittedFile, lesson: str, releases: Mapping[str, NotebookNode]
) -> Submission | Rejected:
    """Parse each of several notebooks, choose the one that counts, and note which others have answers."""
    files = [replace(submitted_file, other_files=(), unread=()), *submitted_file.other_files]
    outcomes = [parse_submission(file, lesson, releases) for file in files]
    submissions = [outcome for outcome in outcomes if isinstance(outcome, Submission)]
    if not submissions:
        return outcomes[0]
    names = names_of(lesson)
    versions = [
        outcome
        for outcome, file in zip(outcomes, files, strict=True)
        if isinstance(outcome, Submission) and file.name in names
    ]
    first = min(versions or submissions[:1], key=lambda submission: len(submission.unwritten))
    chosen_submission = next(
        (submission for submission in (first, *submissions) if _written_answers(submission)), first
    )
    unread = _unread_rejections(submitted_file.unread, zip(files, outcomes, strict=True), lesson)
    if unread and not _written_answers(chosen_submission):
        return unread[0]
    notes = (
        ["two_languages"] if sum(bool(_written_answers(submission)) for submission in versions) > 1 else []
    )
    differing_submissions = [
        submission
        for submission in submissions
        if _written_answers(submission).items() - _written_answers(chosen_submission).items()
    ]
    if differing_submissions or unread or chosen_submission is not first or not versions:
        notes.append(f"counted:{chosen_submission.file}")
    notes += [f"other_answers:{submission.file}" for submission in differing_submissions]
    script = replace(chosen_submission.script, digest=submitted_file.digest)
    return replace(chosen_submission, script=script, notes=[*chosen_submission.notes, *notes])


def _unread_rejections(
    unread: Iterable[UnreadNotebook],
    outcomes: Iterable[tuple[SubmittedFile, Submission | Rejected]],
    lesson: str,
) -> list[Rejected]:
    """Return the rejections of unreadable notebooks that may belong to the lesson, with their file names."""
    rejections = [(file.name, outcome) for file, outcome in outcomes if isinstance(outcome, Rejected)]
    return [
        replace(
            rejection, en=f"{visible(name)[:60]}: {rejection.en}", ko=f"{visible(name)[:60]}: {rejection.ko}"
        )
        for name, rejection in (*rejections, *unread)
        # A readable notebook of another lesson is not reported. A notebook with this lesson's name is
        # reported, because it may have lost its cells.
        if rejection.reason != "wrong_notebook" or is_named_after(lesson, name)
    ]


def _written_answers(submission: Submission) -> dict[str, str]:
    """Return the answers that differ from the released stub, keyed by task."""
    return {
        task: text.strip() for task, text in submission.answers.items() if task not in submission.unwritten
    }
