"""The limits on what one submission may use."""

from dataclasses import asdict, dataclass

MEGABYTE = 2**20
OUTPUT_LIMIT = 20_000  # number of characters that are kept of a cell's output
MESSAGE_LIMIT = 2_000  # number of characters that are kept of an error's message
VALUE_LIMIT = 100  # number of characters that are kept of a plain test's last value, often a number of points


@dataclass(frozen=True)
class ContainerLimits:
    """The resources that one submission may use.

    A limit on real time is not among them, because only a process outside of the container can enforce it.

    Attributes:
        memory_mb: megabytes of memory of all its processes together, beyond what the imported libraries take.
        disk_mb: megabytes of /tmp, and as many again of /dev/shm. Both are in memory.
        file_mb: megabytes of one file.
        processes: the number of processes; threads count too.
        open_files: the number of open files in each process.
        cpu_seconds: seconds of processor time of all its processes together.
        processors: the number of processors that it may use at once, where a control group can limit them.
    """

    memory_mb: int = 1024
    disk_mb: int = 128
    file_mb: int = 64
    processes: int = 32
    open_files: int = 256
    cpu_seconds: int = 300
    processors: int = 1

    def as_dict(self) -> dict[str, int]:
        """Return the limits as plain data, which can be sent to the template."""
        return asdict(self)
