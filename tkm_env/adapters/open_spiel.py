"""Registered games as games of OpenSpiel, and this package's players as its bots.

Needs the extra ``[openspiel]``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from tkm_env.core.chance import Chance, ChanceState
from tkm_env.core.game import BaseGame
from tkm_env.core.initial_positions import unfinished_game
from tkm_env.core.named_player import named_player
from tkm_env.core.registry import GameSpec, Preset, registered_games
from tkm_env.core.settings import Setting
from tkm_env.foundations.errors import ConfigError, extra, repr_of

with extra("openspiel"):
    import pyspiel

_PLAYERS: Final = 2
#: The parameter for the position to begin from.
_POSITION: Final = "position"


class OpenSpielGame(pyspiel.Game):
    """A game under some settings, as `pyspiel.load_game` returns it.

    `register` derives a class for each registered game, and for each of its presets.

    Args:
        params: settings as OpenSpiel's parameters; an empty string stands for a setting's default.
            Also ``position``, the text of the position to begin from, with semicolons for commas.

    Raises:
        ConfigError: naming the setting that has an invalid value.
        PositionError: if the position is invalid.
        MissingExtraError: at import, without the extra ``[openspiel]``.
    """

    #: The game's entry in the registry.
    spec: ClassVar[GameSpec]
    #: The word in the game's id, one of ``spec.presets``, or an empty string.
    word: ClassVar[str] = ""

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        given = dict(params or {})
        defaults = _preset(self.spec, self.word)
        set_here = (
            setting for setting in self.spec.settings if given.get(setting.keyword, "") != ""
        )
        config = self.spec.config_from_text(
            {
                **defaults.settings,
                **{
                    setting.keyword: _value(setting, given[setting.keyword]) for setting in set_here
                },
            }
        )
        self.game_class = self.spec.game_class
        #: The draws of chance under these settings.
        self.chance = self.spec.chance(config)
        position = given.get(_POSITION, "").replace(";", ",") or defaults.position
        first = (
            ChanceState(unfinished_game(self.game_class, config, position))
            if position
            else self.chance.begin()
        )
        self._first = _HistoryNode(first)
        info = pyspiel.GameInfo(
            num_distinct_actions=len(self.game_class.action_names),
            max_chance_outcomes=len(self.chance.outcome_names),
            num_players=_PLAYERS,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            # A generous bound: no turn takes as many steps as there are actions.
            max_game_length=config.max_turns * len(self.game_class.action_names),
        )
        super().__init__(_game_type(self.spec, self.word, self.chance.most_draws > 0), info, given)

    def __reduce__(self) -> tuple[object, ...]:
        # By its name, as OpenSpiel's own games: unpickling it imports this module first.
        return _load_game, (str(self),)

    def new_initial_state(self) -> OpenSpielState:
        """Return a state at the start."""
        return OpenSpielState(self, self._first)

    def max_chance_nodes_in_history(self) -> int:
        """The largest number of draws in one game."""
        return self.chance.most_draws

    def action_struct_spec(self) -> tuple[str, str]:
        """The fields of an action's struct with their types, and an example, both as JSON."""
        return '{"action": "string"}', json.dumps({"action": self.game_class.action_names[0]})

    def ActionStruct(self, text: str) -> Any:  # noqa: N802 as OpenSpiel's own games call it
        """Return a player's action from its JSON.

        Raises:
            RuntimeError: if it is not the JSON of an action; OpenSpiel's own games raise the same.
        """
        try:
            action = self.game_class.action_names.index(json.loads(text)["action"])
        except (KeyError, TypeError, ValueError) as error:
            raise pyspiel.SpielError(
                f"{repr_of(text)} is not an action's JSON, such as {self.action_struct_spec()[1]}"
            ) from error
        return self.new_initial_state().action_to_struct(0, action)

    def make_py_observer(
        self, iig_obs_type: Any = None, params: Mapping[str, Any] | None = None
    ) -> _Observer:
        """Make the observer that OpenSpiel asks for.

        Args:
            iig_obs_type: OpenSpiel's type of observation; None for the default, without perfect
                recall.
            params: none are known: None, or empty.

        Returns:
            An observer of tensors and strings; with perfect recall, of strings only.

        Raises:
            ConfigError: if there are parameters.
        """
        if params:
            raise ConfigError("params", params, "observations have no parameters")
        return _Observer(self.game_class, iig_obs_type is not None and iig_obs_type.perfect_recall)


def _load_game(text: str) -> object:
    """What `pyspiel.load_game` returns."""
    return pyspiel.load_game(text)


