"""The limits on what one submission may use."""

from dataclasses import asdict, dataclass

MEGABYTE = 2**20
OUTPUT_LIMIT = 20_000  # maximum number of characters kept from a cell's output
MESSAGE_LIMIT = 2_000  # maximum number of characters kept from an error's message
# Maximum number of characters kept from the last value of an nbgrader test, which may be a score.
VALUE_LIMIT = 100


@dataclass(frozen=True)
class ContainerLimits:
    """The limits on the resources that one submission may use.

    Real time is not among them, because only a process outside the container can limit it.

    Attributes:
        memory_mb: megabytes of memory for all its processes together, in addition to the imported libraries.
        disk_mb: megabytes of files in /tmp, and as many again in /dev/shm. Both are kept in memory.
        file_mb: megabytes of a single file.
        processes: the number of processes and threads together.
        open_files: the number of open files in each process.
        cpu_seconds: seconds of processor time for all its processes together.
        processors: the number of processors that it may use at once. Only a control group can enforce this.
    """

    memory_mb: int = 1024
    disk_mb: int = 128
    file_mb: int = 64
    processes: int = 32
    open_files: int = 256
    cpu_seconds: int = 300
    processors: int = 1

    def as_dict(self) -> dict[str, int]:
        """Return the limits as plain data, to be sent to the template."""
        return asdict(self)
