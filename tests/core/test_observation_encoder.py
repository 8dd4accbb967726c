"""Every interface shows games as it is asked to: compact, canonical or both.

Apart from that, the games are the same.
"""

from __future__ import annotations

import copy
import functools
import pickle
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import Box
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import (
    DelayObservation,
    FlattenObservation,
    FrameStackObservation,
    NormalizeObservation,
    RescaleObservation,
    TransformObservation,
)
from gymnasium.wrappers.vector import RescaleObservation as RescaleObservations
from pettingzoo.test import api_test

from tests.envs.comparison import with_warnings_that_any_dict_observation_gets
from tests.games.tictactoe import SPEC, TicTacToe
from tests.games.tkm.positions import random_action
from tkm_env import (
    ArrayError,
    ConfigError,
    Game,
    ObservationEncoder,
    TerminusGame,
    UnknownActionError,
    action_index,
    compact_layout,
    register_game,
    symmetries,
    terminus_v0,
    tkm_v0,
)
from tkm_env.core.batch_factory import make_batch
from tkm_env.core.game import BaseGame
from tkm_env.core.registry import game_spec
from tkm_env.core.symmetries import SymmetryTables
from tkm_env.envs.aec import AECGameEnv, OrderEnforcingEnv
from tkm_env.envs.interface import observation_space
from tkm_env.evaluation import evaluate
from tkm_env.games.tkm.symmetries import PLAYERS_EXCHANGED
from tkm_env.players import FunctionAgent

#: Games with settings: chapters and powers, one that draws them, another game, and one from
#: outside.
GAMES: dict[str, tuple[str, dict[str, Any]]] = {
    "powers": (
        "tkm",
        {"chapters": ["growth", "memory"], "powers": ("express", "overtime"), "max_turns": 12},
    ),
    "draft": ("tkm", {"timeline": "draft_powers", "max_turns": 10}),
    "terminus": ("terminus", {}),
    "tictactoe": (SPEC.name, {}),
}
#: What may be asked for.
WAYS: dict[str, dict[str, Any]] = {
    "compact": {"observation": "compact"},
    "canonical": {"canonical": True},
    "both": {"observation": "compact", "canonical": True},
}
#: Each game in each way in which it can be shown.
CASES = [
    (name, way)
    for name, (game, _) in GAMES.items()
    for way in WAYS
    if game == "tkm" or way == "compact"
]
in_every_way = pytest.mark.parametrize(
    ("name", "way"), CASES, ids=["-".join(case) for case in CASES]
)


@pytest.fixture(autouse=True)
def _third_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tkm_env.core.registry._SPECS", dict(registered()))
    register_game(SPEC)


def registered() -> Any:
    from tkm_env.core.registry import registered_games

    return registered_games()


@functools.cache
def encoder_of(name: str, way: str) -> ObservationEncoder:
    game, settings = GAMES[name]
    spec = game_spec(game)
    return ObservationEncoder(spec.game_class, spec.config(settings), **WAYS[way])


def as_the_first_player(game: BaseGame, player: str) -> tuple[Game, str]:
    """A game and a player to whom it looks as canonical views show the given game.

    The game is worked out from the state.
    """
    assert isinstance(game, Game)
    if player == "white":
        return game, "white"
    return Game.from_state(PLAYERS_EXCHANGED.states(game.state)), "white"


def repr_of(name: str, way: str, game: BaseGame, player: str) -> np.ndarray:
    """What a player should see of a game."""
    if "canonical" in WAYS[way]:
        game, player = as_the_first_player(game, player)
    observation = game.observation(player)
    if way == "canonical":
        return observation
    encoder = encoder_of(name, "compact")
    seen = (
        encoder.gather_plan.of_one(observation, type(game).players.index(player))
        if encoder.gather_plan
        else observation
    )
    gone = [row.start for row in encoder.rows if row.name == "white" and way == "both"]
    return np.delete(seen, gone)


def allowed(way: str, game: BaseGame) -> list[int]:
    """The legal actions as the player to act should be shown them."""
    if "canonical" in WAYS[way]:
        game, _ = as_the_first_player(game, game.to_act)
    return game.action_mask().tolist()


def first(observation: Any, info: dict[str, Any]) -> Any:
    return info["action_mask"].argmax(-1)


# What is shown.


