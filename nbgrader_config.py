"""nbgrader's settings for this course: for formgrader, plain `nbgrader` commands and `autograder`."""

import os
import shutil
import sys
from pathlib import Path

from nbconvert.preprocessors import CSSHTMLHeaderPreprocessor
from nbgrader.converters import GenerateAssignment
from nbgrader.preprocessors import ClearSolutions, ComputeChecksums, GetGrades

from autograder.build.collapse_tests import CollapseTests
from autograder.build.install_cell import InstallCell
from autograder.build.lesson_step import ClearAnswers, MarkLesson
from autograder.build.report_link import ReportLink
from autograder.build.select_language import SelectLanguage
from autograder.build.write_hints import KeepHints, ReleaseHints
from autograder.overrides.exchange import CollectFiles, ListPlain, ReleaseLanguages, ReleasePages
from autograder.overrides.hide_tests import HideTests
from autograder.overrides.instead import FeedbackInstead, GradeInstead, Refuse
from autograder.overrides.nbgrader_times import correct_times
from autograder.overrides.scores import ScoresGiven

c = get_config()  # type: ignore[name-defined]  # noqa: F821
language = "ko" if os.environ.get("SECANT_LANG") == "ko" else "en"

# nbgrader makes a gradebook by running `alembic` by name, which an environment not activated does not have.
if shutil.which("alembic") is None:
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])

c.CourseDirectory.course_id = "secant"
c.CourseDirectory.root = str(Path(__file__).resolve().parent)
c.CourseDirectory.source_directory = "source"
c.CourseDirectory.release_directory = f"release/{language}"

# All steps but nbgrader's own are for lessons, and leave any other assignment of the course as it is. Of a
# lesson, the language comes first: every later step then sees one notebook in one language. Only the test
# cells hold their hints in both until nbgrader has saved them, so that one gradebook serves both releases.
nbgraders_steps = GenerateAssignment.preprocessors.default()
c.GenerateAssignment.preprocessors = [
    MarkLesson,
    KeepHints,
    SelectLanguage,
    CollapseTests,
    *(ClearAnswers if step is ClearSolutions else step for step in nbgraders_steps),
    ReleaseHints,
    ReportLink,
    InstallCell,
    ComputeChecksums,
]

# One assignment for both languages: the other one's notebook goes out beside it, as 03_x.ko.ipynb.
c.ExchangeFactory.release_assignment = ReleaseLanguages
c.ExchangeFactory.release_feedback = ReleasePages

# What students put into the exchange is theirs: no link in it is followed, and one bad folder stops no other.
c.ExchangeFactory.collect = CollectFiles
c.ExchangeFactory.list = ListPlain

# A lesson's slowest cell takes a few seconds; an endless loop should not hold up the class.
c.Execute.timeout = 60

# nbgrader shows hidden tests in the feedback. They are no longer hidden after that.
c.GenerateFeedback.preprocessors = [GetGrades, HideTests, CSSHTMLHeaderPreprocessor]

# `nbgrader autograde`, `nbgrader generate_feedback` and formgrader's buttons have the autograder do it.
# Nothing of nbgrader's own runs a student's code, which it would do as you: docs/grading.md.
c.Autograde.exporter_class = GradeInstead
c.Autograde.sanitize_preprocessors = [Refuse]
c.Autograde.autograde_preprocessors = [Refuse]
c.GenerateFeedback.exporter_class = FeedbackInstead

# `nbgrader export`: what was not handed in, could not be read or waits for a person has no score, not 0.0.
c.ExportApp.plugin_class = ScoresGiven

# A class's own settings (its exchange, late penalties, database) stand in a file that no new version touches.
load_subconfig("nbgrader_config_local.py", path=c.CourseDirectory.root)  # type: ignore[name-defined]  # noqa: F821

# nbgrader takes KST for UTC, and +0900 for 900 seconds.
correct_times(c)
