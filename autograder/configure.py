"""nbgrader's settings for Secant's lessons: `use_secant`, for the `nbgrader_config.py` of any course."""

import os
import shutil
import sys
from pathlib import Path
from typing import Any

from nbconvert.preprocessors import CSSHTMLHeaderPreprocessor
from nbgrader.converters import GenerateAssignment
from nbgrader.preprocessors import ClearSolutions, ComputeChecksums, GetGrades
from traitlets.config import Config
from traitlets.config.loader import LazyConfigValue

from autograder.build.collapse_tests import CollapseTests
from autograder.build.install_cell import InstallCell
from autograder.build.lesson_step import ClearAnswers, MarkLesson
from autograder.build.other_languages import OtherLanguages
from autograder.build.report_link import ReportLink
from autograder.build.select_language import SelectLanguage
from autograder.build.write_hints import KeepHints, ReleaseHints
from autograder.overrides.exchange import CollectFiles, ListPlain, ReleasePages
from autograder.overrides.hide_tests import HideTests
from autograder.overrides.instead import FeedbackInstead, GradeInstead, Refuse
from autograder.overrides.scores import ScoresGiven


def use_secant(config: Config) -> None:
    """Let nbgrader release, collect and export Secant's lessons, and let the autograder do the grading.

    Everything that is not set here keeps the course's own value or nbgrader's default: folders, course_id,
    stubs, exchange, database, time limits. Settings made after this call can replace those made here.

    Args:
        config: the course's settings, `get_config()`.
    """
    _find_alembic()
    # Secant's own steps are only for lessons, and leave any other assignment of the course as it is.
    config.GenerateAssignment.preprocessors = _with_lesson_steps(_steps(config))

    # Students decide what they put into the exchange. So no link in it is followed, and one bad folder does
    # not stop the others.
    config.ExchangeFactory.collect = CollectFiles
    config.ExchangeFactory.list = ListPlain
    config.ExchangeFactory.release_feedback = ReleasePages

    # `nbgrader autograde`, `nbgrader generate_feedback` and formgrader's buttons call the autograder.
    # nbgrader's own code never runs a student's code, because it would do so with your rights (see
    # docs/grading.md).
    config.Autograde.exporter_class = GradeInstead
    config.Autograde.sanitize_preprocessors = [Refuse]
    config.Autograde.autograde_preprocessors = [Refuse]
    config.GenerateFeedback.exporter_class = FeedbackInstead
    # By default, nbgrader shows hidden tests in the feedback. They are no longer hidden after that.
    config.GenerateFeedback.preprocessors = [GetGrades, HideTests, CSSHTMLHeaderPreprocessor]

    # In `nbgrader export`, a submission that was not handed in, could not be read or waits for manual grading
    # has no score, instead of 0.0.
    config.ExportApp.plugin_class = ScoresGiven


def _steps(config: Config) -> list[Any]:
    """Return the course's current steps from source to release: its own, or nbgrader's."""
    default = GenerateAssignment.preprocessors.default()
    steps = config.GenerateAssignment.get("preprocessors", default)
    # The setting is a lazy value if the course has merely appended steps to nbgrader's list.
    return list(steps.get_value(default) if isinstance(steps, LazyConfigValue) else steps)


def _with_lesson_steps(steps: list[Any]) -> list[Any]:
    """Return nbgrader's steps from source to release, with the steps for lessons around them.

    The language is selected first: every later step then sees one notebook in one language. Only the test
    cells contain their hints in all languages until nbgrader has saved them, so that one gradebook serves all
    releases.
    """
    if MarkLesson in steps:
        return steps
    return [
        MarkLesson,
        KeepHints,
        OtherLanguages,
        SelectLanguage,
        CollapseTests,
        *(ClearAnswers if step is ClearSolutions else step for step in steps),
        ReleaseHints,
        ReportLink,
        InstallCell,
        ComputeChecksums,
    ]


def _find_alembic() -> None:
    """Add the folder of the running Python to the PATH if `alembic` cannot be found there.

    nbgrader runs `alembic` to make a gradebook. If the Python environment was not activated, `alembic` is not
    on the PATH.
    """
    if shutil.which("alembic") is None:
        os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
