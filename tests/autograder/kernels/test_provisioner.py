"""Tests of warm kernels: how they resemble stock kernels, how they end, and when a stock kernel is used."""

import ast
import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.provisioning.factory import KernelProvisionerFactory

from autograder.kernels import provisioner, server_extension
from autograder.kernels.provisioner import CannotFork, ForkedKernel, WarmProvisioner
from tests.support.kernels import STOCK, Kernel, kernel
from tests.support.kernels import provisioner as default_provisioner

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="warm kernels are Linux's")

COMMAND = [sys.executable, "-m", "ipykernel_launcher", "-f", "nothing.json"]

# Code that prints what a learner can see of a process after importing the lessons' packages.
INSPECTION_CODE = """
import os, sys, signal, threading, warnings, locale, json, random
first = dict(name=__name__, doc=__doc__, file=globals().get("__file__"))
import torch, ipywidgets, networkx, numpy as np, matplotlib, matplotlib.pyplot as plt, secant
plt.figure(); plt.close("all")
print(json.dumps(dict(
    **first,
    argv=sys.argv[:2], original=sys.orig_argv[:4], options=sys._xoptions,
    path=sys.path, flags=str(sys.flags).replace("hash_randomization=0", "hash_randomization=1"),  # seed 0
    executable=sys.executable, prefix=sys.prefix, cwd=os.getcwd(), hooks=str(sys.displayhook)[:40],
    environment={name: value for name, value in os.environ.items() if name != "JPY_SESSION_NAME"},
    threads=sorted({type(one).__name__ for one in threading.enumerate()}),
    torch_threads=[torch.get_num_threads(), torch.get_num_interop_threads()],
    leader=[os.getsid(0) == os.getpid(), os.getpgid(0) == os.getpid()],
    interrupt=str(signal.getsignal(signal.SIGINT)), pipe=str(signal.getsignal(signal.SIGPIPE)),
    stdin=os.read(0, 1).decode(), files=len(os.listdir("/proc/self/fd")) < 80,  # a stock kernel has up to 60
    locale=locale.getlocale(), encoding=[sys.getfilesystemencoding(), sys.__stdout__.encoding],
    filters=sorted({str((one[0], one[1] and one[1].pattern, one[2])) for one in warnings.filters}),
    settings={name: str(value) for name, value in matplotlib.rcParams.items()},
    backend=matplotlib.get_backend(), language=secant.language(), grad=torch.is_grad_enabled(),
    dtype=str(torch.get_default_dtype()), shell=type(get_ipython()).__name__,
    autograder=[name for name in sys.modules if name.startswith("autograder")],
)))
"""
DRAW_CODE = "import torch, random, numpy; print(torch.rand(3).tolist(), random.random(), numpy.random.rand())"


@pytest.fixture(scope="module", autouse=True)
def template() -> Iterator[provisioner.KernelTemplate]:
    """Provide the template from which this process's kernels are forked."""
    yield provisioner.template_for(COMMAND)
    provisioner.close_template()


@pytest.fixture(scope="module")
def warm_kernel() -> Iterator[Kernel]:
    """Provide a warm kernel for the tests that do not end their kernel."""
    with kernel() as running_kernel:
        yield running_kernel


def process_ends(pid: int) -> bool:
    """Return whether a process ends within ten seconds."""
    for _ in range(100):
        if not Path(f"/proc/{pid}").exists():
            return True
        time.sleep(0.1)
    return False


def test_warm_kernel_has_imported_torch_and_not_secant(warm_kernel: Kernel) -> None:
    assert isinstance(warm_kernel.process, ForkedKernel)
    names = ("torch", "ipywidgets", "matplotlib", "networkx", "matplotlib.pyplot", "secant", "autograder")
    output = warm_kernel.run(f"import sys; print([name in sys.modules for name in {names}])")
    assert output == str([True] * 4 + [False] * 3)


@pytest.mark.costly("a stock kernel beside a warm one")
def test_warm_kernel_looks_like_a_stock_kernel_to_a_notebook(tmp_path: Path) -> None:
    views = []
    for name in (provisioner.NAME, STOCK):
        with kernel(name, cwd=str(tmp_path), env={**os.environ, "SECANT_LANG": "ko"}) as running_kernel:
            assert isinstance(running_kernel.process, ForkedKernel) == (name == provisioner.NAME)
            views.append(json.loads(running_kernel.run(INSPECTION_CODE)))
    warm_view, stock_view = views
    assert {name: value for name, value in warm_view.items() if value != stock_view[name]} == {}
    assert (warm_view["language"], warm_view["cwd"]) == ("ko", str(tmp_path))


