"""OpenSpiel's own checks, and its bots against ours.

Without the extra ``[openspiel]``, the tests are skipped and say so.
"""

from __future__ import annotations

import importlib
import itertools
import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.games.tictactoe import SPEC
from tkm_env import (
    ConfigError,
    Game,
    IllegalActionError,
    MissingExtraError,
    TerminusGame,
    write_deck,
)
from tkm_env.games.terminus.deck import DEFAULT_DECK

pytest.importorskip("pyspiel", reason="needs the extra [openspiel]")

import pyspiel
from open_spiel.python.algorithms import evaluate_bots, mcts
from open_spiel.python.bots import uniform_random

from tkm_env.adapters.open_spiel import AgentBot, register

TKM, TERMINUS = "tkm_env/tkm-v0", "tkm_env/terminus-v0"
EXAMPLE = Path(__file__).parents[2] / "examples/libraries/open_spiel_mcts.py"

LINES = [
    f"{TKM}(max_turns=12)",
    f"{TKM}(max_turns=12,chapters=growth+memory,edition=2022,first_player=black,handicap=0/2)",
    f"{TKM}(max_turns=12,chapters=influence,powers=doorway/none,concede=True,draws=True)",
    f"{TKM}(max_turns=12,chapters=convergence)",
    f"{TKM}(max_turns=12,timeline=draft_powers)",
    f"{TKM}(max_turns=12,timeline=power_share,power_set=random)",
    TERMINUS,
]


def draw(state: Any, generator: np.random.Generator) -> int:
    outcomes, probabilities = zip(*state.chance_outcomes(), strict=True)
    return int(generator.choice(outcomes, p=probabilities))


def played(line: str, seed: int) -> list[Any]:
    """The states of a random game."""
    generator = np.random.default_rng(seed)
    state = pyspiel.load_game(line).new_initial_state()
    states = [state.clone()]
    while not state.is_terminal():
        action = (
            draw(state, generator)
            if state.is_chance_node()
            else int(generator.choice(state.legal_actions()))
        )
        state.apply_action(action)
        states.append(state.clone())
    return states


def after(line: str, *actions: int) -> Any:
    state = pyspiel.load_game(line).new_initial_state()
    for action in actions:
        state.apply_action(action)
    return state


@pytest.mark.parametrize("line", LINES)
def test_random_simulations_pass_with_serialization(line: str) -> None:
    pyspiel.random_sim_test(pyspiel.load_game(line), num_sims=3, serialize=True, verbose=False)


@pytest.mark.slow
@pytest.mark.parametrize("line", [TKM, f"{TKM}(chapters=growth+influence+memory)"])
def test_random_simulations_of_whole_games_pass(line: str) -> None:
    pyspiel.random_sim_test(pyspiel.load_game(line), num_sims=2, serialize=False, verbose=False)


def test_a_third_game_needs_no_more_than_its_row() -> None:
    register(SPEC)
    game = pyspiel.load_game("tests/tictactoe-v0")
    pyspiel.random_sim_test(game, num_sims=5, serialize=True, verbose=False)
    assert game.get_type().chance_mode == pyspiel.GameType.ChanceMode.DETERMINISTIC


@pytest.mark.parametrize("line", LINES)
def test_a_game_is_loaded_again_from_its_text(line: str) -> None:
    game = pyspiel.load_game(line)
    assert pyspiel.load_game(str(game)) == game


@pytest.mark.parametrize("line", [LINES[1], LINES[4], TERMINUS])
def test_actions_their_names_and_observations_are_those_of_our_game(line: str) -> None:
    for state in played(line, seed=1):
        game = state.as_game()
        if state.is_chance_node():
            assert not any(state.observation_tensor(0))
            continue
        assert state.legal_actions() == game.legal_actions()
        assert [
            state.action_to_string(action) for action in state.legal_actions()
        ] == game.legal_names()
        assert state.is_terminal() == (game.result is not None)
        for player, name in enumerate(game.players):
            assert state.observation_tensor(player) == game.observation(name).ravel().tolist()
            assert state.observation_string(player) == game.visible_position
        if not state.is_terminal():
            assert game.players[state.current_player()] == game.to_act
            assert state.legal_actions(1 - state.current_player()) == []


def test_parameters_are_settings() -> None:
    game = after(LINES[1]).as_game()
    assert game == Game(
        max_turns=12,
        chapters=["growth", "memory"],
        edition="2022",
        first_player="black",
        handicap=(0, 2),
    )
    game = after(f"{TKM}(powers=doorway/none,concede=True)").as_game()
    assert game == Game(powers=("doorway", None), concede=True) != Game(concede=True)


