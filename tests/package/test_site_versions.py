"""A static host can have several versions of the site, with a menu on each page."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sphinx_gallery", reason="needs the extra [docs]")

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


@pytest.mark.slow
def test_the_menu_leads_to_the_same_page_of_another_version(
    tmp_path: Path, site_versions: Any, new_page: NewPage
) -> None:
    build_some(tmp_path / "alone", "seeds.md")
    for version, names in {"dev": ["seeds.md", "turns.md"], "0.9.0": ["seeds.md"]}.items():
        build_some(tmp_path / "host" / version, *names, version=version)
        site_versions.write_pages(tmp_path / "host" / version)
    site_versions.write_list(tmp_path / "host")
    page = new_page()
    with hosted(tmp_path / "alone") as address:
        page.goto(f"{address}seeds.html")
        assert not page.locator("form.versions").count()
    with hosted(tmp_path / "host") as address:
        page.goto(f"{address}dev/seeds.html")
        menu = page.get_by_label("Version")
        assert menu.input_value() == "dev"
        menu.select_option("0.9.0")
        page.wait_for_url(f"{address}0.9.0/seeds.html")
        assert page.get_by_label("Version").input_value() == "0.9.0"
        page.get_by_label("Version").select_option("dev")
        page.wait_for_url(f"{address}dev/seeds.html")
        page.goto(f"{address}dev/turns.html")
        page.get_by_label("Version").select_option("0.9.0")
        page.wait_for_url(f"{address}0.9.0/")
