"""Tests of submission times and due dates in time zones: no student who was on time counts as late."""

import sys
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from types import SimpleNamespace

import pytest
from nbgrader.api import Gradebook
from nbgrader.apps import CollectApp, NbGrader, NbGraderAPI, ReleaseAssignmentApp, SubmitApp
from nbgrader.apps.dbapp import DbAssignmentAddApp
from nbgrader.exchange.abc import exchange

from autograder.course.errors import CourseError
from autograder.course.find_assignments import Gradable
from autograder.course.settings import load_config
from autograder.grading.batch import make_pages
from autograder.grading.run_summary import summarize_run
from autograder.lms.filenames import is_exported
from tests.support.small_class import STEPS, answered_notebook, hand_in, run
from tests.support.suites import case

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the exchange is Linux's")


class ExchangeClass:
    """A class on nbgrader's exchange: Ann submits there, and the instructor collects and grades."""

    def __init__(
        self, course_root: Path, home: Path, answers: dict[str, str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.course_root, self._home, self.answers, self._patch = course_root, home, answers, monkeypatch

    def use(self, zone: str, settings: str = "", students: str | None = None) -> None:
        """Set the time zones of the class and its students, and a late penalty of all points."""
        settings += '\nc.LateSubmissionPlugin.penalty_method = "zero"'
        for path, name, extra_settings in (
            (self.course_root / "nbgrader_config_local.py", zone, settings),
            (self._home / "nbgrader_config.py", students or zone, settings),
        ):
            text = path.read_text()
            path.write_text(f"{text}c.Exchange.timezone = {name!r}\n{extra_settings}\n")

    def due(self, text: str) -> None:
        self._start(DbAssignmentAddApp(), self.course_root, STEPS, f"--duedate={text}")

    def submit(self, submission_time: datetime) -> None:
        """Have Ann submit at the given time with nbgrader's own command."""

        class Clock(datetime):
            @classmethod
            def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
                return submission_time.replace(tzinfo=UTC).astimezone(tz)

        if not (self._home.parent / "exchange" / "secant" / "outbound").is_dir():
            self._start(ReleaseAssignmentApp(), self.course_root, STEPS)
        folder = self._home / STEPS
        folder.mkdir(exist_ok=True)
        path = hand_in(self._home, "ann", answered_notebook(self.course_root, self.answers))
        path.rename(folder / path.name)
        with self._patch.context() as patch:
            patch.setattr(exchange, "datetime", SimpleNamespace(datetime=Clock))
            self._start(SubmitApp(), self._home, STEPS)

    def hand_in(self, timestamp: str, lang: str = "en") -> Path:
        """Write Ann's notebook with this text in timestamp.txt into submitted/, and return its path."""
        notebook = answered_notebook(self.course_root, self.answers, lang)
        return hand_in(self.course_root, "ann", notebook, timestamp=timestamp)

    def collect(self, *arguments: str) -> None:
        self._start(CollectApp(), self.course_root, STEPS, "--ExchangeCollect.check_owner=False", *arguments)

    def grade(self) -> float:
        """Grade the class, and return the points that Ann loses for being late."""
        self.summary, _ = run(self.course_root)
        with Gradebook(f"sqlite:///{self.course_root}/gradebook.db", "secant") as book:
            return float(book.find_submission_notebook(STEPS, STEPS, "ann").late_submission_penalty or 0.0)

    def table(self) -> dict[str, str]:
        """Return the entries about times in the table at the end of the run."""
        run_summary = summarize_run(
            self.summary, self.course_root / "submitted", Gradable([STEPS], []), [], is_exported
        )
        return {**run_summary.unclear_times, **run_summary.late}

    @property
    def stored_times(self) -> tuple[datetime, datetime]:
        """Return the time of Ann's submission and the due date, as the gradebook has them."""
        with Gradebook(f"sqlite:///{self.course_root}/gradebook.db", "secant") as book:
            submission = book.find_submission(STEPS, "ann")
            return submission.timestamp, submission.duedate

    @property
    def page(self) -> str:
        return (self.course_root / "feedback" / "ann" / STEPS / f"{STEPS}.html").read_text()

    def _start(self, app: NbGrader, folder: Path, *arguments: str) -> None:
        self._patch.chdir(folder)
        app.initialize(list(arguments))
        app.start()


@pytest.fixture
def exchange_class(
    course_root: Path, home: Path, correct_answers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> ExchangeClass:
    return ExchangeClass(course_root, home, correct_answers, monkeypatch)


CHANGES = [
    # The zone, the due date as it is typed, and the moment of the deadline in UTC.
    case("Asia/Seoul", "2026-11-29 12:51 Asia/Seoul", datetime(2026, 11, 29, 3, 51), quick=False),
    case("Asia/Seoul", "2026-11-29 12:51:00 KST", datetime(2026, 11, 29, 3, 51), quick=True),
    case("Asia/Seoul", "2026-11-29 12:51:00 +0900", datetime(2026, 11, 29, 3, 51), quick=False),
    case("Asia/Seoul", "2026-11-29 12:51", datetime(2026, 11, 29, 3, 51), quick=False),
    case("Europe/Berlin", "2026-10-25 02:30 CEST", datetime(2026, 10, 25, 0, 30), quick=False),
    case("Europe/Berlin", "2026-10-25 02:30 CET", datetime(2026, 10, 25, 1, 30), quick=True),
    case("Europe/Berlin", "2026-03-29 03:10 Europe/Berlin", datetime(2026, 3, 29, 1, 10), quick=False),
    case("America/New_York", "2026-11-01 01:30 EDT", datetime(2026, 11, 1, 5, 30), quick=False),
    case("America/New_York", "2026-11-01 01:30 EST", datetime(2026, 11, 1, 6, 30), quick=True),
    case("America/New_York", "2026-03-08 03:10 EDT", datetime(2026, 3, 8, 7, 10), quick=False),
    # Zones whose abbreviation is an offset, as in "+04".
    case("Asia/Dubai", "2026-11-29 12:51", datetime(2026, 11, 29, 8, 51), quick=False),
    case("Asia/Kathmandu", "2026-11-29 12:51 +0545", datetime(2026, 11, 29, 7, 6), quick=False),
    case("America/Sao_Paulo", "2026-11-29 12:51 -03", datetime(2026, 11, 29, 15, 51), quick=False),
]


@pytest.mark.costly("nbgrader's own commands, and two gradings")
@pytest.mark.parametrize(("zone", "due_text", "due"), CHANGES)
def test_exchange_submission_is_late_after_the_deadline_only(
    exchange_class: ExchangeClass, zone: str, due_text: str, due: datetime
) -> None:
    exchange_class.use(zone)
    exchange_class.due(due_text)
    exchange_class.submit(due - timedelta(minutes=20))
    exchange_class.collect()
    assert exchange_class.grade() == 0.0
    assert exchange_class.stored_times == (due - timedelta(minutes=20), due)
    assert exchange_class.table() == {}
    assert "late submission" not in exchange_class.page
    exchange_class.submit(due + timedelta(minutes=20))
    exchange_class.collect("--update")
    assert exchange_class.grade() == 5.0


def test_page_and_table_say_times_and_zone_where_points_are_taken_off(exchange_class: ExchangeClass) -> None:
    exchange_class.use("Asia/Seoul")
    exchange_class.due("2026-11-29 12:51")
    exchange_class.hand_in("2026-11-29 13:02 KST")
    assert exchange_class.grade() == 5.0
    submitted_at, due_at = (
        "2026-11-29 13:02 (Asia/Seoul, UTC+09:00)",
        "2026-11-29 12:51 (Asia/Seoul, UTC+09:00)",
    )
    assert f"Handed in {submitted_at}. Due {due_at}." in exchange_class.page
    assert exchange_class.table() == {
        f"ann/{STEPS}": f"5 of 5 points: handed in {submitted_at}, due {due_at}"
    }
    with Gradebook(f"sqlite:///{exchange_class.course_root}/gradebook.db", "secant") as book:
        book.grant_extension(STEPS, "ann", minutes=5)
    run(exchange_class.course_root, action=make_pages)
    assert "Due 2026-11-29 12:56 (Asia/Seoul, UTC+09:00)." in exchange_class.page
    exchange_class.use("America/New_York")
    run(exchange_class.course_root, action=make_pages)
    assert "Handed in 2026-11-28 23:02 (America/New_York, UTC-05:00)." in exchange_class.page


def test_korean_page_says_times_and_zone(exchange_class: ExchangeClass) -> None:
    exchange_class.use("Asia/Seoul")
    exchange_class.due("2026-11-29 12:51:00")
    exchange_class.hand_in("2026-11-29 12:51:00.5 KST", "ko")
    assert exchange_class.grade() == 5.0
    assert (
        "제출 2026-11-29 12:51:00.500000 (Asia/Seoul, UTC+09:00). "
        "마감 2026-11-29 12:51:00.000000 (Asia/Seoul, UTC+09:00)."
    ) in exchange_class.page


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        case("2026-11-29 13:02 CST", "CST can be UTC-06:00, UTC-05:00 or UTC+08:00", quick=True),
        case("2026-11-29 13:02 XYZT", "XYZT is no time zone", quick=False),
        case("tomorrow", "it is not a time", quick=False),
    ],
)
def test_undecided_time_is_not_late_and_gets_a_line(
    exchange_class: ExchangeClass, text: str, problem: str
) -> None:
    exchange_class.use("Asia/Seoul")
    exchange_class.due("2026-11-01 12:00")
    exchange_class.hand_in(text)
    for student in ("bob", "cho", "dan", "eve"):
        hand_in(exchange_class.course_root, student, "{", timestamp=text)
    assert exchange_class.grade() == 0.0
    ((submissions, line),) = exchange_class.table().items()
    assert submissions == f"ann/{STEPS}, bob/{STEPS}, cho/{STEPS} and 2 more"
    assert line.startswith(f"timestamp.txt: {problem}. It counts as handed in on time. ")


def test_zone_of_the_class_decides_an_ambiguous_abbreviation(exchange_class: ExchangeClass) -> None:
    exchange_class.use("Asia/Shanghai")
    exchange_class.due("2026-11-29 13:00")
    exchange_class.submit(datetime(2026, 11, 29, 4, 59))
    exchange_class.collect()
    assert (
        (exchange_class.course_root / "submitted" / "ann" / STEPS / "timestamp.txt")
        .read_text()
        .endswith("CST")
    )
    assert exchange_class.grade() == 0.0
    assert exchange_class.table() == {}


def test_offset_in_the_names_of_inbound_folders_is_collected(exchange_class: ExchangeClass) -> None:
    exchange_class.use("Asia/Seoul", 'c.Exchange.timestamp_format = "%Y-%m-%d %H:%M:%S %z"')
    exchange_class.due("2026-11-29 12:51")
    for minute in (10, 40):
        exchange_class.submit(datetime(2026, 11, 29, 3, minute))
    exchange_class.collect()
    timestamp = (exchange_class.course_root / "submitted" / "ann" / STEPS / "timestamp.txt").read_text()
    assert timestamp == "2026-11-29 12:40:00 +0900"
    assert exchange_class.grade() == 0.0


def test_newest_submission_counts_across_the_end_of_summer_time(exchange_class: ExchangeClass) -> None:
    exchange_class.use("Europe/Berlin")
    first, second = datetime(2026, 10, 25, 0, 50), datetime(2026, 10, 25, 1, 10)  # 02:50 CEST, 02:10 CET
    for submission_time in (second, first):
        exchange_class.submit(submission_time)
    exchange_class.collect()
    assert (
        (exchange_class.course_root / "submitted" / "ann" / STEPS / "timestamp.txt")
        .read_text()
        .startswith("2026-10-25 02:10")
    )


def test_collecting_before_the_due_date_takes_what_was_in_time(exchange_class: ExchangeClass) -> None:
    exchange_class.use("America/New_York")
    exchange_class.due("2026-11-01 01:30 EST")
    for submission_time in (
        datetime(2026, 11, 1, 6, 20),
        datetime(2026, 11, 1, 6, 40),
    ):  # 01:20 and 01:40 EST
        exchange_class.submit(submission_time)
    exchange_class.collect("--before-duedate")
    assert "01:20" in (exchange_class.course_root / "submitted" / "ann" / STEPS / "timestamp.txt").read_text()
    assert exchange_class.grade() == 0.0


def test_formgrader_shows_and_enters_times_as_the_page_does(exchange_class: ExchangeClass) -> None:
    exchange_class.use("Europe/Berlin")
    exchange_class.due("2026-12-24 23:59")
    exchange_class.hand_in("2026-12-24 23:00 CET")
    assert exchange_class.grade() == 0.0
    config = load_config(exchange_class.course_root)
    api = NbGraderAPI(config=config)
    assert api.get_autograded_students(STEPS) == {"ann"}
    assignment = api.get_assignment(STEPS)
    assert assignment["duedate_notimezone"] == "2026-12-24T23:59:00"
    # Save the due date in the text form that formgrader uses.
    due_text = f"{assignment['duedate_notimezone']} {assignment['duedate_timezone']}"
    with api.gradebook as book:
        assert book.update_or_create_assignment(STEPS, duedate=due_text).duedate == datetime(
            2026, 12, 24, 22, 59
        )


def test_due_date_in_an_undecided_zone_is_refused(exchange_class: ExchangeClass) -> None:
    exchange_class.use("Asia/Seoul")
    with pytest.raises(ValueError, match=r"CST can be UTC-06:00, UTC-05:00 or UTC\+08:00"):
        exchange_class.due("2026-11-29 12:51 CST")


def test_unknown_zone_in_the_settings_is_named(exchange_class: ExchangeClass) -> None:
    exchange_class.use("Asia/Soul")
    with pytest.raises(CourseError, match="'Asia/Soul' is no time zone"):
        run(exchange_class.course_root)


@pytest.mark.parametrize(
    ("zone", "due", "end"),
    [  # `end`, in UTC, is 18:00 local time a week after `due`, even if the clocks change in that week
        case("Europe/Berlin", "2026-10-24 18:00", datetime(2026, 10, 31, 17), quick=True),
        case("Europe/Berlin", "2026-03-28 18:00", datetime(2026, 4, 4, 16), quick=False),
        case("America/New_York", "2026-10-31 18:00", datetime(2026, 11, 7, 23), quick=False),
        case("Asia/Seoul", "2026-10-24 18:00", datetime(2026, 10, 31, 9), quick=False),
    ],
)
def test_extension_by_days_ends_at_the_same_time_of_day(
    exchange_class: ExchangeClass, zone: str, due: str, end: datetime
) -> None:
    exchange_class.use(zone)
    exchange_class.due(due)
    timestamp = f"{end - timedelta(minutes=1):%Y-%m-%d %H:%M} UTC"
    path = exchange_class.hand_in(timestamp)
    assert exchange_class.grade() == 5.0
    with Gradebook(f"sqlite:///{exchange_class.course_root}/gradebook.db", "secant") as book:
        book.grant_extension(STEPS, "ann", days=7)
    assert exchange_class.grade() == 0.0
    (path.parent / "timestamp.txt").write_text(f"{end + timedelta(minutes=1):%Y-%m-%d %H:%M} UTC")
    assert exchange_class.grade() == 5.0