def test_a_deck_file_is_a_parameter(tmp_path: Path) -> None:
    path, deck = tmp_path / "deck.json", (DEFAULT_DECK[0], "G.R", *DEFAULT_DECK[2:])
    write_deck(path, deck)
    assert after(f"{TERMINUS}(deck={path})").as_game().config.deck == deck


def test_without_open_spiel_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    monkeypatch.delitem(sys.modules, "tkm_env.adapters.open_spiel")
    with pytest.raises(
        MissingExtraError,
        match=r"pyspiel is not installed: python -m pip install -e '\.\[openspiel\]'",
    ):
        importlib.import_module("tkm_env.adapters.open_spiel")


def test_an_invalid_setting_is_refused_by_name() -> None:
    with pytest.raises(ConfigError, match="chapters='grow' is invalid"):
        pyspiel.load_game(f"{TKM}(chapters=grow)")


def test_a_won_game_returns_one_and_minus_one() -> None:
    for seed in range(4):
        last = played(TERMINUS, seed)[-1]
        winner = last.as_game().winner
        assert last.returns() == ([1, -1] if winner == "red" else [-1, 1]) == last.rewards()


def test_the_turn_limit_returns_nothing_to_anybody() -> None:
    last = played(f"{TKM}(max_turns=1)", seed=1)[-1]
    assert last.as_game().is_truncated
    assert last.returns() == [0, 0]


def test_a_clone_is_independent() -> None:
    state = after(TKM, 0)
    clone = state.clone()
    clone.apply_action(clone.legal_actions()[0])
    assert state.history() == [0]
    assert str(state) == str(after(TKM, 0)) != str(clone)


def test_a_game_taken_out_is_independent() -> None:
    state = after(TKM)
    state.as_game().play(0)
    assert state.as_game() == Game()


def test_a_refused_action_changes_nothing() -> None:
    state = after(TKM)
    with pytest.raises(IllegalActionError, match="'concede' is not legal"):
        state.apply_action(Game.index_of("concede"))
    assert state.as_game() == Game()
    assert state.history() == []
    with pytest.raises(IllegalActionError, match="1 cannot be drawn"):
        after(TERMINUS).apply_action(1)


def test_tensors_have_the_shape_of_our_observations() -> None:
    assert pyspiel.load_game(TKM).observation_tensor_shape() == [84, 4, 4]
    assert pyspiel.load_game(TERMINUS).observation_tensor_shape() == [838]


def test_a_pickled_state_goes_on() -> None:
    for state in (
        after(TERMINUS, 2, 6, 11, 4),
        after(TERMINUS, 2, 6, 11, 4, 9, 17),
        after(f"{TKM}(chapters=memory)", 0),
    ):
        again = pickle.loads(pickle.dumps(state))
        assert str(again) == str(state)
        assert again.history() == state.history()
        assert again.legal_actions() == state.legal_actions()


@pytest.mark.parametrize("text", [TKM, f"{TKM}(chapters=growth,max_turns=60)", TERMINUS])
def test_a_pickled_game_is_the_same_in_a_process_that_has_imported_nothing(text: str) -> None:
    game = pyspiel.load_game(text)
    held = pickle.dumps({"game": game, "state": game.new_initial_state()})
    program = (
        "import pickle, sys; held = pickle.load(sys.stdin.buffer); "
        "print(held['game']); print(held['state'].get_game()); print(held['state'].history())"
    )
    answer = subprocess.run([sys.executable, "-c", program], input=held, capture_output=True)
    assert answer.stdout.decode().splitlines() == [str(game), str(game), "[]"], answer.stderr


def test_a_pickled_bot_plays_on() -> None:
    game = pyspiel.load_game(TKM)
    bot = AgentBot(game, "random", seed=3)
    again = pickle.loads(pickle.dumps(bot))
    states = [game.new_initial_state(), game.new_initial_state()]
    for _ in range(20):
        for state, player in zip(states, (bot, again), strict=True):
            state.apply_action(player.step(state))
    assert states[0].history() == states[1].history()