@in_every_way
def test_one_game_is_shown_to_the_learner(name: str, way: str) -> None:
    game, settings = GAMES[name]
    encoder, generator = encoder_of(name, way), np.random.default_rng(1)
    env: Any = gymnasium.make(
        game_spec(game).env_id, side="random", **WAYS[way], **settings
    ).unwrapped
    assert env.observation_space == observation_space(encoder)
    for seed in range(3):
        observation, info = env.reset(seed=seed)
        over = False
        while not over:
            assert env.observation_space.contains(observation)
            assert observation.tolist() == repr_of(name, way, env.game, env.side).tolist()
            assert info["action_mask"].tolist() == allowed(way, env.game)
            assert env.action_masks().tolist() == info["action_mask"].astype(bool).tolist()
            observation, _, terminated, truncated, info = env.step(
                random_action(info["action_mask"], generator)
            )
            over = terminated or truncated
        assert "illegal_action" not in info
        assert observation.tolist() == repr_of(name, way, env.game, env.side).tolist()


@pytest.mark.parametrize("env_class", [AECGameEnv, OrderEnforcingEnv])
@in_every_way
def test_pettingzoo_shows_games_as_requested(
    name: str, way: str, env_class: Callable[..., Any]
) -> None:
    game, settings = GAMES[name]
    generator = np.random.default_rng(1)
    env = env_class(game, **WAYS[way], **settings)
    env.reset(seed=1)
    for agent in env.agent_iter():
        seen, _, terminated, truncated, info = env.last()
        for one in env.agents:
            again = env.observe(one)["observation"]
            assert env.observation_space(one)["observation"].contains(again)
            assert again.tolist() == repr_of(name, way, env.game, env.players[one]).tolist()
        assert seen["observation"].tolist() == env.observe(agent)["observation"].tolist()
        assert env.state_space.contains(env.state())
        if env.game.result is None:
            assert (
                info["action_mask"].tolist()
                == seen["action_mask"].tolist()
                == allowed(way, env.game)
            )
        env.step(None if terminated or truncated else random_action(info["action_mask"], generator))
    assert env.game.result is not None


@pytest.mark.parametrize("opponent", ["random", "self"])
@pytest.mark.parametrize("mode", AutoresetMode)
@in_every_way
def test_many_games_are_shown_as_requested(
    name: str, way: str, mode: AutoresetMode, opponent: str
) -> None:
    game, settings = GAMES[name]
    generator = np.random.default_rng(1)
    chosen = {"autoreset_mode": mode, "opponent": opponent, **settings}
    chosen |= {} if opponent == "self" else {"side": "random"}
    env_id = game_spec(game).env_id
    envs: Any = gymnasium.make_vec(env_id, 9, **WAYS[way], **chosen)
    plain: Any = gymnasium.make_vec(env_id, 9, **chosen)
    encoder = encoder_of(name, way)
    assert envs.single_observation_space == observation_space(encoder)
    (observations, info), (_, plain_info) = envs.reset(seed=4), plain.reset(seed=4)
    for _ in range(15):
        assert envs.observation_space.contains(observations)
        viewers = info["to_act" if opponent == "self" else "side"]
        for number, viewer in enumerate(viewers):
            now = envs.batch.game(number)
            assert now == plain.batch.game(number)
            assert (
                observations[number].tolist()
                == repr_of(name, way, now, envs.batch.players[viewer]).tolist()
            )
            if now.result is None:
                assert info["action_mask"][number].tolist() == allowed(way, now)
        assert envs.action_masks().tolist() == info["action_mask"].astype(bool).tolist()
        assert info["action_mask"].sum(1).tolist() == plain_info["action_mask"].sum(1).tolist()
        for number in info.get("_final_obs", np.zeros(9)).nonzero()[0]:
            assert envs.single_observation_space.contains(info["final_obs"][number])
        if mode == AutoresetMode.DISABLED and envs.batch.over.any():
            again = {"options": {"reset_mask": envs.batch.over.copy()}}
            (observations, info), (_, plain_info) = envs.reset(**again), plain.reset(**again)
            continue
        actions = np.array(
            [random_action(mask, generator) if mask.any() else 0 for mask in info["action_mask"]]
        )
        observations, rewards, _, _, info = envs.step(actions)
        _, plain_rewards, _, _, plain_info = plain.step(
            encoder.own_actions(actions, viewers.astype(np.int64))
        )
        assert rewards.tolist() == plain_rewards.tolist()


