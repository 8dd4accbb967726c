"""Files that earlier versions wrote are read for ever, and those of later ones are refused."""

from __future__ import annotations

import gzip
import io
import json
import re
import shutil
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from packaging.version import Version

from tests.package.stored_forms.reading import SAMPLES, Sample, meaning
from tests.package.stored_forms.table import FORMS, ROOT
from tests.package.stored_forms.writing import FOLDER
from tkm_env import NewerVersionError

VERSIONS = sorted((path.name for path in FOLDER.iterdir()), key=Version)
#: A form that began later has no file of an earlier version.
KEPT = [
    (version, sample)
    for version in VERSIONS
    for sample in SAMPLES
    if (FOLDER / version / sample.file).exists()
]
VERSIONED = [sample for sample in SAMPLES if "version" in FORMS[sample.form]]


def copied(version: str, sample: Sample, folder: Path) -> Path:
    """The file of a sample, and what is beside it, in a folder to write to."""
    for name in (sample.file, *sample.beside):
        shutil.copy(FOLDER / version / name, folder)
    return folder / sample.file


@pytest.mark.parametrize(
    ("version", "sample"), KEPT, ids=[f"{version}-{sample.file}" for version, sample in KEPT]
)
def test_a_file_of_an_earlier_version_means_what_it_meant(
    version: str, sample: Sample, tmp_path: Path
) -> None:
    told = json.loads((FOLDER / version / "meaning.json").read_text("utf-8"))
    assert meaning(sample, copied(version, sample, tmp_path)) == told[sample.file]


def _in_text(path: Path) -> None:
    """Raise the first version that a file states."""
    text = path.read_text("utf-8")
    version = re.compile(r'("?version"? ?[:=] "?)(\d+)')
    changed, count = version.subn(lambda found: f"{found[1]}{int(found[2]) + 1}", text, count=1)
    assert count == 1
    path.write_text(changed, "utf-8")


def _in_gzip(path: Path) -> None:
    text = gzip.decompress(path.read_bytes()).decode()
    path.write_bytes(gzip.compress(text.replace('"version":1', '"version":2', 1).encode()))


def _in_arrays(name: str) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        with np.load(path) as file:
            arrays: dict[str, Any] = {key: file[key] for key in file.files}
        content = json.loads(arrays[name].tobytes())
        content["version"] += 1
        arrays[name] = np.frombuffer(json.dumps(content).encode(), np.uint8)
        changed = io.BytesIO()
        np.savez(changed, **arrays)
        path.write_bytes(changed.getvalue())

    return change


def _in_database(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE tkm_env_version SET version_num = '3'")


def _in_backup(path: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    tables = json.loads(content["tables.json"])
    content["tables.json"] = json.dumps({**tables, "version": tables["version"] + 1}).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, part in content.items():
            archive.writestr(name, part)


CHANGES: dict[str, Callable[[Path], None]] = {
    "solved.jsonl.gz": _in_gzip,
    "values.npz": _in_arrays("card"),
    "policy.npz": _in_arrays("card"),
    "values.npz.training": _in_arrays("state"),
    "league.sqlite": _in_database,
    "league.zip": _in_backup,
}


@pytest.mark.parametrize("sample", VERSIONED, ids=[sample.file for sample in VERSIONED])
def test_a_form_of_a_later_version_is_refused_by_name(sample: Sample, tmp_path: Path) -> None:
    path = copied(VERSIONS[-1], sample, tmp_path)
    CHANGES.get(sample.file, _in_text)(path)
    before = path.read_bytes()
    with pytest.raises(NewerVersionError) as refused:
        sample.read(path)
    known = FORMS[sample.form]["version"]
    assert (refused.value.form, refused.value.found, refused.value.known) == (
        sample.form,
        known + 1,
        known,
    )
    assert sample.form in str(refused.value)
    moved = path if path.exists() else next(tmp_path.glob("*.json"))
    assert moved.read_bytes() == before


def test_every_form_that_is_read_has_a_sample_of_each_version_since_it_exists() -> None:
    assert {sample.form for sample in SAMPLES} == {
        name
        for name, row in FORMS.items()
        if row["reads"] and name not in ("tkm_env benchmark panel", "marks of a submission")
    }
    for version in VERSIONS:
        files = {path.name for path in (FOLDER / version).iterdir()}
        told = {*json.loads((FOLDER / version / "meaning.json").read_text("utf-8"))}
        assert files == told | {"meaning.json"} | ({"questions.jsonl.card.json"} & files)


def test_the_table_has_every_kind_that_the_package_names_and_modules_that_there_are() -> None:
    named = {
        kind
        for path in (ROOT / "tkm_env").rglob("*.py")
        for kind in re.findall(
            r"^ *(?:\w*KIND|FORM|\w*CARD|BACKUP|REPORT|OUTCOME|PANEL|PROOF|GRADE|EXACT"
            r'|EXPLOITATION|_CURVE)\b[^=\n]* = "(tkm_env [a-z ]+)"',
            path.read_text("utf-8"),
            re.MULTILINE,
        )
    }
    assert named == {name for name in FORMS if name.startswith("tkm_env ")}
    for row in FORMS.values():
        assert ("version" in row) != ("unversioned" in row), row["name"]
        for module in (*row["writes"], *row["reads"]):
            assert import_module(module), row["name"]
