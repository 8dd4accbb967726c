"""One game of a schedule: preparing its players, and playing it."""

import time
from collections.abc import Mapping
from typing import Any

from tkm_env.arena.playing.adjudication import Adjudication
from tkm_env.arena.playing.live import LiveGame
from tkm_env.arena.playing.referee import AbsentPlayer, Conditions, Player, conduct_game
from tkm_env.arena.playing.schedule import Entrant, ScheduledGame
from tkm_env.arena.playing.versions import CHANGED, ChangedPlayerError, digest_of, is_unchanging
from tkm_env.core.agent import PlansTurns
from tkm_env.core.game import BaseGame
from tkm_env.core.registry import game_spec
from tkm_env.foundations.checks import checked_instance
from tkm_env.players.factory import make_agent
from tkm_env.players.roster import ROSTERS


class Players:
    """The players of one process, from game to game.

    Each is made once. Programs keep running between games. If there are too many, those that have
    been idle longest are ended, and start again with their next game.

    Args:
        conditions: the conditions under which they play.
    """

    def __init__(self, conditions: Conditions) -> None:
        self.conditions = conditions
        #: The players, in the order of their last games.
        self._known: dict[tuple[str, Entrant], Player] = {}
        #: The digests of players that cannot change.
        self._digests: dict[Entrant, str] = {}

    def seat(self, fixture: ScheduledGame) -> dict[str, Player]:
        """Return the players of a game, by side.

        Raises:
            ConfigError: if there is no such player.
        """
        playing: dict[str, Player] = {}
        for side, contestant in fixture.by_side():
            if contestant.name == fixture.forfeits:
                playing[side] = AbsentPlayer(
                    contestant.line, fixture.game, self.conditions, CHANGED
                )
                continue
            key = (fixture.game, contestant)
            player = self._known.pop(key, None)
            if player is None:
                player = Player(
                    contestant.line, fixture.game, self.conditions.reading(contestant.readable)
                )
            player.keep_answers(fixture.answers)
            playing[side] = self._known[key] = player
        programs = [player for player in self._known.values() if player.isolation != "none"]
        for player in programs[: -self.conditions.kept_programs]:
            player.close()
        return playing

    def digests(self, fixture: ScheduledGame) -> dict[str, str]:
        """Compute the digests of a game's players, by side.

        If one of them forfeits the game, return the digests with which they entered.

        Raises:
            ChangedPlayerError: if a player has changed since it entered.
        """
        if fixture.forfeits:
            return {side: contestant.digest for side, contestant in fixture.by_side()}
        found = {}
        for side, contestant in fixture.by_side():
            found[side] = self._digest(contestant)
            if contestant.digest not in ("", found[side]):
                raise ChangedPlayerError(contestant.name, CHANGED)
        return found

    def _digest(self, contestant: Entrant) -> str:
        digest = self._digests.get(contestant)
        if digest is None:
            digest = digest_of(contestant, self.conditions)
            if is_unchanging(contestant):
                self._digests[contestant] = digest
        return digest

    def close(self) -> None:
        """End all programs."""
        for player in self._known.values():
            player.close()


#: The games and names of agents that have been warmed up in this process.
_WARM: set[tuple[str, str]] = set()


def warm_up(line: str, game: BaseGame) -> None:
    """Compile the code of one of the game's own agents by playing two turns in a copy.

    Compiling should not count as thinking. If the game's ladder has an agent of the same name, that
    one plays, since it decides quickly. The agent that will play the game keeps its state.

    Args:
        line: the player; those of other kinds need no preparation.
        game: the game, which stays as it is.
    """
    name = line.partition(":")[0]
    if (game.name, name) in _WARM:
        return
    _WARM.add((game.name, name))
    spec = game_spec(game.name)
    roster = ROSTERS.of(spec)
    if name in roster.agents:
        quick = next((rung for rung in roster.ladder if rung.partition(":")[0] == name), line)
        agent, trial = make_agent(quick, game=spec.name), game.copy()
        while trial.result is None and trial.turn < game.turn + 2:
            plans = isinstance(agent, PlansTurns)
            trial.play_turn(agent.plan_turn(trial) if plans else [agent.act(trial)])


def play_scheduled_game(fixture: ScheduledGame, players: Players) -> dict[str, Any]:
    """Play one game.

    After any error, all programs are ended, so that they release what they use and start anew.

    Args:
        fixture: the game.
        players: the players of this process.

    Returns:
        The game's record.

    Raises:
        ConfigError: if the game cannot begin, or there is no such player.
        ChangedPlayerError: if a player has changed since it entered.
        MachineError: if the machine fails.
    """
    checked_instance("players", players, Players)
    try:
        digests = players.digests(checked_instance("fixture", fixture, ScheduledGame))
        return play_between(
            players.seat(fixture), fixture, digests, players.conditions.adjudication
        )
    except Exception:
        players.close()
        raise


def play_between(
    players: Mapping[str, Player],
    fixture: ScheduledGame,
    digests: Mapping[str, str] | None = None,
    adjudication: Adjudication | None = None,
) -> dict[str, Any]:
    """Play one game between given players.

    Args:
        players: the players, by side.
        fixture: the game.
        digests: the digests of the players, by side, for the record; None to leave them out.
        adjudication: when the players' scores end the game; None for never.

    Returns:
        The game's record.

    Raises:
        ConfigError: if the game cannot begin.
        MachineError: if the machine fails.
    """
    game = fixture.begin()
    for contestant in fixture.contestants:
        warm_up(contestant.line, game)
    generators = {side: fixture.generator(side) for side in players}
    if fixture.live:
        live = LiveGame(fixture.live, fixture.players, fixture.seed)
        measured = conduct_game(game, players, generators, live.show, fixture.turns, adjudication)
        live.show(game, is_over=True)
        ended: float | None = time.time()
    else:
        measured = conduct_game(
            game, players, generators, turns=fixture.turns, adjudication=adjudication
        )
        ended = None
    isolation = {side: player.isolation for side, player in players.items()}
    return game.to_record(
        players=fixture.players,
        seed=fixture.seed,
        isolation=isolation,
        digest=digests,
        ended=ended,
        **measured._asdict(),
    )
