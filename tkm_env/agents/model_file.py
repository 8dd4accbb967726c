"""Files of trained players: float16 arrays and a card that says what they are, in one ``.npz``.

A file holds numbers and text only, and is read without executing anything in it.
"""

from __future__ import annotations

import dataclasses
import io
import json
import os
import zipfile
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tkm_env.checks import whole_number
from tkm_env.errors import FileError, TKMError, shown
from tkm_env.files import check_keys, content_of, parsed_json, read_file, write_file

#: The version of the format.
_VERSION: Final = 1
_CARD: Final = "card"
#: Bytes of all arrays, unpacked: a network for a board of 48 spaces has less than one hundredth.
_MOST_BYTES: Final = 1 << 28
#: Arrays of a model.
_MOST_ARRAYS: Final = 64
#: What a card leaves out where it is empty.
_OF_POLICIES: Final = ("outputs", "activation")


class Rating(NamedTuple):
    """How a model did in a match.

    Attributes:
        player: how it played, as a line of text with FILE in place of the file's name.
        opponent: against whom.
        settings: of the match, as text.
        games: how many.
        score: its share of the points.
        low: the lower end of the 95% interval.
        high: the upper end.
    """

    player: str
    opponent: str
    settings: str
    games: int
    score: float
    low: float
    high: float


@dataclasses.dataclass(frozen=True)
class Card:
    """What a model is.

    Attributes:
        kind: ``"values"`` of positions, or a ``"policy"``.
        game: the game's name.
        inputs: which inputs the model reads, with a digest of their layout: a model of another layout is refused.
        settings: of the games it learned from, as text; of a policy those that differ from the defaults, as JSON.
        command: what made it; an empty text if it is not known.
        seed: of the training; None if it is not known.
        games: how many games it learned from.
        minutes: of processor time.
        ratings: how it did in matches.
        outputs: of a policy: which outputs it has, with a digest of their table: a policy of another table is refused.
        activation: of a policy: what is applied between its layers.
    """

    kind: str
    game: str
    inputs: str
    settings: str = ""
    command: str = ""
    seed: int | None = None
    games: int = 0
    minutes: float = 0.0
    ratings: tuple[Rating, ...] = ()
    outputs: str = ""
    activation: str = ""

    def to_json(self) -> dict[str, Any]:
        """The card as JSON has it."""
        fields = dataclasses.asdict(self)
        return {
            "version": _VERSION,
            **{name: value for name, value in fields.items() if value or name not in _OF_POLICIES},
            "ratings": [rating._asdict() for rating in self.ratings],
        }


class Model(NamedTuple):
    """What a file holds: its card, and its arrays by name, float32."""

    card: Card
    arrays: dict[str, NDArray[np.float32]]


def write_model(path: str | os.PathLike[str], model: Model) -> None:
    """Write a model, or replace it as a whole or not at all. Arrays become float16.

    The same model makes the same bytes.

    Raises:
        FileError: if it cannot be written, or holds a number that float16 cannot.
    """
    with np.errstate(over="ignore"):  # which is refused
        arrays = {name: array.astype(np.float16) for name, array in model.arrays.items()}
    for name, array in arrays.items():
        if not np.isfinite(array).all():
            raise FileError(path, f"the array {name} holds numbers beyond the range of float16, which ends at 65504")
    card = json.dumps(model.card.to_json(), allow_nan=False).encode("utf-8")
    packed = io.BytesIO()
    arguments: dict[str, Any] = {_CARD: np.frombuffer(card, np.uint8), **arrays}
    np.savez_compressed(packed, **arguments)
    write_file(path, packed.getvalue())


def card_of(path: str | os.PathLike[str]) -> Card:
    """The card of a model.

    Raises:
        FileError: if it cannot be read, or is no model.
    """
    return read_model(path).card


def read_model(path: str | os.PathLike[str]) -> Model:
    """Read a model.

    Raises:
        FileError: if it cannot be read, is no model, or is damaged.
    """
    content = read_file(path)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            members = packed.infolist()
            if len(members) > _MOST_ARRAYS or sum(member.file_size for member in members) > _MOST_BYTES:
                raise FileError(path, f"it holds more than {_MOST_ARRAYS} arrays or {_MOST_BYTES >> 20} MiB")
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except TKMError:
        raise
    except Exception as error:  # whatever zipfile, zlib and numpy raise about bytes that are none of theirs
        raise FileError(path, "it is not a model, or is damaged") from error
    card = arrays.pop(_CARD, None)
    if card is None or card.dtype != np.uint8:
        raise FileError(path, "it is not a model: it has no card")
    for name, array in arrays.items():
        if array.dtype != np.float16 or not np.isfinite(array).all():
            raise FileError(path, f"the array {shown(name)} is not of finite float16 numbers")
    with content_of(path):
        return Model(_card_from(card.tobytes(), path), {name: array.astype(np.float32) for name, array in arrays.items()})


def _card_from(content: bytes, path: object) -> Card:
    try:
        found = parsed_json(content)
    except TKMError:
        raise
    except ValueError as error:
        raise FileError(path, f"its card: {error}") from None
    if isinstance(found, dict):
        found = dict.fromkeys(_OF_POLICIES, "") | found
    check_keys("card", found, ("version", *(field.name for field in dataclasses.fields(Card))))
    version = found.pop("version")
    if version != _VERSION:
        raise FileError(path, f"version {shown(version)} is not {_VERSION}, the only version")
    _check_types(found, dict.fromkeys(("kind", "game", "inputs", "settings", "command", *_OF_POLICIES), str), path)
    if not isinstance(found["ratings"], list) or (found["seed"] is not None and whole_number(found["seed"]) is None):
        raise FileError(path, "its card is not that of a model")
    if whole_number(found["games"]) is None or not _is_number(found["minutes"]):
        raise FileError(path, "its card does not say how long it was trained")
    ratings = []
    for rating in found.pop("ratings"):
        check_keys("ratings", rating, Rating._fields)
        _check_types(rating, {"player": str, "opponent": str, "settings": str}, path)
        if whole_number(rating["games"]) is None or not all(_is_number(rating[key]) for key in ("score", "low", "high")):
            raise FileError(path, "a rating on its card is not one")
        ratings.append(Rating(**rating))
    return Card(**found, ratings=tuple(ratings))


def _check_types(found: Mapping[str, Any], wanted: Mapping[str, type], path: object) -> None:
    for key, kind in wanted.items():
        if not isinstance(found[key], kind):
            raise FileError(path, f"{key} on its card is {shown(found[key])}, not a text")


def _is_number(given: object) -> bool:
    return isinstance(given, (int, float)) and not isinstance(given, bool)
