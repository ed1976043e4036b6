"""Figures of this project beside those of its peers, each pair measured in one run."""
