"""PPO over whole turns: ``python examples/turn_ppo.py``.

A turn is about four actions that only make sense together, and can end in about thirty positions.
Here one decision of the policy is a whole turn: a small network gives each of these ends a score,
and the policy is a softmax over the scores of a position's ends (Schulman, Wolski, Dhariwal,
Radford and Klimov, "Proximal Policy Optimization Algorithms", 2017). The network also estimates the
value of an end, and so, with the sign changed, that of the position before the next turn. Learning
needs torch and tqdm, which are in the extra ``[train]``; ``turn_players.py`` has what plays:

    tkm match examples/turn_players.py:TurnPolicy:file=turns.npz greedy
"""

from __future__ import annotations

import argparse
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from budget import Played, add_arguments, rounds
from numpy.typing import NDArray
from torch import Tensor, nn
from tqdm import tqdm
from turn_players import Ends, Eyes, Network, TurnPolicy, Weights, eyes_for, scores_of

from tkm_env import NO_ACTION, Batch, BatchTurns, GameConfig
from tkm_env.evaluation import evaluate
from tkm_env.learn import zero_sum_gae


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, default, meaning in (
        ("games", 256, "games at once"),
        ("turns", 16, "turns of each game between two updates"),
        ("epochs", 3, "passes over these turns"),
        ("batch", 512, "turns in each step of Adam"),
        ("width", 128, "units of the first hidden layer; the second has half as many"),
    ):
        parser.add_argument(
            f"--{name}", type=int, default=default, help=f"{meaning} (default: {default})"
        )
    for name, number, meaning in (
        ("rate", 1.4e-3, "Adam's step size, which falls to 0"),
        ("entropy", 0.05, "the weight of the policy's entropy, which falls to 0"),
        ("gamma", 1.0, "the discount of each turn"),
        ("lam", 0.95, "how far advantages look ahead"),
        ("trust", 27.0, "how much the value of an end adds to its score"),
        ("clip", 0.3, "the clipping range of the ratio of probabilities"),
        ("value", 0.5, "the weight of the value's error"),
        ("least", 0.005, "ends with a lower probability are left out of learning, to save work"),
    ):
        parser.add_argument(
            f"--{name}", type=float, default=number, help=f"{meaning} (default: {number})"
        )
    parser.add_argument(
        "--chapters", default="standard", help="chapters of the game (default: standard)"
    )
    parser.add_argument(
        "--evaluation",
        type=int,
        default=1000,
        help="games of the evaluation at the end, or 0 (default: 1000)",
    )
    parser.add_argument("--seed", type=int, default=1)
    add_arguments(parser)
    parser.set_defaults(cpu_minutes=10.0, save=Path("turns.npz"))
    return parser.parse_args()


class Experience(NamedTuple):
    """What was played between two updates: n turns, each with some of its possible ends."""

    #: (n, inputs): the position before the turn, as the other player sees it
    before: NDArray[np.float32]
    ends: Ends
    counts: NDArray[np.int64]  # (n,): the number of ends of each turn
    chosen: NDArray[np.int64]  # (n,): which of them was played
    chances: NDArray[np.float32]  # (n,): the logarithm of its probability
    advantages: NDArray[np.float32]  # (n,)
    returns: NDArray[np.float32]  # (n,)
    games: int  # that ended
    actions: int  # of all turns


