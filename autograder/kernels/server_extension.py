"""A Jupyter server extension that provides warm kernels, and starts their template with the server.

If warm kernels are impossible, ordinary kernels start instead. Even then, opening a notebook runs no file
from the notebook's folder (see ordinary.py).
"""

import sys
from typing import Any

from jupyter_client.provisioning.factory import KernelProvisionerFactory

from autograder.kernels import provisioner

STOCK = "local-provisioner"


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": "autograder.kernels.server_extension"}]


def _load_jupyter_server_extension(server: Any) -> None:
    """Select the provisioner of warm kernels, unless another provisioner is configured.

    If this fails, kernels still start, only more slowly.
    """
    try:
        factory = KernelProvisionerFactory.instance(parent=server)
        if provisioner.NAME not in factory.get_provisioner_entries():
            raise LookupError(f"{provisioner.NAME} is not installed")
        if factory.default_provisioner_name not in (STOCK, provisioner.NAME):
            return
        factory.default_provisioner_name = provisioner.NAME
        manager = server.kernel_manager
        kernel = manager.kernel_spec_manager.get_kernel_spec(manager.default_kernel_name)
        provisioner.template_for([sys.executable, *kernel.argv[1:]])
    except Exception as error:
        server.log.warning(f"autograder.kernels: kernels will start more slowly: {error}")
