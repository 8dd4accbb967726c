"""The game in the interface of alpha-zero-general, and the sign of values in searches over it.

The library is not needed.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.games.tkm.positions import BLACK_WINS, WHITE_WINS
from tests.package.libraries.table import ROOT
from tkm_env import Game, action_index, decode_observation

#: White pushes a copy out of the present with "move east", and wins with any focus after that;
#: the second position is its image with the colours exchanged.
PUSH_WINS = (
    "W.../..../..../...B|..WB/..../..../....|W.../..../..../.... - w 1 NF N3 4/4 - ---/--- -/- 9",
    "B.../..../..../...W|..BW/..../..../....|B.../..../..../.... - b 1 FN N3 4/4 - ---/--- -/- 9",
)

SETTINGS: list[dict[str, Any]] = [
    {},
    {"chapters": "growth+memory", "concede": True},
    {"chapters": "influence", "powers": ("grapple", "exchange"), "draws": True},
    {"max_turns": 5},
    {"timeline": "draft_powers", "power_set": "tempo", "chapters": "standard"},
]


@pytest.fixture(scope="module")
def example() -> Any:
    path = ROOT / "examples/libraries/alpha_zero_general.py"
    found = importlib.util.spec_from_file_location("alpha_zero_general", path)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


@pytest.fixture(params=["AlphaZeroGame", "WholeTurns"])
def interface(request: pytest.FixtureRequest, example: Any) -> Callable[..., Any]:
    made: Callable[..., Any] = getattr(example, request.param)
    return made


def random_play(interface: Any, generator: np.random.Generator) -> Any:
    """A random game: each board with its player, its canonical form and the move chosen there."""
    board, player = interface.getInitBoard(), 1
    while interface.getGameEnded(board, player) == 0:
        canonical = interface.getCanonicalForm(board, player)
        moves = interface.getValidMoves(canonical, 1).nonzero()[0]
        move = int(generator.choice(moves))
        yield board, player, canonical, move
        board, player = interface.getNextState(board, player, move)
    yield board, player, interface.getCanonicalForm(board, player), None


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("seed", range(3))
def test_play_from_canonical_boards_is_play_of_the_same_game(
    interface: Any, settings: dict[str, Any], seed: int
) -> None:
    game = interface(**settings)
    played, follows = Game(**settings), None
    for board, player, canonical, move in random_play(game, np.random.default_rng(seed)):
        if follows is not None:
            assert (canonical.game, canonical.one) == (follows.game, follows.one)
        assert board.game == canonical.game == played
        if move is None:
            break
        assert played.to_act == (board.one if player == 1 else "black")
        assert canonical.one == played.to_act
        after, relative = game.getNextState(canonical, 1, move)
        follows = game.getCanonicalForm(after, relative)
        for action in game.actions(board, move):
            played.play(action)
    points = {"1-0": 1, "0-1": -1}.get(str(played.result), 1e-4)
    assert game.getGameEnded(board, 1) == points
    assert game.getGameEnded(board, -1) == (points if abs(points) < 1 else -points)
    assert game.getGameEnded(canonical, 1) == game.getGameEnded(board, player)


def test_a_truncated_game_and_a_draw_have_ended_though_nobody_won(interface: Any) -> None:
    game = interface(max_turns=1)
    *_, (board, player, _, _) = random_play(game, np.random.default_rng(1))
    assert board.game.result == "*"
    assert 0 < game.getGameEnded(board, player) < 0.01
    drawn = board._replace(game=Game(draws=True))
    for action in ("offer draw", "accept draw"):
        drawn.game.play(action)
    assert drawn.game.result == "1/2"
    assert 0 < game.getGameEnded(drawn, 1) < 0.01


def test_a_player_stays_1_until_the_turn_is_over(example: Any) -> None:
    game = example.AlphaZeroGame()
    relative = []
    for _, _, canonical, move in random_play(game, np.random.default_rng(1)):
        if move is not None:
            after, player = game.getNextState(canonical, 1, move)
            assert (player == 1) == (
                after.game.result is None and after.game.to_act == canonical.game.to_act
            )
            relative.append(player)
    assert relative[-1] == -1
    assert relative.count(1) > 2 * relative.count(-1) > 0


def test_whole_turns_alternate(example: Any) -> None:
    game = example.WholeTurns()
    boards = [*random_play(game, np.random.default_rng(1))]
    assert [player for _, player, _, _ in boards] == [(-1) ** turn for turn in range(len(boards))]


def test_more_turns_than_moves_are_an_error(example: Any) -> None:
    game = example.WholeTurns(3)
    with pytest.raises(ValueError, match="turns, but there is room for 3"):
        game.getValidMoves(game.getInitBoard(), 1)


@pytest.mark.parametrize("settings", SETTINGS[:3])
def test_images_of_a_board_show_the_images_of_its_legal_moves(
    example: Any, settings: dict[str, Any]
) -> None:
    game = example.AlphaZeroGame(**settings)
    for _, _, canonical, move in random_play(game, np.random.default_rng(2)):
        if move is None:
            break
        mask = game.getValidMoves(canonical, 1)
        forms = game.getSymmetries(canonical, mask / mask.sum())
        assert len(forms) == (16 if "memory" in str(settings) else 8)
        np.testing.assert_array_equal(forms[0][0], game.observe(canonical))
        np.testing.assert_array_equal(forms[0][1], mask / mask.sum())
        for seen, policy in forms[:: len(forms) // 4]:
            image = Game(game.encoder.config, position=decode_observation(seen))
            np.testing.assert_array_equal(policy > 0, image.action_mask() == 1)


def test_equal_strings_mean_equal_positions_with_the_same_player_to_act(interface: Any) -> None:
    game, seen = interface(), {}
    for seed in range(5):
        for board, _, canonical, _ in random_play(game, np.random.default_rng(seed)):
            for shown in (board, canonical):
                text = game.stringRepresentation(shown)
                assert seen.setdefault(text, (shown.game.position, shown.one)) == (
                    shown.game.position,
                    shown.one,
                )
    assert len({*seen.values()}) == len(seen)
    text = game.getInitBoard().game.position
    others = [text, text.replace(" w c ", " b c "), text.replace(" PF ", " NF ")]
    boards = [game.getInitBoard()._replace(game=Game(position=other)) for other in others]
    assert len({game.stringRepresentation(board) for board in boards}) == 3


class Constant:
    """A network for which white has won a little everywhere."""

    def __init__(self, moves: int) -> None:
        self.moves = moves

    def predict(self, board: Any) -> tuple[Any, float]:
        return np.ones(self.moves), 0.5 if board.game.to_act == "white" else -0.5


@pytest.mark.parametrize(("per_ply", "agrees"), [(False, True), (True, False)])
def test_only_a_sign_per_player_keeps_values_of_whoever_owns_them(
    example: Any, per_ply: bool, agrees: bool
) -> None:
    game = example.AlphaZeroGame()
    network = Constant(game.getActionSize())
    search = example.Search(game, network, 100, per_ply=per_ply)
    root = example.Node(game.getInitBoard(), game, network)
    for _ in range(100):
        search.simulate(root)
    assert root.visits.sum() == 100
    assert np.allclose(root.total, 0.5 * root.visits) == agrees


@pytest.mark.parametrize("position", PUSH_WINS)
@pytest.mark.parametrize(("per_ply", "wins"), [(False, True), (True, False)])
def test_a_win_within_the_turn_is_found_by_the_sign_per_player_only(
    example: Any, position: str, per_ply: bool, wins: bool
) -> None:
    game = example.AlphaZeroGame()
    network = example.Playout(game, np.random.default_rng(1))
    player = example.Player(
        "search", game, lambda: example.Search(game, network, 60, per_ply=per_ply)
    )
    assert (player.act(Game(position=position)) == action_index("move east")) == wins


@pytest.mark.parametrize("position", [*PUSH_WINS, WHITE_WINS, BLACK_WINS])
def test_over_whole_turns_the_sign_per_ply_wins(example: Any, position: str) -> None:
    game = example.WholeTurns()
    network = example.Playout(game, np.random.default_rng(1))
    player = example.Player("search", game, lambda: example.Search(game, network, 60, per_ply=True))
    played = Game(position=position)
    mover = played.to_act
    while played.result is None:
        played.play(player.act(played))
        assert played.to_act == mover
    assert played.winner == mover


def test_the_change_to_the_library_is_one_line_that_must_be_there(
    example: Any, tmp_path: Path
) -> None:
    source = """
class MCTS:
    def search(self, next_s):
        return 0.5

    def value(self, next_s, next_player):
        v = self.search(next_s)
        return v
"""
    (tmp_path / "MCTS.py").write_text(source)
    values = [
        example.library_search(tmp_path, changed)().value(None, player)
        for changed in (False, True)
        for player in (1, -1)
    ]
    assert values == [0.5, 0.5, -0.5, 0.5]
    (tmp_path / "MCTS.py").write_text(source.replace("v = self", "value = self"))
    with pytest.raises(SystemExit, match="has no line"):
        example.library_search(tmp_path, True)
