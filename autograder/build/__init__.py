"""The build, which turns a lesson's text in course/ into notebooks in source/ and release/."""