def random_weights(inputs: int, width: int, generator: np.random.Generator) -> Weights:
    """Draw weights as in He et al. (2015); scores and values are nearly equal at first."""
    sizes = (inputs, width, 2.0), (width, width // 2, 2.0), (width // 2, 2, 1e-4)
    layers: list[NDArray[np.float64]] = []
    for above, below, gain in sizes:
        layers += generator.normal(0, (gain / above) ** 0.5, (above, below)), np.zeros(below)
    return Weights(*(layer.astype(np.float32) for layer in layers))


def forward(weights: Weights, seen: Tensor, image: Tensor) -> tuple[Tensor, Tensor]:
    """`Weights.of_arrays` for tensors, and for the positions' images under a symmetry."""
    hidden = weights.first_bias.addmm(seen, weights.first[image]).relu()
    hidden = weights.second_bias.addmm(hidden, weights.second).relu()
    score, value = weights.last_bias.addmm(hidden, weights.last).T
    return score, value.tanh()


def firsts(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each turn's rows begin, given the number of rows of each."""
    return np.cumsum(counts) - counts


def log_softmax(scores: NDArray[np.float32], turns: BatchTurns) -> NDArray[np.float32]:
    """The logarithm of each end's probability within its game; every game has some ends."""
    begins, counts = turns.offsets[:-1], turns.counts
    scores = scores - np.maximum.reduceat(scores, begins).repeat(counts)
    return scores - np.log(np.add.reduceat(np.exp(scores), begins)).repeat(counts)


def play(
    args: argparse.Namespace,
    batch: Batch,
    network: Network,
    eyes: Eyes,
    generator: np.random.Generator,
) -> Experience:
    """Play some turns of each game, with the policy on both sides; finished games restart."""
    shape, games = (args.turns, batch.num_games), np.arange(batch.num_games)
    rewards, done = np.zeros(shape), np.zeros(shape, np.bool_)
    values = np.zeros((args.turns + 1, batch.num_games))
    to_act = np.zeros(values.shape, np.int64)
    steps, actions = [], 0
    for step in range(args.turns + 1):
        before, to_act[step] = eyes.before(batch), batch.to_act
        values[step] = -network(before)[1]
        if step == args.turns:
            break
        turns = batch.turns()
        ends = eyes.after(batch, turns)
        chances = log_softmax(scores_of(network, ends, args.trust), turns)
        rows = turns.best(chances + generator.gumbel(size=len(chances)))  # a sample of the softmax
        batch.play_turns(turns, rows)
        actions += int((turns.actions[rows] != NO_ACTION).sum())
        rewards[step], done[step] = batch.rewards[games, to_act[step]], batch.over
        batch.begin(batch.over)
        kept = chances > np.log(args.least)
        kept[rows] = True
        counts = np.add.reduceat(kept, turns.offsets[:-1], dtype=np.int64)
        chosen = np.cumsum(kept)[rows] - 1 - firsts(counts)
        steps.append((before, *(array[kept] for array in ends), counts, chosen, chances[rows]))
    before, seen, known, counts, chosen, chances = (
        np.concatenate(arrays) for arrays in zip(*steps, strict=True)
    )
    found = zero_sum_gae(rewards, values, done, to_act, gamma=args.gamma, lam=args.lam)
    advantages, returns = (array.astype(np.float32).ravel() for array in found)
    return Experience(
        before,
        Ends(seen, known),
        counts,
        chosen,
        chances,
        advantages,
        returns,
        int(done.sum()),
        actions,
    )


def learn(
    args: argparse.Namespace,
    weights: Weights,
    image: Tensor,
    optimizer: torch.optim.Optimizer,
    found: Experience,
    entropy_weight: float,
    generator: np.random.Generator,
) -> float:
    """Improve the weights by what was played.

    Args:
        args: the hyperparameters.
        weights: the weights.
        image: the inputs of each position's image, under the symmetry of this update.
        optimizer: the optimizer of the weights.
        found: the experience.
        entropy_weight: the weight of the entropy in the objective.
        generator: draws the batches.

    Returns:
        The policy's entropy.
    """
    before, chances, advantages, returns = map(
        torch.from_numpy, (found.before, found.chances, found.advantages, found.returns)
    )
    seen, known = map(torch.from_numpy, found.ends)
    begins, entropies = firsts(found.counts), []
    for _ in range(args.epochs):
        for turns in np.array_split(
            generator.permutation(len(before)), max(1, len(before) // args.batch)
        ):
            # The ends of each turn become a row of a table.
            counts = found.counts[turns]
            owners, width = np.arange(len(turns)).repeat(counts), int(counts.max())
            places = np.arange(counts.sum()) - firsts(counts).repeat(counts)
            rows = torch.from_numpy(begins[turns].repeat(counts) + places)
            cells = torch.from_numpy(owners * width + places)
            score, value = forward(weights, seen[rows], image)
            score = (score + args.trust * value.detach()).where(known[rows].isnan(), known[rows])
            table = torch.full((len(turns) * width,), -1e9).scatter(0, cells, score)
            logs = table.view(-1, width).log_softmax(1)

            part = torch.from_numpy(turns)
            chosen = torch.from_numpy(found.chosen[turns])[:, None]
            ratio = (logs.gather(1, chosen)[:, 0] - chances[part]).exp()
            advantage = advantages[part]
            advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
            clipped = ratio.clamp(1 - args.clip, 1 + args.clip)
            policy_loss = -(advantage * ratio).minimum(advantage * clipped).mean()
            _, value = forward(weights, before[part], image)  # for the other player
            value_loss = (value + returns[part]).square().mean()
            entropy = -(logs.exp() * logs).sum(1).mean()
            optimizer.zero_grad()
            (policy_loss + args.value * value_loss - entropy_weight * entropy).backward()
            nn.utils.clip_grad_norm_(optimizer.param_groups[0]["params"], 0.5)
            optimizer.step()
            entropies.append(entropy.item())
    return float(np.mean(entropies))


def main() -> None:
    args = arguments()
    args.save.touch()  # rather than fail after ten minutes
    torch.set_num_threads(1)  # a network this small gains nothing from more
    generator = np.random.default_rng(args.seed)
    config = GameConfig(chapters=args.chapters)
    eyes, batch = eyes_for(config), Batch(args.games, config)
    batch.set_initial_positions(opening_turns=2)
    batch.reset(seed=args.seed)
    arrays = random_weights(len(eyes.columns), args.width, generator)
    # The tensors share the memory of the arrays.
    weights = Weights(*(torch.from_numpy(array).requires_grad_() for array in arrays))
    optimizer = torch.optim.Adam(weights, eps=1e-5)
    images = [torch.from_numpy(image) for image in eyes.images()]

    def save(file: Path) -> None:
        unfinished = file.with_name(f".{file.name}.npz")
        np.savez(unfinished, **arrays._asdict(), trust=args.trust)
        unfinished.replace(file)

    played = Played()
    bar = tqdm(
        total=args.cpu_minutes, bar_format="{l_bar}{bar}| {n:.1f}/{total:g} CPU minutes{postfix}"
    )
    with bar, suppress(KeyboardInterrupt):
        for _, share in rounds(args, 1, save, played):
            bar.update(share * args.cpu_minutes - bar.n)
            optimizer.param_groups[0]["lr"] = args.rate * (1 - share)
            # A random symmetry for each update, so that all are learned.
            image = images[generator.integers(len(images))]

            @torch.no_grad()
            def network(
                seen: NDArray[np.float32], image: Tensor = image
            ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
                score, value = forward(weights, torch.from_numpy(seen), image)
                return score.numpy(), value.numpy()

            found = play(args, batch, network, eyes, generator)
            played.add(found.games, found.actions)
            entropy_weight = args.entropy * (1 - share)
            entropy = learn(args, weights, image, optimizer, found, entropy_weight, generator)
            bar.set_postfix_str(f"entropy {entropy:.2f}, {played.games} games", refresh=False)
    save(args.save)  # after an interruption, too
    if args.evaluation:
        result = evaluate(
            TurnPolicy(str(args.save)),
            "greedy",
            games=args.evaluation,
            seed=args.seed,
            chapters=args.chapters,
        )
        print(f"{result.score} of the points against greedy; {args.save}")


if __name__ == "__main__":
    main()
