"""Linux system calls that the standard library does not offer, made through ctypes."""

import ctypes
import os


class KernelRefused(OSError):
    """The kernel refused a step of building the wall, so no student's code may run behind it."""


def libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def checked(result: int, step: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise KernelRefused(number, f"{step}: {os.strerror(number)}")
    return result


def prctl(option: int, value: int = 0) -> None:
    checked(libc().prctl(option, ctypes.c_ulong(value), *[ctypes.c_ulong(0)] * 3), f"prctl {option}")
