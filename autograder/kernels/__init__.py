"""Kernels that have imported what a lesson imports when they open: forks of a template process."""
