"""A game played by people, against each other or against agents.

The terminal, the page and notebooks all use `Session`, so one place decides what is allowed. Games
are values: each action replaces the game by a new one, so one thread may read the game while
another plays.
"""

import copy
import secrets
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Generic, NamedTuple

import numpy as np

from tkm_env.core.agent import Thought
from tkm_env.core.batch import Played
from tkm_env.core.game import BaseGame
from tkm_env.core.registry import GameSpec
from tkm_env.core.settings import parse_settings
from tkm_env.foundations.checks import checked_choice, checked_integer
from tkm_env.foundations.errors import ConfigError, IllegalActionError, PlayerError
from tkm_env.foundations.message import Message
from tkm_env.foundations.seeds import checked_secret, derived
from tkm_env.foundations.time_budget import TimeBudget
from tkm_env.play.adapter import ADAPTERS, PlayAdapter, SessionMatch
from tkm_env.play.clock import Clock, checked_clock
from tkm_env.play.exercises import OPEN, Defender, Exercise
from tkm_env.play.invitations import Invitation, Seat
from tkm_env.players.factory import make_agent
from tkm_env.players.roster import ROSTERS

#: Stands for a person where an agent could play.
PERSON: Final = "person"
#: Stands for a random side.
RANDOM_SIDE: Final = "random"
_ID_BYTES: Final = 8


def settings_for_people(
    spec: GameSpec, settings: Mapping[str, Any], opponent: str
) -> dict[str, Any]:
    """Return the settings of a game with people: those given, and others that suit people.

    Args:
        spec: the game's entry in the registry.
        settings: the settings as text; None for one that was not given.
        opponent: the other player, as for a `Session`.

    Returns:
        The settings as text.
    """
    adapter: PlayAdapter[Any] = ADAPTERS.of(spec)
    suitable = adapter.settings_between(2 if opponent == PERSON else 1)
    return {
        **suitable,
        **{keyword: value for keyword, value in settings.items() if value is not None},
    }


class Thinking(NamedTuple):
    """What an agent thought when it last planned.

    Attributes:
        game: the game, at the position in which it planned.
        thoughts: the lines that it considered, the one that it plays first.
    """

    game: Any
    thoughts: Sequence[Thought]


