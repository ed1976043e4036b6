"""The learner's workspace, its start page, and the `secant lab` and `secant doctor` commands."""
