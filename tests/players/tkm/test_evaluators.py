"""Players with value networks play what the network values most; unfit networks are refused."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.compiled.networks import outputs_of
from tkm_env import Batch, ConfigError, Game, GameConfig
from tkm_env.compiled.decorators import COMPILES
from tkm_env.compiled.network import new_workspace
from tkm_env.core.turns import list_turns
from tkm_env.foundations.errors import FileError
from tkm_env.games.tkm.engine.state import CHAPTERS, OVER, WON
from tkm_env.games.tkm.engine.turn_generator import TURN_KERNELS
from tkm_env.learn.regression import new_network
from tkm_env.learn.tkm import VALUES
from tkm_env.players import make_agent
from tkm_env.players.model_file import Model, card_of, read_model, write_model
from tkm_env.players.tkm.evaluators import Evaluators, read_network, shipped_networks
from tkm_env.players.tkm.search.evaluation import new_evaluator
from tkm_env.players.tkm.search.network_inputs import MAX_INPUTS, NUM_INPUTS, write_all_inputs

WITH_ALL = {"chapters": ("growth", "influence", "memory"), "powers": ("overtime", "brushwood")}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A network that knows nothing, for the standard game and Growth."""
    network = new_network(NUM_INPUTS, 16, 8, np.random.default_rng(1))
    path = tmp_path_factory.mktemp("networks") / "net.npz"
    write_model(path, VALUES.model(network, [GameConfig(), GameConfig(chapters="growth")]))
    return str(path)


def test_a_network_of_the_older_inputs_plays_as_it_has_learned(tmp_path: Path) -> None:
    network = new_network(NUM_INPUTS, 16, 8, np.random.default_rng(1))
    known = [GameConfig(chapters="memory", powers=("whisperer", None))]
    agents = {}
    for inputs in VALUES.input_versions:
        write_model(tmp_path / inputs, VALUES.with_inputs(inputs).model(network, known))
        assert card_of(tmp_path / inputs).inputs == inputs
        agents[inputs] = make_agent(f"net:file={tmp_path / inputs}")
    for power, matters in {"whisperer": True, "fixation": False}.items():
        batch = positions(20, powers=(power, power), chapters="memory")
        games = [batch.game(number) for number in range(batch.num_games)]
        games = [game for game in games if game.result is None and game.step_text == "c"]
        values = []
        for agent in agents.values():
            found = []
            for game in games:
                agent.act(game.copy())
                found.append(agent.expectation)
            values.append(found)
        older, newest = values
        assert (older != newest) == matters, power


def positions(games: int = 10, steps: int = 24, **settings: Any) -> Batch:
    batch = Batch(games, **settings)
    batch.reset(seed=1)
    for _ in range(steps):
        batch.play(batch.random_actions())
    return batch


def values_of_turns(states: np.ndarray, file: str) -> dict[tuple[int, ...], float]:
    """The network's value of the position after each way to play the turn, for its player."""
    ways = list_turns(TURN_KERNELS, states, np.zeros(1, np.int64))[1]
    ends, count = ways.states, len(ways.keys)
    network = read_network(file).network
    inputs, counts, outputs = (
        np.zeros((count, MAX_INPUTS), np.int16),
        np.zeros(count, np.int16),
        np.zeros(count, np.float32),
    )
    write_all_inputs(ends, inputs, counts, True)
    outputs_of(network, inputs, counts, outputs, new_workspace(network))
    over = ends["step"] == OVER
    values = np.where(
        over, np.where(ends["result"] == WON + ends["to_act"], np.inf, 0), -np.rint(200 * outputs)
    )
    return dict(zip(ways.ways, values.tolist(), strict=True))


@pytest.mark.parametrize("settings", [{}, {"chapters": "growth"}], ids=str)
def test_net_plays_the_turn_that_its_network_values_most(
    settings: dict[str, Any], file: str
) -> None:
    agent = make_agent(f"net:file={file}")
    batch = positions(6 if COMPILES else 1, **settings)
    for number in range(batch.num_games):
        game = batch.game(number)
        if game.result is not None:
            continue
        values, turn, player = values_of_turns(game.state, file), [], game.to_act
        while game.result is None and game.to_act == player:
            turn.append(agent.act(game))
            game.play(turn[-1])
        assert values[tuple(turn)] >= max(values.values()) - 1  # a hundredth of a logit: rounding