class Session(Generic[Played]):
    """A game with its players.

    Args:
        spec: the game's entry in the registry.
        settings: its settings as text; None keeps the default.
        opponent: the other player: an agent, as `make_agent` reads it, or `PERSON`.
        side: the side that the person plays, or `RANDOM_SIDE`; None for the first.
        watch: an agent that plays the person's side, while people watch; None for the person.
        seed: seeds everything left to chance, and the agents; None draws a seed from the system.
        position: the text of a position to start from; None for the usual start.
        clock: the minutes of each player, and the seconds added after each turn, such as "10+5";
            None plays without a clock.
        match: the name of one of the adapter's matches, of which this is the first game; None for a
            single game.
        played: the earlier games of the match, as `SessionMatch.to_dict` returned them; None if
            this is the first.
        keep: called with what a session needs to continue the match, as JSON types, whenever a game
            of it is over or taken back, or the players have said something. If it raises, the
            session is unchanged. None keeps nothing.

    Attributes:
        id: tells it from every other session; the games of a match share it.
        asked: the arguments.
        players: the player of each side, as for ``opponent``.
        game: the current game.
        thinking: what the agent that last planned thought, if the game is one to watch.
        is_opened: whether the game comes from a record, so that winning it earns no next level.
        exercise: what there is to find from its position; None for nothing.
        exercise_place: the set of the exercise, and its index there.
        resigned: the player who resigned, outside the rules; None if neither did.
        invitation: who plays elsewhere; None if people play at one screen.

    Raises:
        ConfigError: naming the invalid setting.
        PositionError: if ``position`` is not a position.
    """

    def __init__(
        self,
        spec: GameSpec,
        settings: Mapping[str, Any],
        *,
        opponent: str = PERSON,
        side: str | None = None,
        watch: str | None = None,
        seed: int | None = None,
        position: str | None = None,
        clock: str | None = None,
        match: str | None = None,
        played: Mapping[str, Any] | None = None,
        keep: Callable[[dict[str, Any]], None] | None = None,
    ) -> None:
        self.id = secrets.token_hex(_ID_BYTES)
        self.spec = spec
        self.adapter: PlayAdapter[Played] = ADAPTERS.of(spec)
        self.asked = {
            **settings,
            "opponent": opponent,
            "side": side,
            "watch": watch,
            "position": position,
            "clock": clock,
            "match": match,
        }
        self.clock = self._new_clock()
        self.seed = checked_secret(seed)
        self._own = self._own_side(side)
        self.players = {
            player: (watch or PERSON) if player == self._own else opponent
            for player in spec.players
        }
        _check_watchable(watch, opponent, match)
        config = spec.config_from_text(settings)
        self._agents = {
            player: make_agent(line, "opponent", spec.name, config=config)
            for player, line in self.players.items()
            if line != PERSON
        }
        for agent in self._agents.values():
            if hasattr(agent, "reset"):
                agent.reset(np.random.default_rng(derived(self.seed, "agent")))
        self.is_opened = False
        self.exercise: Exercise | None = None
        self.exercise_place: tuple[str, int] | None = None
        self.invitation: Invitation | None = None
        self._has_secrets = spec.game_class.hides()
        self.match = None if match is None else self._new_match(match, played)
        self._is_later_in_match = played is not None
        self.keep = keep
        if self.match is not None and position is not None:
            reason = Message("the games of a {match} start from the usual position", match=match)
            raise ConfigError("position", position, reason)
        game: Any = (
            spec.game_class(config, seed=self.seed, position=position)
            if self.match is None
            else self.match.next_game()
        )
        self._begin(game)

    @classmethod
    def of_exercise(cls, spec: GameSpec, name: str, index: int) -> "Session[Any]":
        """Make a session in which a person tries to solve an exercise.

        In a puzzle of several turns, the opponent's replies are played from the exercise.

        Args:
            spec: the game's entry in the registry.
            name: the name of a set of the game's exercises.
            index: the index of the exercise in it.

        Returns:
            The session.

        Raises:
            ConfigError: if there is no such exercise.
        """
        sets = ADAPTERS.of(spec).exercises()
        found = sets[checked_choice("set", name, tuple(sets))]
        exercise = found[checked_integer("number", index, 0, len(found) - 1)]
        session: Session[Any] = cls(spec, {}, position=exercise.position)
        session.exercise, session.exercise_place = exercise, (name, index)
        if exercise.line:
            other = next(side for side in spec.players if side != session.game.to_act)
            session.players[other] = Defender.NAME
            session._agents[other] = Defender(exercise, session.game)
        return session

    def _new_clock(self) -> Clock | None:
        clock = self.asked["clock"]
        return None if clock is None else Clock(self.spec.players, *checked_clock(clock))

    def _new_match(self, name: str, played: Mapping[str, Any] | None) -> SessionMatch:
        matches = self.adapter.matches
        if not isinstance(name, str) or name not in matches:
            raise ConfigError(
                "match",
                name,
                Message("it must be {names}", names=" or ".join(map(repr, matches)))
                if matches
                else Message("it must be a single game"),
            )
        return matches[name](
            seed=self.seed,
            played=played,
            **parse_settings(self.spec.settings, self._game_settings()),
        )

    def _game_settings(self) -> dict[str, Any]:
        """The settings of the game that were given."""
        given = {setting.keyword: self.asked.get(setting.keyword) for setting in self.spec.settings}
        return {keyword: value for keyword, value in given.items() if value is not None}

    def _own_side(self, side: str | None) -> str:
        """The side of the person, or of the agent in the person's place."""
        sides = self.spec.players
        if side not in (None, *sides, RANDOM_SIDE):
            raise ConfigError(
                "side",
                side,
                Message("it must be {names}", names=", ".join(map(repr, (*sides, RANDOM_SIDE)))),
            )
        return (
            sides[np.random.default_rng(self.seed).integers(2)]
            if side == RANDOM_SIDE
            else side or sides[0]
        )

    def _begin(self, game: Played) -> None:
        self.game = game
        self.resigned: str | None = None
        self.thinking: Thinking | None = None
        #: The game before each action; replaced as a whole, since other threads read it.
        self._earlier: tuple[Played, ...] = ()
        self._seconds: list[float] = []
        self._abandoned = threading.Event()
        self._began = time.perf_counter()

    def resume(
        self,
        actions: Sequence[str],
        *,
        start: str | None = None,
        seconds: Sequence[float] = (),
        left: Mapping[str, float] | None = None,
        resigned: str | None = None,
    ) -> None:
        """Continue a game in which some actions have been played.

        Args:
            actions: the names of the actions.
            start: the text of the position that they were played from; None for the start of this
                session.
            seconds: how long each action took; 0 where it is not known.
            left: the seconds that each player has left on the clock; None if there is none.
            resigned: the player who resigned after the actions; None if neither did.

        Raises:
            PositionError: if ``start`` is not a position.
            IllegalActionError: if an action is not legal.
            ConfigError: if ``seconds``, ``left`` or ``resigned`` do not fit.
        """
        if resigned is not None:
            checked_choice("resigned", resigned, self.spec.players)
        if len(seconds) > len(actions):
            raise ConfigError(
                "seconds", seconds, Message("there are only {count} actions", count=len(actions))
            )
        game: Any = self.game
        if start is not None:
            game = self.spec.game_class(game.config, seed=self.seed, position=start)
        earlier = []
        for action in actions:
            earlier.append(game)
            game = game.copy()
            game.play(action)
        self._begin(game)
        self._earlier = tuple(earlier)
        self._seconds = [*seconds, *[0.0] * (len(actions) - len(seconds))]
        if self.clock is not None and left is not None:
            is_running = self._has_acted and game.result is None and resigned is None
            self.clock.resume(left, game.to_act if is_running else None)
        self.resigned = resigned

    def _save(self, match: SessionMatch | None, game: Played) -> None:
        """Keep the match with this game."""
        if self.keep is not None and match is not None:
            self.keep(self.match_content(match, game))

    def match_content(self, match: SessionMatch, game: Played) -> dict[str, Any]:
        """Return what a session needs to continue a match, as JSON types.

        Args:
            match: the match.
            game: its current game, which counts once it is over.

        Returns:
            The content of the file that keeps the match.
        """
        if game.result is not None:
            match = _add_game(match, game)
        return {**self.arguments(), "played": match.to_dict()}

    def arguments(self) -> dict[str, Any]:
        """Return the name of the game, and the arguments of a session like this one.

        They are JSON types: all but ``position``, ``played`` and ``keep``.
        """
        asked = {keyword: self.asked[keyword] for keyword in ("match", "opponent", "clock")}
        return {
            **asked,
            "side": self._own,
            "seed": self.seed,
            "settings": self._game_settings(),
            "game": self.spec.name,
        }

    @property
    def winner(self) -> str | None:
        """The winner; None if there is none, or the game goes on."""
        loser = self.forfeited_by
        if loser is None:
            return self.game.winner
        return next(player for player in self.game.players if player != loser)

    @property
    def names(self) -> dict[str, str]:
        """The names of the players, by side.

        Against an agent, a person is "you". An agent has the name of its level or, without one, its
        line.
        """
        levels = {level.player: level.name for level in ROSTERS.of(self.spec).levels}
        alone = len(set(self.players.values())) > 1
        return {
            side: levels.get(line, "you" if alone and line == PERSON else line)
            for side, line in self.players.items()
        }

    @property
    def is_begun(self) -> bool:
        """Whether anything was played, or said, in this game or earlier in its match.

        An obvious first action, which is played for a person, does not count.
        """
        return self._has_acted or self._is_later_in_match

    @property
    def _has_acted(self) -> bool:
        """Whether anything was played in this game but an obvious first action, for a person."""
        game, earlier = self.game, self._earlier
        if len(earlier) == 1 and self.players[earlier[0].to_act] == PERSON:
            return game.action_names[game.history[0]] != self.adapter.obvious(earlier[0])
        return bool(earlier)

    @property
    def before_obvious(self) -> Played | None:
        """The game before its last action, if that was the obvious one of a person's turn.

        That action is played for a person, who may still want to do something before it.
        """
        if not self.can_undo or self.resigned is not None:
            return None
        before = self._earlier[-1]
        is_obvious = self.game.action_names[self.game.history[-1]] == self.adapter.obvious(before)
        return before if is_obvious else None

    @property
    def match_game(self) -> Played:
        """The game as it counts in a match, where running out of time counts as conceding."""
        return self.game if self.forfeited_by is None else self.adapter.concede(self.game)

    def next_in_match(self) -> "Session[Played]":
        """Record this game of a match, which must be over, and begin the next one.

        Returns:
            The session of the next game.

        Raises:
            ConfigError: if it is not over, or there is no match.
        """
        if self.match is None:
            raise ConfigError("match", None, Message("this is a single game"))
        following = copy.copy(self)
        following._is_later_in_match = True
        game = self.match_game
        following.match = _add_game(self.match, game)
        if game is not self.game:
            self._save(self.match, game)
        following.clock = self._new_clock()
        following._begin(following.match.next_game())
        return following

    def say(self, step: str) -> None:
        """Say something before a game of the match, which begins again.

        Raises:
            ConfigError: if something was played already, or there is no such thing to say.
        """
        if self.match is None or self.game.history:
            reason = Message("it can only be said before the first action of a game in a match")
            raise ConfigError("step", step, reason)
        match = copy.deepcopy(self.match)
        match.say(step)
        game = match.next_game()
        self._save(match, game)
        self.match, self.game, self._is_later_in_match = match, game, True

    def rematch(self, opponent: str | None = None) -> "Session[Played]":
        """Return a new game with the same settings.

        Args:
            opponent: another opponent, against whom the person keeps the side; None for the same
                players, who swap sides.

        Returns:
            The session of the new game.

        Raises:
            ConfigError: if there is no such opponent.
        """
        asked = {
            keyword: value
            for keyword, value in self.asked.items()
            if keyword not in ("side", "match")
        }
        own = {
            keyword: asked.pop(keyword) for keyword in ("opponent", "watch", "position", "clock")
        }
        if opponent is not None:
            return Session(self.spec, asked, side=self._own, **{**own, "opponent": opponent})
        first, second = self.spec.players
        return Session(self.spec, asked, side=second if self._own == first else first, **own)

    @property
    def waits_for_person(self) -> bool:
        """Whether a person is to act."""
        return not self._is_done and self.players[self.game.to_act] == PERSON

    @property
    def waits_for_agent(self) -> bool:
        """Whether an agent is to act."""
        return not self._is_done and self.players[self.game.to_act] != PERSON

    @property
    def _is_done(self) -> bool:
        """Whether the game is over, or its exercise has been judged."""
        return self.is_over or (
            self.exercise is not None and self.exercise.judge(self.game) != OPEN
        )

    @property
    def is_watched(self) -> bool:
        """Whether agents play, and people watch."""
        return PERSON not in self.players.values()

    @property
    def out_of_time(self) -> str | None:
        """The player who ran out of time before the game was over."""
        return (
            None if self.clock is None or self.game.result is not None else self.clock.out_of_time
        )

    @property
    def forfeited_by(self) -> str | None:
        """The player who lost outside the rules: who resigned, or ran out of time."""
        return self.resigned or self.out_of_time

    @property
    def is_over(self) -> bool:
        """Whether the game is over, or a player has resigned or run out of time."""
        return self.game.result is not None or self.forfeited_by is not None

    @property
    def concession(self) -> str | None:
        """The action by which the player to act can concede; None if the rules have none now."""
        conceded = self.adapter.concede(self.game)
        return None if conceded is self.game else conceded.action_names[conceded.history[-1]]

    def can_resign(self, player: str) -> bool:
        """Return whether a player can resign now.

        In a match, where a game counts as the rules say, only by conceding.
        """
        return not self.is_over and (self.match is None or self._concession_of(player) is not None)

    def resign(self, player: str) -> None:
        """End the game as lost for a player, whoever is to act.

        The player concedes, if the rules allow that now; otherwise the game ends outside the rules,
        as it does when time runs out.

        Raises:
            IllegalActionError: if the player cannot resign now.
        """
        if self.is_over:
            raise IllegalActionError(Message("the game is over"))
        if not self.can_resign(player):
            match = self.asked["match"]
            raise IllegalActionError(
                Message("in a {match} you can resign on your own turn", match=match)
            )
        concession = self._concession_of(player)
        if concession is not None:
            self._play(concession)
            return
        self.resigned = player
        if self.clock is not None:
            self.clock.press(None)

    def _concession_of(self, player: str) -> str | None:
        return self.concession if player == self.game.to_act else None

    def side_of(self, seat: Seat) -> str | None:
        """Return the side that a seat of the invitation plays; None for spectators."""
        (other,) = {*self.spec.players} - {self._own}
        return {Seat.HOST: self._own, Seat.GUEST: other}.get(seat)

    @property
    def hides(self) -> bool:
        """Whether the game's record would reveal more than its players may know by now."""
        return self.game.result is None and self.game.visible_position != self.game.position

    @property
    def can_undo(self) -> bool:
        """Whether the last action can be undone: a person's own, in a turn that has not ended."""
        earlier, game = self._earlier, self.game
        if not earlier or not self.waits_for_person:
            return False
        return self._is_one_turn(earlier[-1], game) and not self.adapter.is_final(game)

    def undo(self) -> None:
        """Undo the last action.

        Raises:
            IllegalActionError: if it cannot be undone.
        """
        if not self.can_undo:
            raise IllegalActionError(
                Message(
                    "there is nothing to undo: only your own actions in the current turn can be "
                    "undone"
                )
            )
        self._back_to(len(self._earlier) - 1)

    @property
    def can_take_back(self) -> bool:
        """Whether a turn can be taken back; if something is hidden, only the current one."""
        return self._start_of_turn() is not None

    def take_back(self) -> None:
        """Return to the start of a person's turn, without what the agents have played since.

        It is the current turn or, if at most its obvious action was played, the one before.

        Raises:
            IllegalActionError: if there is no such turn, or it would reveal what is hidden.
        """
        start = self._start_of_turn()
        if start is None:
            raise IllegalActionError(Message("there is no turn to take back"))
        self._back_to(start)

    def _start_of_turn(self) -> int | None:
        """The number of actions before the person's turn that can be taken back."""
        earlier = self._earlier
        if self._has_secrets and not self.can_undo:
            return None
        for number in range(len(earlier) - 1, -1, -1):
            begins = number == 0 or not self._is_one_turn(earlier[number - 1], earlier[number])
            only_obvious = (
                number == len(earlier) - 1 and self.adapter.obvious(earlier[number]) is not None
            )
            if begins and self.players[earlier[number].to_act] == PERSON and not only_obvious:
                return number
        return None

    @staticmethod
    def _is_one_turn(before: Played, after: Played) -> bool:
        return after.turn_id == before.turn_id

    def _back_to(self, number: int) -> None:
        """Return to the game after that many actions."""
        if self.game.result is not None:
            self._save(self.match, self._earlier[number])
        self.resigned = None
        self.game, self._earlier = self._earlier[number], self._earlier[:number]
        del self._seconds[number:]
        if self.clock is not None:
            self.clock.press(self.game.to_act if self._has_acted else None)

    def play(self, action: int | str) -> None:
        """Play a person's action.

        Raises:
            IllegalActionError: if it is not legal, or an agent is to act; the session is unchanged.
        """
        if self.out_of_time is not None:
            raise IllegalActionError(
                Message("{player} has run out of time", player=self.out_of_time)
            )
        if self.resigned is not None:
            raise IllegalActionError(Message("{player} has resigned", player=self.resigned))
        if self.waits_for_agent:
            raise IllegalActionError(
                Message(
                    "{agent} is to act for {player}",
                    agent=self.players[self.game.to_act],
                    player=self.game.to_act,
                )
            )
        self._play(action)

    def let_agent_play(self, seconds: float | None = None) -> None:
        """Let the agent to act, if there is one, take one action.

        Args:
            seconds: the time after which an agent with a time budget plays the best it has found;
                None for its own limit.

        Raises:
            PlayerError: if it plays an illegal action.
        """
        if not self.waits_for_agent:
            return
        agent = self._agents[self.game.to_act]
        time_budget = _time_budget_of(agent)
        time_budget.deadline = time_budget.after(seconds)
        if self._abandoned.is_set():
            return
        game = self.adapter.for_agent(self.game)
        action = agent.act(game)
        if self._abandoned.is_set() or self.forfeited_by is not None:
            return
        if self.is_watched and (thoughts := _thoughts_of(agent, game, action)):
            self.thinking = Thinking(game, thoughts)
        try:
            self._play(action)
        except IllegalActionError as error:
            raise PlayerError(self.players[self.game.to_act], str(error)) from None

    def abandon(self) -> None:
        """Stop an agent that is thinking, if it has a time budget; any thread may call this.

        No agent plays on in this game.
        """
        self._abandoned.set()
        for agent in self._agents.values():
            _time_budget_of(agent).deadline = 0.0

    def _play(self, action: int | str) -> None:
        before, after = self.game, self.game.copy()
        after.play(action)
        if after.result is not None:
            self._save(self.match, after)
        now = time.perf_counter()
        self._seconds.append(now - self._began)
        self._began = now
        self.game, self._earlier = after, (*self._earlier, before)
        if self.clock is not None:
            is_running = self._has_acted and after.result is None
            self.clock.press(after.to_act if is_running else None)

    def to_record(self) -> dict[str, Any]:
        """Return the game record so far."""
        game = self.game
        return game.to_record(
            players=self.players, seed=self.seed, seconds=self._seconds[: len(game.history)]
        )


def _add_game(match: SessionMatch, game: BaseGame) -> SessionMatch:
    """Return a copy of a match with one more game, which is over."""
    after = copy.deepcopy(match)
    after.finish(game)
    return after


def _check_watchable(watch: str | None, opponent: str, match: str | None) -> None:
    if watch is None:
        return
    if PERSON in (watch, opponent):
        raise ConfigError("watch", watch, Message("two agents are needed for a game to watch"))
    if match is not None:
        raise ConfigError("watch", watch, Message("a {match} needs a person", match=match))


def _thoughts_of(agent: Any, game: BaseGame, action: int | str) -> list[Thought]:
    """What an agent considered when it chose an action; nothing if it followed a plan."""
    if hasattr(agent, "thoughts"):
        found: list[Thought] = agent.thoughts()
        return found
    expectation = getattr(agent, "expectation", None)
    return [] if expectation is None else [Thought((game.index_of(action),), expectation)]


def _time_budget_of(agent: Any) -> TimeBudget:
    """Return an agent's time budget; one without effect if it has none."""
    time_budget = getattr(agent, "time_budget", None)
    return time_budget if isinstance(time_budget, TimeBudget) else TimeBudget(rate=1)
