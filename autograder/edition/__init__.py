"""The class edition: the course as students get it, without answers, hidden tests or solutions."""
