"""Small modules that a test adds to this environment's packages, which candidates behind the wall can see."""

import sysconfig
import uuid
from pathlib import Path
from typing import Self


class Packages:
    """Modules in this environment's folder of packages; leaving the `with` block removes them."""

    def __init__(self) -> None:
        self._files: list[Path] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for file in self._files:
            file.unlink()

    def write(self, source: str) -> str:
        """Install a module with this source, and return the module's name."""
        name = f"small_{uuid.uuid4().hex}"
        file = Path(sysconfig.get_path("purelib"), f"{name}.py")
        file.write_text(source + "\n")
        self._files.append(file)
        return name
