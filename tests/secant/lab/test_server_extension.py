"""Tests of the server extension on the sockets of a real server with a real kernel.

test_real_start.py tests that JupyterLab's page receives the extension's settings.
"""

import asyncio
import gc
import logging
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from jupyter_server.serverapp import ServerApp
from jupyter_server.services.kernels.kernelmanager import AsyncMappingKernelManager
from jupyter_server.services.kernels.websocket import KernelWebsocketHandler
from tornado.websocket import websocket_connect
from traitlets.config import Config

from secant.lab import server_extension as extension
from tests.support.settings import preserved_signals  # noqa: F401


def server_side(port: Any) -> Any:
    """Return the server's end of the kernel websocket whose client uses this port."""
    for handler in gc.get_objects():
        # isinstance would read attributes of the object, and one of torch's objects warns about that.
        if issubclass(type(handler), KernelWebsocketHandler) and handler.ws_connection is not None:
            endpoint = handler.ws_connection.stream.socket
            if endpoint.getpeername()[1] == port:
                return endpoint
    raise AssertionError("the server has no such connection")


async def nodelay_option(home: Any, extensions: Any) -> Any:
    """Start a server and a kernel, connect as a browser does, and read TCP_NODELAY on the server's side."""
    ServerApp.clear_instance()
    server = ServerApp.instance(
        ip="127.0.0.1",
        port=0,
        open_browser=False,
        allow_root=True,
        root_dir=str(home),
        runtime_dir=str(home),
        disable_check_xsrf=True,
        jpserver_extensions=extensions,
    )
    server.initialize(argv=[], find_extensions=False, new_httpserver=True)
    server.identity_provider.token = ""
    try:
        kernel = await server.kernel_manager.start_kernel()
        client = await websocket_connect(
            f"ws://127.0.0.1:{server.port}/api/kernels/{kernel}/channels?session_id=test"
        )
        try:
            await asyncio.wait_for(client.read_message(), 30)  # wait until the kernel is connected
            port = client.stream.socket.getsockname()[1]
            return server_side(port).getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        finally:
            client.close()
    finally:
        await server._cleanup()
        ServerApp.clear_instance()


@pytest.mark.usefixtures("preserved_signals")
def test_kernel_websocket_sends_at_once(tmp_path: Path) -> None:
    assert asyncio.run(nodelay_option(tmp_path, {"secant.lab.server_extension": True})) != 0


@pytest.mark.usefixtures("preserved_signals")
def test_kernel_websocket_without_the_extension_does_not_send_at_once(tmp_path: Path) -> None:
    """If this fails, Jupyter itself has changed, and the extension is no longer needed."""
    assert asyncio.run(nodelay_option(tmp_path, {})) == 0


def untracked_types(config: Any) -> Any:
    """Return the message types that a server with this configuration does not count as kernel activity."""
    return list(AsyncMappingKernelManager(config=Config(config)).untracked_message_types)


def link_extension(config: Any) -> Any:
    server = SimpleNamespace(config=Config(config), log=logging.getLogger("server"))
    extension._link_jupyter_server_extension(server)
    return server.config


def test_a_widgets_message_is_added_to_the_types_that_are_not_tracked() -> None:
    before = untracked_types({})
    assert untracked_types(link_extension({})) == [*before, "comm_msg"]
    assert "comm_msg" not in before, "else the extension would be of no use any more"
    assert "execute_request" not in before, "a running cell must show"


def test_configured_untracked_message_types_are_kept() -> None:
    config = {"MappingKernelManager": {"untracked_message_types": ["status"]}}
    assert untracked_types(link_extension(config)) == ["status", "comm_msg"]


def test_malformed_untracked_message_types_are_kept_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    config = link_extension({"MappingKernelManager": {"untracked_message_types": "status"}})
    assert config.MappingKernelManager.untracked_message_types == "status"
    assert "sliders will be slower" in caplog.text


@pytest.mark.parametrize(
    "settings",
    [{}, {extension.SETTING: None}, {extension.SETTING: object}],
    ids=["gone", "none", "another thing"],
)
def test_unknown_server_interface_is_left_unchanged_with_a_warning(
    settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    before = dict(settings)
    server = SimpleNamespace(web_app=SimpleNamespace(settings=settings), log=logging.getLogger("server"))
    extension._load_jupyter_server_extension(server)
    assert settings == before
    assert "sliders will be slower" in caplog.text


def test_websocket_without_tcp_nodelay_still_connects(caplog: pytest.LogCaptureFixture) -> None:
    class Connection:
        log = logging.getLogger("server")
        websocket_handler = None

        async def connect(self) -> Any:
            return "connected"

    assert asyncio.run(extension.without_delay(Connection)().connect()) == "connected"
    assert "sliders will be slower" in caplog.text


def test_server_extension_imports_no_torch_or_matplotlib() -> None:
    """The server needs neither of them."""
    modules = "{'torch', 'matplotlib', 'ipywidgets'}"
    code = f"import sys, secant.lab.server_extension; print(sorted({modules} & set(sys.modules)))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "[]"


@pytest.mark.parametrize(
    ("level", "token_generated", "is_printed"),
    [("ERROR", False, True), (40, True, False), (20, False, False)],
)
def test_quiet_server_with_a_chosen_token_prints_its_address(
    capsys: pytest.CaptureFixture[str], level: object, token_generated: bool, is_printed: bool
) -> None:
    server = SimpleNamespace(
        web_app=SimpleNamespace(settings={extension.SETTING: SimpleNamespace(connect=print)}),
        log=SimpleNamespace(warning=print),
        log_level=level,
        identity_provider=SimpleNamespace(token_generated=token_generated),
        display_url="http://localhost:8888/lab/tree/START.md?token=...\n    http://127.0.0.1:8888/lab",
    )

    async def load() -> None:
        extension._load_jupyter_server_extension(server)
        assert "http" not in capsys.readouterr().out  # not printed before the server listens
        await asyncio.sleep(0)

    asyncio.run(load())
    assert ("http://localhost:8888/lab/tree/START.md\n" in capsys.readouterr().out) == is_printed
