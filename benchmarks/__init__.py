"""Benchmarks of this project and of competing tools; figures that are compared come from the same run."""
