"""`Game`: one game as a value."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.cases import each_setting
from tests.games.tkm.positions import (
    BLACK_WINS,
    NOBODY_WINS,
    REVEALED,
    START,
    TALK,
    VARIED,
    WHITE_WINS,
    facts_of,
    random_game,
    with_fields,
)
from tkm_env import (
    ACTIONS,
    PLANES,
    ConfigError,
    Game,
    GameConfig,
    IllegalActionError,
    PositionError,
    TerminusGame,
    UnknownActionError,
    action_index,
)
from tkm_env.core.game import BaseGame
from tkm_env.games.tkm.engine.state import CHAPTERS

Copy = Callable[[Game], Game]


def pickled(game: Game) -> Game:
    return pickle.loads(pickle.dumps(game))


every_copy = pytest.mark.parametrize("copied", [Game.copy, copy.copy, copy.deepcopy, pickled])


# Playing.


@pytest.mark.parametrize("given", [str, int, np.int8, np.int32, np.int64, np.uint16, np.array])
def test_actions_are_given_by_name_or_number(given: Callable[[Any], Any]) -> None:
    game = Game()
    for name in ("choose 1", "move south", "move east", "focus future"):
        game.play(name if given is str else given(action_index(name)))
    assert game.position == (
        "..../.W../..../...B|W.../..../..../...B|W.../..../..../...B - b c FF - 4/4 - ---/--- -/- 2"
    )


@pytest.mark.parametrize(
    ("action", "error"),
    [
        ("choose 2", IllegalActionError),
        ("move north", IllegalActionError),
        ("focus past", IllegalActionError),
        ("concede", IllegalActionError),
        ("offer draw", IllegalActionError),
        ("plant here", IllegalActionError),
        (1, IllegalActionError),
        (np.int64(1), IllegalActionError),
        (-1, UnknownActionError),
        (np.int8(-1), UnknownActionError),
        (len(ACTIONS), UnknownActionError),
        (2**63, UnknownActionError),
        (-(10**30), UnknownActionError),
        (0.0, UnknownActionError),
        (1.5, UnknownActionError),
        (np.float32(0), UnknownActionError),
        (None, UnknownActionError),
        (True, UnknownActionError),
        (np.True_, UnknownActionError),
        ([0], UnknownActionError),
        (np.array([0, 1]), UnknownActionError),
        (np.ma.masked_array(0, mask=True), UnknownActionError),
        (b"choose 1", UnknownActionError),
        ("", UnknownActionError),
        ("choose 17", UnknownActionError),
        ("Choose 1", UnknownActionError),
        ("choose 1 ", UnknownActionError),
        ("0", UnknownActionError),
    ],
)
def test_an_invalid_action_is_refused_and_changes_nothing(
    action: Any, error: type[IllegalActionError]
) -> None:
    game = Game()
    before = facts_of(game)
    with pytest.raises(IllegalActionError) as refused:
        game.play(action)
    assert type(refused.value) is error
    assert isinstance(refused.value, ValueError)
    assert facts_of(game) == before
    game.play("choose 1")


@pytest.mark.parametrize("position", VARIED)
def test_every_illegal_action_of_a_position_is_refused_and_changes_nothing(position: str) -> None:
    game = Game(position=position)
    before = facts_of(game)
    legal = set(game.legal_actions())
    for action, name in enumerate(ACTIONS):
        if action not in legal:
            with pytest.raises(IllegalActionError, match=name):
                game.play(action)
    assert facts_of(game) == before


def test_the_refusal_names_the_action_and_what_is_legal() -> None:
    game = Game()
    game.play("choose 1")
    with pytest.raises(IllegalActionError) as refused:
        game.play("move north")
    message = str(refused.value)
    assert "'move north'" in message
    assert "white" in message
    assert "step 2" in message
    assert message.endswith("legal: move east, move south")


@pytest.mark.parametrize("action", ["nonsense", 79, -1, None, 0.5])
def test_the_refusal_of_anything_but_an_action_says_what_was_given(action: Any) -> None:
    with pytest.raises(UnknownActionError) as refused:
        Game().play(action)
    assert (repr(action) if not isinstance(action, int) else str(action)) in str(refused.value)


def test_nothing_can_be_played_after_the_end() -> None:
    game = Game(position=WHITE_WINS)
    game.play("focus present")
    before = facts_of(game)
    for action in ("focus past", "choose 1", "concede", 0, 58):
        with pytest.raises(IllegalActionError, match=r"the game is over, 1-0"):
            game.play(action)
    with pytest.raises(UnknownActionError):
        game.play("nonsense")
    assert facts_of(game) == before
    assert game.legal_actions() == []
    assert not game.action_mask().any()


def test_of_the_actions_of_a_turn_those_after_its_end_are_left() -> None:
    turn = ["choose 1", "move east", "move east", "focus present"]
    game, slowly = Game(), Game()
    for action in turn:
        slowly.play(action)
    assert game.play_turn([*turn, "choose 16", "no such action"]) == len(turn)
    assert BaseGame.play_turn(slowly.start, [*turn, "choose 16"]) == len(turn)
    assert (game, game.history) == (slowly, slowly.history)
    assert game.play_turn([]) == 0
    over = Game(position=WHITE_WINS)
    winning = next(turn.actions for turn in over.turns() if turn.result == "1-0")
    assert over.play_turn([*winning, 0]) == len(winning)
    with pytest.raises(IllegalActionError, match="the game is over"):
        over.play_turn([0])


def test_the_actions_before_an_illegal_one_of_a_turn_are_played() -> None:
    game = Game()
    with pytest.raises(IllegalActionError, match="'focus past'"):
        game.play_turn(["choose 1", "move east", "focus past"])
    assert len(game.history) == 2
    with pytest.raises(UnknownActionError):
        game.play_turn(["fly"])


def test_history_holds_the_actions_played_by_number() -> None:
    game = Game()
    assert game.history == []
    game.play("choose 1")
    game.play(action_index("move east"))
    game.play(np.int64(action_index("move east")))
    assert game.history == [action_index(name) for name in ("choose 1", "move east", "move east")]
    assert {type(action) for action in game.history} == {int}
    assert Game(position=game.position).history == []


@each_setting
def test_a_history_leads_to_the_same_game(chapters: tuple[str, ...], edition: str) -> None:
    config = GameConfig(chapters=chapters, edition=edition, max_turns=15, **TALK)
    *_, game = random_game(Game(config), seed=2)
    again = Game(config)
    for action in game.history:
        again.play(action)
    assert facts_of(again) == facts_of(game)


# What a game reports.


@each_setting
def test_legal_actions_and_mask_agree(chapters: tuple[str, ...], edition: str) -> None:
    for game in random_game(Game(chapters=chapters, edition=edition, max_turns=12, **TALK), seed=3):
        legal, mask = game.legal_actions(), game.action_mask()
        assert legal == np.flatnonzero(mask).tolist()
        assert {type(action) for action in legal} <= {int}
        assert mask.dtype == np.int8
        assert mask.shape == (len(ACTIONS),)
        assert set(mask.tolist()) <= {0, 1}


def test_turns_and_sides_follow_the_position() -> None:
    for game in random_game(Game(first_player="black", max_turns=12), seed=4):
        fields = game.position.split(" ")
        assert game.turn == int(fields[10])
        assert game.to_act == {"w": "white", "b": "black"}[fields[2]]
        assert game.to_act == ("black" if game.turn % 2 else "white")


def test_returned_lists_and_arrays_are_the_callers_own() -> None:
    game = Game(chapters=CHAPTERS)
    game.play("choose 1")
    before = facts_of(game)
    game.history.clear()
    game.legal_actions().clear()
    game.action_mask()[:] = 1
    game.observation()[:] = 1
    assert facts_of(game) == before
    kept = game.history, game.legal_actions(), game.action_mask(), game.observation()
    copied = copy.deepcopy(kept)
    game.play("move east")
    for one, other in zip(kept, copied, strict=True):
        assert np.array_equal(one, other), "what was returned before a step changes with it"


def test_observation_is_the_acting_players_unless_another_is_named() -> None:
    for game in random_game(Game(chapters=CHAPTERS, max_turns=6), seed=5):
        views = {player: game.observation(player) for player in ("white", "black")}
        assert np.array_equal(game.observation(), views[game.to_act])
        assert np.array_equal(game.observation(None), views[game.to_act])
        assert not np.array_equal(views["white"], views["black"])
        white = [plane.name for plane in PLANES].index("white")
        assert views["white"][white].all()
        assert not views["black"][white].any()


@pytest.mark.parametrize("player", ["", "White", "w", "white_0", "nobody", 0, 1, True, ["white"]])
def test_observation_of_a_wrong_player_is_refused(player: Any) -> None:
    with pytest.raises(ConfigError, match="'white' or 'black'") as refused:
        Game().observation(player)
    assert refused.value.keyword == "player"
    assert repr(player) in str(refused.value)


@pytest.mark.parametrize("ply", [1.0, None, "1", True, np.True_, [1], slice(1)])
def test_a_ply_that_is_not_a_number_is_refused(ply: Any) -> None:
    with pytest.raises(ConfigError, match=r"^ply=.* integer$"):
        Game().at(ply)


@pytest.mark.parametrize(
    "seed", [-1, 1.0, "1", True, np.True_, [1], 1j, math.nan, np.array(3.0), np.arange(3)]
)
def test_an_invalid_seed_is_refused(seed: Any) -> None:
    for make in (
        lambda: Game(seed=seed),
        lambda: Game(seed=seed, chapters="convergence"),
        lambda: Game(seed=seed, position=START),
    ):
        with pytest.raises(ConfigError, match=r"^seed=.* integer from 0"):
            make()
    with pytest.raises(ConfigError, match=r"^seed="):
        TerminusGame(seed=seed)


@pytest.mark.parametrize("config", [5, 0, "", [], {}])
def test_a_game_from_a_state_has_a_config_or_none(config: Any) -> None:
    with pytest.raises(ConfigError, match=r"^config=.*GameConfig"):
        Game.from_state(Game().state, config)


def test_an_action_that_cannot_be_printed_is_refused() -> None:
    for action in (10**5000, "x" * 10**6, "\ud800", object()):
        with pytest.raises(UnknownActionError) as refused:
            Game().play(action)
        assert len(str(refused.value).encode()) < 1000


# Results.


@pytest.mark.parametrize(
    ("position", "actions", "result", "winner", "is_truncated"),
    [
        (WHITE_WINS, ["focus present"], "1-0", "white", False),
        (BLACK_WINS, ["focus present"], "0-1", "black", False),
        (NOBODY_WINS, ["focus present"], "*", None, True),
        (START, ["concede"], "0-1", "black", False),
        (START, ["offer draw", "accept draw"], "1/2", None, False),
        (START, ["offer draw", "decline draw", "concede"], "0-1", "black", False),
    ],
)
def test_results(
    position: str, actions: list[str], result: str, winner: str | None, is_truncated: bool
) -> None:
    number = int(position.split(" ")[-1])
    game = (
        Game(position=position, max_turns=max(number, 2), **TALK)
        if result != "*"
        else Game(position=position, max_turns=number)
    )
    for action in actions:
        assert (game.result, game.winner, game.is_truncated) == (None, None, False)
        game.play(action)
    assert (game.result, game.winner, game.is_truncated) == (result, winner, is_truncated)
    assert game.turn == number
    fields = game.position.split(" ")
    assert fields[2] == position.split(" ")[2], "whose turn ended or was broken off"
    assert fields[3] == result
    assert fields[5] == "-"
    assert Game(game.config, position=game.position) == game


def test_a_win_in_the_last_turn_is_a_win() -> None:
    game = Game(position=WHITE_WINS, max_turns=9)
    game.play("focus present")
    assert game.result == "1-0"


# Copies, equality, hash.


@each_setting
@every_copy
def test_a_copy_is_the_same_game(copied: Copy, chapters: tuple[str, ...]) -> None:
    for game in random_game(Game(chapters=chapters, max_turns=6, **TALK), seed=6):
        twin = copied(game)
        assert type(twin) is Game
        assert twin is not game
        assert twin == game
        assert facts_of(twin) == facts_of(game)


@every_copy
def test_a_copy_and_its_original_go_their_own_ways(copied: Copy) -> None:
    game = Game(chapters="memory")
    game.play("choose 1")
    twin = copied(game)
    before = facts_of(game)
    twin.play("move east")
    assert facts_of(game) == before
    after = facts_of(twin)
    game.play("move south")
    assert facts_of(twin) == after
    assert twin != game


def test_copies_of_copies_and_games_in_containers_can_be_made() -> None:
    games = [Game(chapters="growth"), Game()]
    twins = copy.deepcopy(games)
    assert twins == games
    twins[0].play("choose 1")
    assert twins[0] != games[0]
    assert twins[0].copy().copy() == twins[0]


def test_equality_and_hash_are_those_of_the_position_not_of_the_way_there() -> None:
    one, other = Game(), Game()
    for action in ("choose 1", "move east", "move south"):
        one.play(action)
    for action in ("choose 1", "move south", "move east"):
        other.play(action)
    assert one.history != other.history
    assert one == other
    assert hash(one) == hash(other)
    assert one == Game(position=one.position)
    assert len({one, other, one.copy(), Game(position=one.position)}) == 1
    assert one != Game()
    assert len({one, Game()}) == 2


@pytest.mark.parametrize(
    "settings",
    [
        {"edition": "2022"},
        {"power_texts": 2},
        {"max_turns": 201},
        {"concede": True},
        {"draws": True},
    ],
)
def test_games_of_different_settings_differ(settings: dict[str, Any]) -> None:
    game, other = Game(), Game(**settings)
    assert game.position == other.position
    assert game != other
    assert hash(game) != hash(other)


def test_a_game_equals_nothing_but_games() -> None:
    game = Game()
    assert (game == game.position) is False
    assert game != None  # noqa: E711
    assert game != 0
    assert game.__eq__(START) is NotImplemented


# Where a game begins.


def test_the_position_decides_what_it_contains_and_settings_the_rest() -> None:
    position = (
        "W..D/.IO./.*.*/L..B|W.../D.O./.#.#/L..B|W..D/B.O./.TW./L..B GIM w 2 NF N1 2/3 b -w-/--b "
        "-/- 12"
    )
    game = Game(
        position=position,
        chapters="standard",
        first_player="black",
        handicap=(3, 3),
        edition="2022",
        max_turns=12,
        **TALK,
    )
    assert game.position == position
    assert game.config == GameConfig(
        chapters="standard",
        first_player="black",
        handicap=(3, 3),
        edition="2022",
        max_turns=12,
        **TALK,
    )
    assert game == Game(position=position, edition="2022", max_turns=12, **TALK)


def test_talk_is_legal_only_where_switched_on() -> None:
    talk = {"concede", "offer draw"}
    for settings, expected in (
        ({}, set()),
        ({"concede": True}, {"concede"}),
        ({"draws": True}, {"offer draw"}),
        (TALK, talk),
    ):
        for position in (START, with_fields(START, to_act="b")):
            game = Game(position=position, **settings)
            assert {ACTIONS[action] for action in game.legal_actions()} & talk == expected


def test_settings_given_as_keywords_change_a_config() -> None:
    config = GameConfig(chapters="growth", max_turns=7)
    game = Game(config, max_turns=9, edition="2022")
    assert game.config == GameConfig(chapters="growth", max_turns=9, edition="2022")
    assert config.max_turns == 7
    assert Game(config).config == config


@pytest.mark.parametrize("config", ["growth", 1, {"chapters": "growth"}, START, ()])
def test_an_invalid_config_is_refused(config: Any) -> None:
    with pytest.raises(ConfigError, match="GameConfig") as refused:
        Game(config)
    assert refused.value.keyword == "config"


def test_a_refused_position_raises_before_there_is_a_game() -> None:
    with pytest.raises(PositionError):
        Game(position="nonsense")
    with pytest.raises(PositionError):
        Game(position="")


def test_a_generator_is_drawn_from_and_goes_on() -> None:
    def drawn(generator: np.random.Generator) -> list[str]:
        return [Game(chapters="convergence", seed=generator).position for _ in range(20)]

    one = drawn(np.random.default_rng(1))
    assert one == drawn(np.random.default_rng(1))
    assert len(set(one)) == 3


@each_setting
def test_nothing_is_drawn_where_nothing_is_left_to_chance(chapters: tuple[str, ...]) -> None:
    generator, untouched = np.random.default_rng(1), np.random.default_rng(1)
    Game(chapters=chapters, seed=generator)
    Game(position=START, seed=generator)
    assert generator.random() == untouched.random()


# Text.

DRAWN_ACTING = """\
turn 12: white to act, 2 actions left
 past          |    present W     |    future B
 W  .  .  D    |   [W] .  .  .    |    W  .  .  D
 .  I  O  .    |    Dw .  O  .    |    B  .  O  .
 .  *  .  *    |    .  #  .  #    |    .  T  W  .
 L  .  .  B    |    L  .  .  B    |    Lb .  .  B
