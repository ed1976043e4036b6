"""nbgrader's settings for this course, read by formgrader, by `nbgrader` commands and by `autograder`."""

import os
from pathlib import Path

from autograder.configure import use_secant
from autograder.overrides.exchange import ReleaseLanguages
from autograder.overrides.nbgrader_times import correct_times

c = get_config()  # type: ignore[name-defined]  # noqa: F821
language = "ko" if os.environ.get("SECANT_LANG") == "ko" else "en"

c.CourseDirectory.course_id = "secant"
c.CourseDirectory.root = str(Path(__file__).resolve().parent)
c.CourseDirectory.source_directory = "source"
c.CourseDirectory.release_directory = f"release/{language}"

# The settings that every course with Secant's lessons needs, for release versions, feedback, exchange and
# export.
use_secant(c)

# Release both languages as one assignment: the other language's notebook is added to it, as 03_x.ko.ipynb.
c.ExchangeFactory.release_assignment = ReleaseLanguages

# Seconds for a cell. A lesson's slowest cell takes a few seconds, and an endless loop should not delay the
# class.
c.Execute.timeout = 60

# A class's settings (its exchange, late penalties, database) are in a separate file that updates do not
# change.
load_subconfig("nbgrader_config_local.py", path=c.CourseDirectory.root)  # type: ignore[name-defined]  # noqa: F821

# Without this correction, nbgrader reads KST as UTC, and +0900 as 900 seconds.
correct_times(c)
