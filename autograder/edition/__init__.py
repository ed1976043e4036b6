"""A class's edition: what students get who are graded, without answers, hidden tests or solutions."""