supply: white 2, black 3; statues to build: black; chapters: growth, influence, memory
* seed, # shrub, T tree, O orange statue, I white's statue, D dark elephant, L light elephant"""

DRAWN_WON = """\
turn 9: over, white won
 past          |    present W     |    future B
 W  .  .  .    |    W  .  .  .    |    W  .  .  .
 .  .  .  .    |    .  .  .  .    |    .  .  .  .
 .  .  .  .    |    .  .  .  .    |    .  .  .  .
 .  .  .  B    |    .  .  .  .    |    .  .  .  .
supply: white 4, black 4
last action: focus present"""


def test_drawing_of_a_copy_about_to_act() -> None:
    position = (
        "W..D/.IO./.*.*/L..B|W.../D.O./.#.#/L..B|W..D/B.O./.TW./L..B GIM w 2 NF N1 2/3 b -w-/--b "
        "-/- 12"
    )
    assert str(Game(position=position)) == DRAWN_ACTING


def test_drawing_of_a_game_that_is_won() -> None:
    game = Game(position=WHITE_WINS)
    game.play("focus present")
    assert str(game) == DRAWN_WON


@pytest.mark.parametrize(
    ("position", "line"),
    [
        (START, "turn 1: white to choose a copy"),
        (with_fields(START, step="1", active_copy="N1"), "turn 1: white to act, 1 action left"),
        (
            with_fields(START, to_act="b", step="f", active_copy="P16"),
            "turn 1: black to shift the focus",
        ),
        (with_fields(START, step="c="), "turn 1: white to choose a copy, a draw was offered"),
        (with_fields(START, to_act="b", step="a"), "turn 1: black to answer a draw offer"),
        (
            with_fields(START, chapters="G", step="2+", active_copy="P1", powers="green-thumb/-"),
            "turn 1: white to act, 2 actions left, one of them free",
        ),
        (
            with_fields(START, step="d", focus="--", powers=f"{REVEALED}/-/-"),
            "turn 1: white to draft a power",
        ),
        (
            with_fields(START, step="o", focus="--", powers=f"{REVEALED}/doorway"),
            "turn 1: white to decide who goes first",
        ),
        (with_fields(START, step="1-0"), "turn 1: over, white won"),
        (with_fields(START, step="0-1"), "turn 1: over, black won"),
        (with_fields(START, step="1/2"), "turn 1: over, drawn"),
        (with_fields(START, step="*"), "turn 1: over, cut off at the turn limit"),
    ],
)
def test_drawing_says_first_what_is_to_be_done(position: str, line: str) -> None:
    assert str(Game(position=position)).splitlines()[0] == line


