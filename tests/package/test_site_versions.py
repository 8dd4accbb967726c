"""A static host can have several versions of the site, with a menu on each page."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sphinx_gallery", reason="needs the extra [docs]")
pytest.importorskip("playwright.sync_api", reason="needs playwright, from the extra [dev]")
from playwright.sync_api import expect

from tests.browser import NewPage
from tests.site import ROOT, build_some, hosted


@pytest.fixture
def site_versions(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(ROOT / "docs")
    return importlib.import_module("site_versions")


def folder_with(folder: Path, *versions: str) -> Path:
    for version in versions:
        (folder / version).mkdir()
        (folder / version / "index.html").touch()
    return folder


@pytest.mark.parametrize(
    ("versions", "listed", "stable"),
    [
        (["1.0.0", "0.9.0", "1.10.0", "1.9.0"], ["1.10.0", "1.9.0", "1.0.0", "0.9.0"], "1.10.0"),
        (["0.9.0", "dev", "1.0.0rc1"], ["dev", "1.0.0rc1", "0.9.0"], "0.9.0"),
        (["dev"], ["dev"], "dev"),
    ],
)
def test_visitors_are_led_to_the_newest_release(
    versions: list[str], listed: list[str], stable: str, tmp_path: Path, site_versions: Any
) -> None:
    (tmp_path / "pictures").mkdir()  # no site: nothing that must be a version
    site_versions.write_list(folder_with(tmp_path, *versions))
    assert json.loads((tmp_path / "versions.json").read_text("utf-8")) == listed
    assert f'content="0; url={stable}/"' in (tmp_path / "index.html").read_text("utf-8")


def test_a_site_in_a_folder_that_names_no_version_is_refused(
    tmp_path: Path, site_versions: Any
) -> None:
    with pytest.raises(ValueError, match="latest"):
        site_versions.write_list(folder_with(tmp_path, "0.9.0", "latest"))
    assert not (tmp_path / "versions.json").exists()


@pytest.fixture
def host(tmp_path: Path) -> Iterator[str]:
    """The address of the test's folder on a static host.

    Tests ask for it before a page: then it outlives the page, which may still be loading something
    when the test ends.
    """
    with hosted(tmp_path) as address:
        yield address


@pytest.mark.slow
def test_the_menu_leads_to_the_same_page_of_another_version(
    tmp_path: Path, site_versions: Any, host: str, new_page: NewPage
) -> None:
    build_some(tmp_path / "alone", "seeds.md")
    for version, names in {"dev": ["seeds.md", "turns.md"], "0.9.0": ["seeds.md"]}.items():
        build_some(tmp_path / "docs" / version, *names, version=version)
        site_versions.write_pages(tmp_path / "docs" / version)
    site_versions.write_list(tmp_path / "docs")
    page = new_page()
    page.goto(f"{host}alone/seeds.html")
    assert not page.locator("form.versions").count()
    page.goto(f"{host}docs/dev/seeds.html")
    menu = page.get_by_label("Version")
    expect(menu).to_have_value("dev")
    menu.select_option("0.9.0")
    page.wait_for_url(f"{host}docs/0.9.0/seeds.html")
    expect(menu).to_have_value("0.9.0")
    menu.select_option("dev")
    page.wait_for_url(f"{host}docs/dev/seeds.html")
    page.goto(f"{host}docs/dev/turns.html")
    menu.select_option("0.9.0")
    page.wait_for_url(f"{host}docs/0.9.0/")
