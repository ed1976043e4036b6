"""What the intake makes of a submitted file: a submission that can be graded, or why it cannot be."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from nbformat import NotebookNode

from secant.language import Language, ours, say


@dataclass(frozen=True)
class Rejected:
    """A file that cannot be graded, and what to tell the student."""

    reason: str
    en: str
    ko: str

    @property
    def message(self) -> str:
        """The sentence in the language in use."""
        return say(en=self.en, ko=self.ko)


@dataclass(frozen=True)
class Step:
    """Code to run in the student's process.

    Attributes:
        label: what to call it in a message: `imports`, `cell 7` or `answer grad_square`.
        source: the code, magics included.
        number: its place among the cells of the submitted file, from 1; 0 for the imports.
        task: the task that it answers, or an empty string.
    """

    label: str
    source: str
    number: int
    task: str = ""


@dataclass(frozen=True)
class Script:
    """What the examiner needs of a submission.

    Attributes:
        steps: the code to run, in order.
        language: the language of the notebook that was handed in.
        digest: the SHA-256 of the file's bytes, in hexadecimal.
        unwritten: the tasks whose answer is missing, empty, or the released stub.
        text_definitions: functions and classes whose code stands in text cells, with the cell's number.
    """

    steps: Sequence[Step]
    language: str
    digest: str
    unwritten: Sequence[str] = ()
    text_definitions: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Part:
    """A piece of what a student wrote in words.

    Attributes:
        kind: `missing` stands for a picture that cannot be shown, `cut` for words beyond the bound.
        text: the words or the code; a picture's data in base64; for `missing`, the reason, for which
            `autograder.page.words` has a sentence.
        name: what the student calls a picture.
    """

    kind: Literal["text", "code", "picture", "missing", "cut"]
    text: str = ""
    name: str = ""


@dataclass(frozen=True)
class Submission:
    """A submission that can be graded.

    Attributes:
        script: what the examiner needs of it.
        answers: the text of each task's answer that was found, by task id.
        notebook: our cells with the student's answers, extra code cells, order, and pictures, which are the
            only outputs. Its tests are the released ones, so nothing hidden is in it.
        file: the name of the file that was read.
        notes: what staff may want to know, such as `changed_test:grad_square`; see `take_in`.
        parts: what the student wrote in text cells that have pictures or code in them, by the cell's id.
    """

    script: Script
    answers: Mapping[str, str]
    notebook: NotebookNode
    file: str
    notes: Sequence[str] = ()
    parts: Mapping[str, Sequence[Part]] = field(default_factory=dict)

    @property
    def steps(self) -> Sequence[Step]:
        """The code to run, in order."""
        return self.script.steps

    @property
    def unwritten(self) -> frozenset[str]:
        """The tasks whose answer is missing, empty, or the released stub."""
        return frozenset(self.script.unwritten)

    @property
    def language(self) -> Language:
        """The language in which Secant answers."""
        return ours(self.script.language)


class Refused(Exception):
    """Ends the intake with this outcome."""

    def __init__(self, reason: str, *, en: str, ko: str) -> None:
        super().__init__(reason)
        self.outcome = Rejected(reason, en, ko)
