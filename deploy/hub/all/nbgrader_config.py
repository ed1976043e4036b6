"""The exchange and the course's name in nbgrader's settings, the same for students and instructors."""

import os

c = get_config()  # type: ignore[name-defined]  # noqa: F821

c.Exchange.root = os.environ["SECANT_HUB_EXCHANGE"]
c.CourseDirectory.course_id = "secant"
