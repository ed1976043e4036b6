"""The build: from a lesson's text in course/ to notebooks in source/ and release/."""
