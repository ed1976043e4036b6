"""A server that many tests and benchmarks share is left as it was found."""

from typing import Any

import pytest

from tests.support import jupyterlab as lab

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("served", ["en"], indirect=True)  # the language makes no difference here
def test_a_page_that_is_closed_leaves_no_kernel_and_the_next_opens_alone(served: Any) -> None:
    place = served.place / "kernels"
    place.mkdir()
    for name in ("first", "second"):
        lab.write_notebook(place / f"{name}.ipynb", ["print('done')"])
        with lab.run_notebook(served.browser, served.address, f"kernels/{name}.ipynb") as page:
            page.locator(".jp-OutputArea", has_text="done").wait_for(timeout=60_000)
            page.wait_for_timeout(2000)  # until JupyterLab has noted what is open, for the next page
            assert [session["path"] for session in lab.sessions(served.address)] == [f"kernels/{name}.ipynb"]
    assert lab.sessions(served.address) == []
