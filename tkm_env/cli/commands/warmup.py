"""``tkm warmup``: compile everything in advance."""

import tempfile
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

import click
import gymnasium
import numpy as np

from tkm_env.cli.console import echo
from tkm_env.cli.options import processes_option
from tkm_env.cli.progress import progress_bar
from tkm_env.compiled.decorators import COMPILES, cache_place
from tkm_env.core.observation_encoder import COMPACT, PLANES
from tkm_env.core.registry import GameSpec, game_names, game_spec
from tkm_env.envs.aec import OrderEnforcingEnv
from tkm_env.foundations.cores import cores
from tkm_env.foundations.errors import ConfigError
from tkm_env.learn.value_game import VALUE_GAMES
from tkm_env.learn.value_training import TrainingPlan, ValueTraining
from tkm_env.players.factory import make_agent
from tkm_env.players.roster import ROSTERS
from tkm_env.players.solvers import SOLVERS

#: Options with which agents decide at once; the code is the same with others.
_QUICK: Final = {
    "alphabeta": ("depth=2,net=None", "depth=2"),
    "mcts": ("iterations=20",),
    "ismcts": ("iterations=20",),
}
_QUICK_TURNS: Final = 2


def _games(spec: GameSpec) -> None:
    game = spec.game_class(seed=1)
    _play(game, make_agent("random", game=spec.name))
    for use in (game.restart, game.observation, game.action_mask, game.turns, game.info):
        use()
    env = OrderEnforcingEnv(spec.name)
    env.reset(seed=1)
    env.step(int(env.infos[env.agent_selection]["action_mask"].argmax()))
    learner = gymnasium.make(spec.env_id)
    _, info = learner.reset(seed=1)
    learner.step(int(info["action_mask"].argmax()))


def _batches(spec: GameSpec) -> None:
    for observation in (PLANES, COMPACT):
        for canonical in (False, True):
            with suppress(ConfigError):  # not every game has canonical views
                _step(spec, opponent="self", observation=observation, canonical=canonical)
    batch_class: Any = spec.parts.batch
    batch = None if batch_class is None else batch_class(4)
    if batch is not None:
        observations = batch.new_observations()
        batch.step(batch.random_actions(), observations)
        every = np.arange(4)
        batch.play_from(every, batch.random_actions(), every)
        batch.set_initial_positions(opening_turns=1)
        batch.observations_of(every, batch.to_act)
        batch.keys_of(every)
        with suppress(ConfigError):  # not every game's batch lists turns
            turns = batch.turns()
            batch.observe_turns(turns)
            batch.play_turns(turns, turns.offsets[:-1])


def _agents(spec: GameSpec) -> None:
    for name in ROSTERS.of(spec).agents:
        for options in _QUICK.get(name, ("",)):
            line = f"{name}:{options}".removesuffix(":")
            _play(spec.game_class(seed=1), make_agent(line, game=spec.name))
            _step(spec, opponent=line)


def _tools(spec: GameSpec) -> None:
    game: Any = spec.game_class(seed=1)
    solvers = SOLVERS.of(spec)
    if solvers.perft is not None:
        solvers.perft(game.state, 2)
    if solvers.analyse is not None:
        solvers.analyse(game.state, lines=1, depth=1)


def _training(spec: GameSpec) -> None:
    if VALUE_GAMES.of(spec) is not None:
        with tempfile.TemporaryDirectory() as folder:
            plan = TrainingPlan(games=20, round_games=20)
            for _ in ValueTraining(
                Path(folder) / "net.npz",
                game=spec.name,
                plan=plan,
                anchors=("random",),
                rating_games=2,
            ).run():
                pass


def _play(game: Any, agent: Any) -> None:
    while game.result is None and game.turn <= _QUICK_TURNS:
        game.play(agent.act(game))


def _step(spec: GameSpec, **keywords: Any) -> None:
    envs = gymnasium.make_vec(spec.env_id, 2, **keywords)
    _, info = envs.reset(seed=1)
    for _ in range(3):
        _, _, _, _, info = envs.step(info["action_mask"].argmax(1))


#: For each game, the work whose code is compiled, the longest first.
WORK: Final = (_agents, _training, _batches, _tools, _games)


@click.command("warmup")
@processes_option("How many processes compile in parallel.")
def command(processes: int | None) -> None:
    """Compile the code of games, environments, agents, analysis and training in advance.

    This is for container images, clusters and continuous integration: every later process that can
    read the cache folder, which NUMBA_CACHE_DIR sets, loads the compiled code from there. Code for
    GPUs is not included.
    """
    folder = cache_place()
    if not COMPILES or folder is None:
        raise ConfigError(
            "NUMBA_CACHE_DIR",
            folder,
            "compilation is off, or there is no writable folder for machine code",
        )
    before, began = _functions_in(folder), time.perf_counter()
    with (
        progress_bar() as progress,
        ProcessPoolExecutor(processes or cores(), get_context("spawn")) as pool,
    ):
        jobs = [pool.submit(work, game_spec(game)) for work in WORK for game in game_names()]
        task = progress.add_task("compiling", total=len(jobs))
        for done in as_completed(jobs):
            done.result()
            progress.advance(task)
    found = _functions_in(folder)
    if found == before:
        echo(f"nothing left to compile: {found} functions are in {folder}")
    else:
        seconds = time.perf_counter() - began
        echo(f"compiled {found - before} functions in {seconds:.0f} s; they are in {folder}")


def _functions_in(folder: str) -> int:
    """How many compiled functions there are."""
    return sum(1 for _ in Path(folder).rglob("*.nbi"))
