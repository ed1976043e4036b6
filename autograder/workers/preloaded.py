"""Imports of all modules that workers need for submissions and their pages; see preloaded_plain.py."""

from autograder.sandbox.inside import pages

with pages.frozen_imports():
    import torch

    import autograder.exam.examiner
    import autograder.workers.preloaded_plain  # noqa: F401
    from autograder.sandbox.inside import wire

    wire.load_tensors()

torch.set_num_threads(1)
