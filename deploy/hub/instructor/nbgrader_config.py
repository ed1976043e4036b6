"""Load the course's own nbgrader settings, whatever folder an instructor starts nbgrader in."""

import os

load_subconfig("nbgrader_config.py", path=os.environ.get("SECANT_HUB_COURSE", "/srv/secant"))  # type: ignore[name-defined]  # noqa: F821
