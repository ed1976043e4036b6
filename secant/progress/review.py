"""Spaced review: predictions that the learner made some days ago are asked again, the wrong ones first."""

from datetime import datetime, timedelta
from typing import Any

from secant.progress.course import Course, PredictionText
from secant.progress.facts import Facts

#: The numbers of days after the choice, or after the last review, at which a prediction is asked again. With
#: growing gaps, learners remember longest (Cepeda et al. 2006, Psychological Bulletin 132:354). After a wrong
#: answer, the series starts over.
DAYS = (2, 7, 21)


def review(facts: Facts, course: Course, now: str) -> dict[str, Any] | None:
    """Return the prediction that is due for review, as JSON; None if none is due, or reviews are off."""
    if not facts["reviewing"]:
        return None
    lessons = {name: lesson for lesson in course for name in lesson.notebook.questions}
    due_names = [name for name in facts["predictions"] if name in lessons and _is_due(facts, name, now)]
    if not due_names:
        return None

    def sort_key(name: str) -> tuple[bool, str]:
        prediction, question = facts["predictions"][name], lessons[name].notebook.questions[name]
        return prediction["first"] == question.right, prediction["when"]

    name = min(due_names, key=sort_key)
    return _review_question(name, lessons[name].number, lessons[name].notebook.questions[name], facts, now)


def _is_due(facts: Facts, name: str, now: str) -> bool:
    last_review = facts["reviews"].get(name)
    times, last_time = (
        (last_review["times"], last_review["when"])
        if last_review
        else (0, facts["predictions"][name]["when"])
    )
    return times < len(DAYS) and _since(last_time, now) >= timedelta(days=DAYS[times])


def _since(start: str, now: str) -> timedelta:
    return datetime.fromisoformat(now) - datetime.fromisoformat(start)


def _review_question(
    name: str, number: int, question: PredictionText, facts: Facts, now: str
) -> dict[str, Any]:
    return {
        "name": name,
        "number": number,
        "text": question.text,
        "choices": dict(question.choices),
        "right": question.right,
        "replies": dict(question.replies),
        "days": _since(facts["predictions"][name]["when"], now).days,
    }
