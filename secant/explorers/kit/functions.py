"""The functions of one x that explorers start with."""

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
