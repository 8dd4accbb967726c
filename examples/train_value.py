"""Learn what positions of a game are worth, and evaluate the network.

    python examples/train_value.py growth.npz --chapters growth

Needs neither torch nor a GPU. By default it takes about five minutes on one core. It resumes where
it was stopped; ``tkm train`` does the same with a progress bar.
"""

from __future__ import annotations

import argparse

from budget import Played, add_arguments, rounds

from tkm_env.evaluation import evaluate
from tkm_env.foundations.cores import cores
from tkm_env.learn.value_training import TrainingPlan, ValueTraining

#: More games than a core plays in a minute.
A_MINUTE = 40_000


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "file", nargs="?", help="where to write the network (default: that of --save)"
    )
    parser.add_argument(
        "--chapters", default="standard", help="chapters in play, joined by + (default: standard)"
    )
    parser.add_argument(
        "--games",
        type=int,
        help=f"games to learn from (default: {TrainingPlan.games}, or {A_MINUTE} per CPU minute)",
    )
    parser.add_argument(
        "--rating-games", type=int, default=400, help="games of each evaluation (default: 400)"
    )
    parser.add_argument("--seed", type=int, default=1)
    add_arguments(parser)
    arguments = parser.parse_args()

    chapters = (
        arguments.chapters if arguments.chapters == "standard" else arguments.chapters.split("+")
    )
    file = arguments.file or arguments.save
    games = arguments.games or (
        int(A_MINUTE * arguments.cpu_minutes) if arguments.cpu_minutes else TrainingPlan.games
    )
    training = ValueTraining(
        file,
        settings={"chapters": chapters},
        plan=TrainingPlan(games=games, seed=arguments.seed),
        anchors=["random", "greedy"],
        rating_games=arguments.rating_games,
        evaluations=1 if arguments.cpu_minutes else 10,
        num_threads=1 if arguments.cpu_minutes else cores(),
    )
    if arguments.cpu_minutes:  # no evaluations
        playing, played = training.run(), Played()
        for _ in rounds(arguments, training.plan.rounds, training.save, played):
            if done := next(playing, None):
                played.add(done.games - played.games, done.actions)
            else:
                training.save(file)
                print(
                    "all games were played before the CPU minutes were spent; "
                    "more --games use them all"
                )
                break
        return
    for done in training.run():
        for rating in done.ratings:
            print(
                f"{done.games} games, {done.seconds / 60:.1f} CPU minutes: "
                f"{rating.score:.1%} against {rating.opponent}",
                flush=True,
            )
    for player in (f"net:file={file}", f"alphabeta:depth=2,net={file}"):
        print(
            evaluate(
                player,
                "greedy",
                games=arguments.rating_games,
                seed=arguments.seed,
                chapters=chapters,
            )
        )


if __name__ == "__main__":
    main()
