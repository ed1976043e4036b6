"""A small course, and a diary with which a test writes down what a learner does in it."""

from itertools import count

from secant.progress import facts as notes
from secant.progress.course import Course, ReleasedNotebook, ReleasedTask, SyllabusLesson
from secant.progress.facts import Facts, empty_facts
from secant.progress.rewards import ACHIEVEMENTS

_RULES = {achievement.id: achievement.is_earned for achievement in ACHIEVEMENTS}
SPECIAL = {
    1: "best_step",
    4: "total_derivative",
    7: "first_bad_op",
    8: "backward_is_right",
    9: "second_derivative hvp",
}


def folder(number: int) -> str:
    return f"{number:02}_lesson"


def lesson(number: int) -> SyllabusLesson:
    """Return a lesson with two to four tested tasks, a manual one, and two predictions with the answer B."""
    names = ["easy", "hard", *SPECIAL.get(number, "").split()]
    tasks = (
        *(ReleasedTask(name, name, 2.0, False) for name in names),
        ReleasedTask("essay", "essay", 2.0, True),
    )
    predictions = {f"{number} one": "B", f"{number} two": "B"}
    return SyllabusLesson(
        folder(number), number, f"Lesson {number}", 60, (), (), ReleasedNotebook(tasks, predictions, "f")
    )


COURSE: Course = tuple(map(lesson, range(1, 11)))


class Diary:
    """A learner's actions, recorded as facts one after another."""

    def __init__(self) -> None:
        self.facts: Facts = empty_facts()
        self._clock = (f"2026-11-22T20:{minute // 60:02}:{minute % 60:02}.000000+00:00" for minute in count())

    def check(
        self, number: int, task: str, outcome: str = "passed", answer: str = "", hidden: bool = True
    ) -> None:
        row = {"id": task, "points": 2.0 * (outcome == "passed"), "outcome": outcome, "message": "m"}
        notes.note_check(
            self.facts, folder(number), [row], next(self._clock), hidden=hidden, answers={task: answer}
        )

    def pass_lesson(self, number: int, except_task: str = "", hidden: bool = True) -> None:
        """Pass all tasks of a lesson, or all but one."""
        for task in COURSE[number - 1].graded:
            if task.id != except_task:
                self.check(number, task.id, hidden=hidden)

    def predict(self, number: int, name: str, choice: str) -> None:
        notes.note_prediction(self.facts, f"{number} {name}", choice, None, next(self._clock))

    def take_hint(self, number: int, task: str) -> None:
        notes.note_hint(self.facts, folder(number), task, 1)

    def read_solution(self, number: int, task: str) -> None:
        notes.note_solution(self.facts, folder(number), task)

    def has_earned(self, name: str) -> bool:
        return _RULES[name](self.facts, COURSE)
