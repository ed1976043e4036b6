"""The results of the intake: a submission that can be graded, or a rejection with its reason."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from nbformat import NotebookNode

from secant.language import Language, say, supported_language


@dataclass(frozen=True)
class Rejected:
    """The rejection of a submitted file that cannot be graded, with a message for the student.

    Attributes:
        reason: the reason as one word, such as `empty`.
        en: the message for the student in English.
        ko: the message for the student in Korean.
    """

    reason: str
    en: str
    ko: str

    @property
    def message(self) -> str:
        """The message for the student in the current language."""
        return say(en=self.en, ko=self.ko)


@dataclass(frozen=True)
class Step:
    """A piece of code that runs in the student's process.

    Attributes:
        label: the name of the code in messages: `imports`, `cell 7` or `answer grad_square`.
        source: the code, magics included.
        number: the cell's position in the submitted file, from 1; 0 for the imports.
        task: the id of the task that the code answers, or an empty string.
    """

    label: str
    source: str
    number: int
    task: str = ""


@dataclass(frozen=True)
class Script:
    """The part of a submission that the examiner needs.

    Attributes:
        steps: the code to run, in order.
        language: the language of the submitted notebook.
        digest: the SHA-256 of the file's bytes, in hexadecimal.
        unwritten: the tasks whose answer is missing, empty, or the released stub.
        text_definitions: the functions and classes that a text cell defines, with the number of that cell.
    """

    steps: Sequence[Step]
    language: str
    digest: str
    unwritten: Sequence[str] = ()
    text_definitions: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Part:
    """A piece of a student's written answer.

    Attributes:
        kind: the type of piece. `missing` stands for a picture that cannot be shown, and `cut` for text
            beyond the length limit.
        text: the text or the code; for a picture, its data in base64; for `missing`, the reason as a key of
            `autograder.page.words`.
        name: a picture's description or file name, as written by the student.
    """

    kind: Literal["text", "code", "picture", "missing", "cut"]
    text: str = ""
    name: str = ""


@dataclass(frozen=True)
class Submission:
    """A submission that can be graded.

    Attributes:
        script: the part of the submission that the examiner needs.
        answers: the text of each answer that was found, keyed by task id.
        notebook: the lesson's cells with the student's answers, extra code cells, order and pictures. The
            pictures are its only outputs. Its tests are the released ones, so it contains no hidden test.
        file: the name of the file that was read.
        notes: remarks for staff, such as `changed_test:grad_square`; see `take_in.parse_submission`.
        parts: the parts of the student's text cells that contain pictures or code, keyed by cell id.
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
        """The language of Secant's messages about this submission."""
        return supported_language(self.script.language)


class Refused(Exception):
    """Raised to end the intake with a rejection.

    Attributes:
        outcome: the rejection.
    """

    def __init__(self, reason: str, *, en: str, ko: str) -> None:
        super().__init__(reason)
        self.outcome = Rejected(reason, en, ko)
