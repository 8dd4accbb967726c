"""``tkm train``: a value network from self-play."""

import dataclasses
import shlex
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import click

from tkm_env.cli.console import PlainConsole
from tkm_env.cli.ctrl_c import stop_on_ctrl_c
from tkm_env.cli.game_options import GameCommand, pop_game
from tkm_env.cli.options import FILE, OUTPUT
from tkm_env.cli.outputs import pop_outputs
from tkm_env.cli.progress import exit_stopped, progress_bar
from tkm_env.core.settings import parse_settings
from tkm_env.evaluation.score import Interval
from tkm_env.foundations.cores import cores
from tkm_env.foundations.errors import extra
from tkm_env.learn.value_game import SelfPlayConfig
from tkm_env.learn.value_training import TrainingPlan, TrainingRound, ValueTraining

_PLAN: Final = TrainingPlan()
#: What the file of ``--json`` holds.
_CURVE: Final = "tkm_env learning curve"


@click.command("train", cls=GameCommand)
@click.argument("file", type=FILE)
@click.option(
    "--all-kinds",
    is_flag=True,
    help="Learn all kinds of games: every set of chapters, edition and powers, as far as other "
    "options leave them open.",
)
@click.option(
    "--complexity-factor",
    default=1,
    show_default=True,
    help="With --all-kinds, how many times as many games to play with one more chapter; with 1, "
    "all kinds are equally likely.",
)
@click.option(
    "--games", default=_PLAN.games, show_default=True, help="How many games to learn from."
)
@click.option(
    "--seed",
    default=_PLAN.seed,
    show_default=True,
    help="The same seed gives the same network, on any number of threads.",
)
@click.option(
    "--width",
    default=_PLAN.width,
    show_default=True,
    help="Units of the network's first hidden layer.",
)
@click.option("--narrow", default=_PLAN.narrow, show_default=True, help="Units of the second.")
@click.option(
    "--round-games",
    default=_PLAN.round_games,
    show_default=True,
    help="How many games to play with each state of the network.",
)
@click.option(
    "--passes", default=_PLAN.passes, show_default=True, help="How often to train on each position."
)
@click.option(
    "--batch", default=_PLAN.batch, show_default=True, help="Positions in each step of Adam."
)
@click.option("--rate", default=_PLAN.rate, show_default=True, help="Adam's initial learning rate.")
@click.option(
    "--last-rate", default=_PLAN.last_rate, show_default=True, help="Adam's final learning rate."
)
@click.option(
    "--temperature",
    default=_PLAN.self_play.temperature,
    show_default=True,
    help="Temperature of the softmax that chooses turns.",
)
@click.option(
    "--exploration",
    default=_PLAN.self_play.exploration,
    show_default=True,
    help="The share of turns drawn at random.",
)
@click.option(
    "--trace",
    default=_PLAN.self_play.trace,
    show_default=True,
    help="λ, from 0 (learn from the next value) to 1 (learn from the result).",
)
@click.option(
    "--discount", default=_PLAN.self_play.discount, show_default=True, help="γ, for each turn."
)
@click.option(
    "--opening-turns",
    default=_PLAN.self_play.opening_turns,
    show_default=True,
    help="Each game begins with 1 to this number of random turns.",
)
@click.option(
    "--most-turns",
    default=_PLAN.self_play.most_turns,
    show_default=True,
    help="Longer games are cut off and count as draws.",
)
@click.option(
    "--inputs",
    help="The version of the network's inputs, to learn again what an earlier version did.",
    show_default="that of the training that resumes, else the newest",
)
@click.option(
    "--against",
    "anchors",
    multiple=True,
    default=["greedy"],
    show_default=True,
    help="A player to rate the network against; repeatable.",
)
@click.option("--rating-games", default=400, show_default=True, help="Games per rating.")
@click.option(
    "--ratings",
    "evaluations",
    default=10,
    show_default=True,
    help="How many times to rate the network; the last time is at the end.",
)
@click.option(
    "--threads",
    "num_threads",
    type=int,
    default=cores,
    show_default="one per core",
    help="The most cores to use; the network does not depend on it.",
)
@click.option(
    "--tensorboard",
    type=click.Path(file_okay=False),
    help="A folder for TensorBoard's curves; needs the extra [tensorboard].",
)
@click.option(
    "--json",
    "output_json",
    type=OUTPUT,
    help="Write the learning curve to this file; - for standard output.",
)
def command(file: Path, all_kinds: bool, tensorboard: str | None, **options: Any) -> None:
    """Learn the values of positions from self-play alone, and write the network to FILE.

    FILE then plays: `tkm match net:file=FILE greedy`, `tkm play --opponent alphabeta:net=FILE`. If
    training is interrupted, the same command resumes it. Ctrl-C finishes the current round; a
    second one stops at once.
    """
    outputs = pop_outputs(options)
    play = SelfPlayConfig(**{name: options.pop(name) for name in SelfPlayConfig._fields})
    plan = TrainingPlan(
        **{
            field.name: options.pop(field.name)
            for field in dataclasses.fields(TrainingPlan)
            if field.name in options
        },
        self_play=play,
    )
    spec, given = pop_game(options)
    settings = {name: value for name, value in given.items() if value is not None}
    learned = parse_settings(spec.settings, settings)
    words = shlex.join(["tkm", *sys.argv[1:]])
    training = ValueTraining(
        file,
        game=spec.name,
        settings=learned,
        all_kinds=all_kinds,
        plan=plan,
        command=words,
        **options,
    )
    _run(training, outputs.console, tensorboard)
    outputs.write_json(lambda: {"curve": training.curve}, _CURVE)
    if (done := training.rounds_done) < plan.rounds:
        exit_stopped(f" after {done} of {plan.rounds} rounds: the same command resumes it")


def _run(training: ValueTraining, out: PlainConsole, tensorboard: str | None) -> None:
    """Learn, with a progress bar and a line for each rating."""
    with ExitStack() as stack:
        writer = None
        if tensorboard is not None:
            with extra("tensorboard"):
                from tensorboardX import SummaryWriter
            writer = stack.enter_context(SummaryWriter(tensorboard))
        bar = stack.enter_context(progress_bar())
        plan = training.plan
        task = bar.add_task(
            "first games",
            total=plan.rounds * plan.round_games,
            completed=training.rounds_done * plan.round_games,
        )
        stack.enter_context(stop_on_ctrl_c(training.stop, bar.console, "finishing this round"))
        for done in training.run():
            bar.update(task, completed=done.games, description=f"games, error {done.error:.4f}")
            for rating in done.ratings:
                score = Interval(rating.score, rating.low, rating.high)
                out.print(
                    f"{done.games:>9} games {done.seconds / 60:6.1f} CPU min  "
                    f"{score} against {rating.opponent}",
                    soft_wrap=True,
                )
            if writer is not None:
                _log(writer, done)


def _log(writer: Any, done: TrainingRound) -> None:
    writer.add_scalar("error", done.error, done.games)
    writer.add_scalar("positions", done.positions, done.games)
    for rating in done.ratings:
        bounds = {"score": rating.score, "low": rating.low, "high": rating.high}
        for name, value in bounds.items():
            writer.add_scalar(f"against {rating.opponent}/{name}", value, done.games)
