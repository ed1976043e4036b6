"""The demo (`make demo`): a class of invented students, which is graded while the user watches."""
