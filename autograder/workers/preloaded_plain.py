"""Imports of the modules that workers need for plain assignments and their pages. Torch is not included.

A plain assignment has ordinary nbgrader tests. The imports are made once, in the process that the workers are
forked from; see preloaded_pages.py.
"""

from autograder.sandbox.inside import pages

with pages.frozen_imports():
    import autograder.exam.plain
    import autograder.exam.preload
    import autograder.sandbox.wall
    import autograder.workers.preloaded_pages  # noqa: F401
