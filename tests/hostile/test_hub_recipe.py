"""The hub's recipe (deploy/hub): the origins of the users' servers, and access to the hub's files."""

import re
from pathlib import Path

import pytest
from traitlets.config.loader import PyFileConfigLoader

from tests.support.lessons import ROOT

RECIPE = ROOT / "deploy" / "hub"


def subdomain_host() -> str | None:
    """Return the domain whose subdomains the users' servers get, or None if all servers share one address."""
    settings = PyFileConfigLoader("jupyterhub_config.py", str(RECIPE)).load_config()
    return settings.JupyterHub.get("subdomain_host")


def test_public_address_gives_each_server_a_separate_origin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECANT_HUB_EXCHANGE", "/exchange")  # otherwise the recipe would set this variable
    monkeypatch.delenv("SECANT_HUB_ADDRESS", raising=False)
    assert subdomain_host() is None
    monkeypatch.setenv("SECANT_HUB_ADDRESS", "https://hub.example.edu")
    assert subdomain_host() == "https://hub.example.edu"


@pytest.mark.parametrize(
    "file", [RECIPE / "Dockerfile", ROOT / "docs" / "hub.md"], ids=lambda file: file.name
)
def test_the_folder_of_the_hubs_files_is_closed_to_students(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if re.search(r"(install|mkdir) .*/var/lib/secant-hub", line)]
    assert lines
    assert all("install -d -m 700" in line for line in lines)
