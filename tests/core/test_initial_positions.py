"""Where games begin: after turns of random play, or from given positions.

This holds in every interface and for every kind of game.
"""

from __future__ import annotations

import contextlib
import copy
import pickle
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import tkm_env
from tests.games.tictactoe import SPEC as TICTACTOE
from tests.games.tkm.positions import NOBODY_WINS, VARIED, WHITE_WINS, random_action
from tkm_env import ConfigError, Game, PositionError, TerminusGame
from tkm_env.core import registry
from tkm_env.core.batch import BaseBatch
from tkm_env.core.batch_factory import make_batch
from tkm_env.core.game import BaseGame
from tkm_env.core.registry import GameSpec, game_spec
from tkm_env.envs.aec import AECGameEnv, OrderEnforcingEnv
from tkm_env.envs.single import GameEnv

VIEW = "1:.I. r p 2,9,13/3,5,16 ?10 -/- 1 -"
WHOLE = "1:.I. r p 2,9,13/3,5,16 12,7,11,4,17,6,15,8,14,10 -/- 1 00000000000000ff"


class Kind(NamedTuple):
    """A game, settings of it, and positions under these."""

    spec: GameSpec
    settings: dict[str, Any]
    positions: tuple[str, ...]


KINDS = {
    "standard": Kind(game_spec("tkm"), {"max_turns": 300}, tuple(VARIED)),
    "drawn": Kind(game_spec("tkm"), {"chapters": "convergence"}, tuple(VARIED)),
    "drafted": Kind(game_spec("tkm"), {"timeline": "draft_powers"}, tuple(VARIED)),
    "terminus": Kind(game_spec("terminus"), {}, (WHOLE, VIEW)),
    "plain Python": Kind(TICTACTOE, {}, ("x........", "xo.......", "xox......")),
}


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> Iterator[Kind]:
    kind = KINDS[request.param]
    tkm_env.register_game(kind.spec)
    yield kind
    if kind.spec is TICTACTOE:
        del registry._SPECS[TICTACTOE.name]
        gymnasium.registry.pop(TICTACTOE.env_id)


def begun(kind: Kind, face: str | AutoresetMode, games: int, **starts: Any) -> Iterator[BaseGame]:
    """At least this number of games of an interface as they begin.

    Some are begun by resets, others by automatic ones between them.
    """
    settings = {**kind.settings, **starts}
    if isinstance(face, AutoresetMode):
        yield from _begun_side_by_side(kind, face, games, settings)
        return
    env = SINGLE[face](kind.spec.name, **settings)
    for number in range(games):
        with contextlib.suppress(_OtherSideError):
            env.reset(seed=None if number else 1)
        yield env.game.copy()


def _begun_side_by_side(
    kind: Kind, mode: AutoresetMode, games: int, settings: dict[str, Any]
) -> Iterator[BaseGame]:
    envs: Any = gymnasium.make_vec(
        kind.spec.env_id, 4, opponent="self", autoreset_mode=mode, **settings
    )
    _, info = envs.reset(seed=1)
    generator, begins, ended = np.random.default_rng(1), np.ones(4, np.bool_), np.zeros(4, np.bool_)
    while True:
        for number in begins.nonzero()[0].tolist():
            yield envs.batch.game(number)
        games -= int(begins.sum())
        if games <= 0:
            return
        actions = [
            random_action(mask, generator) if mask.any() else 0 for mask in info["action_mask"]
        ]
        _, _, terminations, truncations, info = envs.step(np.array(actions))
        begins = ended if mode == AutoresetMode.NEXT_STEP else terminations | truncations
        ended = terminations | truncations
        if mode == AutoresetMode.DISABLED and ended.any():
            _, info = envs.reset(options={"reset_mask": ended})


class _OtherSideError(Exception):
    """It is the opponent who begins."""


class _Waiting:
    """An opponent who leaves the game as it begins."""

    def act(self, game: BaseGame) -> int:
        raise _OtherSideError


SINGLE: dict[str, Callable[..., Any]] = {
    "env": OrderEnforcingEnv,
    "raw_env": AECGameEnv,
    "make": lambda game, **settings: GameEnv(game, opponent=_Waiting(), **settings),
}
FACES = [*SINGLE, *AutoresetMode]


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("turns", [1, 2, 3])
def test_games_begin_after_turns_of_random_play(kind: Kind, face: str, turns: int) -> None:
    games = [*begun(kind, face, 24, opening_turns=turns)]
    assert {game.turn for game in games} == {turns + 1}
    assert {game.result for game in games} == {None}
    assert {(*game.history,) for game in games} == {()}
    assert len({game.position for game in games}) > 6, "openings are drawn anew for each game"
    for game in games:
        assert type(game)(game.config, position=game.position) == game, "as from its position"


