"""A benchmark of how smoothly a slider moves a picture in JupyterLab, for our explorers and their peers."""
