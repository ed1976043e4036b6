"""How a slider feels in JupyterLab, ours and what somebody would pick instead."""
