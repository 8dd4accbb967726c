"""Tables of endgames against a solver that shares no code with the package."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.kernels import write_entries
from tests.players.tkm.search import outside_solver as outside
from tests.players.tkm.search.endgame_positions import play_out
from tests.players.tkm.search.helpers import MORE
from tkm_env import Game, GameConfig
from tkm_env.compiled.decorators import COMPILES
from tkm_env.foundations.errors import PositionError
from tkm_env.games.tkm.engine.state import BLACK, COPY, WHITE
from tkm_env.players import make_agent
from tkm_env.players.tkm.search.endgames import FOLDER_VARIABLE, Endgames, endgames, known_outcome

#: How many positions a long test draws at once.
PART = 2_000


class Position(NamedTuple):
    """A position as the outside solver sees it, with white as the side to act."""

    board: NDArray[np.uint8]
    mine: int
    theirs: int

    def game(self, turn: int = 9, **settings: Any) -> Game:
        """The position in the package's game."""
        cells = np.array(list(".WB"))[self.board[:48]].reshape(3, 4, 4)
        eras = "|".join("/".join("".join(row) for row in era) for era in cells)
        focus = "PNF"[self.mine] + "PNF"[self.theirs]
        supply = f"{self.board[outside.MY_SUPPLY]}/{self.board[outside.THEIR_SUPPLY]}"
        text = f"{eras} - w {{}} {focus} - {supply} - ---/--- -/- {turn}"
        try:
            return Game(position=text.format("c"), **settings)
        except PositionError:  # no copy can be chosen: the turn begins with the focus
            return Game(position=text.format("f"), **settings)


class Positions(NamedTuple):
    """Many positions."""

    boards: NDArray[np.uint8]  # (n, SIZE)
    foci: NDArray[np.int64]  # (n, 2)

    def __getitem__(self, index: Any) -> Position:
        return Position(self.boards[index], *self.foci[index].tolist())


def seen_by_the_side_to_act(game: Game) -> Position:
    """A position between two turns of the package's game, as the outside solver sees it."""
    state, side = game.state[0], WHITE if game.to_act == "white" else BLACK
    board = np.zeros(outside.SIZE, np.uint8)
    cells = state["cell"].ravel()
    board[:48][cells == COPY + side] = outside.MINE
    board[:48][cells == COPY + 1 - side] = outside.THEIRS
    board[48:] = state["supply"][[side, 1 - side]]
    return Position(board, *state["focus"][[side, 1 - side]].tolist())


