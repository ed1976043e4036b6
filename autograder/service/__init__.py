"""A Jupyter server extension that checks the learner's notebook: endpoints below `secant/api`.

The server itself imports neither torch nor the examiner: a worker process does, which is started on first use
and ends with the server (worker.py, warm.py).
"""

from typing import Any


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": "autograder.service"}]


def _load_jupyter_server_extension(server: Any) -> None:
    """Add the endpoints. Whatever goes wrong, the server runs as it did before."""
    try:
        from autograder.service.handlers import add_handlers

        add_handlers(server)
    except Exception as error:
        server.log.warning(f"autograder.service: there will be no Check button: {error!r}")
