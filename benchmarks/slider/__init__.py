"""A benchmark of how smoothly a figure in JupyterLab follows a slider, compared with other libraries."""
