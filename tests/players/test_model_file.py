"""Files of trained players: what is written is read, and nothing else is."""

from __future__ import annotations

import dataclasses
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tkm_env.foundations.errors import FileError, TKMError
from tkm_env.players.model_file import (
    Model,
    ModelCard,
    ModelRating,
    card_of,
    read_model,
    write_model,
)

RATING = ModelRating("net", "greedy", "", 400, 0.9, 0.87, 0.93)
CARD = ModelCard("values", "tkm", "turns-1", "standard", "tkm train", 7, 1000, 1.5, (RATING,))
ARRAYS = {"first": np.array([[0.5, -1], [2, 65504]], np.float32), "bias": np.zeros(3, np.float32)}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "model.npz"
    write_model(path, Model(CARD, ARRAYS))
    return path


def packed(path: Path, card: Any, **arrays: Any) -> None:
    content = card if isinstance(card, bytes) else json.dumps(card).encode()
    np.savez_compressed(path, card=np.frombuffer(content, np.uint8), **arrays)


def test_what_is_written_is_read(file: Path) -> None:
    model = read_model(file)
    assert model.card == CARD == card_of(file)
    assert set(model.arrays) == set(ARRAYS)
    for name, array in model.arrays.items():
        assert array.dtype == np.float32
        assert np.array_equal(array, ARRAYS[name])


def test_cards_of_policies_say_more(file: Path, tmp_path: Path) -> None:
    card = dataclasses.replace(CARD, kind="policy", outputs="actions-1", activation="tanh")
    write_model(tmp_path / "policy.npz", Model(card, ARRAYS))
    assert card_of(tmp_path / "policy.npz") == card
    assert CARD.to_json().keys() == card.to_json().keys() - {"outputs", "activation"}


def test_the_same_model_makes_the_same_bytes(file: Path, tmp_path: Path) -> None:
    write_model(tmp_path / "again.npz", Model(CARD, ARRAYS))
    assert (tmp_path / "again.npz").read_bytes() == file.read_bytes()


@pytest.mark.parametrize("number", [np.nan, np.inf, 65520.0])
def test_numbers_that_the_file_cannot_hold_are_refused(tmp_path: Path, number: float) -> None:
    with pytest.raises(FileError, match="beyond the range"):
        write_model(tmp_path / "model.npz", Model(CARD, {"bias": np.array([number], np.float32)}))
    assert not (tmp_path / "model.npz").exists()


def test_a_cut_or_changed_file_is_refused_or_read_as_it_was(file: Path) -> None:
    content = file.read_bytes()
    for size in range(0, len(content), 7):
        file.write_bytes(content[:size])
        with pytest.raises(FileError, match="model"):
            read_model(file)
    generator = np.random.default_rng(1)
    for place in range(0, len(content), 3):
        changed = bytearray(content)
        changed[place] ^= int(generator.integers(1, 256))
        file.write_bytes(changed)
        try:
            model = read_model(file)
        except FileError:
            continue
        assert model.card == CARD
        assert all(np.array_equal(array, ARRAYS[name]) for name, array in model.arrays.items())


@pytest.mark.parametrize("content", [b"", b"PK", b"hello, this is no archive", bytes(1000)])
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "model.npz").write_bytes(content)
    with pytest.raises(FileError, match="not a model"):
        read_model(tmp_path / "model.npz")


def test_pickled_objects_are_not_read(tmp_path: Path) -> None:
    packed(tmp_path / "model.npz", CARD.to_json(), bias=np.array([{"a": 1}], object))
    with pytest.raises(FileError, match="not a model"):
        read_model(tmp_path / "model.npz")


def test_a_file_that_unpacks_to_too_much_is_not_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tkm_env.players.model_file._MOST_BYTES", 1 << 20)
    with (
        zipfile.ZipFile(tmp_path / "model.npz", "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("bias.npy", "w") as member,
    ):
        header = io.BytesIO()
        np.lib.format.write_array_header_1_0(
            header, {"descr": "<f2", "fortran_order": False, "shape": (1 << 20,)}
        )
        member.write(header.getvalue())
        member.write(bytes(1 << 21))
    with pytest.raises(FileError, match="more than"):
        read_model(tmp_path / "model.npz")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"version": 2}, "no later version than 1"),
        ({"version": 0}, "version 0 is not 1"),
        ({"kind": 3}, "kind"),
        ({"ratings": "none"}, "not a list"),
        ({"ratings": [{}]}, "keys"),
        ({"games": "many"}, "not an integer"),
        ({"minutes": None}, "not a number"),
        ({"seed": "x"}, "not an integer"),
        ({"colour": "red"}, "colour"),
        ({"outputs": 1}, "outputs"),
        ({"activation": None}, "activation"),
    ],
)
def test_invalid_cards_are_refused(tmp_path: Path, changes: dict[str, Any], reason: str) -> None:
    packed(tmp_path / "model.npz", CARD.to_json() | changes, bias=np.zeros(1, np.float16))
    with pytest.raises(FileError, match=reason):
        read_model(tmp_path / "model.npz")


@pytest.mark.parametrize("card", [b"", b"[]", b"{", b"\xff", b'{"kind": NaN}'])
def test_cards_that_are_no_objects_are_refused(tmp_path: Path, card: bytes) -> None:
    packed(tmp_path / "model.npz", card, bias=np.zeros(1, np.float16))
    with pytest.raises(TKMError, match="card"):
        read_model(tmp_path / "model.npz")


@pytest.mark.parametrize(
    "array", [np.zeros(2), np.array([np.nan], np.float16), np.zeros(2, np.int8)]
)
def test_arrays_of_other_numbers_are_refused(tmp_path: Path, array: np.ndarray) -> None:
    packed(tmp_path / "model.npz", CARD.to_json(), bias=array)
    with pytest.raises(FileError, match="float16"):
        read_model(tmp_path / "model.npz")


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be read"):
        read_model(tmp_path / "none.npz")
