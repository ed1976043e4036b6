"""nbgrader's gradebook, extended by the autograder's result for each submission."""
