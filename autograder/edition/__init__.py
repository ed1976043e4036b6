"""The class edition: the version of the course for students, without answers, hidden tests or solutions."""