def test_warm_kernel_computes_draws_and_shows_widgets(warm_kernel: Kernel) -> None:
    assert ast.literal_eval(
        warm_kernel.run(
            "import torch, numpy; a = torch.ones(600, 600, requires_grad=True); (a @ a).sum().backward();"
            "b = numpy.ones((600, 600)); print((a.grad[0, 0].item(), float((b @ b)[0, 0])))"
        )
    ) == (1200, 600)
    assert "image/png" in warm_kernel.run("import matplotlib.pyplot as plt; plt.plot([1, 2]); plt.show()")
    assert "image/png" in warm_kernel.run("%matplotlib inline\nplt.plot([1, 2]);")
    output = warm_kernel.run("import ipywidgets; ipywidgets.FloatSlider()")
    assert "application/vnd.jupyter.widget-view+json" in output


def test_each_forked_kernel_draws_different_random_numbers(warm_kernel: Kernel) -> None:
    with kernel() as other_kernel:
        first, second = (
            running_kernel.run(DRAW_CODE).replace("[", "").replace("]", "").replace(",", "").split()
            for running_kernel in (warm_kernel, other_kernel)
        )
    assert len(first) == len(second) == 5
    assert not set(first) & set(second)


def test_warm_kernel_can_be_interrupted_and_restarted() -> None:
    with kernel() as running_kernel:
        running_kernel.run("kept = 1")
        # After an error, a kernel may drop the next requests, unless `stop_on_error` is false.
        code = "import time; print('now', flush=True); time.sleep(60)"
        request = running_kernel.client.execute(code, stop_on_error=False)
        while running_kernel.client.get_iopub_msg(timeout=20)["content"].get("text") != "now\n":
            pass
        time.sleep(0.2)
        running_kernel.manager.interrupt_kernel()
        reply = running_kernel.client.get_shell_msg(timeout=20)
        while reply["parent_header"]["msg_id"] != request:
            reply = running_kernel.client.get_shell_msg(timeout=20)
        assert reply["content"]["ename"] == "KeyboardInterrupt"
        assert running_kernel.run("print(kept)") == "1"

        old_pid = running_kernel.process.pid
        running_kernel.manager.restart_kernel()
        assert isinstance(running_kernel.process, ForkedKernel)
        assert running_kernel.process.pid != old_pid
        # Do not read printed output: a new kernel may print before the client receives its output.
        expressions = {"kept": "'kept' in globals()"}
        reply = running_kernel.client.execute("", user_expressions=expressions, reply=True, timeout=60)
        assert reply["content"]["user_expressions"]["kept"]["data"]["text/plain"] == "False"
        assert process_ends(old_pid)


@pytest.mark.parametrize("now", [False, True])
def test_shutdown_leaves_no_process(now: bool) -> None:
    with kernel() as running_kernel:
        pid = int(running_kernel.run("import os; print(os.getpid())"))
        assert running_kernel.process.pid == pid
        running_kernel.manager.shutdown_kernel(now=now)
        assert not running_kernel.manager.is_alive()
    assert process_ends(pid)


@pytest.mark.parametrize(("code", "exit_code"), [("import os; os._exit(3)", 3), (None, -signal.SIGKILL)])
def test_a_kernel_that_ends_is_noticed(code: str | None, exit_code: int) -> None:
    with kernel() as running_kernel:
        running_kernel.run("1")
        process = running_kernel.process
        if code:
            running_kernel.client.execute(code)
        else:
            os.kill(process.pid, signal.SIGKILL)
        assert process.wait() == exit_code
        assert not running_kernel.manager.is_alive()


SERVER_PROGRAM = """
import sys, time
from autograder.kernels import provisioner
from tests.support.kernels import kernel
with kernel() as started:
    started.run("1")
    print(started.process.pid, provisioner._template.process.pid, flush=True)
    time.sleep(600)
"""


@pytest.mark.whole
@pytest.mark.parametrize("victim", ["server", "template"])
def test_kernels_end_with_their_server_and_their_template(victim: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SERVER_PROGRAM], stdout=subprocess.PIPE, start_new_session=True, text=True
    ) as server:
        try:
            kernel_pid, template_pid = map(int, server.stdout.readline().split())
            os.kill(server.pid if victim == "server" else template_pid, signal.SIGKILL)
            assert process_ends(kernel_pid)
        finally:
            server.kill()
        server.wait()
        assert process_ends(template_pid)


def fork(cmd: list[str] | None = None, **options: Any) -> None:
    """Fork a warm kernel with this command and these Popen options, and kill the kernel at once."""

    async def fork_and_kill() -> None:
        warm_provisioner = WarmProvisioner(
            kernel_spec=KernelSpecManager().get_kernel_spec("python3"), patience=60
        )
        forked_kernel = await warm_provisioner._fork(cmd or COMMAND, options)
        forked_kernel.kill()

    asyncio.run(fork_and_kill())


