"""The application of `tkm play` in a browser, run by Pyodide.

Requests come from the page's worker instead of a server.
"""

import sys
from types import ModuleType
from typing import Any
from urllib.parse import parse_qsl

# Browsers have neither processes nor semaphores; Gymnasium imports this module for environments
# that are not used here.
sys.modules["multiprocessing.synchronize"] = ModuleType("multiprocessing.synchronize")

from tkm_env.core.registry import default_game, game_spec
from tkm_env.play.app import new_app
from tkm_env.play.session import Session, settings_for_people
from tkm_env.players.roster import ROSTERS, Roster
from tkm_env.players.solvers import SOLVERS, Solvers

#: Agents that are fast in plain Python; searches would take minutes.
QUICK = ("random", "greedy")


def begin(query: str) -> None:
    """Start the game that the query of the page's address names.

    The query may also have settings of the game and of the session.
    """
    global _client
    asked: dict[str, Any] = dict(parse_qsl(query))
    spec = game_spec(asked.pop("game", default_game()))
    numbers = {"seed", *(setting.keyword for setting in spec.settings if setting.kind == "number")}
    asked = {name: int(value) if name in numbers else value for name, value in asked.items()}
    roster = ROSTERS.of(spec)
    quick = Roster(
        agents={name: roster.agents[name] for name in QUICK},
        levels=tuple(level for level in roster.levels if level.player in QUICK),
        ladder=QUICK,
    )
    ROSTERS.add(spec.name, quick)
    SOLVERS.add(spec.name, Solvers())
    own = {
        name: asked.pop(name) for name in ("opponent", "side", "seed", "position") if name in asked
    }
    own = {"opponent": "greedy"} | own
    _client = new_app(
        Session(spec, settings_for_people(spec, asked, own["opponent"]), **own)
    ).test_client()


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