@in_every_way
def test_functions_see_what_the_learner_sees(name: str, way: str) -> None:
    game, settings = GAMES[name]
    encoder = encoder_of(name, way)
    seen = set()

    def player(observation: Any, info: dict[str, Any]) -> Any:
        seen.add((observation.shape[-encoder.high.ndim :], observation.dtype))
        return first(observation, info)

    env_id = game_spec(game).env_id
    env = gymnasium.make(env_id, opponent=player, side="random", **WAYS[way], **settings)
    envs = gymnasium.make_vec(env_id, 5, opponent=player, side="random", **WAYS[way], **settings)
    for one, action in ((env, int), (envs, np.array)):
        _, info = one.reset(seed=1)
        for _ in range(8):
            *_, info = one.step(action(info["action_mask"].argmax(-1)))
            if one is env and not info["action_mask"].any():
                _, info = env.reset()
    result = evaluate(player, player, games=4, game=game, opening_turns=0, **WAYS[way], **settings)
    assert result.illegal == 0
    assert seen == {(encoder.high.shape, encoder.high.dtype)}


@in_every_way
def test_a_function_as_agent_is_shown_the_same_game_by_game(name: str, way: str) -> None:
    game, settings = GAMES[name]
    spec, generator = game_spec(game), np.random.default_rng(1)
    asked = []

    def player(observation: Any, info: dict[str, Any]) -> Any:
        asked.append((observation.tolist(), info["action_mask"].tolist()))
        return random_action(info["action_mask"], generator)

    agent, playing = (
        FunctionAgent(player, **WAYS[way]),
        spec.game_class(spec.config(settings), seed=1),
    )
    while playing.result is None:
        expected = repr_of(name, way, playing, playing.to_act).tolist(), allowed(way, playing)
        playing.play(agent.act(playing))
        assert asked[-1] == expected


def test_a_function_plays_the_same_whatever_it_is_shown() -> None:
    results = [
        evaluate(first, "random", games=20, seed=3, observation=kind, chapters="memory")
        for kind in ("planes", "compact")
    ]
    assert results[0] == results[1]


def test_models_see_what_they_were_trained_on() -> None:
    class Model:
        def predict(self, observation: Any, action_masks: Any) -> Any:
            assert observation.shape[1:] == (160,)
            return action_masks.argmax(1), None

    assert evaluate(Model(), games=2, observation="compact").games == 2


@pytest.mark.parametrize("way", WAYS)
def test_stable_baselines_trains_on_the_requested_observations(way: str) -> None:
    sb3_contrib = pytest.importorskip("sb3_contrib", reason="needs the extra [train]")
    from tkm_env.envs.sb3 import SB3VecEnv

    envs = SB3VecEnv(num_envs=3, side="random", chapters="growth", **WAYS[way])
    assert envs.observation_space == tkm_v0.observation_space(chapters="growth", **WAYS[way])
    assert all(envs.observation_space.contains(one) for one in envs.reset())
    assert [mask.tolist() for mask in envs.env_method("action_masks")] == [
        info["action_mask"].astype(bool).tolist() for info in envs.reset_infos
    ]
    model = sb3_contrib.MaskablePPO(
        "MlpPolicy", envs, n_steps=8, batch_size=24, n_epochs=1, seed=1
    ).learn(48)
    assert evaluate(model, games=4, chapters="growth", **WAYS[way]).illegal == 0


# Other people's checks and wrappers.


@in_every_way
def test_gymnasium_check_env_passes(name: str, way: str) -> None:
    game, settings = GAMES[name]
    check_env(
        gymnasium.make(game_spec(game).env_id, side="random", **WAYS[way], **settings).unwrapped,
        skip_render_check=True,
    )


@with_warnings_that_any_dict_observation_gets
@pytest.mark.parametrize(
    ("module", "way"), [(terminus_v0, "compact"), *((tkm_v0, way) for way in WAYS)]
)
@pytest.mark.usefixtures("capsys")
def test_pettingzoos_api_test_passes(module: Any, way: str) -> None:
    api_test(module.env(**WAYS[way]), num_cycles=100)


