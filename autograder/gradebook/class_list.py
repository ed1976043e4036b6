"""The students in a gradebook: list them, enter them and delete them."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from nbgrader.api import Student, SubmittedAssignment
from sqlalchemy import delete, exists, select, text

from autograder.course.settings import sqlite_file
from autograder.gradebook.book import Book
from autograder.gradebook.errors import as_course_error
from autograder.gradebook.records import Record
from secant.visible import without_markup


class ListedStudent(NamedTuple):
    """A student in the gradebook.

    Attributes:
        id: the student's id.
        is_named: True if the gradebook has a name, an e-mail address or an LMS id for the student.
        has_work: True if the student has a submission.
    """

    id: str
    is_named: bool
    has_work: bool


def students(book: Book) -> list[str]:
    """Return the ids of all students in the gradebook.

    Raises:
        GradebookBusy: if the gradebook could not be read.
    """
    return [person["id"] for person in people(book)]


def class_list(book: Book) -> list[ListedStudent]:
    """Return all students, each with two flags that help to tell enrolled students from unknown ids.

    An enrolled student usually has a name or an address. An id without either was added because of a
    submission.

    Raises:
        GradebookBusy: if the gradebook could not be read.
    """
    contact_columns = (Student.first_name, Student.last_name, Student.email, Student.lms_user_id)
    has_work = exists().where(SubmittedAssignment.student_id == Student.id)
    query = select(Student.id, has_work, *contact_columns).order_by(Student.id)
    rows = book.connection.transaction(lambda: book.connection.db.execute(query).all())
    return [ListedStudent(str(student), any(details), bool(work)) for student, work, *details in rows]


def enter_people(book: Book, rows: Iterable[Mapping[str, str]]) -> None:
    """Enter or update students; columns that are missing or empty in a row stay unchanged.

    Args:
        book: the gradebook.
        rows: for each student, the values of columns of nbgrader's `Student`. `id` is required, and the other
            columns are optional.

    Raises:
        GradebookBusy: if the database did not accept the change. In that case, nothing was entered.
    """

    def enter() -> None:
        for row in rows:
            values = {column: without_markup(value) for column, value in row.items() if value}
            book.connection.db.merge(Student(**values))

    book.connection.transaction(enter)


def people(book: Book) -> list[dict[str, str]]:
    """Return all students as dicts with the columns of nbgrader's `Student`; an unknown value is empty.

    Raises:
        GradebookBusy: if the gradebook could not be read.
    """
    columns = (Student.id, Student.first_name, Student.last_name, Student.email, Student.lms_user_id)
    query = select(*columns).order_by(Student.id)
    rows = book.connection.transaction(lambda: book.connection.db.execute(query).all())
    return [{name: value or "" for name, value in row._mapping.items()} for row in rows]


def forget(book: Book, student: str) -> bool:
    """Delete a student's data, including traces in the database file; return whether there was any data.

    Raises:
        CourseError: if the gradebook cannot be written.
    """
    db, gradebook = book.connection.db, book.connection.gradebook
    file = sqlite_file(book.connection.coursedir.db_url)
    with as_course_error("The gradebook cannot be changed"):
        records = db.execute(delete(Record).where(Record.student == student)).rowcount
        is_known = db.get(Student, student) is not None
        if is_known:
            gradebook.remove_student(student)
        db.commit()
        if file is not None:  # Without VACUUM, the deleted data would remain in the file's free pages.
            db.close()
            with gradebook.engine.connect() as connection:
                connection.execution_options(isolation_level="AUTOCOMMIT").execute(text("VACUUM"))
    return is_known or bool(records)
