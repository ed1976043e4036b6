"""What a worker that grades needs too, imported beside what pages need (see preloaded_pages.py)."""

import autograder.grading.preloaded_pages
from autograder.sandbox.inside import pages

with pages.kept():
    import torch

    import autograder.exam.examiner  # noqa: F401

torch.set_num_threads(1)
