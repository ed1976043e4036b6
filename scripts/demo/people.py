"""The demo's invented class: its students and their submissions."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from autograder.course.cells import tasks
from autograder.course.lesson import Answer, Lesson, read_lesson, right_answers, wrong_answers
from scripts.demo.notes import NOTES
from scripts.demo.tricks import TRICKS, Trick
from secant.language import Language

#: The students' ids, each followed by a Korean name if the student submits the Korean notebook.
_NAMES = """
minji.kim 김민지|arun.mehta|seojun.lee 이서준|emma.hughes|jiwoo.park 박지우|lucas.moreau
hayoon.choi 최하윤|olivia.bennett|dohyun.jung 정도현|mateo.silva|yuna.kang 강유나|hannah.weber
junseo.cho 조준서|noah.lindqvist|sua.yoon 윤수아|amara.okafor|siwoo.jang 장시우|elena.rossi
eunji.lim 임은지|tomas.novak|taeyang.han 한태양|grace.miller|sohee.oh 오소희|ibrahim.yilmaz
hyunwoo.seo 서현우|chloe.martin|nari.shin 신나리|peter.jansen|jaemin.kwon 권재민|sofia.alvarez
boram.hwang 황보람|daniel.cohen|minseok.ahn 안민석|priya.raman|garam.song 송가람|oscar.nilsen
yeeun.ryu 류예은|zoe.papadakis|wooju.hong 홍우주|felix.brandt
"""
ROWS = _NAMES.replace("\n", "|").strip("|").split("|")
_SEED = 27
# Every sixth student, beginning with the second, tries to cheat. So even a small class has a student who
# does.
_TRICK_EVERY, _FIRST_TRICK = 6, 1
_OTHER_SOLUTION = 0.4  # fraction of right answers that are not the course's own solution
_SKIP_ABOVE = 0.97  # an unsolved task is left unanswered if a random number from 0 to 1 exceeds this
# A note is an answer to a task that is graded by hand. Its quality is the student's ability plus a random
# number with standard deviation _MOOD. The other constants are the minimum quality of a good note, of a fair
# note, and of any note that is submitted.
_MOOD, _GOOD_NOTE, _FAIR_NOTE, _NO_NOTE = 0.12, 0.68, 0.45, 0.15
_LONG = 90  # length in characters; a longer wrong answer is unlikely to be given twice by chance
# Indices in the class: the students who miss the last lesson, the one who submits a damaged file, the one who
# submits two notebooks, the one whose answers are copied, and the one who copies them.
_ABSENT, _DAMAGED, _TWICE, _COPIED, _COPIER = (9, 18, 27), 11, 14, 22, 26


@dataclass(frozen=True)
class DemoStudent:
    """An invented student.

    Attributes:
        id: the student's id in the gradebook.
        korean: the student's name in Korean, or "" if the student submits the English notebook.
        ability: the student's ability, from 0 to 1.
        trick: the attempt to cheat that the student submits instead of an answer to the first task, or None
            if the student makes no such attempt.
    """

    id: str
    korean: str
    ability: float
    trick: Trick | None

    @property
    def language(self) -> Language:
        """The language of the notebook that the student submits."""
        return "ko" if self.korean else "en"

    def name(self, language: Language) -> tuple[str, str]:
        """Return the first and last name for the gradebook; a Korean name is not split."""
        if self.korean and language == "ko":
            return "", self.korean
        first, last = self.id.title().split(".")
        return first, last


@dataclass(frozen=True)
class DemoSubmission:
    """A submission of one or two notebooks.

    Attributes:
        notebooks: the answers in each notebook, keyed by task. A task without an answer stays as released.
        damaged: whether the file is damaged.
    """

    notebooks: Sequence[Mapping[str, str]]
    damaged: bool = False


def make_students(count: int) -> list[DemoStudent]:
    """Return the given number of students from the start of the class list."""
    dice, tricks = random.Random(_SEED), iter(TRICKS)
    students = []
    for place, row in enumerate(ROWS[:count]):
        name, _, korean = row.partition(" ")
        trick = next(tricks, None) if place % _TRICK_EVERY == _FIRST_TRICK else None
        students.append(DemoStudent(name, korean, dice.betavariate(2.6, 1.5), trick))
    return students


def submissions(
    students: Sequence[DemoStudent], lessons: Sequence[Lesson]
) -> Iterator[tuple[DemoStudent, Lesson, DemoSubmission]]:
    """Yield the submissions of all students, lesson by lesson."""
    for lesson in lessons:
        is_last = lesson == lessons[-1]
        answers_of_students = _answers_of_students(students, lesson)
        for place, student in enumerate(students):
            if is_last and place in _ABSENT:
                continue
            answers = answers_of_students[_COPIED if place == _COPIER else place]
            if student.trick is not None and lesson == lessons[0]:
                first_task = next(iter(_solutions(lesson)))
                source_folder = str(lesson.root / "source")
                answers = answers | {
                    first_task: student.trick.code.replace("TASK", first_task).replace(
                        "FOLDER", source_folder
                    )
                }
            notebooks = [answers]
            if is_last and place == _TWICE:
                notebooks.append(answers | {list(answers)[-1]: "# I am still thinking about this one."})
            yield student, lesson, DemoSubmission(notebooks, damaged=is_last and place == _DAMAGED)


def _answers_of_students(students: Sequence[DemoStudent], lesson: Lesson) -> list[dict[str, str]]:
    """Return each student's own answers keyed by task; tasks that the student does not answer are omitted."""
    dice, used_texts, answers_of_students = random.Random(f"{_SEED} {lesson.name}"), set[str](), []
    for student in students:
        answers = {task: _answer(task, student, lesson, used_texts, dice) for task in _solutions(lesson)}
        answers_of_students.append({task: text for task, text in answers.items() if text})
    return answers_of_students


