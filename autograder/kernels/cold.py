"""Starts a kernel of the usual kind; until a cell runs, nothing is imported from the notebook's folder.

    python -P cold.py -f CONNECTION

`python -m ipykernel_launcher` looks for itself, and for what it imports, in the folder where it starts. So a file
`ipykernel_launcher.py` beside a notebook would run when the notebook is opened. It is a script, and imports
nothing of this repository, as template.py.
"""

import os
import sys

import IPython.core.completerlib
import IPython.extensions.storemagic
import ipykernel.debugger  # noqa: F401
import jedi  # noqa: F401  # which a Tab imports
from ipykernel.kernelapp import IPKernelApp


def main() -> None:
    """Be a kernel, and return at its end."""
    app = IPKernelApp.instance()
    app.initialize()
    if "" not in sys.path and not app.ignore_cwd:
        sys.path.insert(_before_packages(), "")  # where IPython has it, so that cells import as they always do
    app.start()


def _before_packages() -> int:
    """Where the folders of installed packages begin in sys.path."""
    names = ("site-packages", "dist-packages")
    return next((place for place, path in enumerate(sys.path) if os.path.basename(path) in names), 0)


if __name__ == "__main__":
    main()
