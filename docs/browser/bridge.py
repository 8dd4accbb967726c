"""The application of `tkm play` in a browser, run by Pyodide.

Requests come from the page's worker instead of a server.
"""

import sys
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import parse_qsl

# Browsers have neither processes nor semaphores; Gymnasium imports this module for environments
# that are not used here.
sys.modules["multiprocessing.synchronize"] = ModuleType("multiprocessing.synchronize")

from tkm_env.core.registry import default_game, game_names, game_spec
from tkm_env.play.app import new_app
from tkm_env.play.kept_games import KeptGames
from tkm_env.play.session import Session, settings_for_people
from tkm_env.players.roster import ROSTERS, Roster
from tkm_env.players.solvers import SOLVERS, Solvers

#: Agents that are fast in plain Python; searches would take minutes.
QUICK = ("random", "greedy")


#: The folder that the worker keeps in the browser's storage.
KEPT = Path("/kept")
#: What a link may say of the session; all else in it must be a setting of the game.
_OWN = ("opponent", "side", "seed", "position")


def begin(query: str) -> None:
    """Start the game that the query of the page's address names.

    The query may also have settings of the game and of the session. Keys that are neither are
    ignored, since sites that pass links on add keys of their own.
    """
    global _client
    _offer_quick_agents()
    asked: dict[str, Any] = dict(parse_qsl(query))
    spec = game_spec(asked.get("game", default_game()))
    kinds = {setting.keyword: setting.kind for setting in spec.settings} | {"seed": "number"}
    known = {
        name: int(value) if kinds.get(name) == "number" else value
        for name, value in asked.items()
        if name in (*_OWN, *kinds)
    }
    own = {"opponent": "greedy"} | {name: known.pop(name) for name in _OWN if name in known}
    session = Session(spec, settings_for_people(spec, known, own["opponent"]), **own)
    _client = new_app(session, kept=KeptGames(KEPT)).test_client()


def _offer_quick_agents() -> None:
    """Leave out, in all games, what takes too long in plain Python."""
    for name in game_names():
        roster = ROSTERS.of(name)
        quick = Roster(
            agents={agent: roster.agents[agent] for agent in QUICK},
            levels=tuple(level for level in roster.levels if level.player in QUICK),
            ladder=QUICK,
        )
        ROSTERS.add(name, quick)
        SOLVERS.add(name, Solvers())


def answer(path: str, content: str | None) -> tuple[int, str, str]:
    """Return the response to a request, which is a POST if it has content.

    Returns:
        Its status, its type, and its text.
    """
    response = (
        _client.get(path)
        if content is None
        else _client.post(path, data=content, content_type="application/json")
    )
    return response.status_code, response.content_type, response.get_data(as_text=True)
