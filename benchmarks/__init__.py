"""Benchmarks of this project and its peers (similar tools); compared figures come from the same run."""
