"""A test in a kernel that draws an explorer in one thread while a cell runs in another, as in JupyterLab."""

from typing import Any

import pytest

from tests.support.kernels import STOCK, kernel

LINES = 1000
EXPLORER = """import threading
from secant import explore

begun, go_on = threading.Event(), threading.Event()

def waiting(x):
    print("of the function that is drawn")
    begun.set()
    go_on.wait(30)
    return x**2
"""
CELL = f"""begun.wait(30)
for line in range({LINES}):
    print("line", line)
go_on.set()
"""


def run_in_subshell(client: Any, code: str) -> None:
    """Run code in a new subshell of a kernel, while the kernel's cells can run at the same time."""
    client.control_channel.send(client.session.msg("create_subshell_request"))
    reply = client.control_channel.get_msg(timeout=30)
    message = client.session.msg("execute_request", {"code": code, "silent": False, "store_history": False})
    message["header"]["subshell_id"] = reply["content"]["subshell_id"]
    client.shell_channel.send(message)


@pytest.mark.costly("a real kernel")
@pytest.mark.usefixtures("quick_kernels")
def test_a_cell_prints_while_a_function_is_drawn_in_another_thread() -> None:
    with kernel(STOCK) as running_kernel:
        assert running_kernel.run(EXPLORER) == ""
        run_in_subshell(running_kernel.client, "figure = explore(waiting).static_figure()")
        assert running_kernel.run(CELL).splitlines() == [f"line {line}" for line in range(LINES)]
        assert running_kernel.run("print('still heard')") == "still heard"
