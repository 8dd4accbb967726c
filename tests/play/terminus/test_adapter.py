"""People's games of Terminus: the kind, the session, the terminal, the server."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.games.terminus.games import EVENTFUL, generator_of, random_action
from tkm_env import ConfigError, TerminusGame
from tkm_env.games.registry import TERMINUS
from tkm_env.games.terminus.deck import write_deck
from tkm_env.play.session import Session
from tkm_env.play.terminus.adapter import ADAPTER


def session_of(**keywords: Any) -> Session[TerminusGame]:
    settings = {"deck": keywords.pop("deck", None)}
    return Session(TERMINUS, settings, **{"seed": 1, **keywords})


def test_choices_are_the_legal_actions_each_with_what_it_does() -> None:
    generator = generator_of("choices")
    for seed in range(10):
        game = TerminusGame(seed=seed, deck=EVENTFUL)
        while game.result is None:
            choices = ADAPTER.choices(game)
            assert [choice.name for choice in choices] == game.legal_names()
            assert all(choice.group and choice.help for choice in choices)
            places = {
                cell.name for board in ADAPTER.boards(game) for row in board.rows for cell in row
            }
            assert {place for choice in choices for place in (choice.place, choice.card)} - {
                None
            } <= places
            game.play(random_action(game, generator))


def test_a_hand_without_cards_has_no_row_of_places() -> None:
    generator, emptied = generator_of("hands"), 0
    for seed in range(10):
        game = TerminusGame(seed=seed)
        while game.result is None:
            game.play(random_action(game, generator))
        boards = ADAPTER.boards(game)
        assert all(row for board in boards for row in board.rows)
        emptied += sum(not board.rows for board in boards)
    assert emptied


def test_choices_of_a_card_stand_together() -> None:
    game = TerminusGame(position="1:.I. r p 2,9,13/3,5,16 ?10 -/- 1 -")
    assert list(dict.fromkeys(choice.group for choice in ADAPTER.choices(game))) == [
        "Play card 2: red victory, empty, grow",
        "Play card 2 flipped: grow, empty, red victory",
    ]


def test_the_log_calls_actions_what_their_buttons_said_and_names_the_card() -> None:
    generator = generator_of("log")
    for seed in range(5):
        game, said = TerminusGame(seed=seed, deck=EVENTFUL), []
        while game.result is None:
            action = random_action(game, generator)
            said += [
                choice.label
                for choice in ADAPTER.choices(game)
                if choice.name == game.action_names[action]
            ]
            game.play(action)
        logged = [entry.label for entry in ADAPTER.log(game)]
        assert [label[-len(words) :] for label, words in zip(logged, said, strict=True)] == said
        assert all(label == "go on" or re.search(r"card \d|Terminus", label) for label in logged)
        assert not re.search("first|second|third", " ".join(logged)), (
            "cards are named by their numbers"
        )


def test_the_log_tells_what_a_card_covers_and_what_follows() -> None:
    game = TerminusGame(position="11:RAB|14:RS.|1:.I.|6:BAR b p 3,7,12/4,17,T ?3 -/- 6 -")
    game.play("play first flipped at 5")
    assert [entry[2:4] for entry in ADAPTER.log(game)] == [
        ("play first flipped at 5", "covers blue victory, red victory, swap")
    ]
    assert ADAPTER.log(game)[0].label == "card 4, flipped, over eras 3 to 5"


def test_two_eras_are_not_described_as_a_range() -> None:
    generator = generator_of("two eras")
    game, said = TerminusGame(seed=1), ""
    while game.result is None:
        said += "; ".join(choice.label for choice in ADAPTER.choices(game))
        game.play(random_action(game, generator))
    assert "eras 1 and 2" in said
    assert {int(last) - int(first) for first, last in re.findall(r"eras (\d+) to (\d+)", said)} == {
        2
    }


def test_nothing_can_be_taken_back_after_a_card_was_drawn() -> None:
    """What was drawn would be known."""
    generator = generator_of("undo")
    taken_back = 0
    for seed in range(10):
        session = session_of(seed=seed, deck=EVENTFUL)
        while session.game.result is None:
            before = session.game
            session.play(random_action(before, generator))
            drawn = session.game.state["deck_size"][0] < before.state["deck_size"][0]
            assert not (drawn and (session.can_undo or session.can_take_back))
            if session.can_undo and generator.random() < 0.3:
                action, after = session.game.history[-1], session.game
                session.undo()
                assert session.game == before
                session.play(action)
                assert session.game == after, "chance was drawn again"
                taken_back += 1
    assert taken_back > 5


def test_a_deck_file_is_played_with(tmp_path: Path) -> None:
    path = tmp_path / "deck.json"
    write_deck(path, EVENTFUL)
    assert session_of(deck=str(path)).game.config.deck == EVENTFUL


def test_settings_of_the_other_game_are_refused() -> None:
    with pytest.raises(ConfigError, match="chapters"):
        Session(TERMINUS, {"chapters": "growth"})


def test_the_page_reads_no_file_but_keeps_the_one_that_the_command_named(tmp_path: Path) -> None:
    pytest.importorskip("flask", reason="needs the extra [play]")
    from tkm_env.play.app import new_app

    path = tmp_path / "deck.json"
    write_deck(path, EVENTFUL)
    app = new_app(session_of(deck=str(path)))
    client = app.test_client()
    assert list(client.get("/api/settings").get_json()) == ["You"]
    assert client.post("/api/new", json={"deck": str(path)}).status_code == 400
    assert client.post("/api/new", json={"seed": 5}).status_code == 200
    assert app.extensions["holder"].session.game.config.deck == EVENTFUL


def told(session: Session[TerminusGame], actions: int = 0) -> list[object]:
    """What the server says of a session: at the start, and after each of some actions."""
    pytest.importorskip("flask", reason="needs the extra [play]")
    from tkm_env.play.app import new_app

    client = new_app(session).test_client()
    said: list[bytes] = []
    for number in range(actions + 1):
        said += [
            client.get(f"/{path}").get_data()
            for path in ("replay", "api/state", "api/settings", "api/record")
        ]
        state = client.get("/api/state").get_json()
        version = {"version": state["version"]}
        wrong = [
            client.post(f"/api/{what}", json=version | {"action": "play third at 40"})
            for what in ("play", "undo")
        ]
        said += [answer.get_data() for answer in (client.post("/api/advice", json={}), *wrong)]
        if number < actions:
            state = client.post(
                "/api/play", json=version | {"action": state["choices"][0]["name"]}
            ).get_json()
    names = (session.id, client.application.extensions["holder"].token)  # which are drawn
    for name in names:
        said = [each.replace(name.encode(), b"") for each in said]
    return said


def test_the_page_tells_nothing_of_what_is_hidden() -> None:
    """Two games that look the same to their players look the same to whoever asks the server."""
    view = session_of().game.position_for("red")
    sessions = [session_of(position=view, seed=seed) for seed in (1, 2)]
    assert sessions[0].game != sessions[1].game
    turn, after = 0, sessions[0].game.copy()
    while after.turn == 1:
        after.play(after.legal_actions()[0])
        turn += 1
    assert told(sessions[0], turn - 1) == told(sessions[1], turn - 1)


def test_the_record_is_given_once_nothing_is_hidden_any_more() -> None:
    pytest.importorskip("flask", reason="needs the extra [play]")
    from tkm_env.play.app import new_app

    session = session_of(seed=3)
    client = new_app(session).test_client()
    while session.game.result is None:
        answer = client.get("/api/record")
        assert (answer.status_code, answer.get_json()["error"]) == (403, "HiddenError")
        assert not client.get("/api/state").get_json()["can_save"]
        session.play(session.game.legal_actions()[0])
    assert client.get("/api/state").get_json()["can_save"]
    assert TerminusGame.from_record(client.get("/api/record").get_json()) == session.game
