"""A Jupyter server extension that makes sliders feel direct. A slider makes one round trip a frame, so

- kernel messages are sent at once: jupyter_server leaves Nagle's algorithm on for a kernel's websocket, which
  against the browser's delayed acknowledgements costs about 44 ms each time;
- a widget's message does not count as the kernel's being busy: JupyterLab would redraw the status twice a
  frame, toolbar and all, which takes a page longer than to show the frame.

It also gives exported HTML the alternative text of an explorer's picture, and says where the server is, if
that would be said nowhere.
"""

import logging
from typing import Any
from urllib.parse import urlsplit

from tornado.ioloop import IOLoop

from secant.language import say

SETTING = "kernel_websocket_connection_class"
DESCRIBE = "secant.lab.described.DescribePictures"


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": "secant.lab.server_extension"}]


def _warn(server: Any, error: Exception, effect: str = "sliders will be slower") -> None:
    server.log.warning(f"secant.lab.server_extension: {effect}: {error!r}")


def without_delay(connection: type) -> type:
    """Return a subclass of a kernel-websocket connection that sets TCP_NODELAY when it connects.

    Args:
        connection: the class the server would use; its configuration still applies to the subclass.
    """

    class NoDelayConnection(connection):
        async def connect(self) -> Any:
            try:
                self.websocket_handler.set_nodelay(True)
            except Exception as error:
                _warn(self, error)
            return await super().connect()

    return NoDelayConnection


def _link_jupyter_server_extension(server: Any) -> None:
    """Add to what the server is configured with, before its kernel manager reads it."""
    try:
        # a list, or traitlets' note of what to add to the default; jupyterlab_server hands it to the page
        server.config.MappingKernelManager.untracked_message_types.append("comm_msg")
    except Exception as error:
        _warn(server, error)
    try:
        server.config.HTMLExporter.preprocessors.append(DESCRIBE)
    except Exception as error:
        _warn(server, error, "exported pictures have no description")


def _say_address(server: Any) -> None:
    """Print the address. A quiet server does so itself for a token that it has drawn, and for no other."""
    address = urlsplit(server.display_url.split()[0])._replace(query="").geturl()
    print(say(en=f"JupyterLab runs at {address}", ko=f"JupyterLab 주소: {address}"), flush=True)


def _load_jupyter_server_extension(server: Any) -> None:
    """Choose the subclass for this one server. Whatever goes wrong, the server runs as it did before."""
    try:
        settings = server.web_app.settings
        connection = settings[SETTING]
        if not callable(getattr(connection, "connect", None)):
            raise TypeError(f"{connection!r} has no connect()")
        settings[SETTING] = without_delay(connection)
    except Exception as error:
        _warn(server, error)
    quiet = logging.getLevelName(getattr(server, "log_level", 0)) in ("ERROR", logging.ERROR)
    if quiet and not server.identity_provider.token_generated:
        IOLoop.current().add_callback(_say_address, server)  # once it listens, and knows its port
