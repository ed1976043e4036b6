"""The built-in functions of one x that several explorers share."""

import torch
from torch import Tensor


def square(x: Tensor) -> Tensor:
    return x**2


def cube(x: Tensor) -> Tensor:
    return x**3


def log_of_cube(x: Tensor) -> Tensor:
    return torch.log(x**3)


def root_of_square(x: Tensor) -> Tensor:
    return torch.sqrt(x**2)


def cube_and_sine(x: Tensor) -> Tensor:
    return x**3 + 2 * torch.sin(x)


def itself(x: Tensor) -> Tensor:
    return x * 1


def inverse_size(x: Tensor) -> Tensor:
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
    return log_of_cube(x) + root_of_square(x)