class _HistoryNode:
    """A moment, the action that led there, and the node before it.

    It is immutable, so a copy is the same object.
    """

    __slots__ = ("action", "before", "moment")

    def __init__(
        self, moment: ChanceState, before: _HistoryNode | None = None, action: str = ""
    ) -> None:
        self.moment = moment
        self.before = before
        self.action = action

    def __deepcopy__(self, memo: dict[int, Any]) -> _HistoryNode:
        return self


class OpenSpielState(pyspiel.State):
    """A point of a game, as OpenSpiel's algorithms take it.

    `OpenSpielGame.new_initial_state` makes the first one.

    Args:
        game: the game.
        point: the moment, with its history.
    """

    def __init__(self, game: OpenSpielGame, point: _HistoryNode) -> None:
        super().__init__(game)
        self._point = point

    @property
    def moment(self) -> ChanceState:
        """The position, and what is yet to be drawn before a player decides."""
        return self._point.moment

    def as_game(self) -> Any:
        """Return the position as a game of this package, independent of this state.

        What is yet to be drawn is arbitrary in it.
        """
        return self.moment.game.copy()

    def current_player(self) -> int:
        game, undrawn = self.moment
        if undrawn:
            return int(pyspiel.PlayerId.CHANCE)
        return (
            int(pyspiel.PlayerId.TERMINAL)
            if game.result is not None
            else game.players.index(game.to_act)
        )

    def is_terminal(self) -> bool:
        return self.moment.game.result is not None

    def returns(self) -> list[float]:
        """Return 1 for the winner and -1 for the loser; 0 for both if there is neither."""
        outcome = self.moment.game.outcome
        return [0.0, 0.0] if outcome is None else [*map(float, outcome.rewards)]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes of the next draw with their probabilities."""
        return self._chance.outcomes(self.moment)

    def _legal_actions(self, player: int) -> list[int]:
        return self.moment.game.legal_actions() if player == self.current_player() else []

    def _apply_action(self, action: int) -> None:
        if self.moment.undrawn:
            self._point = _HistoryNode(self._chance.draw(self.moment, action), self._point)
        else:
            after = self._chance.play(self.moment, action)
            self._point = _HistoryNode(after, self._point, after.game.action_names[action])

    def _action_to_string(self, player: int, action: int) -> str:
        return self._names(player)[action]

    def _names(self, player: int) -> tuple[str, ...]:
        """The names of a player's actions, or of the outcomes of chance."""
        return (
            self._chance.outcome_names
            if player == pyspiel.PlayerId.CHANCE
            else self.moment.game.action_names
        )

    # The contents of structs, which OpenSpiel passes on as JSON.

    def _to_struct(self) -> dict[str, Any]:
        game, undrawn = self.moment
        over = self.is_terminal()
        return {
            "current_player": "" if over else "chance" if undrawn else game.to_act,
            "is_terminal": over,
            "winner": game.winner or "",
            "position": self.visible_text(),
        }

    def _to_observation_struct(self, player: int) -> dict[str, Any]:
        legal = [self._action_to_string(player, action) for action in self._legal_actions(player)]
        return {
            **self._to_struct(),
            "player": self.moment.game.players[player],
            "legal_actions": legal,
        }

    def _action_to_struct(self, player: int, action: int) -> dict[str, str]:
        return {"action": self._action_to_string(player, action)}

    def _struct_to_actions(self, struct: Mapping[str, str]) -> list[int]:
        return [self._names(self.current_player()).index(struct["action"])]

    @property
    def _chance(self) -> Chance:
        chance: Chance = self.get_game().chance
        return chance

    def visible_text(self) -> str:
        """Return the visible position as text; before a draw, the number of draws to come."""
        game, undrawn = self.moment
        return f"{len(undrawn)} to be drawn" if undrawn else game.visible_position

    def transcript(self) -> str:
        """Return all that was seen and played from the start, one item per line.

        Both players see the same.
        """
        lines = [self.visible_text()]
        point = self._point
        while point.before is not None:
            lines += [point.action] * bool(point.action)
            point = point.before
            lines += [point.moment.game.visible_position] * (not point.moment.undrawn)
        return "\n".join(reversed(lines))

    def __str__(self) -> str:
        return self.visible_text() if self.moment.undrawn else str(self.moment.game)


class _Observer:
    """Observes states, in ``tensor`` (float32 of shape (size,)) and by name in ``dict``.

    With perfect recall it observes strings only.
    """

    def __init__(self, game_class: type[BaseGame], perfect_recall: bool) -> None:
        self._players = game_class.players
        self._perfect_recall = perfect_recall
        self.tensor: NDArray[np.float32] | None = None
        self.dict: dict[str, NDArray[np.float32]] = {}
        if not perfect_recall:
            self.tensor = np.zeros(int(np.prod(game_class.observation_shape)), np.float32)
            self.dict["observation"] = self.tensor.reshape(game_class.observation_shape)

    def set_from(self, state: OpenSpielState, player: int) -> None:
        """Write what a player sees; all 0 before a draw.

        Args:
            state: the state.
            player: the player's index, 0 or 1.
        """
        if self.tensor is not None:
            game, undrawn = state.moment
            self.dict["observation"][:] = 0 if undrawn else game.observation(self._players[player])

    def string_from(self, state: OpenSpielState, player: int) -> str:
        """Return what a player sees, as text; with perfect recall, all that the player ever saw."""
        return state.transcript() if self._perfect_recall else state.visible_text()


