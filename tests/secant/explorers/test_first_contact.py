"""Tests of the first explorers of lessons 1 to 4, opened as the lessons' cells open them.

The quotient tends to autograd's gradient.
"""

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pytest

import secant
from tests.support.lessons import LESSONS, source
from tests.support.reading import displayed_number

FRACTIONS = 0.15, 0.4, 0.85  # positions in a slider's range; no gradient is 0 there
LOG_H = 0.0, -1.0, -2.0, -3.0, -4.0
MAX_DISTANCE = 1e-3  # largest distance at h = 1e-4, as a fraction of the gradient


@dataclass(frozen=True)
class Contact:
    """An explorer as a lesson opens it.

    Attributes:
        lesson: the lesson's number.
        places: the attributes of the sliders that set the place, each with the slider's name on the page.
        quotient: the CSS class, in the table below the picture, of the number that tends to `gradient`.
        gradient: the CSS class of autograd's gradient in the same table.
    """

    lesson: int
    places: tuple[tuple[str, str], ...] = (("x", "x"),)
    quotient: str = "quotient"
    gradient: str = "gradient"

    def __str__(self) -> str:
        return f"lesson {self.lesson}"

    def call(self) -> str:
        """Return the text of the lesson's first cell that opens an explorer."""
        lesson = next(lesson for lesson in LESSONS if int(lesson.name[:2]) == self.lesson)
        cells = (cell.source for cell in source(lesson).cells if cell.cell_type == "code")
        return next(cell for cell in cells if re.match(r"explore\w*\(", cell))

    def open_explorer(self) -> Any:
        """Return the explorer that the cell opens."""
        call = self.call()
        name = call.partition("(")[0]
        return eval(call, {name: getattr(secant, name)})


CONTACTS = (
    Contact(1),
    Contact(2),
    Contact(3),
    Contact(4),
    # test_first_contact_567.py and test_first_contact_last_three.py test lessons 5 to 10.
)

each_contact = pytest.mark.parametrize("contact", CONTACTS, ids=str)


@each_contact
def test_explorer_opens_at_h_1_with_both_numbers_visible(contact: Contact) -> None:
    explorer = contact.open_explorer()
    assert explorer.log_h.value == 0
    assert [getattr(explorer, slider).name for slider, _ in contact.places] == [
        name for _, name in contact.places
    ]
    assert explorer.log_h.name == "h"
    assert explorer.text.layout.display is None
    assert (
        abs(displayed_number(explorer, contact.quotient) - displayed_number(explorer, contact.gradient)) > 0
    )
    assert not explorer.problems()


@each_contact
def test_the_first_question_asks_to_move_x_from_the_opening_state(contact: Contact) -> None:
    explorer = contact.open_explorer().first_look()
    (question,) = explorer.questions
    assert question.en.startswith("Move $")
    assert "*play h*" in question.en
    assert "*h 재생*" in question.ko
    assert "What stays true" in question.en
    explorer.choose(question.state)
    assert explorer.state == explorer.start


@each_contact
@pytest.mark.parametrize("fraction", FRACTIONS)
def test_quotient_tends_to_the_gradient_at_every_x(contact: Contact, fraction: float) -> None:
    explorer = contact.open_explorer()
    for name, _ in contact.places:
        slider = getattr(explorer, name)
        slider.value = slider.min + fraction * (slider.max - slider.min)
    distances = []
    for log_h in LOG_H:
        explorer.log_h.value = log_h
        distances.append(
            abs(displayed_number(explorer, contact.quotient) - displayed_number(explorer, contact.gradient))
        )
    assert all(after < before for before, after in pairwise(distances)), distances
    assert distances[-1] < MAX_DISTANCE * abs(displayed_number(explorer, contact.gradient))


@each_contact
def test_picture_follows_x_and_h(contact: Contact) -> None:
    explorer = contact.open_explorer()
    for name in (*(name for name, _ in contact.places), "log_h"):
        slider, before = getattr(explorer, name), explorer.view.strokes
        slider.value = slider.min + 0.4 * (slider.max - slider.min)
        assert explorer.view.strokes != before, name
