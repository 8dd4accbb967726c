"""Tables of endgames: against the rules in plain Python, in files, and in the play of agents."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from tests.players.tkm.search.endgame_positions import (
    follows_from_neighbours,
    play_out,
    random_endgame,
)
from tests.players.tkm.search.helpers import MORE
from tkm_env import Game
from tkm_env.compiled.decorators import COMPILES
from tkm_env.foundations.errors import FileError
from tkm_env.foundations.line_file import LineFile
from tkm_env.games.tkm.symmetries import SYMMETRIES
from tkm_env.players import make_agent
from tkm_env.players.tkm.search import endgames as asked
from tkm_env.players.tkm.search.analysis import analyse
from tkm_env.players.tkm.search.endgame_solver import EndgameSolver
from tkm_env.players.tkm.search.endgames import endgames, known_outcome

WON_IN_9 = (
    "..../..../..../W...|..../...B/..W./....|..../..../B.../.... - w c PN - 0/0 - ---/--- -/- {}"
)


def test_every_sampled_entry_follows_from_its_neighbours_by_the_rules() -> None:
    generator = np.random.default_rng(1)
    for game in (random_endgame(generator) for _ in range(20 * MORE)):
        assert known_outcome(game.state) == follows_from_neighbours(game), game.position


def test_all_images_of_a_position_have_the_same_outcome() -> None:
    generator = np.random.default_rng(2)
    for game in (random_endgame(generator) for _ in range(2 * MORE)):
        assert len({known_outcome(symmetry.states(game.state)) for symmetry in SYMMETRIES}) == 1, (
            game.position
        )


@pytest.mark.parametrize(
    ("position", "outcome"),
    [
        # An opponent with copies in one era only has lost, whatever is played.
        (
            (
                "W.../..../..../....|W.../..../..../...B|"
                "..../..../..../.... - w c PP - 0/0 - ---/--- -/- 9"
            ),
            1,
        ),
        # Three copies, and two with one in supply, are more than the table has.
        (
            (
                "WW../..../..../....|W.../..../..../...B|"
                "B.../..../..../.... - w c PP - 0/0 - ---/--- -/- 9"
            ),
            None,
        ),
        (
            (
                "W.../..../..../....|W.../..../..../...B|"
                "B.../..../..../.... - w c PP - 0/1 - ---/--- -/- 9"
            ),
            None,
        ),
        # The table knows neither chapters nor powers.
        (
            (
                "W.../..../..../....|W.../..../..../...B|"
                "B.../..../..../.... G w c PP - 0/0 - ---/--- -/- 9"
            ),
            None,
        ),
        (
            (
                "W.../..../..../....|W.../..../..../...B|"
                "B.../..../..../.... - w c PP - 0/0 - ---/--- fixation/- 9"
            ),
            None,
        ),
        # Not a turn of its own: the other side has offered a draw.
        (
            (
                "W.../..../..../....|W.../..../..../...B|"
                "B.../..../..../.... - w a PP - 0/0 - ---/--- -/- 9"
            ),
            None,
        ),
    ],
)
def test_the_table_answers_for_two_copies_a_side_under_the_standard_rules_only(
    position: str, outcome: int | None
) -> None:
    assert known_outcome(Game(position=position, draws=True).state) == outcome


def test_the_table_says_nothing_within_a_turn() -> None:
    game = Game(position=WON_IN_9.format(9))
    for action in ("choose 13", "move north", "move north"):
        game.play(action)
        assert known_outcome(game.state) is None, game.position


def test_a_win_that_does_not_fit_into_the_turns_left_is_not_claimed() -> None:
    for max_turns, outcome, worth in ((108, 9, "wins in 5"), (107, 0, "draws")):
        game = Game(position=WON_IN_9.format(100), max_turns=max_turns)
        assert known_outcome(game.state) == outcome
        assert [analyse(game.state, lines=1, depth=depth)[0].worth for depth in (1, 4)] == [
            worth,
            worth,
        ]


def test_a_line_from_the_table_goes_on_to_the_end_of_the_game() -> None:
    game = Game(position=WON_IN_9.format(9))
    line = analyse(game.state, lines=1, depth=2)[0]
    for turn in line.turns:
        for action in turn:
            game.play(action)
    assert (len(line.turns), line.worth, game.result) == (9, "wins in 5", "1-0")


@pytest.mark.parametrize(
    "player",
    ["net", "alphabeta:depth=1", "alphabeta:depth=3", "mcts:iterations=20", "gumbel:iterations=20"],
)
def test_players_win_as_soon_as_the_table_says(player: str) -> None:
    agent, generator, won = make_agent(player), np.random.default_rng(3), 0
    agent.reset(1)
    while won < (8 if COMPILES else 1):
        game = random_endgame(generator)
        turns = known_outcome(game.state)
        if turns and turns % 2 and turns > 4:
            won += 1
            assert play_out(game, agent) == turns, game.position


@pytest.mark.parametrize(
    "player", ["net", "alphabeta:depth=2", "mcts:iterations=20", "gumbel:iterations=20"]
)
def test_players_never_leave_a_drawn_endgame_for_a_lost_one(player: str) -> None:
    agent, generator, drawn = make_agent(player), np.random.default_rng(4), 0
    agent.reset(1)
    while drawn < (8 if COMPILES else 1):
        game = random_endgame(generator)
        if known_outcome(game.state) == 0:
            drawn += 1
            side = game.to_act
            while game.result is None and game.to_act == side:
                game.play(agent.act(game))
            assert known_outcome(game.state) == 0, game.position


def shipped() -> bytes:
    return gzip.decompress((files(asked.__package__) / asked._SHIPPED).read_bytes())


def table_in(folder: Path, content: bytes) -> EndgameSolver:
    """A table whose file has this content."""
    table = EndgameSolver(folder, 2)
    table.path.write_bytes(content)
    return table


@pytest.mark.slow
@pytest.mark.skipif(not COMPILES, reason="takes hours uncompiled")
def test_the_shipped_table_is_what_killed_and_resumed_solving_makes_and_every_entry_is_proven(
    tmp_path: Path,
) -> None:
    table = EndgameSolver(tmp_path, 2)
    code = (
        f"from {EndgameSolver.__module__} import *\n"
        f"for step in EndgameSolver({str(tmp_path)!r}, 2).solve(): print(step, flush=True)"
    )
    for steps in (1, 5, 20):  # the first ones list the turns
        with subprocess.Popen(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True
        ) as solver:
            assert solver.stdout is not None
            for _ in range(steps):
                assert solver.stdout.readline()
            os.kill(solver.pid, signal.SIGKILL)
        with pytest.raises(FileError, match="not complete"):
            list(table.prove())
    assert [doing for doing, _ in table.solve()][-1] == "decided in 29"
    assert table.path.read_bytes() == shipped()
    assert list(table.solve()) == []
    assert len(list(table.prove())) > 1
    assert not [*tmp_path.glob("*.turns")], "the lists of turns stayed"


@pytest.mark.slow
@pytest.mark.skipif(not COMPILES, reason="takes hours uncompiled")
@pytest.mark.parametrize("left", [0, 3, 4, 100_000, -1], ids="{} bytes".format)
def test_lists_of_turns_that_were_cut_short_are_completed(tmp_path: Path, left: int) -> None:
    table = EndgameSolver(tmp_path, 2)
    next(step for step in table.solve() if step[0] == "decided in 2")
    (lists,) = tmp_path.glob("*.turns")
    whole = lists.read_bytes()
    lists.write_bytes(whole[:left])
    next(step for step in table.solve() if step[0] == "decided in 2")
    assert lists.read_bytes() == whole
    assert [*table.solve()]
    assert table.path.read_bytes() == shipped()


@pytest.mark.skipif(not COMPILES, reason="takes minutes uncompiled")
def test_a_proof_names_a_wrong_entry(tmp_path: Path) -> None:
    content = bytearray(shipped())
    content[1000] ^= 3
    with pytest.raises(
        FileError, match=r"standard-2\.endgames: entry [0-9]+ does not follow from its neighbours"
    ):
        list(table_in(tmp_path, bytes(content)).prove())


def test_files_that_are_no_tables_are_refused_and_stay(tmp_path: Path) -> None:
    content = shipped()
    for wrong in (b"", content[:-1]):
        table = table_in(tmp_path, wrong)
        for use in (
            lambda: list(table.solve()),  # noqa: B023 called at once
            lambda: list(table.prove()),  # noqa: B023 called at once
        ):
            with pytest.raises(FileError, match="it is not a table of this version"):
                use()
        assert table.path.read_bytes() == wrong


def test_two_programs_do_not_make_the_same_table_at_once(tmp_path: Path) -> None:
    table = EndgameSolver(tmp_path, 2)
    with LineFile(f"{table.path}.lock"), pytest.raises(FileError, match="another writer has it"):
        list(table.solve())


def test_the_variable_names_the_folder_of_the_largest_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(asked.FOLDER_VARIABLE, str(tmp_path))
    with pytest.raises(FileError, match=r"standard-3\.endgames"):
        endgames.__wrapped__()
    monkeypatch.setattr(asked, "MOST_COPIES", 2)
    table_in(tmp_path, shipped())
    found = endgames.__wrapped__()
    assert np.array_equal(found.values, endgames().values)
    assert asked._turns_to_decision(Game(position=WON_IN_9.format(9)).state, found) == 9
