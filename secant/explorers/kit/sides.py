"""A forward, a backward and a central quotient beside autograd's gradient. Numbers only, no pictures."""

import math
from dataclasses import dataclass, field

import numpy as np
import torch

from secant.explorers.kit import difference, elementwise, ranges
from secant.explorers.kit.kinks import KINK
from secant.explorers.kit.ranges import Range
from secant.explorers.kit.subject import Setting, Subjects, kept
from secant.explorers.kit.widget import Findings

SIDES = ("forward", "backward", "central")  # in the order of the rows


@dataclass
class Reading(Findings):
    """What a setting comes to: numbers for the picture and the text. NaN where there is none.

    `quotients` and `curves` go by the names in SIDES; a curve holds the quotient's error for each of `steps`.
    """

    setting: Setting
    height: float = math.nan
    ends: Range = (math.nan, math.nan)
    heights: Range = (math.nan, math.nan)
    quotients: dict[str, float] = field(default_factory=lambda: dict.fromkeys(SIDES, math.nan))
    gradient: float = math.nan
    steps: np.ndarray = field(default_factory=lambda: np.empty(0))
    curves: dict[str, np.ndarray] = field(default_factory=lambda: dict.fromkeys(SIDES, np.empty(0)))

    @property
    def errors(self) -> dict[str, float]:
        """How far each quotient is from autograd's gradient."""
        return {name: abs(quotient - self.gradient) for name, quotient in self.quotients.items()}

    @property
    def noise(self) -> float:
        """About how large the rounding error of a quotient is."""
        size = difference.largest(*self.heights, self.height)
        return difference.rounding(size, self.setting.x, self.quotients["central"], self.setting.h)


class Sides(Subjects):
    """Functions, and how far their three quotients are from autograd's gradient: worked out once for each."""

    @kept(8)
    def error_curves(self, name: str, x: float) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Return the steps, and for each quotient its error at each of them."""
        f, steps = self.prepared(name).f, self.steps(name)
        place = torch.tensor([x], dtype=torch.float64)
        slope = difference.gradient(f, place)
        errors = difference.both_sides(f, place, steps)
        return steps.numpy(), {key: (error - slope).abs().numpy() for key, error in errors.items()}

    @kept()
    def typical_errors(self, name: str) -> np.ndarray:
        """Return errors at some x all over the range; none where there is none to be had."""
        kink = ranges.clamp(KINK, self.ends)
        places = self.ends, (kink, kink)
        found = [
            elementwise.all_over(lambda x: self.error_curves(name, x)[1].values(), ends) for ends in places
        ]
        return np.concatenate(found)
