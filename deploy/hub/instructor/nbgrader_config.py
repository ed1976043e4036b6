"""The course's own settings, wherever nbgrader is started."""

import os

load_subconfig("nbgrader_config.py", path=os.environ.get("SECANT_HUB_COURSE", "/srv/secant"))  # type: ignore[name-defined]  # noqa: F821