@pytest.mark.parametrize("face", FACES)
def test_games_begin_from_positions_that_are_drawn(kind: Kind, face: str) -> None:
    given = kind.positions
    games = [*begun(kind, face, 8 * len(given), positions=given)]
    seen = {text for game in games for text in (game.position, game.visible_position)} & {*given}
    assert seen == {*given}
    assert all(game.position in given or game.visible_position in given for game in games)
    if kind.spec.name == "terminus":
        hidden = [game.position for game in games if game.position != WHOLE]
        assert len({*hidden}) == len(hidden), "what a position leaves open is drawn for each game"


@pytest.mark.parametrize("face", FACES)
def test_random_turns_may_follow_a_position(kind: Kind, face: str) -> None:
    first = kind.positions[0]
    turn = kind.spec.game_class(kind.spec.config(kind.settings), position=first).turn
    games = [*begun(kind, face, 20, positions=[first], opening_turns=1)]
    assert {game.turn for game in games} == {turn + 1}
    assert len({game.position for game in games}) > 2


@pytest.mark.parametrize("face", FACES)
def test_a_seed_decides_on_the_starts(kind: Kind, face: str) -> None:
    series = [
        [game.position for game in begun(kind, face, 20, positions=kind.positions, opening_turns=1)]
        for _ in range(2)
    ]
    assert series[0] == series[1]


@pytest.mark.parametrize("face", [OrderEnforcingEnv, AECGameEnv, GameEnv])
def test_the_position_of_a_reset_comes_before_all_others(kind: Kind, face: type[Any]) -> None:
    env = face(kind.spec.name, opening_turns=2, positions=kind.positions[1:], **kind.settings)
    player = kind.spec.game_class(
        kind.spec.config(kind.settings), position=kind.positions[0]
    ).to_act
    env.reset(
        seed=1,
        options={"position": kind.positions[0]} | ({"side": player} if face is GameEnv else {}),
    )
    assert env.game.position == kind.positions[0]


# In batches.


def made_batch(kind: Kind, games: int = 12, **more: Any) -> BaseBatch[Any]:
    return make_batch(kind.spec, games, **kind.settings, **more)


def all_of(batch: BaseBatch[Any]) -> list[BaseGame]:
    return [batch.game(number) for number in range(batch.num_games)]


def run(batch: BaseBatch[Any], steps: int = 40) -> list[str]:
    observations = batch.new_observations()
    for _ in range(steps):
        batch.step(batch.random_actions(), observations)
    return [game.position for game in all_of(batch)]


def test_games_of_a_batch_that_have_begun_go_on(kind: Kind) -> None:
    batch = made_batch(kind)
    batch.reset(seed=1)
    run(batch, 5)
    before, masks, results = all_of(batch), batch.masks.copy(), batch.results.copy()
    batch.set_initial_positions(opening_turns=2)
    assert all_of(batch) == before
    assert batch.masks.tolist() == masks.tolist()
    assert batch.results.tolist() == results.tolist()
    for number, game in enumerate(before):
        assert batch.masks[number].tolist() == game.action_mask().tolist()


def test_a_step_that_restarts_games_leaves_all_masks_right(kind: Kind) -> None:
    batch = made_batch(kind, 30)
    batch.set_initial_positions(opening_turns=2)
    batch.reset(seed=2)
    observations, ends = batch.new_observations(), 0
    for _ in range(60):
        batch.step(batch.random_actions(), observations)
        ends += int((batch.results != 0).sum())
        for number, game in enumerate(all_of(batch)):
            assert batch.masks[number].tolist() == game.action_mask().tolist()
            assert observations[number].tolist() == game.observation().tolist()
    assert ends


@pytest.mark.usefixtures("threads_for_few_games")
def test_starts_depend_on_each_games_seed_alone(kind: Kind) -> None:
    """Not on how many games there are, nor on threads."""
    runs = []
    for batch, seed in ((made_batch(kind, 6), 5), (made_batch(kind, 6, num_threads=2), 5)):
        batch.set_initial_positions(2, kind.positions)
        batch.reset(seed=seed)
        runs.append(run(batch))
    alone = made_batch(kind, 1)
    alone.set_initial_positions(2, kind.positions)
    alone.reset(seed=8)
    assert runs[0] == runs[1]
    assert run(alone) == runs[0][3:4]


def test_usual_starts_can_be_set_again(kind: Kind) -> None:
    batch, other = made_batch(kind), made_batch(kind)
    batch.set_initial_positions(2, kind.positions)
    batch.set_initial_positions()
    for one in (batch, other):
        one.reset(seed=3)
    assert all_of(batch) == all_of(other)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda batch: pickle.loads(pickle.dumps(batch))])
def test_copies_begin_identically(kind: Kind, copied: Callable[[Any], Any]) -> None:
    batch = made_batch(kind)
    batch.set_initial_positions(1, kind.positions)
    batch.reset(seed=1)
    run(batch, 10)
    twin = copied(batch)
    assert run(twin, 60) == run(batch, 60)


