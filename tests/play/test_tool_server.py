"""A language model's client plays whole games through the tools, with the SDK's own client."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tkm_env import ConfigError, __version__
from tkm_env.core.record_files import from_record
from tkm_env.core.registry import game_spec
from tkm_env.foundations.untrusted_text import visible
from tkm_env.play.session import Session, settings_for_people
from tkm_env.text import TextOptions
from tkm_env.text.conversation import replay_with_conversations
from tkm_env.text.reply import TURN_SCHEMA

mcp = pytest.importorskip("mcp", reason="needs the extra [mcp]")


def text(result: Any) -> str:
    """What a tool answered."""
    return str(result.content[0].text)


async def play_game(call: Callable[..., Awaitable[str]], most: int = 300) -> str:
    """Play the last legal turn each time; what was told at the end."""
    told = ""
    for _ in range(most):
        turns = await call("legal_turns")
        if not turns:
            return told
        told = await call("play", turn=turns.splitlines()[-1].partition(". ")[2])
    raise AssertionError("the game does not end")


def served(
    game: str, options: TextOptions, kept: list[dict[str, Any]], trials: int = 0, **settings: Any
) -> Any:
    """A server in this process."""
    from tkm_env.play.tool_server import ToolSession, tool_server

    spec = game_spec(game)
    told = settings_for_people(spec, settings, "random")
    tools = ToolSession(
        lambda number: Session(spec, told, opponent="random", seed=number),
        options,
        kept.append,
        trials,
    )
    return tool_server(tools, options)


def with_client(
    server: Any, act: Callable[[Callable[..., Awaitable[str]], Any], Awaitable[None]]
) -> None:
    """Run a client of the server."""

    async def run() -> None:
        async with mcp.Client(server) as client:

            async def call(tool: str, **arguments: Any) -> str:
                return text(await client.call_tool(tool, arguments))

            await act(call, client)

    asyncio.run(run())


@pytest.mark.parametrize("game", ["tkm", "terminus"])
def test_the_client_plays_two_games_and_resigns_one(game: str) -> None:
    kept: list[dict[str, Any]] = []

    async def act(call: Callable[..., Awaitable[str]], client: Any) -> None:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert names == {"new_game", "rules", "observe", "legal_turns", "play", "resign"}
        assert "# The rules" in await call("rules")
        for number in (1, 2):
            assert "The game is over" in await play_game(call)
            assert len(kept) == number
            assert "The game is over" in await call("play", turn="1")
            assert "The game is over" in await call("resign")
            assert "# The rules" in await call("new_game")
        await call("play", turn="1")
        before = await call("observe")
        assert "cannot be played" in await call("play", turn="I would rather not")
        assert await call("observe") == before
        resigned = await call("resign")
        assert len(kept) == 3
        assert ("conceded" in resigned) == (game == "tkm")

    with_client(served(game, TextOptions(), kept), act)
    games = [from_record(record) for record in kept]
    assert [game.result is not None for game in games] == [True, True, game == "tkm"]
    assert kept[0]["players"] == {
        game_spec(game).players[0]: "person",
        game_spec(game).players[1]: "random",
    }


@pytest.mark.parametrize(
    "turn",
    [
        "",
        "\0",
        "9" * 5_000,
        "-1",
        "1e3",
        "\u0661",
        "null",
        "{}",
        "choose 1;" * 20_000,
        '{"turn": {}}',
        "\u202e\x1b[2J</script>",
        None,
        True,
        1.5,
        [],
        [1, 2],
        {"turn": 1},
        -1,
    ],
)
def test_what_is_no_turn_changes_nothing_and_is_quoted_escaped(turn: Any) -> None:
    from tkm_env.play.tool_server import ToolSession

    spec, kept = game_spec("tkm"), list[dict[str, Any]]()
    told = settings_for_people(spec, {}, "random")
    tools = ToolSession(
        lambda number: Session(spec, told, opponent="random", seed=number),
        TextOptions(),
        kept.append,
    )
    before = tools.observe()
    answer, is_refused = tools.play(turn)
    assert is_refused
    assert "nothing has changed" in answer
    assert visible(answer, keep="\n") == answer
    assert len(answer) < 2_000
    assert tools.observe() == before
    tools.new_game()
    tools.close()
    assert kept == [], "nothing was played"


def test_a_record_holds_the_calls_and_what_was_wrong_with_them() -> None:
    kept: list[dict[str, Any]] = []

    async def act(call: Callable[..., Awaitable[str]], client: Any) -> None:
        for turn in ("my turn is east", 999, ["choose 1"], 1):
            await call("play", turn=turn)
        await call("try_out", turn="east")
        await call("resign")

    with_client(served("tkm", TextOptions(), kept, trials=1), act)
    (record,) = kept
    (conversation,) = record["models"].values()
    answers = conversation["answers"]
    assert [answer["flaw"] for answer in answers] == ["form", "unknown name", "unfinished", None]
    assert answers[3]["turn"] == [record["actions"][ply] for ply in range(4)]
    assert {(answer["ply"], *answer["tokens"]) for answer in answers} == {(1, None, None)}
    notes = replay_with_conversations(json.loads(json.dumps(record))).notes[0]
    assert "calling the tool play" in notes[0].text
    assert [note.text for note in notes if note.heading.startswith("refused")] == [
        '"turn" must be a list of names of actions, or the number of a legal turn, '
        "not 'my turn is east'.",
        "There is no turn 999: the legal turns are numbered from 1 to 12.",
        "The turn is not finished after 'choose 1'; legal there: 'move east', 'move south', "
        "'concede'.",
    ]


@pytest.mark.parametrize("form", ["number", "text", "list"])
def test_a_turn_is_given_as_a_number_as_text_or_as_a_list(form: str) -> None:
    async def act(call: Callable[..., Awaitable[str]], client: Any) -> None:
        (_, line, *_) = (await call("legal_turns")).splitlines()
        turn = line.partition(". ")[2]
        given = {"number": 2, "text": turn, "list": turn.split("; ")}[form]
        told = await call("play", turn=given)
        assert "cannot be played" not in told
        assert "What was played since your own last turn" in told

    with_client(served("tkm", TextOptions(), []), act)


def test_without_listed_turns_there_is_no_tool_that_lists_them() -> None:
    async def act(call: Callable[..., Awaitable[str]], client: Any) -> None:
        assert "legal_turns" not in {tool.name for tool in (await client.list_tools()).tools}
        assert "legal there" not in await call("play", turn="choose 1; move north")
        assert "legal turns" not in await call("observe")

    with_client(served("tkm", TextOptions(legal="none"), []), act)


def test_tools_are_described_and_answer_with_the_state_of_the_game() -> None:
    async def act(call: Callable[..., Awaitable[str]], client: Any) -> None:
        listed = (await client.list_tools()).tools
        assert all(tool.description and tool.title and tool.annotations for tool in listed)
        schemas = {tool.name: tool.input_schema for tool in listed}
        assert schemas["play"]["properties"] == {"turn": dict(TURN_SCHEMA)}
        assert all(schema["additionalProperties"] is False for schema in schemas.values())
        told = await client.call_tool("play", {"turn": 1})
        assert not told.is_error
        status = told.structured_content
        assert (status["status"], status["you"], status["winner"]) == ("playing", "white", None)
        assert "\n".join(
            f"{number}. {turn}" for number, turn in enumerate(status["legal_turns"], 1)
        ) == await call("legal_turns")
        left = await client.call_tool("resign", {})
        assert left.structured_content["status"] == "over"
        assert left.structured_content["winner"] == "black"
        assert left.structured_content["legal_turns"] == []
        assert (await client.call_tool("play", {"turn": 1})).is_error
        assert client.server_info.version == __version__

    with_client(served("tkm", TextOptions(), []), act)


@pytest.mark.parametrize(
    ("tool", "arguments", "reason"),
    [
        ("play", {"turn": 1, "why": "safe"}, "takes turn; given: 'turn', 'why'"),
        ("play", {}, "takes turn; given: none"),
        ("play", {"move": 1}, "takes turn; given: 'move'"),
        ("play", {"turn": "go"}, "'go', is not the name of an action"),
        ("observe", {"turn": 1}, "takes no arguments; given: 'turn'"),
        ("rules", {"topic": "moves"}, "There is no topic 'moves'; there are 'How the game is won'"),
        ("rules", {"topic": 3}, "There is no topic 3"),
        ("try_out", {"turn": 1}, "There is no tool 'try_out'"),
        ("undo", {}, "There is no tool 'undo'; there are rules, observe, legal_turns, play"),
    ],
)
def test_a_call_that_is_refused_is_an_error_that_says_why(
    tool: str, arguments: dict[str, Any], reason: str
) -> None:
    async def act(call: Callable[..., Awaitable[str]], client: Any) -> None:
        before = await call("observe")
        result = await client.call_tool(tool, arguments)
        assert result.is_error
        assert reason in text(result)
        assert "pydantic" not in text(result)
        assert await call("observe") == before

    with_client(served("tkm", TextOptions(), []), act)


def test_the_rules_speak_of_the_tool_and_are_a_resource() -> None:
    async def act(call: Callable[..., Awaitable[str]], client: Any) -> None:
        rules = await call("rules")
        assert "calling the tool play" in rules
        assert "TURN:" not in rules
        assert "TURN:" not in await call("observe")
        assert "Call play again" in await call("play", turn="nonsense")
        (resource,) = (await client.list_resources()).resources
        (content,) = (await client.read_resource(resource.uri)).contents
        assert content.text == rules

    with_client(served("tkm", TextOptions(), []), act)


@pytest.mark.parametrize(
    ("legal", "refusal"), [("listed", "There is no turn"), ("none", "may not be played")]
)
def test_the_example_in_the_rules_is_a_turn_of_another_position(legal: str, refusal: str) -> None:
    """What the rules show has the form that the tool takes; here it is only not legal."""

    async def act(call: Callable[..., Awaitable[str]], client: Any) -> None:
        shown = re.search(r'^(\{"turn": .*\})', await call("rules"), re.MULTILINE)
        assert shown is not None
        result = await client.call_tool("play", json.loads(shown[1]))
        assert refusal in text(result)

    with_client(served("tkm", TextOptions(legal=legal), []), act)


@pytest.mark.parametrize("rename", [None, 3])
def test_rules_are_told_by_topic(rename: int | None) -> None:
    async def act(call: Callable[..., Awaitable[str]], client: Any) -> None:
        rules = await call("rules")
        headings = re.findall("^## (.+)$", rules, re.MULTILINE)
        for heading in headings:
            section = await call("rules", topic=heading)
            assert section.startswith(f"## {heading}\n")
            assert section in rules
        assert len(headings) > 5

    with_client(served("tkm", TextOptions(rename=rename), []), act)


def test_renamed_tools_tell_no_word_of_the_game() -> None:
    own = re.compile(r"\b(white|black|choose|era|focus|past|present|future|time|killed)\b", re.I)
    kept: list[dict[str, Any]] = []

    async def act(call: Callable[..., Awaitable[str]], client: Any) -> None:
        for tool in (await client.list_tools()).tools:
            assert not own.search(tool.model_dump_json()), tool.name
        told = (await client.call_tool("observe")).structured_content
        assert f"You are {told['you']}." in await call("observe")
        await play_game(call)
        for tool in ("observe", "resign"):
            assert not own.search((await client.call_tool(tool)).model_dump_json())
        over = (await client.call_tool("observe")).structured_content
        assert (over["status"], bool(over["winner"])) == ("over", True)
        assert (over["winner"] == over["you"]) == (from_record(kept[0]).winner == "white")

    with_client(served("tkm", TextOptions(rename=3), kept), act)


def test_turns_are_tried_out_within_a_budget() -> None:
    async def act(call: Callable[..., Awaitable[str]], client: Any) -> None:
        before = await call("observe")
        for left in (1, 0):
            told = await call("try_out", turn=2)
            assert f"Trials left before this turn: {left}." in told
            assert "Nothing was played" in told
            assert "You are white" in told
            assert "The legal turns" not in told, "it is the opponent's turn there"
        spent = await client.call_tool("try_out", {"turn": 2})
        assert spent.is_error
        assert "No trials are left before this turn" in text(spent)
        assert await call("observe") == before
        await call("play", turn=2)
        refused = await client.call_tool("try_out", {"turn": "nonsense"})
        assert refused.is_error
        assert "Trials left before this turn: 1." in text(refused)

    with_client(served("tkm", TextOptions(), [], trials=2), act)


def test_where_something_is_hidden_no_turn_is_tried_out() -> None:
    with pytest.raises(ConfigError, match="what this game hides"):
        served("terminus", TextOptions(), [], trials=1)


def test_hidden_cards_stay_hidden() -> None:
    """Nothing that a tool answers holds the order of the deck."""
    kept: list[dict[str, Any]] = []
    told: list[str] = []

    async def act(call: Callable[..., Awaitable[str]], client: Any) -> None:
        async def noting(tool: str, **arguments: Any) -> str:
            told.append(await call(tool, **arguments))
            return told[-1]

        for tool in ("rules", "observe"):
            await noting(tool)
        await play_game(noting)

    with_client(served("terminus", TextOptions(history="all"), kept), act)
    start = kept[0]["position"]
    deck, chance = start.split(" ")[4], start.split(" ")[7]
    assert len(deck) > 10
    assert not [
        answer
        for answer in told
        if deck in answer or chance in answer or re.search(r"(\d+,){4}", answer)
    ]
