"""A class of invented students, graded before your eyes: `make demo`."""
