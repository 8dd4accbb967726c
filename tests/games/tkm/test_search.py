"""The search: rollouts, keys, whole turns, evaluation, alpha-beta against plain minimax, Monte Carlo trees."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.games.tkm import tactics
from tests.games.tkm.positions import TALK, VARIED, WHITE_WINS
from tests.games.tkm.random_games import power_pairs, seed_of
from tests.time_budgets import Cut
from tkm_env import ACTIONS, Game, time_budget
from tkm_env.compiled.decorators import COMPILES, cache_folder, source_digest, source_folders
from tkm_env.compiled.random_numbers import new_streams
from tkm_env.game.state_arrays import words_of
from tkm_env.games.tkm.engine.actions import NUM_ACTIONS
from tkm_env.games.tkm.engine.geometry import NUM_ERAS
from tkm_env.games.tkm.engine.scratch import new_scratch
from tkm_env.games.tkm.engine.state import DRAWN, OVER, STATE, WON
from tkm_env.games.tkm.search import alphabeta, analysis, montecarlo
from tkm_env.games.tkm.search import tree as trees
from tkm_env.games.tkm.search.alphabeta import WIN, Searcher, turns_to_end
from tkm_env.games.tkm.search.analysis import Line, analyse
from tkm_env.games.tkm.search.evaluation import NUM_TERMS, TERMS, WEIGHTS, new_evaluator, terms_of
from tkm_env.games.tkm.search.hashing import write_keys
from tkm_env.games.tkm.search.history import REPETITION_VALUE, history_keys
from tkm_env.games.tkm.search.montecarlo import roll_out
from tkm_env.games.tkm.search.turns import list_turns, new_turn_generator, pack_actions, unpack_turn
from tkm_env.games.tkm.symmetries import SYMMETRIES

#: How many times as much may be done where the code is compiled.
MORE = 8 if COMPILES else 1


def positions(chapters: tuple[str, ...], edition: str, number: int, *, seed: int = 0, **settings: Any) -> list[Game]:
    """Unfinished games after some random actions."""
    generator = np.random.default_rng(seed_of(chapters, edition, seed))
    games: list[Game] = []
    while len(games) < number:
        for powers in power_pairs(chapters, generator, 3):
            game = Game(chapters=chapters, edition=edition, powers=powers, **settings)
            for _ in range(int(generator.integers(5, 60))):
                if game.result is None:
                    game.play(int(generator.choice(game.legal_actions())))
            if game.result is None:
                games.append(game)
    return games[:number]


def joined(games: list[Game]) -> np.ndarray[Any, Any]:
    """The games' states in one array; joining makes plain void of records."""
    return np.concatenate([game._states for game in games]).view(STATE)


