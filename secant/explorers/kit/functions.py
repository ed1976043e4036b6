"""The built-in functions of one x that several explorers share."""

import torch
from torch import Tensor


def square(x: Tensor) -> Tensor:
    """Return x^2."""
    return x**2


def cube(x: Tensor) -> Tensor:
    """Return x^3."""
    return x**3


def log_of_cube(x: Tensor) -> Tensor:
    """Return log(x^3)."""
    return torch.log(x**3)


def root_of_square(x: Tensor) -> Tensor:
    """Return sqrt(x^2)."""
    return torch.sqrt(x**2)


def cube_and_sine(x: Tensor) -> Tensor:
    """Return x^3 + 2 sin x."""
    return x**3 + 2 * torch.sin(x)


def times_one(x: Tensor) -> Tensor:
    """Return x * 1, which equals x but is the result of an operation in autograd's graph."""
    return x * 1


def inverse_size(x: Tensor) -> Tensor:
    """Return 1 / |x|."""
    return 1 / x.abs()


def quartic(x: Tensor) -> Tensor:
    """Return x^4 - 8 x^2."""
    return x**4 - 8 * x**2


def uneven(x: Tensor) -> Tensor:
    """Return yz + y for y = x^2 and z = yx, so that paths of three lengths lead from x to the result."""
    y = x**2
    z = y * x
    return y * z + y


def two_paths(x: Tensor) -> Tensor:
    """Return log(x^3) + sqrt(x^2), a sum whose two terms both depend on x."""
    return log_of_cube(x) + root_of_square(x)
