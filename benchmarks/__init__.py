"""Benchmarks that compare this project with its peers; the two figures of a pair come from the same run."""
