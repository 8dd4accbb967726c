"""Evaluators of positions: the weighted terms, or value networks from files."""

from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.network import Network
from tkm_env.foundations.checks import checked_flag
from tkm_env.foundations.errors import ConfigError, FileError
from tkm_env.games.tkm.engine.state import CHAPTERS, NO_POWER
from tkm_env.players.model_file import Model, ModelCard, read_model
from tkm_env.players.tkm.search.evaluation import Evaluator, new_evaluator
from tkm_env.players.tkm.search.evaluation_terms import WEIGHTS, checked_weights
from tkm_env.players.tkm.search.network_inputs import INPUTS_VERSION, NUM_INPUTS, OLDER_VERSION

#: The name that stands for the networks that come with the package.
SHIPPED: Final = "shipped"
_FOLDER: Final = "tkm_env.players.tkm.networks"
_SHIPPED_FILES: Final = (
    "standard.npz",
    "growth.npz",
    "influence.npz",
    "memory.npz",
    "powers.npz",
    "chapters.npz",
)
#: The array of a model that tells which games its network has learned.
LEARNED: Final = "learned"


class ValueNetwork(NamedTuple):
    """A network, and the games that it has learned."""

    card: ModelCard
    network: Network
    learned: NDArray[np.bool_]  # (2, 8): without and with powers, by the bits of the chapters


def network_from(model: Model, path: object) -> ValueNetwork:
    """Return the value network in a model.

    Args:
        model: the model.
        path: the file that errors name.

    Returns:
        The network.

    Raises:
        FileError: if it is not a value network for this game and this version of the inputs.
    """
    card, arrays = model
    if (card.kind, card.game) != ("values", "tkm"):
        raise FileError(path, f"it holds {card.kind} for {card.game}, not values for tkm")
    if card.inputs not in (INPUTS_VERSION, OLDER_VERSION):
        raise FileError(
            path,
            f"it reads the inputs {card.inputs}, "
            f"and this version of the package writes {INPUTS_VERSION}",
        )
    if set(arrays) != {*Network._fields, LEARNED}:
        raise FileError(
            path,
            f"its arrays are {', '.join(arrays)}, not {', '.join((*Network._fields, LEARNED))}",
        )
    network = Network(**{name: np.ascontiguousarray(arrays[name]) for name in Network._fields})
    wide, narrow = len(network.first_bias), len(network.second_bias)
    shapes = {
        "first": (NUM_INPUTS, wide),
        "first_bias": (wide,),
        "second": (wide, narrow),
        "second_bias": (narrow,),
        "third": (narrow,),
        "third_bias": (1,),
        LEARNED: (2, 1 << len(CHAPTERS)),
    }
    for name, shape in shapes.items():
        if arrays[name].shape != shape:
            raise FileError(path, f"its array {name} has shape {arrays[name].shape}, not {shape}")
    return ValueNetwork(card, network, arrays[LEARNED] != 0)


def read_network(path: str | Path) -> ValueNetwork:
    """Read the value network in a file.

    Raises:
        FileError: if the file cannot be read, or holds no value network for this game and this
            version of the inputs.
    """
    return network_from(read_model(path), path)


@cache
def shipped_networks() -> tuple[tuple[str, ValueNetwork], ...]:
    """Return the networks that come with the package, each after the name of its file."""
    found = []
    for name in _SHIPPED_FILES:
        with as_file(files(_FOLDER) / name) as path:
            found.append((name, read_network(path)))
    return tuple(found)


def have_powers(states: NDArray[np.void]) -> NDArray[np.bool_]:
    """Return which games have powers, drafted or still to draft.

    The result is bool of the shape of ``states``.
    """
    return (states["power"] != NO_POWER).any(-1) | (states["revealed"] != NO_POWER).any(-1)


def learned_games(learned: NDArray[np.bool_]) -> str:
    """Describe the games that a network has learned, such as "standard, growth with powers"."""
    names = []
    for powers, chapters in np.argwhere(learned).tolist():
        name = (
            "+".join(name for bit, name in enumerate(CHAPTERS) if chapters >> bit & 1) or "standard"
        )
        names.append(f"{name} with powers" if powers else name)
    return ", ".join(names)


class Evaluators:
    """The weighted terms, or value networks for the games that they have learned.

    If several networks have learned a game, the first of them evaluates it.

    Args:
        net: the name of a file, ``"shipped"``, a network, or None for the weighted terms.
        weights: the weights of the terms, int64 of shape (8, 23); if given, the terms replace the
            networks that come with the package.
        endgames: whether to look positions up in the table of solved endgames first.

    Attributes:
        evaluators: one for each network, or one for the weighted terms.

    Raises:
        ConfigError: naming the invalid argument.
        ArrayError: if the weights are invalid.
        FileError: if the file cannot be read or holds no network for this game.
    """

    def __init__(
        self, net: object, weights: NDArray[np.int64] | None = None, *, endgames: bool = True
    ) -> None:
        self._learned: NDArray[np.bool_] | None = None
        knows_endgames = checked_flag("endgames", endgames)
        if net is None or (isinstance(net, str) and net == SHIPPED and weights is not None):
            terms = checked_weights(WEIGHTS if weights is None else weights)
            self.evaluators = [new_evaluator(terms, knows_endgames=knows_endgames)]
            return
        if isinstance(net, ValueNetwork):
            self._net, networks = "the network", [net]
        elif isinstance(net, (str, Path)):
            self._net = str(net)
            networks = (
                [network for _, network in shipped_networks()]
                if net == SHIPPED
                else [read_network(net)]
            )
        else:
            raise ConfigError("net", net, f"it must be the name of a file, or {SHIPPED!r}")
        self.evaluators = [
            new_evaluator(
                network=one.network,
                knows_powers=one.card.inputs != OLDER_VERSION,
                knows_endgames=knows_endgames,
            )
            for one in networks
        ]
        self._learned = np.array([one.learned for one in networks])

    def numbers_for(self, states: NDArray[np.void]) -> NDArray[np.int64]:
        """Return the index in ``evaluators`` for each of ``states``.

        ``states`` is STATE of shape (n,), the result int64 of shape (n,).

        Raises:
            ConfigError: if there is no evaluator for one of them.
        """
        if self._learned is None:
            return np.zeros(len(states), np.int64)
        powers, chapters = have_powers(states).astype(np.int64), states["chapters"]
        knows = self._learned[:, powers, chapters]
        unknown = ~knows.any(0)
        if unknown.any():
            wanted = np.zeros(self._learned.shape[1:], np.bool_)
            wanted[powers[unknown.argmax()], chapters[unknown.argmax()]] = True
            learned = learned_games(np.logical_or.reduce(self._learned))
            raise ConfigError(
                "net", self._net, f"it learned {learned}; this game is {learned_games(wanted)}"
            )
        return knows.argmax(0)

    def evaluator_for(self, states: NDArray[np.void]) -> Evaluator:
        """Return the evaluator for ``states[0]``.

        Raises:
            ConfigError: if there is none.
        """
        return self.evaluators[int(self.numbers_for(states[:1])[0])]
