"""Configure nbgrader for Secant's lessons: `use_secant`, to be called in a course's `nbgrader_config.py`."""

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

    Options that are not set here, such as the folders, course_id, stubs, exchange, database and time limits,
    keep the course's own values or nbgrader's defaults. Settings made after this call can replace those made
    here.

    Args:
        config: the course's settings, `get_config()`.
    """
    _find_alembic()
    # Secant's own release steps are only for lessons, and leave any other assignment of the course as it is.
    config.GenerateAssignment.preprocessors = _with_lesson_steps(_steps(config))

    # Students decide what they put into the exchange. So no link in it is followed, and one bad folder does
    # not prevent the others from being collected.
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
    # By default, nbgrader shows hidden tests in the feedback, so students would know them afterwards.
    config.GenerateFeedback.preprocessors = [GetGrades, HideTests, CSSHTMLHeaderPreprocessor]

    # With this plugin, `nbgrader export` leaves a score empty, instead of writing 0.0, if the submission is
    # missing, unreadable or waiting for manual grading.
    config.ExportApp.plugin_class = ScoresGiven


def _steps(config: Config) -> list[Any]:
    """Return the course's current release steps: those that the course sets, or nbgrader's."""
    default = GenerateAssignment.preprocessors.default()
    steps = config.GenerateAssignment.get("preprocessors", default)
    # If the course only appends steps to nbgrader's list, the setting is a lazy value that has to be
    # resolved.
    return list(steps.get_value(default) if isinstance(steps, LazyConfigValue) else steps)


def _with_lesson_steps(steps: list[Any]) -> list[Any]:
    """Return the given release steps, with the steps for lessons added before and after them.

    The language is selected first, so that every later step sees one notebook in one language. The hints in
    test cells are an exception: they stay in all languages until nbgrader has saved the cells, so that one
    gradebook serves all releases.
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