class AgentBot(pyspiel.Bot):
    """A player of this package as a bot of OpenSpiel.

    Args:
        game: the game, as `pyspiel.load_game` returns it.
        agent: an agent, or a line of text that describes one, such as ``"greedy"`` or
            ``"bot.py:MyBot"``.
        seed: seeds whatever the agent leaves to chance; None leaves the agent as it is.

    Raises:
        ConfigError: if there is no such agent, or the game is not one of this package.
    """

    def __init__(
        self, game: Any, agent: Any, seed: int | np.random.Generator | None = None
    ) -> None:
        super().__init__()
        if not isinstance(game, OpenSpielGame):
            raise ConfigError(
                "game", game, "it must be what pyspiel.load_game returns for a game of this package"
            )
        self._game = game
        self._agent = named_player(agent, game=game.spec.name) if isinstance(agent, str) else agent
        if seed is not None and hasattr(self._agent, "reset"):
            self._agent.reset(seed)

    def __reduce__(self) -> tuple[object, ...]:
        return AgentBot, (self._game, self._agent)

    def restart_at(self, state: OpenSpielState) -> None:
        """Do nothing: agents look only at the position."""

    def inform_action(self, state: OpenSpielState, player: int, action: int) -> None:
        """Do nothing: agents look only at the position.

        Args:
            state: the state before the action.
            player: the index of the player who acts.
            action: the action's index.
        """

    def step(self, state: OpenSpielState) -> int:
        """Return the agent's action.

        Raises:
            IllegalActionError: if it is not legal.
        """
        game = state.as_game()
        return int(game.index_of(self._agent.act(game)))


def register(spec: GameSpec) -> None:
    """Register a game and its presets with OpenSpiel, under their ids in PettingZoo.

    Importing this module does so for all games.

    >>> import pyspiel
    >>> game = pyspiel.load_game("tkm_env/tkm-v0(chapters=growth,max_turns=60)")
    >>> state = game.new_initial_state()
    >>> state.action_to_string(0, state.legal_actions()[0])
    'choose 1'
    """
    # A class, since OpenSpiel releases what is registered only after Python has ended, when nothing
    # may be freed.
    for word in ("", *spec.presets):
        name = f"OpenSpielGame_{spec.name}{word}"
        game_class = type(name, (OpenSpielGame,), {"spec": spec, "word": word})
        pyspiel.register_game(_game_type(spec, word, by_chance=False), game_class)


def _preset(spec: GameSpec, word: str) -> Preset:
    """The preset of that word; the game itself for an empty string."""
    return spec.presets[word] if word else Preset("", {})


def _game_type(spec: GameSpec, word: str, by_chance: bool) -> Any:
    kind = pyspiel.GameType
    return kind(
        short_name=(spec.id_of(word) if word else spec.env_id).lower(),
        long_name=spec.title,
        dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=kind.ChanceMode.EXPLICIT_STOCHASTIC
        if by_chance
        else kind.ChanceMode.DETERMINISTIC,
        information=kind.Information.PERFECT_INFORMATION,  # hidden things have not been drawn yet
        utility=kind.Utility.ZERO_SUM,
        reward_model=kind.RewardModel.TERMINAL,
        max_num_players=_PLAYERS,
        min_num_players=_PLAYERS,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={
            _POSITION: "",
            **{setting.keyword: _default(spec, word, setting) for setting in spec.settings},
        },
    )


def _default(spec: GameSpec, word: str, setting: Setting) -> int | bool | str:
    """A parameter's default, whose type tells OpenSpiel how to read the parameter.

    An empty string stands for the setting's own default.
    """
    settings = _preset(spec, word).settings
    default = settings.get(
        setting.keyword, getattr(spec.game_class.default_config, setting.keyword)
    )
    if isinstance(default, int):
        return default
    return (
        int(default)
        if isinstance(default, str) and all(map(str.isdecimal, [default, *setting.choices]))
        else ""
    )


def _value(setting: Setting, given: int | bool | str) -> int | bool | str:
    """A setting from a parameter.

    OpenSpiel ends parameters at commas, so a slash stands for a comma.
    """
    if setting.kind in ("number", "switch"):
        return given
    return str(given) if setting.kind == "file" else str(given).replace("/", ",")


for _spec in registered_games().values():
    register(_spec)
