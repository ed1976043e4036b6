"""What one submission may use."""

from dataclasses import asdict, dataclass

MEGABYTE = 2**20
OUTPUT_LIMIT = 20_000  # characters of a cell's output that are kept
MESSAGE_LIMIT = 2_000  # characters of an error's message
VALUE_LIMIT = 100  # characters of a plain test's last value, which may be a number


@dataclass(frozen=True)
class ContainerLimits:
    """What one submission may use. Wall time is not here: only somebody outside can enforce it.

    Attributes:
        memory_mb: of all its processes together, beyond what the imported libraries take.
        disk_mb: of its /tmp, and as much again of /dev/shm; both live in memory.
        file_mb: of one file.
        processes: threads count too.
        open_files: in each process.
        cpu_seconds: of processor time, of all its processes together.
        processors: how many it may use at once, where a control group can see to it.
    """

    memory_mb: int = 1024
    disk_mb: int = 128
    file_mb: int = 64
    processes: int = 32
    open_files: int = 256
    cpu_seconds: int = 300
    processors: int = 1

    def as_dict(self) -> dict[str, int]:
        """The limits as plain data, to be sent to the template."""
        return asdict(self)
