"""Tests of the commands that make screenshots and animations, for their parts that need no browser."""

from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_notebook
from PIL import Image

from scripts import animation, screenshots


def frames(count: int, colours: int) -> list[Image.Image]:
    return [Image.new("RGB", (40, 20), (i % colours * 4, 0, 0)) for i in range(count)]


def test_animated_drag_reaches_the_end_and_never_slows_down() -> None:
    mouse_positions = list(animation.mouse_positions(0.9, 0.1))
    steps = [before - after for before, after in zip([0.9, *mouse_positions], mouse_positions, strict=False)]
    assert len(mouse_positions) == animation.MOVES
    assert mouse_positions[-1] == pytest.approx(0.1)
    assert steps == sorted(steps)
    assert steps[0] > 0


def test_an_animation_lasts_some_seconds_and_begins_again(tmp_path: Path) -> None:
    path = tmp_path / "moving.webp"
    animation.save(frames(animation.MOVES + 1, animation.MOVES + 1), path)
    with Image.open(path) as image:
        seconds = 0.0
        for number in range(getattr(image, "n_frames", 1)):
            image.seek(number)
            image.load()  # loading a frame sets its duration
            seconds += image.info["duration"] / 1000
        assert image.info["loop"] == 0
    assert 4 <= seconds <= 6


def test_animation_of_an_unmoving_explorer_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "moving.webp"
    with pytest.raises(RuntimeError, match="did not follow"):
        animation.save(frames(animation.MOVES + 1, 2), path)
    assert not path.exists()


def test_only_test_cells_may_fail_while_pictures_are_made() -> None:
    test = {"nbgrader": {"grade": True, "grade_id": "test_f", "points": 1, "solution": False}}
    notebook = new_notebook(cells=[new_code_cell("1"), new_code_cell("1 / 0", metadata=test)])
    tags = [cell.metadata.get("tags") for cell in screenshots.ignore_failing_tests(notebook).cells]
    assert tags == [None, ["raises-exception"]]


def test_the_contact_sheet_shows_every_picture_that_is_there(tmp_path: Path) -> None:
    for name in ("01_one_en_light/01.png", "01_one_en_light/02.png", "02_two_ko_dark/01.png"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    sheet = screenshots.contact_sheet(tmp_path)
    assert sheet.count("<img") == 3
    assert sheet.index("01_one_en_light/02.png") < sheet.index("02_two_ko_dark/01.png")
