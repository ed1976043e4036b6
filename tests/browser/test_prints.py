"""The output of cells while an explorer is used: every line arrives, whichever thread answers widgets."""

import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from tests.browser.conftest import WARM
from tests.support import jupyterlab as lab
from tests.support.prints import LINES, count_arriving_lines

pytestmark = pytest.mark.browser

FEW, MANY = 3, 10  # cells that print a thousand lines each
RUNS = 20  # of each case in the deep tests, because conflicts between two threads are rare


def test_cell_output_arrives_while_an_explorer_is_used(lab_server: Any, window: Any) -> None:
    """JupyterLab has its default setting, with which the kernel answers widgets in a separate thread."""
    count = count_arriving_lines(window.page, lab_server.address, lab_server.folder, "prints.ipynb", FEW)
    assert count == FEW * LINES


@pytest.fixture(scope="module", params=["disabled", "perCommTarget", "perComm"])
def comms(request: pytest.FixtureRequest) -> str:
    """Return JupyterLab's setting for widget messages: handled in the cells' thread, or in other threads."""
    return str(request.param)


@pytest.fixture(scope="module", params=["warm", "cold"])
def server(
    request: pytest.FixtureRequest, browser: Any, comms: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Any]:
    home, folder = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("place")
    settings = (
        home / "settings" / "@jupyterlab" / "apputils-extension" / "kernels-settings.jupyterlab-settings"
    )
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"commsOverSubshells": comms}))
    with lab.jupyterlab(folder, home=home, flags=[WARM] if request.param == "warm" else []) as address:
        yield SimpleNamespace(address=address, browser=browser, folder=folder)


@pytest.mark.deep
def test_every_printed_line_arrives_in_every_run(server: Any, comms: str) -> None:
    with lab.open_lab(server.browser, server.address) as page:
        settings = page.evaluate(
            "async () => (await window.jupyterapp.serviceManager.settings.fetch("
            "'@jupyterlab/apputils-extension:kernels-settings')).raw"
        )
        assert json.loads(settings) == {"commsOverSubshells": comms}
        counts = [
            count_arriving_lines(page, server.address, server.folder, f"prints{run}.ipynb", MANY)
            for run in range(RUNS)
        ]
    assert counts == [MANY * LINES] * RUNS
