"""Starts a kernel of the usual kind; until a cell runs, nothing is imported from the notebook's folder.

    python -P cold.py -f CONNECTION

`python -m ipykernel_launcher` looks for itself, and for what it imports, in the folder where it starts. So a
file `ipykernel_launcher.py` beside a notebook would run when the notebook is opened. This is a script, and
imports nothing of this repository, as template.py.
"""

import importlib
import os
import sys

from ipykernel.kernelapp import IPKernelApp

# What a page has a kernel import before a cell runs, with a Tab for one.
_EARLY = ("IPython.core.completerlib", "IPython.extensions.storemagic", "ipykernel.debugger", "jedi")


def main() -> None:
    """Be a kernel, and return at its end."""
    for name in _EARLY:
        importlib.import_module(name)
    app = IPKernelApp.instance()
    app.initialize()
    if "" not in sys.path and not app.ignore_cwd:
        sys.path.insert(_before_packages(), "")  # so that cells import as they always do
    app.start()


def _before_packages() -> int:
    """Where the folders of installed packages begin in sys.path; there IPython has the notebook's."""
    names = ("site-packages", "dist-packages")
    return next((place for place, path in enumerate(sys.path) if os.path.basename(path) in names), 0)


if __name__ == "__main__":
    main()
