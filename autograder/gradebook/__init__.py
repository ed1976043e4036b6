"""nbgrader's gradebook, and with each submission in it what the autograder found."""
