"""A launcher for ordinary kernels that import nothing from the notebook's folder until a cell runs.

    python -P ordinary.py -f CONNECTION

`python -m ipykernel_launcher` searches the folder where it starts for the launcher, and for the modules that
the launcher imports. So a file `ipykernel_launcher.py` next to a notebook would run as soon as the notebook
is opened. This launcher is a script instead, so Python searches the notebook's folder neither for the
launcher nor for the modules that the launcher imports. Like template.py, this file imports nothing from this
repository.
"""

import importlib
import os
import sys

from ipykernel.kernelapp import IPKernelApp

# Modules that Jupyter may import into a kernel before any cell runs, for example when the user presses Tab.
_EARLY_MODULES = ("IPython.core.completerlib", "IPython.extensions.storemagic", "ipykernel.debugger", "jedi")


def main() -> None:
    """Run an ordinary kernel, and return when it ends."""
    for name in _EARLY_MODULES:
        importlib.import_module(name)
    app = IPKernelApp.instance()
    app.initialize()
    if "" not in sys.path and not app.ignore_cwd:
        sys.path.insert(_packages_index(), "")  # lets cells import from the notebook's folder, as usual
    app.start()


def _packages_index() -> int:
    """Return the index in sys.path of the first folder of installed packages.

    The index is 0 if there is no such folder. IPython inserts the notebook's folder at this index.
    """
    names = ("site-packages", "dist-packages")
    return next((index for index, path in enumerate(sys.path) if os.path.basename(path) in names), 0)


if __name__ == "__main__":
    main()
