"""A game in words against an opponent, turn by turn, for fine-tuning language models."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from tkm_env.core.game import BaseGame
from tkm_env.core.registry import default_game, game_spec
from tkm_env.envs.opponents import OpponentLike
from tkm_env.envs.single import RANDOM_SIDE, GameEnv
from tkm_env.foundations.checks import (
    checked_flag,
    checked_instance,
    checked_integer,
    checked_number,
)
from tkm_env.foundations.errors import ConfigError, IllegalActionError
from tkm_env.players.roster import ROSTERS
from tkm_env.players.solvers import SOLVERS, winning_chance
from tkm_env.text.options import DEFAULT_OPTIONS, TextOptions, without_picture
from tkm_env.text.prompt import Prompt, prompt_for
from tkm_env.text.reply import Refusal, read_reply, reply_of

_MOST_RETRIES: Final = 1000
#: Keywords of `GameEnv` that do not change the game.
_VIEWS: Final = frozenset({"render_mode", "observation", "canonical"})
#: The depth of the search for the values that shape rewards.
_DEPTH: Final = 1


class TextEnv:
    """A game against an opponent, in words.

    Experimental: it may change in any minor version.

    Any number of environments run side by side without disturbing each other. It is what TRL's
    ``environment_factory`` expects: `play` is its only tool, and `get_reward` the reward of an
    episode.

    The reward is 1 for a win, -1 for a loss, else 0, and comes with the last turn. After a turn
    that is refused, the model may try again; too many refusals in a row lose the game. An episode
    that is left before its end counts as a loss, so that it never pays to stop.

    With ``shaped``, each reward also contains the value of the position reached minus that of the
    position before (potential-based shaping without discount; the value is 0 at the end of an
    episode). The sum over an episode is then the reward at its end minus the value of its start,
    whatever is played, so that the best turns stay the same.

    Args:
        game: the name of the game; None for the first in the registry.
        options: what prompts hold.
        retries: how many refusals in a row are followed by another try, from 0 to 1,000.
        shaped: whether rewards contain values of positions, from -1 to 1, given by the networks
            that come with the package.
        unfinished: the reward of a game that is left before its end, from -1 to 1.
        tool: the name of the tool with which the model plays; empty if its replies are given to
            `play` as they are, and are to end with the turn.
        opponent: the opponent, as for `tkm_env.envs.single.GameEnv`.
        side: the learner's side, or ``"random"``.
        opponents: the names of further players that `reset` may choose, such as
            ``("alphabeta:depth=2", "bots/mine.py:Bot")``. It may always choose ``opponent`` and the
            game's own, `tkm_env.players.roster.Roster.offered`.
        **settings: the keywords of the game's config, ``opening_turns`` and ``positions``.

    Raises:
        ConfigError: naming the keyword that is unknown or has an invalid value; for ``shaped``, if
            the game has no values.

    >>> env = TextEnv(opponent="greedy", side="white", options=TextOptions(style="terse"))
    >>> env.reset(seed=1).splitlines()[0]
    'Game: That Time You Killed Me. You: white. Opponent: black.'
    >>> env.play("choose 1; move north").splitlines()[0][:56]
    "refused: Action 2, 'move north', may not be played after"
    >>> env.play("TURN: 1").splitlines()[0]
    'since your last turn:'
    >>> env.reward, env.done
    (0.0, False)
    """

    def __init__(
        self,
        game: str | None = None,
        *,
        options: TextOptions = DEFAULT_OPTIONS,
        retries: int = 2,
        shaped: bool = False,
        unfinished: float = -1.0,
        tool: str = "play",
        opponent: OpponentLike = "random",
        side: str = RANDOM_SIDE,
        opponents: Collection[str] = (),
        **settings: Any,
    ) -> None:
        self._options = without_picture(options)
        self._retries = checked_integer("retries", retries, 0, _MOST_RETRIES)
        self._spec = game_spec(default_game() if game is None else game)
        self._defaults: dict[str, Any] = {"opponent": opponent, "side": side, **settings}
        self._given, self._env = self._defaults, GameEnv(self._spec.name, **self._defaults)
        if isinstance(opponents, str) or not all(isinstance(line, str) for line in opponents):
            raise ConfigError("opponents", opponents, "it must be a list of players' names")
        self._opponents = (*ROSTERS.of(self._spec).offered, *opponents)
        self._shaped = checked_flag("shaped", shaped)
        if self._shaped and SOLVERS.of(self._spec).analyse is None:
            raise ConfigError(
                "shaped",
                shaped,
                f"nothing is known about the values of positions of {self._spec.title}",
            )
        self._unfinished = checked_number("unfinished", unfinished, -1, 1, from_low=True)
        self._tool = checked_instance("tool", tool, str)
        self._done = True
        self._refused = 0
        self._reward = self._total = self._value = 0.0

    def reset(
        self,
        *,
        seed: int | None = None,
        position: str | None = None,
        prompt: object = None,
        **settings: Any,
    ) -> str:
        """Begin a new game; if the opponent goes first, it has already moved.

        What is given here may come from a data set or over a network: it starts no program and
        reads no file.

        Args:
            seed: for everything left to chance: the game, the opponent, a random side. None
                continues with the streams of the last game.
            position: the text of a position to start from.
            prompt: ignored: TRL passes every column of its data.
            **settings: settings, ``side`` or ``opponent`` of this game, which replace those given
                to the environment; None keeps those. The opponent must be one that the environment
                allows; files and views can only be given to the environment.

        Returns:
            The rules, and the first position.

        Raises:
            TKMError: naming what is invalid; the game in progress then continues.
        """
        chosen = {keyword: value for keyword, value in settings.items() if value is not None}
        self._check_chosen(chosen)
        given = self._defaults | chosen
        env = self._env if given == self._given else GameEnv(self._spec.name, **given)
        env.reset(seed=seed, options={} if position is None else {"position": position})
        self._given, self._env = given, env
        self._done, self._refused, self._total, self._value = False, 0, 0.0, 0.0
        self._value = self._value_now()
        if self.game.result is not None:  # the opponent has ended it
            self._advance(())
        return "\n\n".join(self._told())

    def play(self, turn: str | int | list[str]) -> str:
        """Play a whole turn of the game.

        Args:
            turn: the number of a listed turn; or all actions of the turn in order, as a list, or
                as text with semicolons between them.

        Returns:
            What the opponent played and the position after that, how the game ended, or why the
                turn cannot be played.
        """
        self._reward = 0.0
        if self._done:
            return self._told().user
        answer = read_reply(self.game, reply_of(turn, self._tool), self._options, tool=self._tool)
        if not isinstance(answer, Refusal):
            self._refused = 0
            self._advance(answer)
            return self._told().user
        self._refused += 1
        if self._refused <= self._retries:
            return answer.message
        self._advance(answer.sentence)
        return f"{answer.sentence} No tries are left: the game is lost."

    def get_reward(self) -> float:
        """The sum of this game's rewards if the episode ends now: see ``unfinished``."""
        return self._total if self._done else self._total - self._value + self._unfinished

    @property
    def reward(self) -> float:
        """The reward of the last turn."""
        return self._reward

    @property
    def done(self) -> bool:
        """Whether the game is over, or was lost by refused answers."""
        return self._done

    @property
    def game(self) -> BaseGame:
        """The game being played, to read and to copy."""
        return self._env.game

    @property
    def side(self) -> str:
        """The side that the learner plays in this game."""
        return self._env.side

    def _check_chosen(self, chosen: Mapping[str, Any]) -> None:
        """Refuse what only the program that makes the environment may choose."""
        opponent = chosen.get("opponent", self._opponents[0])
        if not isinstance(opponent, str) or opponent not in (
            *self._opponents,
            self._defaults["opponent"],
        ):
            names = ", ".join(map(repr, self._opponents))
            raise ConfigError(
                "opponent",
                opponent,
                f"here it must be one of {names}; `opponents` of the environment adds others",
            )
        files = {setting.keyword for setting in self._spec.settings if setting.kind == "file"}
        for keyword in chosen.keys() & (files | _VIEWS):
            if chosen[keyword] != self._defaults.get(keyword):
                raise ConfigError(
                    keyword, chosen[keyword], "it is given to the environment, not to `reset`"
                )

    def _told(self) -> Prompt:
        return prompt_for(self.game, self._options, player=self.side, tool=self._tool)

    def _advance(self, turn: tuple[int, ...] | str) -> None:
        """Play a turn, or lose the game for a reason, and let the opponent reply."""

        def play(game: BaseGame, _: int) -> None:
            if isinstance(turn, str):
                raise IllegalActionError(turn)
            for action in turn:
                game.play(action)

        _, reward, terminated, truncated, _ = self._env.advance(0, play)
        self._done = terminated or truncated
        before, self._value = self._value, self._value_now()
        self._reward = reward + self._value - before
        self._total += self._reward

    def _value_now(self) -> float:
        """The value of the position for the learner, from -1 to 1.

        It is 0 at the end, and where rewards are not shaped.
        """
        if self._done or not self._shaped or self.game.result is not None:
            return 0.0
        chance = winning_chance(self.game, depth=_DEPTH)
        assert chance is not None
        return 2 * (chance if self.side == self.game.players[0] else 1 - chance) - 1
