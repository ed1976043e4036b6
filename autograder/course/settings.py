"""nbgrader's settings for a course, and the folders that they name."""

from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange.default import Exchange
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError
from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

from autograder.course.clock import Clock
from autograder.course.errors import CourseError
from autograder.course.lesson import choose_lessons, find_lessons
from secant.address import SCHEMES

_EXCHANGE = Exchange.root.default_value
SECRET = ".autograder-secret"  # the secret key's file in the course's root; see grading/secret.py
REPORT = "report"  # the folder to which `autograder report` writes


def load_config(root: Path) -> Config:
    """Read the settings of the course in a folder.

    The folder is the course's root unless the settings specify another root.

    Raises:
        CourseError: the settings cannot be read.
    """
    try:
        config: Config = PyFileConfigLoader("nbgrader_config.py", path=str(root)).load_config()
    except Exception as error:
        raise CourseError(f"{root / 'nbgrader_config.py'} cannot be loaded: {error}.") from error
    config.CourseDirectory.setdefault("root", str(root))
    return config


def problem_address(config: Config) -> str:
    """Return the address to which students report problems, `c.Secant.problems`; empty if it is not set.

    Raises:
        CourseError: the setting is not an address.
    """
    address = config.get("Secant", {}).get("problems", "")
    if address and not (isinstance(address, str) and address.startswith(SCHEMES) and address.isprintable()):
        raise CourseError('c.Secant.problems is an address, such as "mailto:you@example.org" or "https://…".')
    return str(address)


@dataclass(frozen=True)
class Course:
    """A course directory with nbgrader's settings for it."""

    root: Path
    config: Config
    directory: CourseDirectory

    @classmethod
    def at(cls, root: Path) -> "Course":
        """Read the settings of the course in a folder.

        Raises:
            CourseError: the settings cannot be read, or they change nbgrader's folder structure
                (step/student/lesson).
        """
        config = load_config(root)
        directory = CourseDirectory(config=config)
        if directory.directory_structure != CourseDirectory().directory_structure:
            raise CourseError(
                "CourseDirectory.directory_structure must be nbgrader's own: step/student/lesson."
            )
        return cls(Path(directory.root), config, directory)

    def folder(self, step: Literal["submitted", "autograded", "feedback"], student: str, lesson: str) -> Path:
        """Return the folder in which a step of grading stores a student's submission of a lesson."""
        name = getattr(self.directory, f"{step}_directory")
        return Path(self.directory.format_path(name, student, lesson))

    def released_solutions(self) -> frozenset[str]:
        """Return the lessons in `c.Secant.solutions`, whose worked solutions are added to the feedback.

        Raises:
            CourseError: the setting is not a list, or names a lesson that the course does not have.
        """
        setting = self.config.get("Secant", {}).get("solutions", [])
        if not isinstance(setting, list | tuple | set):
            raise CourseError('c.Secant.solutions is a list of lessons, such as ["1", "2"].')
        words = [str(word) for word in setting]
        return frozenset(lesson.name for lesson in choose_lessons(find_lessons(self.root), words) if words)

    @property
    def submitted(self) -> Path:
        """The folder that contains all students' submission folders."""
        return Path(self.root, self.directory.submitted_directory)

    @cached_property
    def clock(self) -> Clock:
        """The time zones of the class.

        Raises:
            CourseError: a time zone in the settings does not exist.
        """
        return Clock.of(self.config)

    @property
    def exchange(self) -> Path:
        """The folder of nbgrader's exchange, in which all students' submissions arrive."""
        return Path(self.config.get("Exchange", {}).get("root") or _EXCHANGE)

    @property
    def hidden(self) -> tuple[str, ...]:
        """The paths hidden from students' code: the course directory, and the class's folders outside it."""
        names = ("submitted", "autograded", "feedback", "source", "release")
        folders = [self.root / getattr(self.directory, f"{name}_directory") for name in names]
        paths = (self.root, self.root / "course", *folders, self.root / SECRET, self.exchange)
        return tuple(str(path) for path in (*paths, *self._database()))

    def _database(self) -> list[Path]:
        file = sqlite_file(self.directory.db_url)
        return [file] if file else []


def sqlite_file(db_url: str) -> Path | None:
    """Return the file of the SQLite database at a URL; None if the URL is invalid or names no such file."""
    with suppress(ArgumentError):  # an invalid URL is reported when the gradebook is opened
        url = make_url(db_url)
        if url.get_backend_name() == "sqlite" and url.database and url.database != ":memory:":
            return Path(url.database.removeprefix("file:"))
    return None
