"""Figures about a league in the text form of Prometheus."""

import time
from collections import Counter
from collections.abc import Iterator
from typing import Final

from flask import Blueprint, Response
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from tkm_env.arena.league.casual_games import CasualGames
from tkm_env.arena.league.database import STATES
from tkm_env.arena.league.league import League
from tkm_env.arena.league.serving import standings, the_league
from tkm_env.arena.league.standings import Standings
from tkm_env.arena.playing.live import live_games

routes: Final = Blueprint("metrics", __name__)


class _Figures(Collector):
    """The figures at the time when they are asked for.

    Args:
        league: the league.
        table: the standings of its current season.
    """

    def __init__(self, league: League, table: Standings) -> None:
        self._league, self._table = league, table

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield each figure."""
        season, bots = self._league.store.season(), self._league.store.bots(*STATES)
        states = Counter(bot.state for bot in bots)
        by_state = GaugeMetricFamily("tkm_league_bots", "Bots by state.", labels=["state"])
        for state in STATES:
            by_state.add_metric([state], states[state])
        yield by_state
        workers = live_games(self._league.live)
        waiting = [time.time() - bot.uploaded for bot in bots if bot.state == "waiting"]
        figures = {
            "season": ("The number of the season.", season.number),
            "people": ("People who may take part.", len(self._league.store.members())),
            "games": ("Games of the current table.", self._table.games),
            "games_in_progress": (
                "Games that are shown live.",
                sum(not each.is_over for each in workers),
            ),
            "casual_games_in_progress": (
                "Casual games of people against bots.",
                len(CasualGames(self._league.store).going()),
            ),
            "waiting_seconds": (
                "For how long the oldest bot has been waiting for its check.",
                max(waiting, default=0.0),
            ),
            "silent_seconds": (
                "How long ago a process that plays was seen last; -1 for never.",
                min((time.time() - each.at for each in workers), default=-1.0),
            ),
        }
        for name, (meaning, value) in figures.items():
            yield GaugeMetricFamily(f"tkm_league_{name}", meaning, value=value)


@routes.get("/metrics")
def show_metrics() -> Response:
    """Return the figures, for Prometheus."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Figures(the_league(), standings()))
    return Response(generate_latest(registry), content_type=CONTENT_TYPE_PLAIN_0_0_4)
