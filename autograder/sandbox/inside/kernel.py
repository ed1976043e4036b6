"""Functions for Linux system calls that the standard library does not offer. They use ctypes."""

import ctypes
import os


class KernelRefused(OSError):
    """The kernel refused a step of building the sandbox, so no student's code may run in it."""


def libc() -> ctypes.CDLL:
    """Return the C library, loaded in a way that lets errno be read."""
    return ctypes.CDLL(None, use_errno=True)


def check_result(result: int, step: str) -> int:
    """Return the result of a system call; raise KernelRefused if the result signals an error.

    Args:
        result: the value that the call returned.
        step: a description of the call, for the error's message.
    """
    if result < 0:
        number = ctypes.get_errno()
        raise KernelRefused(number, f"{step}: {os.strerror(number)}")
    return result


def prctl(option: int, value: int = 0) -> None:
    """Set an option of this process with the system call prctl; raise KernelRefused if the call fails."""
    check_result(libc().prctl(option, ctypes.c_ulong(value), *[ctypes.c_ulong(0)] * 3), f"prctl {option}")
