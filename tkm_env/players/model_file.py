"""Files of trained players: float16 arrays and a card in one ``.npz``.

They hold numbers and text only, and reading them executes nothing.
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

from tkm_env.foundations.checks import whole_number
from tkm_env.foundations.errors import FileError, TKMError, repr_of
from tkm_env.foundations.files import (
    check_keys,
    check_version,
    content_of,
    parsed_json,
    read_file,
    write_file,
)

#: The name of this form of file, and its version.
FORM: Final = "tkm_env model"
_VERSION: Final = 1
_CARD: Final = "card"
#: The maximum size of all arrays together, unpacked, in bytes. A network for a board of 48 spaces
#: needs less than a hundredth of that.
_MOST_BYTES: Final = 1 << 28
#: The maximum number of arrays in a model.
_MOST_ARRAYS: Final = 64
_TYPES: Final = {str: "a string", int: "an integer", float: "a number", list: "a list"}
#: Keys that only the cards of policies have.
_OF_POLICIES: Final = ("outputs", "activation")


class ModelRating(NamedTuple):
    """The result of a model in a match.

    Attributes:
        player: the line of the player that used the model, with FILE instead of the file's name.
        opponent: the line of the opponent.
        settings: the settings of the match, as text.
        games: the number of games.
        score: the model's share of the points, from 0 to 1.
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
class ModelCard:
    """What a model is, and how it was made.

    Attributes:
        kind: ``"values"`` for the values of positions, or ``"policy"``.
        game: the game's name.
        inputs: the kind of input, with a digest of its layout; a model with a different layout is
            refused.
        settings: the settings of the games that it learned from, as text; for a policy, those that
            differ from the defaults, as JSON.
        command: the command that made the model; empty if unknown.
        seed: the seed of the training; None if unknown.
        games: the number of games that it learned from.
        minutes: the CPU time of the training, in minutes.
        ratings: its results in matches.
        outputs: for a policy, the kind of output, with a digest of the actions; a policy with
            different actions is refused.
        activation: for a policy, the function between its layers.
    """

    kind: str
    game: str
    inputs: str
    settings: str = ""
    command: str = ""
    seed: int | None = None
    games: int = 0
    minutes: float = 0.0
    ratings: tuple[ModelRating, ...] = ()
    outputs: str = ""
    activation: str = ""

    def to_json(self) -> dict[str, Any]:
        fields = dataclasses.asdict(self)
        return {
            "version": _VERSION,
            **{name: value for name, value in fields.items() if value or name not in _OF_POLICIES},
            "ratings": [rating._asdict() for rating in self.ratings],
        }


class Model(NamedTuple):
    """The content of a file.

    Attributes:
        card: the model's card.
        arrays: its float32 arrays, by name.
    """

    card: ModelCard
    arrays: dict[str, NDArray[np.float32]]


def write_model(path: str | os.PathLike[str], model: Model) -> None:
    """Write a model, with its arrays as float16, whole or not at all.

    Equal models make equal bytes.

    Args:
        path: the file.
        model: the model.

    Raises:
        FileError: if the file cannot be written, or a number is beyond the range of float16.
    """
    with np.errstate(over="ignore"):  # refused below
        arrays = {name: array.astype(np.float16) for name, array in model.arrays.items()}
    for name, array in arrays.items():
        if not np.isfinite(array).all():
            raise FileError(
                path,
                f"the array {name} holds numbers beyond the range of float16, which ends at 65504",
            )
    card = json.dumps(model.card.to_json(), allow_nan=False).encode("utf-8")
    packed = io.BytesIO()
    arguments: dict[str, Any] = {_CARD: np.frombuffer(card, np.uint8), **arrays}
    np.savez_compressed(packed, **arguments)
    write_file(path, packed.getvalue())


def card_of(path: str | os.PathLike[str]) -> ModelCard:
    """The card of a model.

    Raises:
        FileError: if the file cannot be read, or is not a model.
    """
    return read_model(path).card


def read_model(path: str | os.PathLike[str]) -> Model:
    """Read a model.

    Raises:
        FileError: if the file cannot be read, is not a model, or is damaged.
    """
    content = read_file(path)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            members = packed.infolist()
            if (
                len(members) > _MOST_ARRAYS
                or sum(member.file_size for member in members) > _MOST_BYTES
            ):
                raise FileError(
                    path, f"it holds more than {_MOST_ARRAYS} arrays or {_MOST_BYTES >> 20} MiB"
                )
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except TKMError:
        raise
    except Exception as error:  # zipfile, zlib and numpy raise many kinds for damaged bytes
        raise FileError(path, "it is not a model, or is damaged") from error
    card = arrays.pop(_CARD, None)
    if card is None or card.dtype != np.uint8:
        raise FileError(path, "it is not a model: it has no card")
    with content_of(path):
        about = _card_from(card.tobytes(), path)
    for name, array in arrays.items():
        if array.dtype != np.float16 or not np.isfinite(array).all():
            raise FileError(path, f"the array {repr_of(name)} is not of finite float16 numbers")
    return Model(about, {name: array.astype(np.float32) for name, array in arrays.items()})


def _card_from(content: bytes, path: object) -> ModelCard:
    try:
        found = parsed_json(content)
    except TKMError:
        raise
    except ValueError as error:
        raise FileError(path, f"its card: {error}") from None
    if isinstance(found, dict):
        found = dict.fromkeys(_OF_POLICIES, "") | found
        check_version(path, FORM, found.pop("version", None), _VERSION)
    check_keys("card", found, (field.name for field in dataclasses.fields(ModelCard)))
    _check_types("card", found, {"ratings": list, "games": int, "minutes": float}, path)
    if found["seed"] is not None and whole_number(found["seed"]) is None:
        raise FileError(path, f"seed on its card is {repr_of(found['seed'])}, not an integer")
    ratings = found.pop("ratings")
    for rating in ratings:
        check_keys("ratings", rating, ModelRating._fields)
        _check_types(
            "rating", rating, {"games": int, "score": float, "low": float, "high": float}, path
        )
    return ModelCard(**found, ratings=tuple(ModelRating(**rating) for rating in ratings))


def _check_types(
    name: str, found: Mapping[str, Any], others: Mapping[str, type], path: object
) -> None:
    """Check that each value has the type in ``others`` for its key, by default a string.

    An integer also counts as a float.
    """
    for key, value in found.items():
        kind = others.get(key, str)
        is_right = (
            whole_number(value) is not None
            if kind is int
            else isinstance(value, (int, float) if kind is float else kind)
        )
        if key != "seed" and (not is_right or isinstance(value, bool)):
            raise FileError(path, f"{key} on its {name} is {repr_of(value)}, not {_TYPES[kind]}")
