"""IPython magics for a shell without a front end.

Magics that only display something do nothing, and magics that bind names work. An unknown line magic prints a
one-line notice, and the rest of its cell still runs: in the student's own Jupyter, the magic may come from an
extension that this machine does not have.
"""

import importlib
import re
import sys
from functools import partial
from typing import TYPE_CHECKING

from IPython.core.pylabtools import import_pylab

from secant.language import say

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

# These magics do nothing here. They would look for a kernel or a front end, wait for input, or reload modules
# that do not change here.
_QUIET = (
    *("matplotlib", "pdb", "config", "gui", "autoreload", "unload_ext"),
    *("autosave", "clear", "connect_info", "qtconsole"),
)


def register_magics(shell: "InteractiveShell") -> None:
    """Replace a shell's magics that would need a front end, and add those of Jupyter's kernel."""
    extensions = shell.extension_manager
    assert extensions is not None

    def load_extensions(line: str) -> None:
        for name in line.split():
            if name == "autoreload":  # the real autoreload would check every module before every cell
                continue
            try:
                extensions.load_extension(name)
            except Exception:
                print(_no_extension(name))

    def pylab(line: str) -> None:
        import_pylab(shell.user_ns, "--no-import-all" not in line.split())

    def aimport(line: str) -> None:
        for name in re.split(r"[\s,]+", line.strip()):
            if name and not name.startswith("-"):
                importlib.import_module(name)
                top = name.partition(".")[0]
                shell.user_ns[top] = sys.modules[top]

    line_magics = shell.magics_manager.magics["line"]
    line_magics |= dict.fromkeys(_QUIET, lambda line: None)
    line_magics |= {name: partial(_report_manager, name) for name in ("conda", "mamba", "micromamba")}
    line_magics |= {
        "load_ext": load_extensions,
        "reload_ext": load_extensions,
        "pylab": pylab,
        "aimport": aimport,
    }


def _report_manager(name: str, line: str) -> None:
    report_unknown(f"%{name}")


def report_unknown(magic: str) -> None:
    """Print that a magic is not known here, and whether the rest of the cell still runs."""
    if magic.startswith("%%"):
        print(
            say(
                en=f"{magic} is not known where answers are checked, so nothing below it runs.",
                ko=f"답을 확인하는 곳에는 {magic} 매직이 없어서 그 아래는 실행하지 않습니다.",
            )
        )
    else:
        print(
            say(
                en=f"{magic} is not known where answers are checked. The cell goes on without it.",
                ko=f"답을 확인하는 곳에는 {magic} 매직이 없습니다. 셀의 나머지는 실행합니다.",
            )
        )


def _no_extension(name: str) -> str:
    return say(
        en=f"The extension {name} cannot be loaded where answers are checked. The cell goes on without it.",
        ko=f"답을 확인하는 곳에서는 확장 {name}을(를) 불러올 수 없습니다. 셀의 나머지는 실행합니다.",
    )
