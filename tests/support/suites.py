"""Tell to which suite a test belongs: the quick one (`make test`), or the whole one alone (`make test-all`).

A test is quick unless its folder or file is listed here, or it has the marker `whole`, or `deep`. Quick is
whatever finds faults that no cheaper test finds; what repeats it, and what needs a browser, a hub, a cluster
or wheels, belongs to the whole suite.
"""

import pytest

#: By folder or file, what its tests need or repeat.
WHOLE = {
    "tests/browser/": "Chromium",
    "tests/hub/": "JupyterHub and its proxy",
    "tests/packaging/": "wheels, and environments of their own",
    "tests/stock/": "each lesson's whole path through nbgrader, beside the examiner's verdicts",
    "tests/autograder/grading/test_cluster.py": "a Dask cluster",
    "tests/autograder/grading/test_postgres.py": "PostgreSQL",
}


def is_whole(item: pytest.Item) -> bool:
    """Tell whether only the whole suite runs a test."""
    return bool(item.get_closest_marker("whole")) or item.nodeid.startswith(tuple(WHOLE))


def runs_whole(config: pytest.Config) -> bool:
    """Tell whether a run is of the whole suite: so are a lesson's tests, all of them."""
    options = ("--whole", "--deep")
    return any(config.getoption(name, False) for name in options) or (
        config.getoption("--lesson", None) is not None
    )
