"""A benchmark of how smoothly a picture in JupyterLab follows a slider, for our explorers and their peers."""