@pytest.mark.parametrize(
    ("file", "reason"),
    [("torch.py", "torch of its own"), ("matplotlibrc", "matplotlibrc"), ("numpy/__init__.py", "numpy")],
)
def test_no_kernel_is_forked_in_a_folder_that_shadows_modules(tmp_path: Path, file: str, reason: str) -> None:
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).touch()
    with pytest.raises(CannotFork, match=reason):
        fork(cwd=str(tmp_path))


@pytest.mark.parametrize(
    ("cmd", "options", "reason"),
    [
        (["/usr/bin/another", *COMMAND[1:]], {}, "another Python"),
        ([sys.executable, "-I", *COMMAND[1:]], {}, "another Python"),
        ([sys.executable, "-Xdev", *COMMAND[1:]], {}, "the template runs another Python"),
        ([sys.executable, "-m", "xeus", "-f", "x"], {}, "does not start"),
        (None, {"env": {**os.environ, "PYTHONPATH": "/elsewhere"}}, "PYTHONPATH"),
        (None, {"env": {**os.environ, "OMP_NUM_THREADS": "7"}}, "OMP_NUM_THREADS"),
        (None, {"independent": True}, "independent"),
        (None, {"preexec_fn": print}, "preexec_fn"),
        (None, {"stdout": subprocess.PIPE}, "pipe"),
        (None, {"cwd": "/no/such/folder"}, "No such file"),
    ],
)
def test_no_kernel_is_forked_if_command_or_environment_differ(
    cmd: list[str] | None, options: dict[str, Any], reason: str
) -> None:
    with pytest.raises(CannotFork, match=reason):
        fork(cmd, **options)


def test_stock_kernel_starts_if_forking_is_ruled_out_and_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "torch.py").write_text("mine = 'my own torch'")
    with kernel(cwd=str(tmp_path)) as running_kernel:
        assert isinstance(running_kernel.process, subprocess.Popen)
        assert running_kernel.run("import torch; print(torch.mine)") == "my own torch"
    assert "the folder has a torch of its own" in caplog.text


@pytest.mark.whole
@pytest.mark.parametrize("module", ["ipykernel_launcher", "importlib", "torch", "jedi", "parso"])
def test_opening_and_completing_run_no_file_next_to_the_notebook(tmp_path: Path, module: str) -> None:
    (tmp_path / "ran.py").write_text("open('ran', 'w').close()")
    (tmp_path / f"{module}.py").symlink_to("ran.py")
    with kernel(cwd=str(tmp_path)) as running_kernel:
        assert running_kernel.client.complete("import o", reply=True, timeout=60)["content"]["status"] == "ok"
        assert running_kernel.client.inspect("print", reply=True, timeout=60)["content"]["found"]
        assert not (tmp_path / "ran").exists()
        running_kernel.run("import ran")  # cells can still import files next to the notebook
        assert (tmp_path / "ran").exists()


@pytest.mark.whole
def test_a_template_that_does_not_answer_is_not_waited_for(template: provisioner.KernelTemplate) -> None:
    os.kill(template.process.pid, signal.SIGSTOP)
    try:
        with kernel(patience=0.1) as running_kernel:
            assert isinstance(running_kernel.process, subprocess.Popen)
            connection = running_kernel.manager.connection_file
            os.kill(template.process.pid, signal.SIGCONT)
            assert running_kernel.run("print(1)") == "1"
            with kernel() as second_kernel:  # by now, the template has handled both requests
                assert isinstance(second_kernel.process, ForkedKernel)
                assert second_kernel.run("print(2)") == "2"
            result = subprocess.run(["pgrep", "-f", connection], capture_output=True, text=True, check=False)
            assert result.stdout.split() == [str(running_kernel.process.pid)]
    finally:
        os.kill(template.process.pid, signal.SIGCONT)


def test_the_extension_makes_a_servers_kernels_warm(template: provisioner.KernelTemplate) -> None:
    factory = KernelProvisionerFactory.instance()
    specs = KernelSpecManager()
    manager = SimpleNamespace(kernel_spec_manager=specs, default_kernel_name="python3")
    warnings: list[str] = []
    server = SimpleNamespace(kernel_manager=manager, log=SimpleNamespace(warning=warnings.append))
    for before, after in ((STOCK, provisioner.NAME), ("another", "another")):
        with default_provisioner(before):
            server_extension._load_jupyter_server_extension(server)
            assert (factory.default_provisioner_name, warnings) == (after, [])
    del server.kernel_manager
    server_extension._load_jupyter_server_extension(server)
    assert "more slowly" in warnings[0]
