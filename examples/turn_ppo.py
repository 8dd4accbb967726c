"""PPO over whole turns, in one file: ``python examples/turn_ppo.py``.

A turn is about four actions that only make sense together, and can end in about thirty positions.
Here one decision of the policy is a whole turn: a small network gives each of these ends a score,
and the policy is a softmax over the scores of a position's ends (Schulman, Wolski, Dhariwal,
Radford and Klimov, "Proximal Policy Optimization Algorithms", 2017). The network also estimates the
value of an end, and so, with the sign changed, that of the position before the next turn. Learning
needs torch and tqdm, which are in the extra ``[train]``; playing needs numpy alone:

    tkm match examples/turn_ppo.py:TurnPolicy:file=turns.npz greedy
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tkm_env import Batch, BatchTurns, Game, GameConfig, ObservationEncoder
from tkm_env.evaluation import evaluate
from tkm_env.learn import zero_sum_gae

if TYPE_CHECKING:
    from torch import Tensor
    from torch.optim import Optimizer

#: Games at once, and turns of each between two updates.
GAMES, TURNS = 256, 32
#: Passes over these turns, and turns in each step of Adam.
EPOCHS, BATCH = 2, 512
#: Adam's step size, and the weight of the policy's entropy. Both fall to 0.
RATE, ENTROPY = 2e-3, 0.02
#: The discount of each turn, and how far advantages look ahead.
GAMMA, LAMBDA = 0.99, 0.9
#: The clipping range of the ratio of probabilities, and the weight of the value's error.
CLIP, VALUE = 0.2, 0.5
#: Ends with a lower probability are left out of learning, which saves more than half of the work.
LEAST = 0.002
#: How much the value of an end adds to its score: the rest of the score, which is learned, corrects
#: a softmax of values at temperature 1 / TRUST.
TRUST = 20.0
#: The score of an end in which the game is won; where it is lost, the score is the opposite.
WON = 30.0
#: Units of the two hidden layers.
WIDTHS = 128, 64
#: What the network is not shown: what is the same in all positions between two turns, and the
#: number of the turn.
LEFT_OUT = {
    "active",
    "white",
    "to act",
    "choose",
    "act",
    "shift",
    "actions left",
    "turn, hundreds",
    "turn, units",
}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--cpu-minutes",
        type=float,
        default=10,
        help="how long to learn, evaluations not counted (default: 10)",
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--chapters", default="standard", help="chapters of the game (default: standard)"
    )
    parser.add_argument(
        "--save",
        type=Path,
        default=Path("turns.npz"),
        metavar="FILE",
        help="the policy's file (default: turns.npz)",
    )
    parser.add_argument(
        "--checkpoint-minutes",
        default="1,2,4,6,8,10",
        help="when to save turns-1.npz, … (default: 1,2,4,6,8,10)",
    )
    parser.add_argument(
        "--games",
        type=int,
        default=1000,
        help="games of each checkpoint against greedy, or 0 (default: 1000)",
    )
    return parser.parse_args()


class Weights(NamedTuple):
    """A network with two hidden layers: arrays that play, or tensors that learn."""

    first: Any
    first_bias: Any
    second: Any
    second_bias: Any
    last: Any  # two outputs: score and value
    last_bias: Any

    @classmethod
    def random(cls, inputs: int, generator: np.random.Generator) -> Weights:
        """Draw weights as in He et al. (2015); scores and values are nearly equal at first."""
        layers: list[NDArray[np.float64]] = []
        for above, below, gain in ((inputs, WIDTHS[0], 2.0), (*WIDTHS, 2.0), (WIDTHS[1], 2, 1e-4)):
            layers += generator.normal(0, (gain / above) ** 0.5, (above, below)), np.zeros(below)
        return cls(*(layer.astype(np.float32) for layer in layers))

    def of_arrays(
        self, seen: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Evaluate positions after a turn, for the player who took it.

        Returns:
            The scores and the values, from -1 to 1, of shape (m,) each.
        """
        hidden = np.maximum(seen @ self.first + self.first_bias, 0)
        hidden = np.maximum(hidden @ self.second + self.second_bias, 0)
        score, value = (hidden @ self.last + self.last_bias).T
        return score, np.tanh(value)

    def of_tensors(self, seen: Tensor, image: Tensor) -> tuple[Tensor, Tensor]:
        """The same for tensors, for the positions' images under a symmetry; see `Eyes.images`."""
        hidden = self.first_bias.addmm(seen, self.first[image]).relu()
        hidden = self.second_bias.addmm(hidden, self.second).relu()
        score, value = self.last_bias.addmm(hidden, self.last).T
        return score, value.tanh()


