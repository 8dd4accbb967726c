"""Policies from files play the actions of their logits, and refuse inputs they have not learned."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.players.policies import Layers, compact_policy, layers_for
from tkm_env import Batch, ConfigError, FileError, Game, IllegalActionError, OpponentPool
from tkm_env.core.batch_factory import make_batch
from tkm_env.core.game import BaseGame
from tkm_env.core.observation_encoder import ObservationEncoder
from tkm_env.core.random_agent import RandomAgent
from tkm_env.core.registry import game_spec
from tkm_env.evaluation import evaluate
from tkm_env.foundations.errors import ArrayError, TKMError
from tkm_env.players import PolicyAgent, make_agent, write_policy
from tkm_env.players.model_file import Model, read_model, write_model


@pytest.fixture
def compact(tmp_path: Path) -> Path:
    return compact_policy(tmp_path)


def played(kind: type[BaseGame], turns: int, **settings: Any) -> BaseGame:
    game, player = kind(seed=1, **settings), RandomAgent(seed=turns)
    while game.turn <= turns and game.result is None:
        game.play(player.act(game))
    return game


def expected(layers: Layers, seen: np.ndarray, mask: np.ndarray, activation: str) -> int:
    """The action of the highest logit, in double precision."""
    values = seen.ravel().astype(float)
    for number, (weight, bias) in enumerate(layers):
        values = values @ np.asarray(weight, np.float16).astype(float) + np.asarray(
            bias, np.float16
        ).astype(float)
        if number < len(layers) - 1:
            values = np.tanh(values) if activation == "tanh" else np.maximum(values, 0)
    return max(np.flatnonzero(mask).tolist(), key=lambda action: values[action])


# What it plays.


@pytest.mark.parametrize("activation", ["tanh", "relu"])
@pytest.mark.parametrize("observation", ["planes", "compact"])
@pytest.mark.parametrize("name", ["tkm", "terminus", "tictactoe"])
def test_the_legal_action_with_the_highest_logit_is_played(
    name: str, observation: str, activation: str, tmp_path: Path, tictactoe: str
) -> None:
    layers = layers_for(name, observation, (16, 8))
    write_policy(
        tmp_path / "a.npz", layers, game=name, observation=observation, activation=activation
    )
    agent, kind = make_agent(f"policy:{tmp_path / 'a.npz'}", game=name), game_spec(name).game_class
    encoder = ObservationEncoder(kind, kind.default_config, observation)
    for turns in range(6):
        game = played(kind, turns)
        if game.result is None:
            action = agent.act(game)
            assert action == expected(
                layers, encoder.observation(game), game.action_mask(), activation
            )


@pytest.mark.parametrize("name", ["tkm", "terminus", "tictactoe"])
def test_in_batches_it_plays_what_it_plays_game_by_game(
    name: str, tmp_path: Path, tictactoe: str
) -> None:
    write_policy(tmp_path / "a.npz", layers_for(name), game=name)
    agent, batch = PolicyAgent(tmp_path / "a.npz"), make_batch(game_spec(name), 20)
    batch.reset(seed=1)
    for _ in range(5):
        acting = (~batch.over).nonzero()[0][::2]
        assert agent.act_all(batch, acting).tolist() == [
            agent.act(batch.game(number)) for number in acting.tolist()
        ]
        batch.play(batch.random_actions())


def test_all_games_of_an_environment_are_asked_about_at_once(
    compact: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    envs = gymnasium.make_vec(
        "tkm_env/TKM-v0", num_envs=50, opponent=f"policy:{compact}", side="black"
    )
    asked: list[int] = []
    chosen = PolicyAgent._choose
    monkeypatch.setattr(
        PolicyAgent,
        "_choose",
        lambda self, seen, *given: asked.append(len(seen)) or chosen(self, seen, *given),
    )
    monkeypatch.setattr(PolicyAgent, "act", lambda self, game: pytest.fail("asked game by game"))
    envs.reset(seed=1)
    assert asked
    assert max(asked) == 50
    assert len(asked) < 20


def test_it_is_a_member_of_pools(compact: Path) -> None:
    pool = OpponentPool(["random", f"policy:{compact}"])
    envs = gymnasium.make_vec(
        "tkm_env/TKM-v0", num_envs=8, opponent=pool, side="black", max_turns=200
    )
    observations, info = envs.reset(seed=1)
    assert {*info["opponent"].tolist()} == {0, 1}
    envs.step(info["action_mask"].argmax(1))


def test_single_environments_take_it(compact: Path) -> None:
    env = gymnasium.make("tkm_env/TKM-v0", opponent=f"policy:{compact}", side="black")
    assert env.reset(seed=1)[1]["action_mask"].any()


def test_temperatures_draw_in_proportion(tmp_path: Path) -> None:
    actions = len(Game.action_names)
    bias = np.log(np.arange(1, actions + 1))
    write_policy(tmp_path / "a.npz", [(np.zeros((1344, actions)), bias)])
    game = Game(chapters="convergence")
    game.play("choose 1")
    assert game.action_mask().sum() > 2
    agent = make_agent(f"policy:{tmp_path / 'a.npz'}:temperature=0.5")
    agent.reset(1)
    counts = np.bincount([agent.act(game) for _ in range(4000)], minlength=actions)
    wanted = np.where(
        game.action_mask() != 0, np.exp(bias.astype(np.float16).astype(float) / 0.5), 0
    )
    assert np.abs(counts / 4000 - wanted / wanted.sum()).max() < 0.03
    batch = Batch(4000, chapters="convergence")
    batch.reset(seed=1)
    for number in range(4000):
        batch.set_game(number, game)
    counts = np.bincount(agent.act_all(batch, np.arange(4000)), minlength=actions)
    assert np.abs(counts / 4000 - wanted / wanted.sum()).max() < 0.03
    agent.reset(5)
    first = [agent.act(game) for _ in range(20)]
    agent.reset(5)
    assert [agent.act(game) for _ in range(20)] == first


@pytest.mark.parametrize("temperature", [1e-300, 1e6])
def test_extreme_temperatures_play_legally(compact: Path, temperature: float) -> None:
    agent = PolicyAgent(compact, temperature=temperature, seed=1)
    assert {agent.act(Game()) for _ in range(50)} <= {*Game().legal_actions()}


def test_the_same_seed_draws_the_same_games_on_any_number_of_threads(
    compact: Path, threads_for_few_games: None
) -> None:
    results = [
        evaluate(f"policy:{compact}:temperature=1", games=20, seed=3, num_threads=threads)
        for threads in (1, 2)
    ]
    assert results[0] == results[1]
    assert results[0] != evaluate(f"policy:{compact}:temperature=1", games=20, seed=4)


def test_numbers_beyond_all_bounds_lead_to_legal_actions(tmp_path: Path) -> None:
    large = 60_000.0
    hidden = [(np.full((8, 8), large), np.zeros(8))] * 9
    layers = [
        (np.full((1344, 8), large), np.zeros(8)),
        *hidden,
        (np.tile([large, -large], (8, 40))[:, :79], np.zeros(79)),
    ]
    write_policy(tmp_path / "a.npz", layers, activation="relu")
    for options in ("", ":temperature=1"):
        game = played(Game, 3)
        assert make_agent(f"policy:{tmp_path / 'a.npz'}{options}").act(game) in game.legal_actions()


def test_nothing_is_played_in_a_game_that_is_over(compact: Path) -> None:
    game = played(Game, 100)
    assert game.result is not None
    with pytest.raises(IllegalActionError, match="over"):
        PolicyAgent(compact).act(game)


# What is refused.


def test_other_settings_are_refused_if_they_look_different_in_compact_observations(
    compact: Path,
) -> None:
    line = f"policy:{compact}"
    wanted = (
        r"settings=\{'chapters': \['growth'\]\} .*element 48 .*'my focus, past' .* 'seed, past'"
    )
    for refused in (
        lambda: evaluate(line, games=2, chapters="growth"),
        lambda: PolicyAgent(compact).act(Game(chapters="growth")),
        lambda: gymnasium.make(
            "tkm_env/TKM-v0", opponent=line, side="black", chapters="growth"
        ).reset(seed=1),
    ):
        with pytest.raises(ConfigError, match=wanted):
            refused()
    game = Game(first_player="black")
    assert PolicyAgent(compact).act(game) in game.legal_actions()


def test_observations_that_end_earlier_are_refused(tmp_path: Path) -> None:
    write_policy(
        tmp_path / "a.npz",
        layers_for("tkm", "compact", chapters="convergence"),
        observation="compact",
        chapters="convergence",
    )
    agent = PolicyAgent(tmp_path / "a.npz")
    assert agent.act(Game(chapters="convergence")) in Game(chapters="convergence").legal_actions()
    with pytest.raises(ConfigError, match=r"learned with \{'chapters': "):
        agent.act(Game())


def test_planes_are_the_same_under_all_settings(tmp_path: Path) -> None:
    write_policy(tmp_path / "a.npz", layers_for("tkm"))
    assert evaluate(f"policy:{tmp_path / 'a.npz'}", games=2, chapters="convergence").games == 2


def test_policies_for_other_games_are_refused(compact: Path) -> None:
    with pytest.raises(FileError, match="'policy for tkm', not a policy for terminus"):
        make_agent(f"policy:{compact}", game="terminus")
    with pytest.raises(ConfigError, match="learned tkm"):
        PolicyAgent(compact).act(game_spec("terminus").game_class(seed=1))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"kind": "values"}, "'values for tkm', not a policy"),
        ({"game": "chess"}, "game='chess'"),
        ({"inputs": "compact-0123456789abcdef"}, "inputs='compact-0123456789abcdef'.*this version"),
        ({"inputs": "planes-0123456789abcdef"}, "inputs="),
        ({"inputs": "words"}, "inputs="),
        ({"outputs": "actions-0"}, "outputs="),
        ({"outputs": ""}, "outputs="),
        ({"activation": "swish"}, "activation='swish'"),
        ({"settings": "growth"}, "settings='growth'"),
        ({"settings": "[]"}, "settings"),
        ({"settings": '{"chapters": "all"}'}, "chapters"),
        ({"settings": '{"chapters": "growth"}'}, "inputs="),
    ],
)
def test_cards_that_say_something_else_are_refused(
    compact: Path, changes: dict[str, str], reason: str
) -> None:
    card, arrays = read_model(compact)
    write_model(compact, Model(type(card)(**(vars(card) | changes)), arrays))
    with pytest.raises(FileError, match=reason):
        PolicyAgent(compact)


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        *(("weight_0", (159, 16)), ("weight_0", (160,)), ("weight_0", ()), ("bias_0", (1, 16))),
        *(("weight_1", (16, 78)), ("bias_1", (80,)), ("more", (1,))),
    ],
)
def test_layers_that_do_not_fit_are_refused(
    compact: Path, name: str, shape: tuple[int, ...]
) -> None:
    card, arrays = read_model(compact)
    changed = arrays | {name: np.zeros(shape, np.float32)}
    write_model(compact, Model(card, changed))
    with pytest.raises(FileError, match="layers" if name == "more" else "weight_|bias_"):
        PolicyAgent(compact)
    for missing in arrays:
        write_model(
            compact, Model(card, {key: array for key, array in arrays.items() if key != missing})
        )
        with pytest.raises(FileError, match=r"layers|shape"):
            PolicyAgent(compact)


def test_a_file_that_changed_by_a_byte_is_refused_or_plays(compact: Path) -> None:
    content = compact.read_bytes()
    generator = np.random.default_rng(1)
    for place in generator.integers(len(content), size=60).tolist():
        changed = bytearray(content)
        changed[place] ^= 1 << int(generator.integers(8))
        compact.write_bytes(changed)
        try:
            agent = PolicyAgent(compact)
        except TKMError:
            continue
        assert agent.act(Game()) in Game().legal_actions()


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (":depth=3", "no option 'depth'; valid options: 'temperature'"),
        (":file=3", "no option 'file'"),
        (":temperature=0", "temperature=0 .* above 0"),
        (":temperature=x", "temperature='x'"),
        (":temperature", "name=value"),
    ],
)
def test_other_options_are_refused(compact: Path, line: str, reason: str) -> None:
    with pytest.raises(ConfigError, match=reason):
        make_agent(f"policy:{compact}{line}")


@pytest.mark.parametrize("line", ["policy", "policy:", "policy:none.npz", "policy:."])
def test_files_that_are_not_there_are_refused(line: str) -> None:
    with pytest.raises(FileError):
        make_agent(line)


@given(line=st.text("policy:.npz=temraun,1\0", max_size=20))
def test_lines_are_refused_by_name(line: str) -> None:
    with pytest.raises(TKMError):
        make_agent(f"policy:{line}")


@pytest.mark.parametrize(
    ("layers", "error"),
    [
        ([], ConfigError),
        ("layers", ConfigError),
        ([(np.zeros((160, 79)),)], ConfigError),
        ([(np.zeros((160, 79)), ["x"] * 79)], ArrayError),
        ([(np.zeros((1344, 79)), np.zeros(79))], ArrayError),
        ([(np.zeros((160, 79)), np.full(79, 1e9))], FileError),
        ([(np.zeros((160, 79)), np.full(79, 1e300))], FileError),
    ],
)
def test_invalid_layers_are_not_written(layers: Any, error: type[TKMError], tmp_path: Path) -> None:
    with pytest.raises(error):
        write_policy(tmp_path / "a.npz", layers, observation="compact")
    assert not [*tmp_path.iterdir()]
