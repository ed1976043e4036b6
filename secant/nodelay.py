"""A Jupyter server extension: send every kernel message at once, so that sliders feel direct.

jupyter_server leaves Nagle's algorithm on for a kernel's websocket. Against the browser's delayed
acknowledgements each round trip then costs about 44 ms, and a slider makes one round trip a frame.
"""

from typing import Any

SETTING = "kernel_websocket_connection_class"


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": "secant.nodelay"}]


def without_delay(connection: type) -> type:
    """Return a subclass of a kernel-websocket connection that sets TCP_NODELAY when it connects.

    Args:
        connection: the class the server would use; its configuration still applies to the subclass.
    """

    class NoDelayConnection(connection):  # type: ignore[misc]
        async def connect(self) -> Any:
            try:
                self.websocket_handler.set_nodelay(True)
            except Exception as error:
                self.log.warning(f"secant.nodelay: sliders will be slower: {error!r}")
            return await super().connect()

    return NoDelayConnection


def _load_jupyter_server_extension(server: Any) -> None:
    """Choose the subclass for this one server. Whatever goes wrong, the server runs as it did before."""
    try:
        settings = server.web_app.settings
        connection = settings[SETTING]
        if not callable(getattr(connection, "connect", None)):
            raise TypeError(f"{connection!r} has no connect()")
        settings[SETTING] = without_delay(connection)
    except Exception as error:
        server.log.warning(f"secant.nodelay: sliders will be slower: {error!r}")
