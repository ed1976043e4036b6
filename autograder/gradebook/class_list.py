"""The students of a gradebook: listed, entered, forgotten."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from nbgrader.api import Student, SubmittedAssignment
from sqlalchemy import delete, exists, select, text

from autograder.course.settings import sqlite_file
from autograder.gradebook.book import Book
from autograder.gradebook.errors import refused
from autograder.gradebook.records import Record
from secant.visible import without_markup


class Listed(NamedTuple):
    """A student of the gradebook: whether there is a name, an address or the like, and whether any work."""

    id: str
    is_named: bool
    has_work: bool


def students(book: Book) -> list[str]:
    """Return the ids of all students.

    Raises:
        GradebookBusy: they could not be read.
    """
    return [person["id"] for person in people(book)]


def class_list(book: Book) -> list[Listed]:
    """Return all students, with what tells who was entered by a person and who came with a submission.

    Raises:
        GradebookBusy: they could not be read.
    """
    about = (Student.first_name, Student.last_name, Student.email, Student.lms_user_id)
    has_work = exists().where(SubmittedAssignment.student_id == Student.id)
    wanted = select(Student.id, has_work, *about).order_by(Student.id)
    found = book.connection.transaction(lambda: book.connection.db.execute(wanted).all())
    return [Listed(str(student), any(said), bool(work)) for student, work, *said in found]


def enter_people(book: Book, rows: Iterable[Mapping[str, str]]) -> None:
    """Enter students, or what is known of them by now: what is not said stays as it is.

    Args:
        book: the gradebook.
        rows: columns of nbgrader's `Student`: `id`, and any of the others.

    Raises:
        GradebookBusy: nothing was entered.
    """

    def enter() -> None:
        for row in rows:
            said = {column: without_markup(value) for column, value in row.items() if value}
            book.connection.db.merge(Student(**said))

    book.connection.transaction(enter)


def people(book: Book) -> list[dict[str, str]]:
    """Return all students, with nbgrader's columns for them; what is not known is empty.

    Raises:
        GradebookBusy: they could not be read.
    """
    columns = (Student.id, Student.first_name, Student.last_name, Student.email, Student.lms_user_id)
    wanted = select(*columns).order_by(Student.id)
    found = book.connection.transaction(lambda: book.connection.db.execute(wanted).all())
    return [{name: value or "" for name, value in row._mapping.items()} for row in found]


def forget(book: Book, student: str) -> bool:
    """Delete all that is known of a student, from the file itself too; return whether there was anything.

    Raises:
        CourseError: the gradebook cannot be written to.
    """
    db, gradebook = book.connection.db, book.connection.gradebook
    file = sqlite_file(book.connection.coursedir.db_url)
    with refused("The gradebook cannot be changed"):
        records = db.execute(delete(Record).where(Record.student == student)).rowcount
        is_known = db.get(Student, student) is not None
        if is_known:
            gradebook.remove_student(student)
        db.commit()
        if file is not None:  # else what was deleted stays in free pages
            db.close()
            with gradebook.engine.connect() as connection:
                connection.execution_options(isolation_level="AUTOCOMMIT").execute(text("VACUUM"))
    return is_known or bool(records)
