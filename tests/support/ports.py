"""Free network ports for tests' servers."""

import socket


def free_port() -> int:
    """Return a port that no process listens on."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
    return port