def test_drawing_brackets_the_active_copy_and_nothing_else() -> None:
    game = Game()
    assert "[" not in str(game)
    game.play("choose 1")
    assert str(game).splitlines()[2].startswith("[W]")
    game.play("move east")
    assert str(game).splitlines()[2].startswith(" . [W]")
    assert str(game).count("[") == 1
    game.play("move east")
    game.play("focus present")
    assert "[" not in str(game)


def test_drawing_shows_focus_tokens_and_the_last_action() -> None:
    game = Game()
    assert str(game).splitlines()[1] == " past W        |    present       |    future B"
    assert "last action" not in str(game)
    for action in ("choose 1", "move east", "move east", "focus future"):
        game.play(action)
        assert str(game).splitlines()[-1] == f"last action: {action}"
    assert str(game).splitlines()[1] == " past          |    present       |    future WB"


def test_drawing_shows_whose_hat_an_elephant_wears() -> None:
    position = (
        "W..D/..../..../L..B|W..D/..../..../L..B|W..D/..../..../L..B M w c PF - 4/4 - wb-/-w- -/- 1"
    )
    north, south = str(Game(position=position)).splitlines()[2:6:3]
    assert north == " W  .  .  Dw   |    W  .  .  Db   |    W  .  .  D"
    assert south == " L  .  .  B    |    Lw .  .  B    |    L  .  .  B"


@each_setting
def test_drawing_has_no_blanks_at_line_ends(chapters: tuple[str, ...]) -> None:
    for game in random_game(Game(chapters=chapters, max_turns=8), seed=8):
        for line in str(game).splitlines():
            assert line == line.rstrip()


def test_repr_makes_the_position_again() -> None:
    game = Game(position=VARIED[2])
    assert repr(game) == f"Game(position={VARIED[2]!r})"
    assert eval(repr(game)) == game