@cache
def sides(most: int) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """All ways to have at most that many copies, in two eras or more, and the rest in supply.

    Returns 1 where a copy stands, uint8 of shape (n, 48), and the supplies, of shape (n,).
    """
    ways = [
        (spaces, supply)
        for copies in range(2, most + 1)
        for spaces in combinations(range(48), copies)
        if len({space // 16 for space in spaces}) > 1
        for supply in range(most - copies + 1)
    ]
    stands = np.zeros((len(ways), 48), np.uint8)
    for row, (spaces, _) in zip(stands, ways, strict=True):
        row[list(spaces)] = 1
    return stands, np.array([supply for _, supply in ways], np.uint8)


def random_positions(generator: np.random.Generator, most: int, count: int) -> Positions:
    """Positions with at most that many copies a side, all equally likely."""
    stands, supplies = sides(most)
    mine, theirs = generator.integers(len(stands), size=(2, count))
    while (meet := (stands[mine] & stands[theirs]).any(1)).any():
        mine[meet], theirs[meet] = generator.integers(len(stands), size=(2, int(meet.sum())))
    boards = [
        stands[mine] * outside.MINE + stands[theirs] * outside.THEIRS,
        supplies[mine, None],
        supplies[theirs, None],
    ]
    return Positions(np.hstack(boards), generator.integers(3, size=(count, 2)))


def entries_of(boards: NDArray[np.uint8], foci: NDArray[np.int64], table: Endgames) -> Any:
    """What a table of the package says of many positions: int64 of shape (n,)."""
    values = np.zeros(len(boards), np.int64)
    write_entries(boards, foci, GameConfig().starts()[0].copy(), table, values)
    return values


def assert_follow(positions: Positions, table: Endgames) -> None:
    """Every entry follows from the entries one turn away, says the outside solver."""
    *ends, begins = outside.list_ends(*positions)
    wrong = outside.first_that_does_not_follow(
        entries_of(*positions, table), entries_of(*ends, table), begins
    )
    assert wrong < 0, positions[wrong].game().position


@pytest.fixture(scope="module")
def shipped() -> Endgames:
    """The table that comes with the package, whatever the variable says."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(FOLDER_VARIABLE, raising=False)
        return endgames.__wrapped__()


@pytest.fixture(scope="module")
def solution() -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """What the outside solver finds for two copies a side: see `outside_solver.solve`."""
    if not COMPILES:
        pytest.skip("takes hours uncompiled")
    return outside.solve()


class OutsidePlayer:
    """Plays best by the outside solver's values."""

    def __init__(self, values: NDArray[np.uint8]) -> None:
        self._values = values
        self._left: list[str] = []

    def act(self, game: Game) -> str:
        if not self._left:
            turns = outside.list_turns(*seen_by_the_side_to_act(game))
            self._left = list(max(turns, key=self._merit).actions)
        return self._left.pop(0)

    def _merit(self, turn: outside.Turn) -> float:
        """The sooner the other side loses, the better, and the later it wins."""
        if outside.eras_of(turn.board, outside.MINE) <= 1:
            return 2
        value = outside.value_in(self._values, turn.board, turn.mine, turn.theirs)
        return 0 if value == 0 else -1 / value if value % 2 else 1 / value


def board_of(mine: list[int], theirs: list[int]) -> NDArray[np.uint8]:
    """A board without supplies; spaces count from 0, era by era."""
    board = np.zeros(outside.SIZE, np.uint8)
    board[mine], board[theirs] = outside.MINE, outside.THEIRS
    return board


def assert_the_same_turns(position: Position) -> None:
    """The outside solver and the package's game list turns with the same ends."""
    ends, text = set(), position.game().position
    for turn in outside.list_turns(*position):
        played = position.game()
        for action in turn.actions:
            played.play(action)
        won = outside.eras_of(turn.board, outside.MINE) <= 1
        assert played.result == ("1-0" if won else None), (text, turn.actions)
        if not won:
            seen = seen_by_the_side_to_act(played)
            assert (seen.board == turn.board).all(), (text, turn.actions)
            assert seen[1:] == turn[2:], (text, turn.actions)
        ends.add(played.position)
    assert ends == {after.position for _, after in position.game().turns()}, text


@pytest.mark.parametrize("most", [2, 3, 4])
def test_both_sets_of_rules_list_the_same_turns(most: int) -> None:
    positions = random_positions(np.random.default_rng(most), most, 10 * MORE)
    for number in range(len(positions.boards)):
        assert_the_same_turns(positions[number])


def test_a_turn_without_a_copy_to_choose_only_shifts_the_focus() -> None:
    position = Position(board_of([0, 16], [15, 31]), 2, 1)
    assert [turn.actions for turn in outside.list_turns(*position)] == [
        ("focus past",),
        ("focus present",),
    ]
    assert_the_same_turns(position)


def test_a_copy_that_can_only_die_is_not_chosen_beside_one_that_can_act_twice() -> None:
    # The copy in the corner has its own neighbours on both sides, and nothing to travel back with.
    position = Position(board_of([32, 33, 36, 0], [15, 31]), 2, 1)
    chosen = {turn.actions[0] for turn in outside.list_turns(*position)}
    assert chosen == {"choose 2", "choose 5"}
    assert_the_same_turns(position)


def test_entries_drawn_from_the_shipped_table_follow_by_the_outside_solver(
    shipped: Endgames,
) -> None:
    assert_follow(random_positions(np.random.default_rng(5), 2, 20 * MORE**2), shipped)


def test_a_wrong_entry_does_not_follow_by_the_outside_solver(shipped: Endgames) -> None:
    values = shipped.values.copy()
    values[values == 5] = 7
    with pytest.raises(AssertionError, match=r" - w [cf] "):
        assert_follow(
            random_positions(np.random.default_rng(6), 2, 60 * MORE),
            shipped._replace(values=values),
        )


@pytest.mark.parametrize("turns_left", [1, 2, pytest.param(3, marks=pytest.mark.nightly)])
def test_the_table_within_the_turns_left_is_what_trying_everything_finds(turns_left: int) -> None:
    positions = random_positions(np.random.default_rng(7), 2, 4 * MORE)
    for number in range(len(positions.boards)):
        position = positions[number]
        game = position.game(turn=9, max_turns=8 + turns_left)
        assert known_outcome(game.state) == outside.decided_within(*position, turns_left), (
            game.position
        )


@pytest.mark.nightly
def test_the_outside_solver_finds_the_shipped_table_in_every_position(
    shipped: Endgames, solution: tuple[NDArray[np.int64], NDArray[np.uint8]]
) -> None:
    boards, values = solution
    board = np.zeros((len(boards), outside.SIZE), np.uint8)
    for copy, side in enumerate((1, 1, 2, 2)):
        board[np.arange(len(boards)), boards[:, copy]] = side
    for mine, theirs in product(range(3), repeat=2):
        found = values[(*boards.T, mine, theirs)]
        differs = entries_of(board, np.full((len(boards), 2), (mine, theirs)), shipped) != found
        assert not differs.any(), (boards[differs][0], mine, theirs)
    # Up to the eight symmetries of the square, these are the positions that the documents count.
    row, column = np.divmod(np.arange(16), 4)
    turned = [np.arange(16), 4 * column + 3 - row]
    turned += [turned[1][turned[1]], turned[1][turned[1][turned[1]]]]
    turned += [4 * (image // 4) + 3 - image % 4 for image in turned]
    smallest = np.full(len(boards), 48**4)
    for image in turned:
        there = np.sort((boards // 16 * 16 + image[boards % 16]).reshape(-1, 2, 2)).reshape(-1, 4)
        smallest = np.minimum(smallest, there @ [48**3, 48**2, 48, 1])
    classes, first = np.unique(smallest, return_index=True)
    counted = values[tuple(boards[first].T)].ravel()
    assert (len(classes), counted.size) == (68_076, 612_684)
    assert [round(100 * part) for part in ((counted % 2).mean(), (counted == 0).mean())] == [47, 34]
    assert (counted.max(), counted[counted % 2 == 1].max()) == (28, 27)


@pytest.mark.nightly
def test_the_outside_solver_wins_in_time_against_the_tables_defence(
    solution: tuple[NDArray[np.int64], NDArray[np.uint8]],
) -> None:
    boards, values = solution
    generator = np.random.default_rng(8)
    for turns in range(1, 28, 2):
        for position in positions_of(turns, boards, values, generator):
            # The last turn that the game has is the one that wins.
            game = position.game(turn=9, max_turns=8 + turns)
            assert play_out(game, OutsidePlayer(values)) == turns, game.position
            assert game.result == "1-0"
            if turns > 1:  # with one turn less there is no win
                assert known_outcome(position.game(turn=10, max_turns=8 + turns).state) == 0


@pytest.mark.nightly
def test_the_table_wins_in_time_against_the_outside_solvers_defence(
    solution: tuple[NDArray[np.int64], NDArray[np.uint8]],
) -> None:
    boards, values = solution
    generator = np.random.default_rng(9)
    attacker = make_agent("net")
    for turns in range(2, 29, 2):
        for position in positions_of(turns, boards, values, generator):
            game, defender = position.game(turn=9, max_turns=8 + turns), OutsidePlayer(values)
            while game.result is None:
                game.play((defender if game.to_act == "white" else attacker).act(game))
            assert (game.result, game.turn) == ("0-1", 8 + turns), game.position


def positions_of(
    value: int,
    boards: NDArray[np.int64],
    values: NDArray[np.uint8],
    generator: np.random.Generator,
    most: int = 20,
) -> Iterator[Position]:
    """Some of the positions with two copies a side and that value."""
    found = np.argwhere(values[tuple(boards.T)] == value)
    for number, mine, theirs in generator.permutation(found)[:most].tolist():
        board = np.zeros(outside.SIZE, np.uint8)
        outside.write_board(board, boards[number])
        yield Position(board, mine, theirs)


@pytest.mark.nightly
@pytest.mark.skipif(
    FOLDER_VARIABLE not in os.environ,
    reason="needs the table of three copies a side, whose folder TKM_TABLES names",
)
def test_entries_drawn_from_the_table_of_three_copies_follow_by_the_outside_solver(
    pytestconfig: pytest.Config,
) -> None:
    generator, left = np.random.default_rng(10), pytestconfig.getoption("--endgames")
    while left > 0:
        assert_follow(random_positions(generator, 3, min(left, PART)), endgames())
        left -= PART
