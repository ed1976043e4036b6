"""nbgrader's gradebook, extended with the autograder's result for each submission."""