def test_compact_observations_can_be_rescaled() -> None:
    plain, scaled = (
        gymnasium.make("tkm_env/TKM-v0", observation="compact", chapters="growth") for _ in range(2)
    )
    scaled = RescaleObservation(scaled, np.float32(-1), np.float32(1))
    generator = np.random.default_rng(1)
    one, info = plain.reset(seed=1)
    other, _ = scaled.reset(seed=1)
    for _ in range(40):
        np.testing.assert_allclose(other, 2 * one - 1, atol=1e-6)
        assert scaled.observation_space.contains(other)
        action = random_action(info["action_mask"], generator)
        (one, *_, info), (other, *_) = plain.step(action), scaled.step(action)
        if not info["action_mask"].any():
            break
    envs = gymnasium.make_vec("tkm_env/TKM-v0", 4, observation="compact")
    observations, _ = RescaleObservations(envs, np.float32(-1), np.float32(1)).reset(seed=1)
    assert set(np.unique(observations[:, :16])) == {-1, 1}


@pytest.mark.parametrize(
    "wrapped",
    [
        FlattenObservation,
        NormalizeObservation,
        lambda env: FrameStackObservation(env, 2),
        lambda env: DelayObservation(env, 1),
        lambda env: TransformObservation(env, lambda seen: seen[:28], Box(0, 1, (28,), np.float32)),
    ],
)
def test_gymnasiums_wrappers_work(wrapped: Any) -> None:
    env = wrapped(gymnasium.make("tkm_env/TKM-v0", observation="compact", max_turns=10))
    observation, info = env.reset(seed=1)
    for _ in range(10):
        assert env.observation_space.contains(observation)
        observation, *_, info = env.step(int(info["action_mask"].argmax()))


# What is refused.

WITH_ELEPHANTS = (
    "W..D/..../..../L..B|W..D/..../..../L..B|W..D/..../..../L..B M w c PF - 4/4 - ---/--- -/- 1"
)


@pytest.mark.parametrize("given", ["Compact", None, 1, ["planes"]])
def test_other_kinds_of_observations_are_refused(given: Any) -> None:
    for made in (
        lambda: tkm_v0.env(observation=given),
        lambda: gymnasium.make("tkm_env/TKM-v0", observation=given),
        lambda: gymnasium.make_vec("tkm_env/TKM-v0", 2, observation=given),
        lambda: evaluate(first, games=2, observation=given),
        lambda: FunctionAgent(first, given),
        lambda: ObservationEncoder(Game, Game.default_config, given),
    ):
        with pytest.raises(ConfigError, match=r"^observation=.* it must be 'planes' or 'compact'"):
            made()


def test_positions_that_cannot_be_shown_are_refused() -> None:
    starts = {"observation": "compact", "positions": [WITH_ELEPHANTS]}
    for made in (
        lambda: tkm_v0.env(**starts),
        lambda: gymnasium.make("tkm_env/TKM-v0", **starts),
        lambda: gymnasium.make_vec("tkm_env/TKM-v0", 2, **starts),
    ):
        with pytest.raises(
            ConfigError, match=r"^positions=.*with observation='compact' it cannot be told from"
        ):
            made()
    with pytest.raises(ConfigError, match=r"^game=Game.*cannot be told"):
        FunctionAgent(first, "compact").act(Game(position=WITH_ELEPHANTS))
    for env in (
        tkm_v0.env(observation="compact"),
        gymnasium.make("tkm_env/TKM-v0", observation="compact").unwrapped,
    ):
        env.reset(seed=1)
        before = env.game.position
        with pytest.raises(ConfigError, match=r"^position=.*cannot be told"):
            env.reset(options={"position": WITH_ELEPHANTS})
        assert env.game.position == before
    gymnasium.make("tkm_env/TKM-v0", **starts, chapters="memory").reset(seed=1)


def test_a_batch_refuses_encoders_of_other_games_or_settings() -> None:
    batch = make_batch(game_spec("tkm"), 2, chapters="growth")
    for wrong in (
        ObservationEncoder(Game, Game.default_config, "compact"),
        ObservationEncoder(TerminusGame, TerminusGame.default_config, "compact"),
    ):
        for call in (
            lambda wrong=wrong: batch.new_observations(wrong),
            lambda wrong=wrong: batch.observe(batch.new_observations(), None, wrong),
            lambda wrong=wrong: batch.observations_of([0], [0], wrong),
        ):
            with pytest.raises(
                ConfigError,
                match=r"^encoder=.* it must be one of Game under this batch's own settings",
            ):
                call()