def terms(states: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    counts = np.zeros((len(states), NUM_TERMS), np.int64)
    terms_of(states, counts, np.zeros((2, NUM_ERAS), np.int64))
    return counts


def values(states: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The evaluation for the side to act, worked out without the compiled sum."""
    return (terms(states) * WEIGHTS[states["chapters"]]).sum(1)


def turns_of(states: np.ndarray[Any, Any]) -> tuple[list[list[int]], np.ndarray[Any, Any]]:
    turns, after = np.zeros(1 << 14, np.int64), np.zeros(1 << 14, STATE)
    count = list_turns(new_turn_generator(), states, turns, after)
    assert count < len(turns)
    return [unpack_turn(int(turn)) for turn in turns[:count]], after[:count]


# Rollouts


def rollouts(game: Game, games: int, seed: int) -> list[int]:
    results = np.zeros(5, np.int64)
    mask = np.zeros((1, NUM_ACTIONS), np.int8)
    roll_out(game._states, games, results, game._states.copy(), mask, new_streams([seed]), new_scratch())
    return results.tolist()


def test_rollouts_end_in_wins_or_at_the_turn_limit_and_nobody_talks(chapters: tuple[str, ...], edition: str) -> None:
    game = Game(chapters=chapters, edition=edition, max_turns=12, **TALK)
    results = rollouts(game, 3 * MORE, 5)
    assert sum(results) == 3 * MORE
    assert results[DRAWN] == 0


def test_rollouts_with_the_same_seed_are_the_same() -> None:
    assert rollouts(Game(), 10, 1) == rollouts(Game(), 10, 1)
    assert len({tuple(rollouts(Game(), 10, seed)) for seed in range(10)}) > 1


def test_rollouts_leave_the_position_as_it_is() -> None:
    game = Game(chapters="memory")
    before = game.position
    rollouts(game, 2, 1)
    assert game.position == before


# Keys


def keys(states: np.ndarray[Any, Any], *, with_active: bool = True, with_turn: bool = False) -> list[int]:
    written = np.zeros(len(states), np.int64)
    write_keys(words_of(states), written, with_active, with_turn)
    return written.tolist()


def test_different_positions_have_different_keys(chapters: tuple[str, ...], edition: str) -> None:
    found: dict[int, bytes] = {}
    for game in positions(chapters, edition, MORE):
        _, after = turns_of(game._states)
        after["turn"] = 1
        for key, content in zip(keys(after), [state.tobytes() for state in after], strict=True):
            assert found.setdefault(key, content[: STATE.fields["chapters"][1]]) == content[: STATE.fields["chapters"][1]]  # type: ignore[index]


def test_positions_that_differ_in_two_places_have_keys_of_their_own() -> None:
    """A key sums up what each place contributes, so that differences in two words could cancel each other in all positions alike."""
    assert STATE.fields is not None
    values = {"cell": (1, 2, 4), "seed": (1, 2, 4, 8, 16, 32, 64, 128)}
    left_out = {"turn", "power_share", "chapters", "edition", "concede", "draws", "max_turns"}
    changes = [
        (place, value)
        for name, (kind, first, *_) in STATE.fields.items()
        if name not in left_out
        for place in range(first, first + (1 if kind == np.int64 else kind.itemsize))
        for value in values.get(name, (1, 2, 3))
    ]
    pairs = np.array([*itertools.combinations(changes, 2)])
    contents = np.zeros((len(pairs), STATE.itemsize), np.uint8)
    for number in range(2):
        contents[np.arange(len(pairs)), pairs[:, number, 0]] ^= pairs[:, number, 1].astype(np.uint8)
    assert len({*keys(contents.view(STATE)[:, 0])}) == len(np.unique(contents, axis=0)) > 20_000


def test_a_key_leaves_out_settings_and_optionally_the_turn_and_the_active_copy() -> None:
    states = np.repeat(Game(position=VARIED[4])._states, 4)
    states["max_turns"][1] = 9
    states["turn"][2] = 15
    states["active_space"][3] = 1
    assert len(set(keys(states))) == 2
    assert len(set(keys(states, with_active=False))) == 1
    assert len(set(keys(states, with_turn=True))) == 3


# Whole turns


def brute_force(game: Game) -> dict[bytes, list[int]]:
    """The positions a turn can lead to, by playing every order of actions."""
    found: dict[bytes, list[int]] = {}
    player = game.to_act

    def go(game: Game, taken: list[int]) -> None:
        if taken and (game.result is not None or game.to_act != player):
            found.setdefault(game._states.tobytes(), taken)
            return
        for action in game.legal_actions():
            if ACTIONS[action] not in ("concede", "offer draw"):
                after = game.copy()
                after.play(action)
                go(after, [*taken, action])

    go(game, [])
    return found


def test_turns_are_all_positions_one_turn_leads_to_each_once(chapters: tuple[str, ...], edition: str) -> None:
    for game in positions(chapters, edition, MORE // 2 or 1, **TALK):
        turns, after = turns_of(game._states)
        contents = [after[number : number + 1].tobytes() for number in range(len(after))]
        assert len(set(contents)) == len(contents)
        assert set(contents) == set(brute_force(game))
        for turn, content in zip(turns, contents, strict=True):
            trial = game.copy()
            for action in turn:
                trial.play(action)
            assert trial._states.tobytes() == content


@pytest.mark.parametrize("position", VARIED)
def test_turns_are_found_at_every_step(position: str) -> None:
    game = Game(position=position, **TALK)
    _, after = turns_of(game._states)
    assert {after[number : number + 1].tobytes() for number in range(len(after))} == set(brute_force(game))


def test_a_packed_turn_holds_the_longest_turn() -> None:
    longest = [NUM_ACTIONS - 1] * 9
    assert unpack_turn(pack_actions(longest)) == longest
    assert 0 < pack_actions(longest) < 2**63


# Evaluation


def test_the_evaluation_is_the_same_under_every_symmetry(chapters: tuple[str, ...]) -> None:
    states = joined(positions(chapters, "2021", 4 * MORE))
    for symmetry in SYMMETRIES:
        assert (terms(states) == terms(symmetry.states(states))).all()


def test_the_sides_terms_are_opposite_where_they_are_differences(chapters: tuple[str, ...]) -> None:
    states = joined(positions(chapters, "2021", 4 * MORE))
    passed = states.copy()
    passed["to_act"] = 1 - states["to_act"]
    differences = [number for number, (_, meaning, _) in enumerate(TERMS) if not meaning.startswith("*")]
    assert (terms(states)[:, differences] == -terms(passed)[:, differences]).all()


def test_terms_count_what_they_say() -> None:
    game = Game(position="W.../..../.W../...B|..../...B/..../....|..../..../..../W..B - w c PF - 2/4 - ---/--- -/- 9")
    counted = dict(zip((name for name, *_ in TERMS), terms(game._states)[0].tolist(), strict=True))
    assert {name: count for name, count in counted.items() if count} == {
        "tempo": 1,
        "eras": -1,
        "lone copies": -2,
        "edge copies": -1,
        "centre copies": 1,
        "past copies": 1,
        "supply": -2,
        "choice": 1,
    }


def test_a_copy_at_the_edge_is_attacked_from_where_it_can_be_pushed_over_it() -> None:
    attacked = Game(position="..../..../..WB/....|..../..../..../...B|..../..../W.../...B - w c PF - 4/4 - ---/--- -/- 9")
    safe = Game(position="W.../..../...B/....|..../..../..../...B|..../..../W.../...B - w c PF - 4/4 - ---/--- -/- 9")
    number = [name for name, *_ in TERMS].index("attacks")
    assert terms(attacked._states)[0, number] == 1
    assert terms(safe._states)[0, number] == 0


# Alpha-beta


def minimax(states: np.ndarray[Any, Any], depth: int, distance: int = 0) -> int:
    """The value to the side to act, by trying everything: no window, no table, no order.

    Where the turn limit is near the table distinguishes positions of different turns, so that none is valued by a deeper search than here.
    """
    _, after = turns_of(states)
    over = after["step"] == OVER
    found = np.where(after["result"] == WON + after["to_act"], WIN - distance - 1, 0)
    if depth == 1:
        found = np.where(over, found, -values(after))
    else:
        for number in (~over).nonzero()[0]:
            found[number] = -minimax(after[number : number + 1], depth - 1, distance + 1)
    return int(found.max())


def test_alphabeta_equals_minimax(chapters: tuple[str, ...], edition: str) -> None:
    searcher = Searcher(table_bits=10)
    for game in positions(chapters, edition, MORE // 2 or 1, max_turns=60, **TALK):
        for depth in (1, 2) if COMPILES else (1,):
            assert searcher.search(game._states, depth=depth).score == minimax(game._states, depth), game.position


@pytest.mark.slow
@pytest.mark.skipif(not COMPILES, reason="takes hours uncompiled")
def test_alphabeta_equals_minimax_deeper(chapters: tuple[str, ...], edition: str, pytestconfig: pytest.Config) -> None:
    searcher = Searcher(table_bits=12)
    for game in positions(chapters, edition, max(2, pytestconfig.getoption("games") // 50), seed=1, max_turns=60):
        if len(turns_of(game._states)[0]) < 150:
            assert searcher.search(game._states, depth=3).score == minimax(game._states, 3), game.position


@pytest.mark.parametrize("position", VARIED)
def test_alphabeta_plays_at_every_step(position: str) -> None:
    game = Game(position=position, **TALK)
    found = Searcher(table_bits=10).search(game._states, depth=1)
    player = game.to_act
    for action in found.turn:
        assert game.to_act == player
        game.play(action)
    assert game.result is not None or game.to_act != player


def test_alphabeta_near_the_turn_limit_does_not_hope_for_more_turns() -> None:
    game = Game(position=VARIED[0].removesuffix("1") + "10", max_turns=11)
    assert Searcher().search(game._states, depth=4).score == 0


def test_alphabeta_declines_a_draw_when_better_and_accepts_when_worse() -> None:
    better = "WW../..../..../....|WW../..../..../...B|W.../..../..../...B - w a PF - 2/1 - ---/--- -/- 20"
    worse = "W.../..../..../...B|W.../..../..../..BB|..../..../..../..BB - w a PF - 0/2 - ---/--- -/- 20"
    assert [ACTIONS[Searcher().search(Game(position=text, **TALK)._states, depth=2).turn[0]] for text in (better, worse)] == [
        "decline draw",
        "accept draw",
    ]


def test_a_proof_is_played_out_in_as_many_turns_as_it_says() -> None:
    """Both sides follow the search: the win comes when it says, and each turn brings it one nearer."""
    proved = 0
    for game in positions(("memory",), "2021", 4 * MORE, seed=3):
        end = turns_to_end(Searcher().search(game._states, depth=3 if COMPILES else 1).score)
        if end is None:
            continue
        proved += 1
        for left in range(end, 0, -1):
            found = Searcher().search(game._states, depth=left)
            assert turns_to_end(found.score) == left
            for action in found.turn:
                game.play(action)
        assert game.winner is not None
    assert proved or not COMPILES


def test_a_search_in_pieces_finds_what_it_finds_at_once() -> None:
    game = Game(position=VARIED[3])
    whole, pieces = Searcher(table_bits=10), Searcher(table_bits=10)
    expected = whole.search(game._states, depth=2)
    pieces.time_budget = Cut(7)
    assert pieces.search(game._states, depth=2) == expected
    assert pieces.time_budget.taken > 10
    assert pieces.played == whole.played


def clock_of(searcher: Searcher) -> SimpleNamespace:
    """A clock for a machine that plays a million actions a second, and for which nothing else takes time."""
    return SimpleNamespace(perf_counter=lambda: searcher.played / 1e6)


@pytest.mark.parametrize("seconds", [0.002, 0.02, 0.2] if COMPILES else [0.002])
def test_alphabeta_keeps_to_its_time(seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    searcher = Searcher()
    clock = clock_of(searcher)
    monkeypatch.setattr(time_budget, "time", clock)
    for game in positions(("growth", "influence", "memory"), "2021", 3):
        began = clock.perf_counter()
        found = searcher.search(game._states, seconds=seconds)
        assert found.turn
        if turns_to_end(found.score) is None:
            assert seconds <= clock.perf_counter() - began < seconds + 0.001


def test_without_time_alphabeta_still_plays() -> None:
    game = Game(chapters="growth")
    game.play(Searcher().search(game._states, seconds=1e-9).turn[0])


def test_waiting_for_the_compiler_is_no_thinking(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0

    def compiled_at_first(function: Any) -> Any:
        waits = iter([30.0])

        def run(*given: Any) -> Any:
            nonlocal now
            now += next(waits, 0.001)
            return function(*given)

        return run

    for name in ("_begin", "_continue"):
        monkeypatch.setattr(alphabeta, name, compiled_at_first(getattr(alphabeta, name)))
    monkeypatch.setattr(time_budget, "time", SimpleNamespace(perf_counter=lambda: now))
    found = Searcher().search(Game(position=WHITE_WINS)._states, seconds=1)
    assert turns_to_end(found.score) == 1


def test_a_table_is_not_used_under_other_settings() -> None:
    searcher = Searcher(table_bits=10)
    for edition in ("2021", "2022"):
        game = Game(position=VARIED[2], edition=edition)
        assert searcher.search(game._states, depth=1) == Searcher(table_bits=10).search(game._states, depth=1)


# Games that go in circles


def position_keys(states: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return np.unique(np.array(keys(states), np.int64))


def test_the_positions_seen_are_those_at_the_beginnings_of_turns(chapters: tuple[str, ...], edition: str) -> None:
    for game in positions(chapters, edition, 2, **TALK):
        begun = [game.at(ply) for ply in range(len(game.history))]
        begun = [now for number, now in enumerate(begun) if number == 0 or now.turn != begun[number - 1].turn]
        assert history_keys(game.start._states, game.history).tolist() == position_keys(joined(begun)).tolist()


def test_a_game_that_has_only_begun_has_been_nowhere() -> None:
    assert history_keys(Game()._states, []).shape == (0,)


def circled(states: np.ndarray[Any, Any], seen: np.ndarray[Any, Any], depth: int) -> int:
    """The value to the side to act, by trying everything, where turns to positions that were seen are worth a circle unless proven."""
    _, after = turns_of(states)
    found = []
    for number, key in enumerate(keys(after)):
        state = after[number : number + 1]
        if state["step"][0] == OVER:
            value = WIN - 1 if state["result"][0] == WON + state["to_act"][0] else 0
        else:
            value = -int(values(state)[0]) if depth == 1 else -minimax(state, depth - 1, 1)
        found.append(REPETITION_VALUE if key in seen and turns_to_end(value) is None else value)
    return max(found)


@pytest.mark.parametrize("share", [0.5, 1.0])
def test_turns_to_positions_seen_are_worth_a_circle_unless_they_are_proven(chapters: tuple[str, ...], share: float) -> None:
    """And what is found then is not taken for true in another game, nor the other way round."""
    searcher, generator = Searcher(table_bits=12), np.random.default_rng(seed_of(chapters, share))
    for game in positions(chapters, "2021", MORE // 2 or 1, seed=2, max_turns=60):
        _, after = turns_of(game._states)
        seen = position_keys(after[generator.random(len(after)) < share])
        for depth in (1, 2) if COMPILES else (1,):
            expected = circled(game._states, seen, depth), minimax(game._states, depth)
            for _ in range(2):
                assert searcher.search(game._states, depth=depth, history=seen).score == expected[0], game.position
                assert searcher.search(game._states, depth=depth).score == expected[1], game.position


@pytest.mark.skipif(not COMPILES, reason="takes minutes uncompiled")
def test_a_win_is_found_though_all_its_ways_lead_through_history_keys() -> None:
    proved = 0
    for task in tactics.tasks():
        game = tactics.game_of(task)
        if task["kind"] != "win" or task["turns"] > 2:
            continue
        _, after = turns_of(game._states)
        found = Searcher(table_bits=12).search(game._states, depth=2 * task["turns"] - 1, history=position_keys(after))
        assert found.score == WIN - (2 * task["turns"] - 1)
        proved += 1
    assert proved > 20


# Analysis


def test_analysis_gives_the_best_lines_in_order_with_legal_turns() -> None:
    game = Game(position=VARIED[3])
    lines = analyse(game._states, lines=3, depth=2)
    assert [line.score for line in lines] == sorted((line.score for line in lines), reverse=True)
    assert len({line.turns[0] for line in lines}) == len(lines) == 3
    for line in lines:
        trial = game.copy()
        for turn in line.turns:
            player = trial.to_act
            for action in turn:
                assert trial.to_act == player
                trial.play(action)
        assert len(line.turns) == 2


def test_analysis_gives_every_line_where_there_are_few() -> None:
    lines = analyse(Game(position=WHITE_WINS)._states, lines=5, depth=3)
    assert [(line.turns, line.wins_in, line.loses_in, line.chance) for line in lines] == [
        ((("focus present",),), 1, None, 1.0),
        ((("focus future",),), 1, None, 1.0),
    ]


def test_analysis_of_a_finished_game_has_no_lines() -> None:
    game = Game(position=WHITE_WINS)
    game.play("focus present")
    assert analyse(game._states) == []


def test_an_analysis_tells_the_first_turns_of_its_lines_depth_by_depth() -> None:
    told: list[list[Line]] = []
    lines = analyse(Game(chapters="growth").state, lines=2, depth=3, on_depth=told.append)
    assert [[line.depth for line in found] for found in told] == [[1, 1], [2, 2], [3, 3]]
    assert [line.turns[0] for line in told[-1]] == [line.turns[0] for line in lines]
    assert all(len(line.turns) == 1 for found in told for line in found)


def test_analysis_shows_the_scores_minimax_has() -> None:
    game = positions((), "2021", 1, seed=9)[0]
    _, after = turns_of(game._states)
    best = sorted((-values(after)).tolist(), reverse=True)[:4]
    assert [line.score for line in analyse(game._states, lines=4, depth=1)] == best


def test_analysis_keeps_to_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    searcher = Searcher()
    clock = clock_of(searcher)
    monkeypatch.setattr(time_budget, "time", clock)
    monkeypatch.setattr(analysis, "time", clock)
    seconds = 0.3 if COMPILES else 0.01
    lines = analyse(Game(chapters="growth")._states, lines=3, seconds=seconds, searcher=searcher)
    assert clock.perf_counter() < seconds + 0.003
    assert len(lines) == 3


# Monte Carlo trees


def tree_of(game: Game, iterations: int, *, seed: int = 1, size: int = 1 << 12, turns: int = 0) -> trees.SearchTree:
    tree = trees.new_tree(size, new_evaluator())
    montecarlo.set_root(tree, game._states)
    montecarlo.grow(tree, iterations, 0.5, turns, new_streams([seed]))
    return tree


def visits(tree: trees.SearchTree, node: int) -> int:
    return int(tree.nodes["visits"][node])


def check(tree: trees.SearchTree, game: Game, node: int = trees.ROOT) -> int:
    """Check a node and those below it; how many nodes they are."""
    first, nodes = int(tree.nodes["first"][node]), 1
    children = range(first, first + len(trees.children_of(tree, node)))
    if children:
        actions = sorted(trees.children_of(tree, node)["move"].tolist())
        assert actions == [action for action in game.legal_actions() if ACTIONS[action] not in ("concede", "offer draw")]
        assert sum(visits(tree, child) for child in children) <= visits(tree, node)
    assert 0 <= tree.nodes["total"][node] <= visits(tree, node)
    for child in children:
        if visits(tree, child):
            after = game.copy()
            after.play(int(tree.nodes["move"][child]))
            nodes += check(tree, after, child)
        else:
            nodes += 1
    return nodes


@pytest.mark.parametrize("turns", [0, 1, 1000])
def test_a_tree_has_the_legal_actions_of_every_node(turns: int) -> None:
    for position in VARIED:
        game = Game(position=position, max_turns=210, **TALK)
        tree = tree_of(game, (80 if turns < 1000 else 10) if COMPILES else 2, turns=turns)
        assert check(tree, game) == tree.size[0]


def test_a_tree_that_is_full_is_still_visited() -> None:
    tree = tree_of(Game(chapters="growth"), 20 * MORE, size=9)
    assert tree.size[0] <= 9
    assert visits(tree, trees.ROOT) == 20 * MORE


def test_a_tree_proves_a_win() -> None:
    game = Game(position="..../..../..WB/....|..../..../..../....|..../..../W.../...B - w c PF - 4/4 - ---/--- -/- 9")
    tree = tree_of(game, 2000)
    assert tree.nodes["result"][trees.ROOT] == WON
    assert ACTIONS[montecarlo.best_action(tree)] == "choose 11"
    assert visits(tree, trees.ROOT) < 2000


def test_what_is_kept_of_a_tree_is_the_part_below_the_action() -> None:
    game = Game(position=VARIED[0])
    game.play("choose 1")
    tree = tree_of(game, 20 * MORE)
    action = montecarlo.best_action(tree)
    child = montecarlo.child_of(tree, trees.ROOT, action)
    assert child is not None
    seen, score = visits(tree, child), tree.nodes["total"][child]
    montecarlo.move_root(tree, child)
    game.play(action)
    assert (visits(tree, trees.ROOT), tree.nodes["total"][trees.ROOT]) == (seen, score)
    assert check(tree, game) == tree.size[0]


def test_the_cache_of_the_search_is_renewed_with_the_engine_and_with_the_search() -> None:
    """It holds machine code of both."""
    engine, search = "tkm_env.games.tkm.engine", "tkm_env.games.tkm.search"
    assert source_folders(search) == (engine, search)
    assert source_digest(search) != source_digest(engine)
    folder = cache_folder(search)
    assert folder is None or source_digest(search) in folder
