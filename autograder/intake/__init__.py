"""Hostile bytes in; a submission that can be graded, or a sentence why not, out."""