@pytest.mark.parametrize("canonical", [False, True])
def test_invalid_masks_and_actions_are_refused(canonical: bool) -> None:
    encoder = ObservationEncoder(Game, Game.default_config, canonical=canonical)
    masks, viewers = np.zeros((2, 79), np.int8), np.array([0, 1])
    locked = np.zeros((2, 79), np.int8)
    locked.flags.writeable = False
    for name, given in (
        ("viewers", (masks, np.array([0, 2]), masks.copy())),
        ("viewers", (masks, np.array([0, -1]), masks.copy())),
        ("viewers", (masks, np.array([0.0, 1]), masks.copy())),
        ("masks", (masks[:, 1:], viewers, masks.copy())),
        ("masks", (masks.astype(float), viewers, masks.copy())),
        ("shown", (masks, viewers, masks[:1].copy())),
        ("shown", (masks, viewers, locked)),
        ("shown", (masks, viewers, np.zeros((79, 2), np.int8).T)),
        ("shown", (masks, viewers, masks.tolist())),
    ):
        with pytest.raises(ArrayError, match=f"^invalid {name}: "):
            encoder.write_masks(*given)
    for name, actions, seen_by in (
        ("actions", [0, 79], [0, 1]),
        ("actions", [0], [0, 1]),
        ("actions", [0.0, 1.0], [0, 1]),
        ("viewers", [0, 1], [0, 3]),
    ):
        with pytest.raises(ArrayError, match=f"^invalid {name}: "):
            encoder.own_actions(actions, seen_by)
    assert encoder.own_actions([5, -1], [0, 1]).tolist() == [5, -1]


def test_arrays_of_other_shapes_have_no_images() -> None:
    (table, *_) = symmetries(observation="compact")
    assert table.transform_actions([0] * 79).tolist() == [0] * 79
    for call, given in (
        (table.transform_observations, np.zeros((2, 84, 4, 4))),
        (table.transform_observations, np.zeros(160)),
        (table.transform_actions, np.zeros((2, 78))),
        (table.inverse_actions, np.zeros(())),
    ):
        with pytest.raises(ArrayError):
            call(given)


# A game from outside.


def test_a_game_from_outside_is_shown_scaled_and_flat() -> None:
    (row,) = compact_layout(SPEC.name)
    assert (row.name, row.start, row.length, row.high) == ("observation", 0, 27, 1)
    game = TicTacToe(position="x........")
    shown = ObservationEncoder(TicTacToe, game.config, "compact").observation(game, "nought")
    assert shown.tolist() == game.observation("nought").ravel().tolist()


def test_elements_with_other_bounds_are_in_other_rows_and_those_that_are_always_0_in_none() -> None:
    class Odd(TicTacToe):
        observation_high = np.array([[[1, 1, 0], [4, 4, 2], [2, 2, 2]]] * 3, np.int8)

    class Wrong(TicTacToe):
        @classmethod
        def observation_parts(cls, config: Any) -> Any:
            return [
                part._replace(elements=(0, 27))
                for part in BaseGame.observation_parts.__func__(cls, config)
            ]

    rows = ObservationEncoder(Odd, Odd.default_config, "compact").rows
    assert [(row.start, row.length, row.high) for row in rows[:4]] == [
        (0, 2, 1),
        (2, 2, 4),
        (4, 4, 2),
        (8, 2, 1),
    ]
    with pytest.raises(
        ConfigError, match=r"^elements=27 is invalid: the observation has elements 0 to 26$"
    ):
        ObservationEncoder(Wrong, Wrong.default_config, "compact")


# Canonical views.


def test_the_start_looks_the_same_to_both_players() -> None:
    for chapters in (["growth"], ["influence"], ["memory"], ["growth", "influence", "memory"]):
        for observation in ("planes", "compact"):
            encoder = ObservationEncoder(
                Game, Game(chapters=chapters).config, observation, canonical=True
            )
            games = Game(chapters=chapters), Game(chapters=chapters, first_player="black")
            one, other = (encoder.observation(game, game.to_act) for game in games)
            assert one.tolist() == other.tolist()
            assert encoder.action_mask(games[0]).tolist() == encoder.action_mask(games[1]).tolist()