def test_a_batch_draws_the_same_openings_as_single_games() -> None:
    """After one turn of the standard game each position is as frequent here as there."""
    counts = []
    batch = made_batch(KINDS["standard"], 2000)
    batch.set_initial_positions(opening_turns=1)
    batch.reset(seed=1)
    env = AECGameEnv("tkm", opening_turns=1, max_turns=300)
    singles = []
    for number in range(600):
        env.reset(seed=None if number else 1)
        singles.append(env.game.position)
    for positions in ([game.position for game in all_of(batch)], singles):
        numbers = dict(zip(*np.unique(positions, return_counts=True), strict=True))
        counts.append({text: number / len(positions) for text, number in numbers.items()})
    assert counts[1].keys() <= counts[0].keys()
    for text in counts[0]:
        assert abs(counts[0][text] - counts[1].get(text, 0)) < 0.06, text


# What is refused.


@pytest.mark.parametrize("turns", [-1, 1.0, True, None, "2", 10**9])
@pytest.mark.parametrize("face", ["aec", "make", "make_vec", "batch"])
def test_invalid_turns_are_refused_by_name(kind: Kind, face: str, turns: Any) -> None:
    assert refused(kind, face, opening_turns=turns).keyword == "opening_turns"


@pytest.mark.parametrize(
    "positions", [[], "x", 5, [5], [None], ["nonsense"], {"a": 1}, {"a"}, b"x", np.zeros((2, 2))]
)
@pytest.mark.parametrize("face", ["aec", "make", "make_vec", "batch"])
def test_invalid_positions_are_refused_by_name(kind: Kind, face: str, positions: Any) -> None:
    assert refused(kind, face, positions=positions).keyword == "positions"


def refused(kind: Kind, face: str, **starts: Any) -> ConfigError:
    makers: dict[str, Callable[[], object]] = {
        "aec": lambda: AECGameEnv(kind.spec.name, **kind.settings, **starts),
        "make": lambda: gymnasium.make(kind.spec.env_id, **kind.settings, **starts),
        "make_vec": lambda: gymnasium.make_vec(kind.spec.env_id, 2, **kind.settings, **starts),
        "batch": lambda: made_batch(kind).set_initial_positions(**starts),
    }
    with pytest.raises(ConfigError) as caught:
        makers[face]()
    return caught.value


@pytest.mark.parametrize(
    "given", [range(10**15), [Game().position, 5], "x", b"x", {}, (), np.zeros(2)]
)
def test_anything_but_a_list_of_positions_is_refused_at_once(given: Any) -> None:
    with pytest.raises(
        ConfigError,
        match=r"^positions=.* it must be None, 'shipped' or a list of the texts of positions",
    ):
        AECGameEnv("tkm", positions=given)


def test_a_position_in_which_nobody_is_to_act_is_refused_by_name() -> None:
    over = Game(position=WHITE_WINS)
    over.play("focus present")
    with pytest.raises(ConfigError, match=r"^positions=.*the game is over: 1-0"):
        AECGameEnv("tkm", positions=[NOBODY_WINS, over.position])


def test_openings_that_no_game_survives_are_refused_and_change_nothing(
    kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("initial_positions", "compiled_batch"):
        monkeypatch.setattr(f"tkm_env.core.{module}.OPENINGS_TRIED", 1)
    long = {"tictactoe": 8, "terminus": 14}.get(kind.spec.name, 80)
    with pytest.raises(
        ConfigError, match=rf"^opening_turns={long} is invalid: each of 1 random games"
    ):
        for _ in begun(kind, "raw_env", 100, opening_turns=long):
            pass
    if kind.spec.parts.batch is None:
        return
    batch, untouched = made_batch(kind, 50), made_batch(kind, 50)
    for one in (batch, untouched):
        one.reset(seed=1)
    with pytest.raises(ConfigError, match=r"^opening_turns="):
        batch.set_initial_positions(opening_turns=long)
    assert run(batch) == run(untouched)


def test_an_opening_has_to_leave_room_for_the_game() -> None:
    assert AECGameEnv("tkm", max_turns=7, opening_turns=6).config.max_turns == 7
    with pytest.raises(ConfigError, match=r"^opening_turns=7 .* from 0 to 6"):
        AECGameEnv("tkm", max_turns=7, opening_turns=7)


@pytest.mark.parametrize("key", ["opening_turns", "positions", "nonsense"])
@pytest.mark.parametrize("face", ["aec", "make", "make_vec"])
def test_a_reset_takes_no_other_options(kind: Kind, face: str, key: str) -> None:
    made: dict[str, Callable[[], Any]] = {
        "aec": lambda: OrderEnforcingEnv(kind.spec.name, **kind.settings),
        "make": lambda: gymnasium.make(kind.spec.env_id, **kind.settings),
        "make_vec": lambda: gymnasium.make_vec(kind.spec.env_id, 2, **kind.settings),
    }
    with pytest.raises(ConfigError, match=rf"^options=.*there is no option '{key}'; valid keys: "):
        made[face]().reset(options={key: 1})


def test_a_wrong_position_of_a_reset_is_still_refused_as_such() -> None:
    with pytest.raises(PositionError):
        TerminusGame(position="nonsense")
    with pytest.raises(PositionError):
        AECGameEnv("terminus", opening_turns=1).reset(options={"position": "nonsense"})
