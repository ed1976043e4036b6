"""Warm kernels: forks of a template process that has imported a lesson's modules before a notebook opens."""
