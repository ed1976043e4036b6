"""Modules of a few lines that are installed for a test, where the wall shows them too."""

import sysconfig
import uuid
from pathlib import Path
from typing import Self


class Packages:
    """Modules in this environment's folder of packages; they are removed in the end."""

    def __init__(self) -> None:
        self._files: list[Path] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for file in self._files:
            file.unlink()

    def write(self, source: str) -> str:
        """Install a module, and return its name."""
        name = f"small_{uuid.uuid4().hex}"
        file = Path(sysconfig.get_path("purelib"), f"{name}.py")
        file.write_text(source + "\n")
        self._files.append(file)
        return name
