"""A Jupyter server extension that checks the learner's notebook: endpoints under `secant/api`.

It also escapes names in nbgrader's formgrader, if the server has it (formgrader.py).

The server itself imports neither torch nor the examiner. A worker process imports them. It is started on
first use and ends with the server (worker.py, worker_client.py).
"""

from typing import Any


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": "autograder.service"}]


def _load_jupyter_server_extension(server: Any) -> None:
    """Add the endpoints. If that fails, the server runs without them."""
    # nbgrader's extensions are loaded after this one, so formgrader cannot be protected until the event loop
    # runs.
    server.io_loop.add_callback(_protect_formgrader, server)
    try:
        from autograder.service.handlers import add_handlers

        add_handlers(server)
    except Exception as error:
        server.log.warning(f"autograder.service: there will be no Check button: {error!r}")


def _protect_formgrader(server: Any) -> None:
    """Escape names in formgrader's pages. If that fails, switch formgrader off and log an error.

    Without escaping, its pages could run a student's script.
    """
    settings = server.web_app.settings
    try:
        from autograder.service.formgrader import protect_formgrader

        protect_formgrader(settings)
    except Exception as error:
        settings["nbgrader_bad_setup"] = True  # with this setting, formgrader's pages show only an error
        server.log.error(
            f"autograder.service: formgrader is switched off, names in it are not safe: {error!r}"
        )
