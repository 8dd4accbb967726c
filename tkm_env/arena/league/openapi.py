"""The description of a league's JSON interface, in the form of OpenAPI 3.1."""

from typing import Any, Final

from tkm_env.arena.league.database import PHASES, STATES

#: The number of games on a page of the interface, and the largest that may be asked for.
PAGE: Final = 50
LARGEST_PAGE: Final = 500
#: The largest number of a page.
LAST_PAGE: Final = 10**9

_TEXT: Final = {"type": "string"}
_COUNT: Final = {"type": "integer", "minimum": 0}
_NUMBER_OR_NONE: Final = {"type": ["number", "null"]}
_OBJECT: Final = {"type": "object"}


def _object_of(**fields: Any) -> dict[str, Any]:
    return {"type": "object", "properties": fields, "required": [*fields]}


def _list_of(item: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": item}


_GAME: Final = _object_of(
    number={"type": "integer", "minimum": 1},
    game=_TEXT,
    players={"type": "object", "additionalProperties": _TEXT},
    result={"enum": ["1-0", "0-1", "1/2", "*"]},
    points={"type": "object", "additionalProperties": {"enum": [0, 0.5, 1]}},
    ratings={"type": "object", "additionalProperties": _NUMBER_OR_NONE},
    settings=_TEXT,
    turns=_COUNT,
    fault={"type": ["string", "null"]},
    adjudicated={"type": "boolean"},
    ended=_NUMBER_OR_NONE,
)
_BOT: Final = _object_of(
    id=_COUNT,
    name=_TEXT,
    uploaded={"type": "number"},
    folder=_TEXT,
    state={"enum": [*STATES]},
    digest=_TEXT,
    log=_TEXT,
)
_EVENT: Final = _object_of(id=_COUNT, at={"type": "number"}, who=_TEXT, what=_TEXT)
_BOARD: Final = _object_of(
    seed=_TEXT,
    players=_OBJECT,
    actions=_COUNT,
    is_live={"type": "boolean"},
    number={"type": ["integer", "null"]},
)
_LIVE: Final = _object_of(
    record=_OBJECT, is_over={"type": "boolean"}, since={"type": "number"}, at={"type": "number"}
)
_TABLE: Final = {
    "name": "table",
    "in": "path",
    "required": True,
    "schema": _TEXT,
    "description": "the name of a table, such as season-1 or season-1-final",
}
_NUMBER: Final = {
    "name": "number",
    "in": "path",
    "required": True,
    "schema": {"type": "integer", "minimum": 0},
    "description": "the number of a game, from 1",
}


def _in_query(name: str, meaning: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "in": "query", "schema": schema, "description": meaning}


def _answer(meaning: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": meaning, "content": {"application/json": {"schema": schema}}}


_ERROR: Final = _answer("what is wrong", _object_of(error=_TEXT, message=_TEXT))


def _operation(
    summary: str,
    schema: dict[str, Any],
    *parameters: dict[str, Any],
    status: int = 200,
    needs_token: bool = False,
    **more: Any,
) -> dict[str, Any]:
    return {
        "summary": summary,
        "parameters": [*parameters],
        "responses": {str(status): _answer(summary, schema), "default": _ERROR},
        **({"security": [{"token": []}]} if needs_token else {}),
        **more,
    }


#: What each address answers, by the address and the method.
PATHS: Final[dict[str, dict[str, Any]]] = {
    "/api/openapi.json": {"get": _operation("this description", _OBJECT)},
    "/api/league": {
        "get": _operation(
            "the season, its phase, the name of its table, and the number of games",
            _object_of(
                title=_TEXT, season=_COUNT, phase={"enum": [*PHASES]}, games=_COUNT, table=_TEXT
            ),
        )
    },
    "/api/tables/{table}": {
        "get": _operation(
            "everything on a table's page, as in `tkm report --json`, and the history of ratings",
            _object_of(report={"type": ["object", "null"]}, history=_list_of(_OBJECT)),
            _TABLE,
        )
    },
    "/api/tables/{table}/games": {
        "get": _operation(
            "games of a player or of two, those that ended last first, page by page",
            _object_of(games=_list_of(_GAME), total=_COUNT, page=_COUNT, size=_COUNT, pages=_COUNT),
            _TABLE,
            _in_query("player", "a player; without a version, all its versions", _TEXT),
            _in_query("opponent", "another player", _TEXT),
            _in_query(
                "page",
                "from 1",
                {"type": "integer", "minimum": 1, "maximum": LAST_PAGE, "default": 1},
            ),
            _in_query(
                "size",
                "the number of games on a page",
                {"type": "integer", "minimum": 1, "maximum": LARGEST_PAGE, "default": PAGE},
            ),
        )
    },
    "/api/tables/{table}/{number}": {
        "get": _operation("the record of a game", _OBJECT, _TABLE, _NUMBER)
    },
    "/api/live": {
        "get": _operation(
            "the games in progress, and the boards to watch",
            _object_of(games=_list_of(_LIVE), boards=_list_of(_BOARD)),
        )
    },
    "/api/me": {
        "get": _operation(
            "your bots with their states and logs, and what happened to them, newest first",
            _object_of(name=_TEXT, bots=_list_of(_BOT), events=_list_of(_EVENT)),
            needs_token=True,
        )
    },
    "/bots": {
        "post": _operation(
            "upload a bot",
            _object_of(bot=_COUNT),
            status=201,
            needs_token=True,
            requestBody={
                "required": True,
                "content": {
                    "multipart/form-data": {
                        "schema": _object_of(file={"type": "string", "format": "binary"})
                    }
                },
            },
        )
    },
    "/requests": {
        "post": _operation(
            "request a pair of games against a player; the number of requests left for today",
            _object_of(left=_COUNT),
            status=201,
            needs_token=True,
            requestBody={
                "required": True,
                "content": {
                    "application/x-www-form-urlencoded": {"schema": _object_of(opponent=_TEXT)}
                },
            },
        )
    },
    "/withdraw": {
        "post": _operation(
            "withdraw your bot", _object_of(withdrawn={"const": True}), needs_token=True
        )
    },
}


def description(title: str) -> dict[str, Any]:
    """Return the description of the interface of a league with this title."""
    return {
        "openapi": "3.1.0",
        "info": {"title": title, "version": "1"},
        "paths": PATHS,
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    }
