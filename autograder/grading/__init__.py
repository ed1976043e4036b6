"""A class, one submission after another: from submitted/ to gradebook, folders and feedback pages."""
