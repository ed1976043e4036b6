"""Where a learner works: the workspace, its start page, and JupyterLab."""