def test_net_plays_in_batches_as_in_single_games(file: str) -> None:
    agent, batch = make_agent(f"net:file={file}"), positions(chapters="growth")
    players = 1 - batch.to_act
    games = [batch.game(number) for number in range(batch.num_games)]
    agent.answer_all(batch, players)
    for number, game in enumerate(games):
        values = [] if game.result is not None else [*values_of_turns(game.state, file).values()]
        player = game.to_act
        if game.result is None and batch.game(number).result is None:
            assert batch.game(number).to_act != player
        while game.result is None and game.to_act == player:
            game.play(agent.act(game))
        if len([value for value in values if value >= max(values) - 1]) == 1:
            assert batch.game(number).position == game.position


@pytest.mark.parametrize(
    "player", ["alphabeta:depth=1", "alphabeta:depth=2", "gumbel:iterations=8"]
)
def test_searches_evaluate_with_a_network(player: str, file: str) -> None:
    plain, net = make_agent(player), make_agent(f"{player},net={file}")
    assert net.name.endswith(f"net={file}")
    played = []
    for agent in (plain, net):
        game = Game(
            position=(
                "..../.W../..../...B|W.../..../.B../....|"
                "..../..W./..../B... - w c FP - 2/2 - ---/--- -/- 9"
            )
        )
        agent.reset(1)
        while game.result is None and len(game.history) < (12 if COMPILES else 4):
            game.play(agent.act(game))
        played.append(game.history)
    assert played[0] != played[1]


def test_the_searchs_values_are_the_networks_at_depth_one(file: str) -> None:
    from tkm_env.players.tkm.search.alphabeta import Searcher

    states = positions(1).states
    searcher = Searcher(table_bits=8, evaluator=Evaluators(file).evaluators[0])
    found = searcher.search(states, depth=1)
    assert found.score == pytest.approx(max(values_of_turns(states, file).values()), abs=1)
    searcher.evaluate_with(new_evaluator())
    assert searcher.search(states, depth=1).score != found.score


@pytest.mark.parametrize("player", ["net:file={}", "alphabeta:depth=1,net={}", "gumbel:net={}"])
def test_games_that_a_network_has_not_learned_are_refused(player: str, file: str) -> None:
    agent = make_agent(player.format(file))
    for settings, name in (
        ({"chapters": "memory"}, "memory"),
        ({"powers": ("overtime", None)}, "standard with powers"),
    ):
        game = Game(**settings)
        game.play("choose 1")  # before that there is nothing to think about
        before = game.position
        with pytest.raises(ConfigError, match=f"it learned standard, growth; this game is {name}"):
            agent.act(game)
        assert game.position == before


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({}, "standard.npz"),
        *(({"chapters": chapter}, f"{chapter}.npz") for chapter in CHAPTERS),
        ({"chapters": "influence", "edition": "2022"}, "influence.npz"),
        ({"chapters": ("growth", "memory")}, "chapters.npz"),
        ({"powers": ("overtime", None)}, "powers.npz"),
        ({"timeline": "draft_powers"}, "powers.npz"),
        (WITH_ALL, "powers.npz"),
    ],
)
def test_each_game_is_played_by_the_network_of_the_package_that_learned_it_first(
    settings: dict[str, Any], name: str
) -> None:
    (number,) = Evaluators("shipped").numbers_for(Game(**settings).state)
    assert shipped_networks()[number][0] == name


@pytest.mark.parametrize("settings", [{}, WITH_ALL, {"timeline": "draft_powers"}])
def test_the_networks_of_the_package_play_in_batches(settings: dict[str, Any]) -> None:
    batch = Batch(4, max_turns=10, **settings)
    batch.reset(seed=1)
    agent = make_agent("net")
    while not batch.over.all():
        agent.answer_all(batch, 1 - batch.to_act)


def changed(model: Model, **changes: Any) -> Model:
    return Model(dataclasses.replace(model.card, **changes), model.arrays)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda model: changed(model, kind="policy"), "it holds policy for tkm"),
        (lambda model: changed(model, game="terminus"), "values for terminus"),
        (lambda model: changed(model, inputs="turns-0"), "it reads the inputs turns-0"),
        (
            lambda model: Model(model.card, {**model.arrays, "fourth": np.zeros(1, np.float32)}),
            "its arrays are",
        ),
        (
            lambda model: Model(model.card, {**model.arrays, "third": np.zeros(9, np.float32)}),
            r"third has shape \(9,\), not \(8,\)",
        ),
    ],
)
def test_other_models_are_refused(change: Any, reason: str, file: str, tmp_path: Path) -> None:
    write_model(tmp_path / "other.npz", change(read_model(file)))
    with pytest.raises(FileError, match=reason):
        make_agent(f"net:file={tmp_path / 'other.npz'}")


@pytest.mark.parametrize("net", [3, 1.5, ["net"]])
def test_anything_but_a_file_is_refused(net: Any) -> None:
    with pytest.raises(ConfigError, match="the name of a file"):
        Evaluators(net)
