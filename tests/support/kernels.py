"""Kernels for tests; each kernel is always shut down at the end."""

import contextlib
from collections.abc import Iterator
from typing import Any

from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager
from jupyter_client.provisioning.factory import KernelProvisionerFactory
from traitlets.config import Config

from autograder.kernels.provisioner import NAME

STOCK = "local-provisioner"


@contextlib.contextmanager
def provisioner(name: str = NAME) -> Iterator[None]:
    """Make `name` the default kernel provisioner while the `with` block runs."""
    factory = KernelProvisionerFactory.instance()
    before = factory.default_provisioner_name
    factory.default_provisioner_name = name
    try:
        yield
    finally:
        factory.default_provisioner_name = before


class Kernel:
    """A running kernel and its client."""

    def __init__(self, manager: KernelManager, client: BlockingKernelClient) -> None:
        self.manager, self.client = manager, client

    @property
    def process(self) -> Any:
        """The kernel's process as its provisioner holds it: a Popen or a ForkedKernel."""
        return self.manager.provisioner.process

    def run(self, code: str) -> str:
        """Run code, and return the text that it printed or the name of the error that it raised."""
        outputs: list[str] = []

        def collect(message: dict[str, Any]) -> None:
            content = message["content"]
            outputs.append(content.get("text") or content.get("ename") or " ".join(content.get("data", [])))

        self.client.execute_interactive(code, timeout=60, output_hook=collect)
        return "".join(outputs).strip()


@contextlib.contextmanager
def kernel(name: str = NAME, patience: float = 60, wait: bool = True, **options: Any) -> Iterator[Kernel]:
    """Start a kernel and yield it; shut it down at the end.

    Args:
        name: the kernel provisioner.
        patience: seconds to wait for a template that is still importing.
        wait: whether to wait until the kernel is ready. Without waiting, the client may miss messages that
            the kernel publishes, so only `client.execute` is safe.
        options: arguments for `start_kernel`.
    """
    with provisioner(name):
        manager = KernelManager(config=Config({"WarmProvisioner": {"patience": patience}}))
        manager.start_kernel(**options)
        client = manager.client()
        client.start_channels()
        try:
            if wait:
                client.wait_for_ready(timeout=60)
            yield Kernel(manager, client)
        finally:
            client.stop_channels()
            manager.shutdown_kernel(now=True)
