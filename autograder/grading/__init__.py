"""A class: nbgrader's gradebook, folders and feedback pages."""
