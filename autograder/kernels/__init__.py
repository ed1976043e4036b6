"""Warm kernels: forks of a template process that has already imported the modules that lessons need."""
