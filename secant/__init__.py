"""What a Secant notebook imports."""

from secant._language import language, say
from secant.probe import probe

__all__ = ["language", "probe", "say"]
