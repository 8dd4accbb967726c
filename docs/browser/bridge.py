"""The application of `tkm play` in a browser, run by Pyodide.

Requests come from the page's worker instead of a server.
"""

import sys
from pathlib import Path
from types import ModuleType

# Browsers have neither processes nor semaphores; Gymnasium imports this module for environments
# that are not used here.
sys.modules["multiprocessing.synchronize"] = ModuleType("multiprocessing.synchronize")

from tkm_env.core.registry import default_game, game_names, game_spec
from tkm_env.play.app import new_app
from tkm_env.play.kept_games import KeptGames
from tkm_env.play.session import Session, settings_for_people
from tkm_env.players.roster import ROSTERS, Level, Roster
from tkm_env.players.solvers import SOLVERS, Solvers

#: Agents that are fast in plain Python; searches would take minutes.
QUICK = ("random", "greedy")
#: How the lines of quick levels begin besides: they play at a glance.
GLANCES = "fallible:blunder=1,"


#: The folder that the worker keeps in the browser's storage.
KEPT = Path("/kept")


def begin() -> None:
    """Begin a game; the page asks for what its address names."""
    global _client
    _offer_quick_agents()
    spec = game_spec(default_game())
    opponent = QUICK[-1]
    session = Session(spec, settings_for_people(spec, {}, opponent), opponent=opponent)
    _client = new_app(session, kept=KeptGames(KEPT)).test_client()


def _offer_quick_agents() -> None:
    """Leave out, in all games, what takes too long in plain Python."""
    for name in game_names():
        roster = ROSTERS.of(name)
        levels = [
            level
            for level in roster.levels
            if level.player in QUICK or level.player.startswith(GLANCES)
        ]
        agents = {*QUICK, *(level.player.partition(":")[0] for level in levels)}
        quick = Roster(
            agents={agent: load for agent, load in roster.agents.items() if agent in agents},
            levels=tuple(levels) or (Level("beginner", QUICK[-1]),),
            ladder=QUICK,
        )
        ROSTERS.add(name, quick)
        SOLVERS.add(name, Solvers())


def answer(path: str, content: str | None, language: str) -> tuple[int, str, str]:
    """Return the response to a request, which is a POST if it has content.

    Args:
        path: the path.
        content: the content as JSON.
        language: the language of the page.

    Returns:
        Its status, its type, and its text.
    """
    headers = {"Accept-Language": language}
    response = (
        _client.get(path, headers=headers)
        if content is None
        else _client.post(path, headers=headers, data=content, content_type="application/json")
    )
    return response.status_code, response.content_type, response.get_data(as_text=True)