def test_settings_say_whether_chance_takes_part() -> None:
    mode = pyspiel.GameType.ChanceMode
    assert pyspiel.load_game(TKM).get_type().chance_mode == mode.DETERMINISTIC
    game = pyspiel.load_game(f"{TKM}(chapters=convergence)")
    assert game.get_type().chance_mode == mode.EXPLICIT_STOCHASTIC
    assert (game.max_chance_outcomes(), game.max_chance_nodes_in_history()) == (3, 1)
    game = pyspiel.load_game(TERMINUS)
    assert game.get_type().chance_mode == mode.EXPLICIT_STOCHASTIC
    assert (game.max_chance_outcomes(), game.max_chance_nodes_in_history()) == (18, 17)


@pytest.mark.parametrize("seed", range(5))
def test_neither_observations_nor_information_states_hold_hidden_cards(seed: int) -> None:
    """They are the same for any order of the deck."""
    generator = np.random.default_rng(seed)
    for state in played(TERMINUS, seed):
        if not state.is_chance_node():
            other = state.as_game().determinize(generator)
            for player, name in enumerate(other.players):
                assert state.observation_tensor(player) == other.observation(name).ravel().tolist()
                assert state.information_state_string(player).splitlines()[
                    -1
                ] == other.position_for(name)


def test_states_alike_to_the_players_have_the_same_information_state() -> None:
    """The order in which the cards of a hand were drawn shows nowhere."""
    one, other = after(TERMINUS, 2, 6, 11, 4, 9, 17), after(TERMINUS, 11, 2, 6, 17, 4, 9)
    for _ in range(3):
        assert (
            one.information_state_string(0)
            == other.information_state_string(0)
            == one.information_state_string(1)
        )
        for state in (one, other):
            while state.is_chance_node():
                state.apply_action(state.legal_actions()[0])
        action = one.legal_actions()[0]
        one.apply_action(action)
        other.apply_action(action)
    assert one.information_state_string(0) != after(
        TERMINUS, 2, 6, 11, 4, 9, 16
    ).information_state_string(0)


def test_an_information_state_holds_what_was_seen_though_it_lies_covered_now() -> None:
    states = [state for state in played(TERMINUS, seed=2) if not state.is_chance_node()]
    texts = [state.information_state_string(0) for state in states]
    assert all(later.startswith(earlier) for earlier, later in itertools.pairwise(texts))
    assert len({*texts}) == len(texts)


@pytest.mark.parametrize("line", [f"{TKM}(max_turns=30)", TERMINUS])
@pytest.mark.parametrize("ours", ["random", "greedy"])
def test_bots_of_either_side_play_each_other(line: str, ours: str) -> None:
    game, random_state = pyspiel.load_game(line), np.random.RandomState(1)
    others = [
        uniform_random.UniformRandomBot(0, random_state),
        mcts.MCTSBot(
            game, 2, 3, mcts.RandomRolloutEvaluator(1, random_state), random_state=random_state
        ),
        pyspiel.make_uniform_random_bot(0, 1),
        AgentBot(game, "random", seed=2),
    ]
    for other in others:
        returns = evaluate_bots.evaluate_bots(
            game.new_initial_state(), [other, AgentBot(game, ours, seed=1)], random_state
        )
        assert sum(returns) == 0
    compiled = pyspiel.MCTSBot(
        game, pyspiel.RandomRolloutEvaluator(1, 1), 2.0, 3, 1000, True, 1, False
    )
    assert (
        sum(
            pyspiel.evaluate_bots(
                game.new_initial_state(), [compiled, AgentBot(game, ours, seed=1)], 1
            )
        )
        == 0
    )


def test_the_same_seed_plays_the_same_game() -> None:
    game = pyspiel.load_game(TERMINUS)
    histories = []
    for _ in range(2):
        state = game.new_initial_state()
        bots = [AgentBot(game, "greedy", seed=1), AgentBot(game, "ismcts:iterations=10", seed=2)]
        evaluate_bots.evaluate_bots(state, bots, np.random.RandomState(3))
        histories.append(state.history())
    assert histories[0] == histories[1]


def test_agents_of_ones_own_play() -> None:
    class First:
        def act(self, game: TerminusGame) -> str:
            return game.legal_names()[0]

    game = pyspiel.load_game(TERMINUS)
    state = after(TERMINUS, 2, 6, 11, 4, 9, 17)
    assert AgentBot(game, First()).step(state) == state.legal_actions()[0]


def test_a_bot_needs_one_of_our_games() -> None:
    with pytest.raises(ConfigError, match=r"game=.*tic_tac_toe.* is invalid"):
        AgentBot(pyspiel.load_game("tic_tac_toe"), "random")


