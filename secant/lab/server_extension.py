"""A Jupyter server extension that makes sliders respond without a noticeable delay.

A slider makes one round trip to the kernel per frame. The extension therefore changes two things:

- Kernel messages are sent at once. jupyter_server leaves Nagle's algorithm on for a kernel's websocket.
  Together with the browser's delayed acknowledgements, that costs about 44 ms each time.
- A widget's message does not mark the kernel as busy. Otherwise JupyterLab would redraw the kernel's status
  and the toolbar twice per frame, and that would take the page longer than showing the frame.

The extension also adds the alternative text of explorers' pictures to exported HTML, and it prints the
server's address if Jupyter itself would not print it.
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
    """Return a class of websocket connections to a kernel that send messages without delay.

    It is a subclass of `connection` that sets TCP_NODELAY when a connection is opened.

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
    """Extend the server's configuration before its kernel manager reads it."""
    try:
        # The setting lists the types of messages that do not mark the kernel as busy. Its value is a list, or
        # a traitlets object that collects additions to the default list. jupyterlab_server passes the
        # resulting list on to the page.
        server.config.MappingKernelManager.untracked_message_types.append("comm_msg")
    except Exception as error:
        _warn(server, error)
    try:
        server.config.HTMLExporter.preprocessors.append(DESCRIBE)
    except Exception as error:
        _warn(server, error, "exported pictures have no description")


def _print_address(server: Any) -> None:
    """Print the server's address, on behalf of a server that does not print the address itself.

    Such a server logs only errors, and uses a token that was given to it instead of generating one.
    """
    address = urlsplit(server.display_url.split()[0])._replace(query="").geturl()
    print(say(en=f"JupyterLab runs at {address}", ko=f"JupyterLab 주소: {address}"), flush=True)


def _load_jupyter_server_extension(server: Any) -> None:
    """Install the connection class that sends without delay; if that fails, the server runs as before."""
    try:
        settings = server.web_app.settings
        connection = settings[SETTING]
        if not callable(getattr(connection, "connect", None)):
            raise TypeError(f"{connection!r} has no connect()")
        settings[SETTING] = without_delay(connection)
    except Exception as error:
        _warn(server, error)
    is_quiet = logging.getLevelName(getattr(server, "log_level", 0)) in ("ERROR", logging.ERROR)
    if is_quiet and not server.identity_provider.token_generated:
        # The callback runs once the server listens and knows its port.
        IOLoop.current().add_callback(_print_address, server)
