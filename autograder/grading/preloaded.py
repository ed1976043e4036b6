"""What a worker needs, imported once in the process that all workers of this machine are forked from."""

from autograder.sandbox.inside import pages

with pages.kept():
    import torch

    import autograder.exam.examiner
    import autograder.grading.exporter
    import autograder.grading.worker  # noqa: F401

torch.set_num_threads(1)
