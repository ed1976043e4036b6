"""nbgrader's settings for this course: for formgrader, plain `nbgrader` commands and `autograder`."""

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

# What every course with lessons of Secant's needs: steps from source to release, feedback, exchange, export.
use_secant(c)

# One assignment for both languages: the other one's notebook goes out beside it, as 03_x.ko.ipynb.
c.ExchangeFactory.release_assignment = ReleaseLanguages

# A lesson's slowest cell takes a few seconds; an endless loop should not hold up the class.
c.Execute.timeout = 60

# A class's own settings (its exchange, late penalties, database) stand in a file that no new version touches.
load_subconfig("nbgrader_config_local.py", path=c.CourseDirectory.root)  # type: ignore[name-defined]  # noqa: F821

# nbgrader takes KST for UTC, and +0900 for 900 seconds.
correct_times(c)
