"""What a course is, as data: lessons, cells, tasks, settings."""