@pytest.mark.slow
def test_the_example_prints_a_score() -> None:
    command = [sys.executable, EXAMPLE, "--games", "2", "--simulations", "2"]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert "MCTS against greedy" in output


@pytest.mark.parametrize("line", LINES)
def test_structs_describe_states_and_lead_from_them(line: str) -> None:
    for state in played(line, 1):
        shown = state.to_struct().to_dict()
        assert json.loads(state.to_json()) == shown
        assert shown["is_terminal"] == state.is_terminal()
        assert shown["position"] == state.visible_text()
        if state.is_terminal() or state.is_chance_node():
            assert shown["current_player"] == ("" if state.is_terminal() else "chance")
            continue
        game = state.as_game()
        seen = state.to_observation_struct(state.current_player()).to_dict()
        assert seen == {**shown, "player": game.to_act, "legal_actions": list(game.legal_names())}
        for action in state.legal_actions():
            struct = state.action_to_struct(action)
            assert struct.to_dict() == {"action": state.action_to_string(action)}
            assert state.struct_to_actions(struct) == [action]


@pytest.mark.parametrize("name", [TKM, TERMINUS])
def test_actions_come_from_json(name: str) -> None:
    game = pyspiel.load_game(name)
    spec, example = game.action_struct_spec()
    assert [*json.loads(spec)] == [*json.loads(example)]
    assert game.ActionStruct(example).to_json() == json.dumps(
        json.loads(example), separators=(",", ":")
    )
    state = next(state for state in played(name, 1) if not state.is_chance_node())
    action = state.legal_actions()[-1]
    struct = game.ActionStruct(json.dumps({"action": state.action_to_string(action)}))
    assert state.validate_action_struct(struct).ok()
    state = state.clone()
    state.apply_action_struct(struct)
    assert state.history()[-1] == action
    for wrong in ("nonsense", "{}", "[]", '{"action": "no such action"}', '{"action": 3}'):
        with pytest.raises(RuntimeError, match="is not an action's JSON"):
            game.ActionStruct(wrong)


def test_an_illegal_struct_changes_nothing() -> None:
    game = pyspiel.load_game(TKM)
    state = game.new_initial_state()
    illegal = game.ActionStruct(json.dumps({"action": "focus past"}))
    assert not state.apply_action_struct(illegal).ok()
    assert state.history() == []


@pytest.mark.parametrize("name", [TKM, TERMINUS])
def test_a_tool_server_plays_whole_games_with_names_and_structs(name: str) -> None:
    """OpenSpiel's example of a tool server makes these calls, in this order.

    It accepts an action by name and as JSON.
    """
    generator = np.random.default_rng(1)
    game = pyspiel.load_game(name)
    state = game.new_initial_state()
    for step in range(2000):
        if state.is_terminal():
            break
        if state.is_chance_node():
            outcomes, probabilities = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(generator.choice(outcomes, p=probabilities)))
            continue
        assert state.observation_string(state.current_player()) == state.as_game().visible_position
        chosen = str(
            generator.choice([state.action_to_string(action) for action in state.legal_actions()])
        )
        if step % 2:
            struct = game.ActionStruct(json.dumps({"action": chosen}))
            assert state.validate_action_struct(struct).ok()
            state.apply_action_struct(struct)
        else:
            state.apply_action(state.string_to_action(chosen))
    assert state.is_terminal()
    assert sorted(state.returns()) in ([-1.0, 1.0], [0.0, 0.0])


@pytest.mark.parametrize("name", [f"{TKM}(chapters=growth)", TERMINUS])
def test_openspiels_own_tool_server_plays_whole_games(name: str) -> None:
    pytest.importorskip("fastmcp", reason="needs fastmcp")
    module = pytest.importorskip(
        "open_spiel.python.examples.mcp_tool_server.open_spiel_tools", reason="needs OpenSpiel 2"
    )
    tools = module.OpenSpielTools()
    assert json.loads(tools.game_info(name)["action_struct_spec"]) == {"action": "string"}
    session = tools.start_game(name, 0)
    with pytest.raises(ValueError, match="is not an action's JSON"):
        tools.play_action(session, '{"action": "nonsense"}')
    while tools.current_player(session) == 0:
        assert tools.get_observation(session)
        tools.play_action(session, json.dumps({"action": tools.legal_actions(session)[-1]}))
    assert tools.get_return(session) in (-1.0, 0.0, 1.0)
