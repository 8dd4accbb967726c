"""``tkm train``: from nothing to a value network, by self-play."""

from __future__ import annotations

import dataclasses
import os
import shlex
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import click
from rich.console import Console

from tkm_env.arena.score import Interval
from tkm_env.cli import INTERRUPTED
from tkm_env.cli.interrupts import stopped_by_interrupts
from tkm_env.cli.output import OUTPUT, console_beside, emit_json
from tkm_env.cli.progress import progress_bar
from tkm_env.cli.settings import GameCommand, take_game
from tkm_env.extras import extra
from tkm_env.learn.value_game import SelfPlayConfig
from tkm_env.learn.value_training import TrainingPlan, TrainingRound, ValueTraining

_PLAN: Final = TrainingPlan()
#: What the file of ``--json`` holds.
_CURVE: Final = "tkm_env learning curve"


def _plan_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command an option for each part of a plan."""
    helps = {
        "games": "How many games to learn from.",
        "seed": "The same seed gives the same network, on any number of threads.",
        "width": "Units of the network's first hidden layer.",
        "narrow": "Units of its second.",
        "round_games": "How many games are played with one and the same network.",
        "passes": "How often each position is learned from.",
        "batch": "Positions in a step of Adam.",
        "rate": "Its step size at the beginning.",
        "last_rate": "And in the end.",
    }
    plays = {
        "temperature": "Of the softmax by which turns are chosen.",
        "exploration": "The share of turns drawn at random.",
        "trace": "λ: from 0, learn from the next value, to 1, learn from the result.",
        "discount": "γ, for each turn.",
        "opening_turns": "Each game begins with 1 to so many random turns.",
        "most_turns": "Longer games are cut, and count as drawn.",
    }
    for name, text, default in [
        *((name, text, getattr(_PLAN, name)) for name, text in helps.items()),
        *((name, text, getattr(_PLAN.self_play, name)) for name, text in plays.items()),
    ][::-1]:
        option = click.option(f"--{name.replace('_', '-')}", type=type(default), default=default, show_default=True, help=text)
        command = option(command)
    return command


@click.command("train", cls=GameCommand)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--all-kinds", is_flag=True, help="Learn games of all kinds: every set of chapters, edition and powers.")
@_plan_options
@click.option(
    "--against", multiple=True, default=["greedy"], show_default=True, help="A player to be rated against; again for more."
)
@click.option("--rating-games", default=400, show_default=True, help="Games of a rating.")
@click.option("--ratings", default=10, show_default=True, help="How often to rate the network, the last time at the end.")
@click.option(
    "--threads", type=int, show_default="one per core", help="The maximum number of cores; the network does not depend on it."
)
@click.option("--tensorboard", type=click.Path(file_okay=False), help="A folder for TensorBoard's curves; needs the extra [learn].")
@click.option("--json", "json_file", type=OUTPUT, help="Write the learning curve to this file; - for standard output.")
def command(
    file: Path,
    all_kinds: bool,
    against: tuple[str, ...],
    rating_games: int,
    ratings: int,
    threads: int | None,
    tensorboard: str | None,
    json_file: Path | None,
    **options: Any,
) -> None:
    """Learn what positions are worth, from nothing but games against oneself, and write the network to FILE.

    FILE then plays: `tkm match net:file=FILE greedy`, `tkm play --opponent alphabeta:net=FILE`. The same command goes on with a training
    that was stopped, however that was. Ctrl-C finishes the round that is being played; a second one does not.
    """
    play = SelfPlayConfig(**{name: options.pop(name) for name in SelfPlayConfig._fields})
    plan = TrainingPlan(
        **{field.name: options.pop(field.name) for field in dataclasses.fields(TrainingPlan) if field.name in options},
        self_play=play,
    )
    spec, given = take_game(options)
    settings = {name: value for name, value in given.items() if value is not None}
    if all_kinds and settings:
        raise click.UsageError(f"--all-kinds learns every {next(iter(settings))}")
    config = spec.config_from_text(settings)
    training = ValueTraining(
        file,
        game=spec.name,
        settings=None if all_kinds else {field.name: getattr(config, field.name) for field in dataclasses.fields(config)},
        plan=plan,
        anchors=against,
        rating_games=rating_games,
        evaluations=ratings,
        num_threads=os.cpu_count() or 1 if threads is None else threads,
        command=shlex.join(["tkm", *sys.argv[1:]]),
    )
    done = _run(training, console_beside(json_file), tensorboard)
    if json_file is not None:
        emit_json(json_file, _CURVE, {"curve": training.curve})
    if done < plan.rounds:
        click.echo(f"stopped after {done} of {plan.rounds} rounds: the same command goes on", err=True)
        raise click.exceptions.Exit(INTERRUPTED)


def _run(training: ValueTraining, out: Console, tensorboard: str | None) -> int:
    """Learn, with a bar on a terminal and a line for each rating; returns how many rounds are done."""
    with ExitStack() as stack:
        writer = None
        if tensorboard is not None:
            with extra("learn"):
                from tensorboardX import SummaryWriter
            writer = stack.enter_context(SummaryWriter(tensorboard))
        bar = stack.enter_context(progress_bar(unit="games"))
        plan = training.plan
        task = bar.add_task(
            "the first games",
            total=plan.rounds * plan.round_games,
            completed=training.rounds_done * plan.round_games,
        )
        stack.enter_context(stopped_by_interrupts(training.stop, bar.console, "finishing this round"))
        for done in training.run():
            bar.update(task, completed=done.games, description=f"error {done.error:.4f}")
            for rating in done.ratings:
                score = Interval(rating.score, rating.low, rating.high)
                line = f"{done.games:>9} games {done.seconds / 60:6.1f} CPU min  {score} against {rating.opponent}"
                out.print(line, highlight=False, markup=False, soft_wrap=True)
            if writer is not None:
                _log(writer, done)
    return training.rounds_done


def _log(writer: Any, done: TrainingRound) -> None:
    writer.add_scalar("error", done.error, done.games)
    writer.add_scalar("positions", done.positions, done.games)
    for rating in done.ratings:
        bounds = {"score": rating.score, "low": rating.low, "high": rating.high}
        for name, value in bounds.items():
            writer.add_scalar(f"against {rating.opponent}/{name}", value, done.games)
