"""A class: workers, nbgrader's gradebook, folders and feedback pages."""
