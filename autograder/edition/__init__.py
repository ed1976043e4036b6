"""The class edition: a course for students who are graded, without answers, hidden tests or solutions."""