class Ends(NamedTuple):
    """The ends of the turns of many games, one after another."""

    seen: NDArray[np.float32]  # (m, inputs): as seen by the player whose turn ended there
    known: NDArray[np.float32]  # (m,): the score of an end in which the game is over; NaN elsewhere


class Eyes:
    """How positions between two turns are shown.

    They are shown by the part of the canonical compact observation that varies there.
    """

    def __init__(self, config: GameConfig) -> None:
        self.encoder = ObservationEncoder(Game, config, "compact", canonical=True)
        rows = [row for row in self.encoder.rows if row.name not in LEFT_OUT]
        self.columns = np.concatenate(
            [np.arange(row.start, row.start + row.length) for row in rows]
        )

    def before(self, batch: Batch) -> NDArray[np.float32]:
        """What the player whose turn has just ended sees, in each game."""
        return batch.observations_of(np.arange(batch.num_games), 1 - batch.to_act, self.encoder)[
            :, self.columns
        ]

    def after(self, batch: Batch, turns: BatchTurns) -> Ends:
        """The ends of these turns.

        An observation does not tell who has won, so the scores of those ends are given.
        """
        rewards = batch.ends.rewards[turns.results, turns.players[turns.owners]]
        known = np.where(turns.results == 0, np.nan, WON * rewards).astype(np.float32)
        return Ends(batch.observe_turns(turns, encoder=self.encoder)[:, self.columns], known)

    def images(self) -> list[NDArray[np.int64]]:
        """The inputs of a position's image, for each symmetry that keeps the players."""
        places = np.zeros(len(self.encoder.high), np.int64)
        places[self.columns] = np.arange(len(self.columns))
        return [
            np.argsort(places[symmetry.elements[self.columns]])
            for symmetry in self.encoder.symmetries
        ]


eyes_for = cache(Eyes)

#: A network at work: from observations (m, inputs) to scores and values, float32 of shape (m,).
Network = Callable[[NDArray[np.float32]], tuple[NDArray[np.float32], NDArray[np.float32]]]


def scores_of(network: Network, ends: Ends) -> NDArray[np.float32]:
    """The score of each end, to play by."""
    score, value = network(ends.seen)
    return np.where(np.isnan(ends.known), score + TRUST * value, ends.known)


