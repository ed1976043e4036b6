"""Imports of all modules that workers need for submissions and their pages; see preloaded_pages.py."""

from autograder.sandbox.inside import pages

with pages.frozen_imports():
    import torch

    import autograder.exam.examiner
    import autograder.exam.plain
    import autograder.workers.preloaded_pages  # noqa: F401

torch.set_num_threads(1)
