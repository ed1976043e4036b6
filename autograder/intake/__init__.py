"""Hostile bytes in, a submission that can be graded out."""