class TurnPolicy:
    """Plays the turn whose end has the highest score.

    Args:
        file: what this program saved, for games with the chapters that it learned.
    """

    def __init__(self, file: str) -> None:
        with np.load(file) as arrays:
            self.weights = Weights(*(arrays[name] for name in Weights._fields))
        self.name = f"turn-ppo {Path(file).stem}"

    def reset(self, seed: int | np.random.Generator | None = None) -> None:
        """Do nothing: the policy is deterministic."""

    def act(self, game: Game) -> int:
        """The first action of the best turn, or of the best way to finish the turn."""
        batch = Batch(1, game.config)
        batch.set_game(0, game)
        return int(self.act_all(batch, np.zeros(1, np.int64))[0])

    def act_all(self, batch: Batch, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        """The same for some games of a batch."""
        turns = batch.turns(indices)
        ends = eyes_for(batch.config).after(batch, turns)
        return turns.actions[turns.best(scores_of(self.weights.of_arrays, ends)), 0].astype(
            np.int64
        )


class Experience(NamedTuple):
    """What was played between two updates: n turns, each with some of its possible ends."""

    before: NDArray[
        np.float32
    ]  # (n, inputs): the position before the turn, as the other player sees it
    ends: Ends
    counts: NDArray[np.int64]  # (n,): the number of ends of each turn
    chosen: NDArray[np.int64]  # (n,): which of them was played
    chances: NDArray[np.float32]  # (n,): the logarithm of its probability
    advantages: NDArray[np.float32]  # (n,)
    returns: NDArray[np.float32]  # (n,)


def firsts(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each turn's rows begin, given the number of rows of each."""
    return np.cumsum(counts) - counts


def log_softmax(scores: NDArray[np.float32], turns: BatchTurns) -> NDArray[np.float32]:
    """The logarithm of each end's probability within its game; every game has some ends."""
    begins, counts = turns.offsets[:-1], turns.counts
    scores = scores - np.maximum.reduceat(scores, begins).repeat(counts)
    return scores - np.log(np.add.reduceat(np.exp(scores), begins)).repeat(counts)


def play(batch: Batch, network: Network, eyes: Eyes, generator: np.random.Generator) -> Experience:
    """Play some turns of each game, with the policy on both sides; finished games restart."""
    rewards, done = np.zeros((TURNS, batch.num_games)), np.zeros((TURNS, batch.num_games), np.bool_)
    values, to_act = (
        np.zeros((TURNS + 1, batch.num_games)),
        np.zeros((TURNS + 1, batch.num_games), np.int64),
    )
    steps = []
    for step in range(TURNS + 1):
        before, to_act[step] = eyes.before(batch), batch.to_act
        values[step] = -network(before)[1]
        if step == TURNS:
            break
        turns = batch.turns()
        ends = eyes.after(batch, turns)
        chances = log_softmax(scores_of(network, ends), turns)
        rows = turns.best(chances + generator.gumbel(size=len(chances)))  # a sample of the softmax
        batch.play_turns(turns, rows)
        rewards[step], done[step] = (
            batch.rewards[np.arange(batch.num_games), to_act[step]],
            batch.over,
        )
        batch.begin(batch.over)
        kept = chances > np.log(LEAST)
        kept[rows] = True
        counts = np.add.reduceat(kept, turns.offsets[:-1], dtype=np.int64)
        chosen = np.cumsum(kept)[rows] - 1 - firsts(counts)
        steps.append((before, *(array[kept] for array in ends), counts, chosen, chances[rows]))
    before, seen, known, counts, chosen, chances = (
        np.concatenate(arrays) for arrays in zip(*steps, strict=True)
    )
    found = zero_sum_gae(rewards, values, done, to_act, gamma=GAMMA, lam=LAMBDA)
    advantages, returns = (array.astype(np.float32).ravel() for array in found)
    return Experience(before, Ends(seen, known), counts, chosen, chances, advantages, returns)


def learn(
    weights: Weights,
    image: Tensor,
    optimizer: Optimizer,
    played: Experience,
    entropy_weight: float,
    generator: np.random.Generator,
) -> float:
    """Improve the weights by what was played.

    Args:
        weights: the weights.
        image: the inputs of each position's image, under the symmetry of this update.
        optimizer: the optimizer of the weights.
        played: the experience.
        entropy_weight: the weight of the entropy in the objective.
        generator: draws the batches.

    Returns:
        The policy's entropy.
    """
    from torch import from_numpy, full, nn

    before, chances, advantages, returns = map(
        from_numpy, (played.before, played.chances, played.advantages, played.returns)
    )
    seen, known = map(from_numpy, played.ends)
    begins, entropies = firsts(played.counts), []
    for _ in range(EPOCHS):
        for turns in np.array_split(
            generator.permutation(len(before)), max(1, len(before) // BATCH)
        ):
            # The ends of each turn become a row of a table.
            counts = played.counts[turns]
            owners, width = np.arange(len(turns)).repeat(counts), int(counts.max())
            places = np.arange(counts.sum()) - firsts(counts).repeat(counts)
            rows, cells = (
                from_numpy(begins[turns].repeat(counts) + places),
                from_numpy(owners * width + places),
            )
            score, value = weights.of_tensors(seen[rows], image)
            score = (score + TRUST * value.detach()).where(known[rows].isnan(), known[rows])
            logs = (
                full((len(turns) * width,), -1e9)
                .scatter(0, cells, score)
                .view(-1, width)
                .log_softmax(1)
            )

            part = from_numpy(turns)
            ratio = (
                logs.gather(1, from_numpy(played.chosen[turns])[:, None])[:, 0] - chances[part]
            ).exp()
            advantage = advantages[part]
            advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
            policy_loss = (
                -(advantage * ratio).minimum(advantage * ratio.clamp(1 - CLIP, 1 + CLIP)).mean()
            )
            _, value = weights.of_tensors(before[part], image)  # for the other player
            value_loss = (value + returns[part]).square().mean()
            entropy = -(logs.exp() * logs).sum(1).mean()
            optimizer.zero_grad()
            (policy_loss + VALUE * value_loss - entropy_weight * entropy).backward()
            nn.utils.clip_grad_norm_(optimizer.param_groups[0]["params"], 0.5)
            optimizer.step()
            entropies.append(entropy.item())
    return float(np.mean(entropies))


def main() -> None:
    import torch
    from tqdm import tqdm

    args = arguments()
    args.save.touch()  # rather than fail after ten minutes
    torch.set_num_threads(1)  # a network this small gains nothing from more
    generator = np.random.default_rng(args.seed)
    config = GameConfig(chapters=args.chapters)
    eyes, batch = eyes_for(config), Batch(GAMES, config)
    batch.set_initial_positions(opening_turns=2)
    batch.reset(seed=args.seed)
    arrays = Weights.random(len(eyes.columns), generator)
    weights = Weights(
        *(torch.from_numpy(array).requires_grad_() for array in arrays)
    )  # which share the memory of the arrays
    optimizer = torch.optim.Adam(weights, eps=1e-5)
    images = [torch.from_numpy(image) for image in eyes.images()]

    def save(file: Path) -> None:
        unfinished = file.with_name(f".{file.name}.npz")
        np.savez(unfinished, **arrays._asdict())
        unfinished.replace(file)

    checkpoints = sorted(
        float(minutes) for minutes in args.checkpoint_minutes.split(",") if minutes
    )
    used, not_counted, score = 0.0, 0.0, None
    bar = tqdm(
        total=args.cpu_minutes, bar_format="{l_bar}{bar}| {n:.1f}/{total:g} CPU minutes{postfix}"
    )
    with bar, suppress(KeyboardInterrupt):
        while used < args.cpu_minutes:
            left = 1 - used / args.cpu_minutes
            optimizer.param_groups[0]["lr"] = RATE * left
            image = images[
                generator.integers(len(images))
            ]  # a random one for each update, so that all are learned

            @torch.no_grad()
            def network(
                seen: NDArray[np.float32], image: Tensor = image
            ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
                score, value = weights.of_tensors(torch.from_numpy(seen), image)
                return score.numpy(), value.numpy()

            played = play(batch, network, eyes, generator)
            entropy = learn(weights, image, optimizer, played, ENTROPY * left, generator)
            used = (time.process_time() - not_counted) / 60
            if checkpoints and used >= checkpoints[0]:
                file = args.save.with_stem(f"{args.save.stem}-{checkpoints.pop(0):g}")
                save(file)
                if args.games:
                    policy = TurnPolicy(str(file))
                    score = evaluate(
                        policy, "greedy", games=args.games, seed=args.seed, chapters=args.chapters
                    ).score
                    bar.write(
                        f"{used:.1f} CPU minutes: {score} of the points against greedy; {file}"
                    )
                not_counted = time.process_time() - 60 * used
            bar.set_postfix_str(
                f"entropy {entropy:.2f}, against greedy {score or '?'}", refresh=False
            )
            bar.update(min(used, args.cpu_minutes) - bar.n)
    save(args.save)


if __name__ == "__main__":
    main()
