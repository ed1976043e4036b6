"""What a worker needs, imported once in the process that all workers of this machine are forked from."""

import gc

import torch

import autograder.exam.examiner
import autograder.grading.exporter
import autograder.grading.worker  # noqa: F401

torch.set_num_threads(1)
gc.collect()
gc.freeze()  # a collection in a worker would otherwise touch, and so copy, every page