@pytest.mark.parametrize("name", ["powers", "draft"])
def test_one_policy_plays_both_sides_alike(name: str) -> None:
    """Games that the other colour begins are images, to the end, of those that white begins."""
    _, settings = GAMES[name]
    settings = settings | (
        {"powers": ("express", "express")} if name == "powers" else {"chapters": ["growth"]}
    )
    agent = FunctionAgent(
        lambda observation, info: int(info["action_mask"].nonzero()[0][-1 - observation.sum() % 2]),
        canonical=True,
    )
    games = [Game(seed=1, first_player=player, **settings) for player in ("white", "black")]
    while games[0].result is None:
        for game in games:
            legal = game.legal_actions()
            game.play(agent.act(game) if len(legal) > 1 else legal[0])
        assert PLAYERS_EXCHANGED.states(games[0].state).tobytes() == games[1].state.tobytes()
    assert {game.result for game in games} in ({"1-0", "0-1"}, {"*"})


def test_an_encoder_that_changes_nothing_shows_the_game_as_it_is() -> None:
    encoder = ObservationEncoder(Game, Game.default_config)
    assert encoder.gather_plan is None
    game = Game()
    encoder.play_and_observe(game, encoder.own_action(game, 0))
    assert game.history == [0]
    assert (encoder.observation(game) == game.observation()).all()
    assert (encoder.action_mask(game) == game.action_mask()).all()


def test_an_illegal_action_is_reported_in_the_numbers_that_the_player_was_shown() -> None:
    number = action_index("move east")
    envs = gymnasium.make_vec(
        "tkm_env/TKM-v0", 2, opponent="self", canonical=True, first_player="black"
    )
    envs.reset(seed=1)
    *_, info = envs.step(np.array([number, number]))
    assert info["illegal_action"].tolist() == [number, number]
    env = tkm_v0.env(canonical=True, first_player="black")
    env.reset(seed=1)
    env.step(number)
    assert env.infos["black_0"]["illegal_action"] == number
    assert "'move north' is not legal" in env.infos["black_0"]["reason"]


@pytest.mark.parametrize("given", [-1, 79, 2**70, 1.5, "choose 1"])
def test_anything_but_an_action_is_refused_in_canonical_views(given: Any) -> None:
    env: Any = gymnasium.make("tkm_env/TKM-v0", canonical=True, side="black").unwrapped
    env.reset(seed=1)
    before = env.game.position
    with pytest.raises(UnknownActionError):
        env.step(given)
    assert env.game.position == before


@pytest.mark.parametrize("game", ["terminus", SPEC.name])
def test_games_without_a_canonical_view_refuse_it(game: str) -> None:
    for made in (
        lambda: AECGameEnv(game, canonical=True),
        lambda: gymnasium.make(game_spec(game).env_id, canonical=True),
        lambda: gymnasium.make_vec(game_spec(game).env_id, 2, canonical=True),
        lambda: evaluate(first, games=2, game=game, canonical=True),
        lambda: FunctionAgent(first, canonical=True).act(game_spec(game).game_class()),
    ):
        with pytest.raises(
            ConfigError,
            match=(
                r"^canonical=True is invalid: (Terminus has no such view|Tic-tac-toe names no "
                r"symmetry)"
            ),
        ):
            made()


def test_canonical_is_a_truth_value() -> None:
    for given in (1, "yes", None):
        with pytest.raises(ConfigError, match=r"^canonical=.* it must be False or True$"):
            tkm_v0.env(canonical=given)


def test_a_game_from_outside_can_name_the_symmetry_that_exchanges_its_players() -> None:
    class Relative(TicTacToe):
        @classmethod
        def player_swap_symmetry(cls) -> SymmetryTables:
            return cls.symmetries(cls.default_config)[0]

    encoder = ObservationEncoder(Relative, Relative.default_config, canonical=True)
    game = Relative(position="x........")
    assert encoder.observation(game).tolist() == game.observation().tolist()


# Copies.


@pytest.mark.parametrize("way", WAYS)
def test_copies_of_environments_show_the_same(way: str) -> None:
    env = tkm_v0.env(**WAYS[way], chapters="growth", first_player="black")
    env.reset(seed=1)
    for twin in (env.clone(), copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert twin.last()[0]["observation"].tobytes() == env.last()[0]["observation"].tobytes()