def _answer(
    task: str, student: DemoStudent, lesson: Lesson, used_texts: set[str], dice: random.Random
) -> str:
    """Return a right or wrong answer, depending on the student's ability, or "" if the student gives none."""
    if task in _manual_tasks(lesson):
        return _note(task, student, used_texts, dice)
    solutions = _solutions(lesson)
    # Fewer students solve the later tasks.
    difficulty = 0.25 * list(solutions).index(task) / len(solutions)
    draw = dice.random()
    if draw < 1.25 * student.ability - difficulty:
        other_solutions = (
            _recorded_answers(lesson, "right").get(task, ()) if dice.random() < _OTHER_SOLUTION else ()
        )
        return _choose_unused(other_solutions, used_texts, dice, longest=0) or solutions[task]
    wrong_texts = _recorded_answers(lesson, "wrong").get(task, ())
    return "" if draw > _SKIP_ABOVE else _choose_unused(wrong_texts, used_texts, dice, longest=_LONG)


def _note(task: str, student: DemoStudent, used_texts: set[str], dice: random.Random) -> str:
    """Return an answer to a task that is graded by hand, or "" if the student gives none.

    The greater the student's ability, the better the answer is likely to be.
    """
    notes = NOTES.get(task, {}).get(student.language)
    quality = dice.gauss(student.ability, _MOOD)
    if notes is None or quality < _NO_NOTE:
        return ""
    kinds = [notes.good, notes.fair, notes.poor]
    best_kind = 0 if quality > _GOOD_NOTE else 1 if quality > _FAIR_NOTE else 2
    # If all prepared answers of the best-fitting quality have been used, choose one of another quality.
    order = [kinds[best_kind], *kinds[best_kind + 1 :], *kinds[:best_kind]]
    return next(filter(None, (_choose_unused(texts, used_texts, dice, longest=0) for texts in order)), "")


def _choose_unused(texts: Sequence[str], used_texts: set[str], dice: random.Random, *, longest: int) -> str:
    """Choose an unused answer at random, with a preference for earlier ones; return "" if none is left.

    An answer of more than `longest` characters is chosen only once, because a second student with the same
    answer would seem to have copied it.
    """
    unused_texts = [text for text in texts if text not in used_texts]
    if not unused_texts:
        return ""
    (choice,) = dice.choices(unused_texts, [1 / place for place in range(1, len(unused_texts) + 1)])
    if len(choice) > longest:
        used_texts.add(choice)
    return choice


@cache
def _solutions(lesson: Lesson) -> dict[str, str]:
    return {task.id: task.answer.source for task in tasks(read_lesson(lesson))}


@cache
def _manual_tasks(lesson: Lesson) -> set[str]:
    return {task.id for task in tasks(read_lesson(lesson)) if task.test is None}


@cache
def _recorded_answers(lesson: Lesson, kind: str) -> dict[str, list[str]]:
    """Return the right or wrong answers that are recorded for a lesson, keyed by task."""
    answers: dict[str, list[str]] = {}
    answer: Answer
    for answer in right_answers(lesson) if kind == "right" else wrong_answers(lesson):
        answers.setdefault(answer.task, []).append(answer.source)
    return answers
