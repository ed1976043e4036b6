"""Benchmarks that compare this project with its peers; figures that are compared come from the same run."""
