"""Add a version of the site to a folder that a static host serves.

``python docs/site_versions.py FOLDER VERSION`` builds the site into ``FOLDER/VERSION``, lists all
versions there in ``FOLDER/versions.json``, from which each page makes its menu, and leads visitors
of ``FOLDER`` to the newest release. ``dev`` is the version that has not been released.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from packaging.version import Version

import tkm_env

DOCS: Final = Path(__file__).parent
DEVELOPMENT: Final = "dev"
#: The first page of a folder: the minimum that leads browsers and search engines on.
_FIRST_PAGE: Final = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>tkm_env</title>
<meta http-equiv="refresh" content="0; url={version}/">
<link rel="canonical" href="{version}/">
<p><a href="{version}/">The documentation of tkm_env</a></p>
</html>
"""


def list_versions(folder: Path) -> list[str]:
    """List the versions in a folder.

    Args:
        folder: the folder that the host serves.

    Returns:
        ``dev``, if it is there, and the releases, the newest first.

    Raises:
        InvalidVersion: if a folder with a site is named after neither.
    """
    found = {page.parent.name for page in folder.glob("*/index.html")}
    releases = sorted(found - {DEVELOPMENT}, key=Version, reverse=True)
    return [*({DEVELOPMENT} & found), *releases]


def write_list(folder: Path) -> None:
    """Write the list of versions and the first page.

    Args:
        folder: the folder that the host serves, with at least one version.

    Raises:
        InvalidVersion: as for `list_versions`; nothing is written then.
    """
    versions = list_versions(folder)
    stable = next((each for each in versions if _is_stable(each)), versions[0])
    (folder / "versions.json").write_text(json.dumps(versions) + "\n", "utf-8")
    (folder / "index.html").write_text(_FIRST_PAGE.format(version=stable), "utf-8")


def write_pages(site: Path) -> None:
    """Write the list of a version's pages, so that a menu can lead to the same page there."""
    pages = sorted(page.relative_to(site).as_posix() for page in site.rglob("*.html"))
    (site / "pages.json").write_text(json.dumps(pages) + "\n", "utf-8")


def _is_stable(version: str) -> bool:
    return version != DEVELOPMENT and not Version(version).is_prerelease


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="what the host serves; made where it is missing")
    parser.add_argument("version", help=f"this version, or {DEVELOPMENT}")
    given = parser.parse_args()
    folder, version = given.folder, given.version
    if version not in (DEVELOPMENT, tkm_env.__version__):
        parser.error(
            f"this is {tkm_env.__version__}, not {version!r}; {DEVELOPMENT} is allowed, too"
        )
    folder.mkdir(parents=True, exist_ok=True)
    list_versions(folder)  # which refuses a folder before the build, which takes minutes
    with tempfile.TemporaryDirectory(dir=folder, prefix=".") as place:
        built, read = Path(place, "site"), Path(place, "read")
        build = [sys.executable, "-m", "sphinx", "-W", "-n", "-d", str(read)]
        name = f"html_context.release_name={version}"
        subprocess.run([*build, "-D", name, str(DOCS), str(built)], check=True)
        write_pages(built)
        shutil.rmtree(folder / version, ignore_errors=True)
        built.rename(folder / version)
    write_list(folder)


if __name__ == "__main__":
    main()
