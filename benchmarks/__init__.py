"""Benchmarks of this project and of competing tools; compared figures are measured in the same run."""
