"""Evaluation of a policy: many games at once against an opponent.

Every start is played from both sides.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.kernels import NO_ACTION
from tkm_env.core.batch import MAX_GAMES, BaseBatch
from tkm_env.core.batch_factory import make_batch
from tkm_env.core.observation_encoder import PLANES
from tkm_env.core.registry import default_game, game_spec
from tkm_env.envs.opponents import OpponentLike, SingleOpponent, make_opponent, name_of, predicting
from tkm_env.evaluation.score import Elo, Interval, PairResults
from tkm_env.evaluation.starts import Starts, begin_game, settings_with_openings
from tkm_env.foundations.checks import checked_integer
from tkm_env.foundations.seeds import checked_secret, derived
from tkm_env.players.factory import make_agent


@dataclasses.dataclass(frozen=True)
class Evaluation:
    """How a policy did against an opponent; ``print`` shows it as a table.

    Attributes:
        policy: its name.
        opponent: the opponent's name.
        by_side: for each side, such as "white" and "black", the policy's wins, draws (truncated
            games included) and losses.
        pairs: the policy's points, in pairs of games with the same start.
        turns: the mean number of turns per game.
        illegal: the number of games that the policy lost by an illegal action.
        repeated: the number of games left out because they repeat others: they began alike and
            ended in the same position.
    """

    policy: str
    opponent: str
    by_side: dict[str, tuple[int, int, int]]
    pairs: PairResults
    turns: float
    illegal: int
    repeated: int = 0

    @property
    def games(self) -> int:
        """The number of games that count."""
        return self.wins + self.draws + self.losses

    @property
    def wins(self) -> int:
        """The number of games that the policy won."""
        return sum(counts[0] for counts in self.by_side.values())

    @property
    def draws(self) -> int:
        """The number of games without a winner."""
        return sum(counts[1] for counts in self.by_side.values())

    @property
    def losses(self) -> int:
        """The number of games that the policy lost."""
        return sum(counts[2] for counts in self.by_side.values())

    @property
    def score(self) -> Interval:
        """The policy's share of points with its 95% interval, from pairs of games.

        A draw is half a point.
        """
        return self.pairs.score

    @property
    def elo(self) -> Elo:
        """The difference in Elo that corresponds to `score`."""
        return self.pairs.elo

    @property
    def first_side(self) -> float:
        """The share of points of the side named first, whichever player had it.

        In self-play it is what that side is worth.
        """
        (wins, draws, _), (_, also_draws, losses) = self.by_side.values()
        return (wins + losses + (draws + also_draws) / 2) / self.games

    def __str__(self) -> str:
        rows = {f"as {side}": counts for side, counts in self.by_side.items()}
        rows["all"] = (self.wins, self.draws, self.losses)
        lines = [
            f"{self.policy} against {self.opponent}: {self.games} games, "
            f"{self.turns:.1f} turns each on average"
        ]
        lines += [
            f"  {name:<9} +{wins} ={draws} -{losses}"
            for name, (wins, draws, losses) in rows.items()
        ]
        lines += [f"  score     {self.score}, 95% interval", f"  Elo       {self.elo}"]
        lines += [f"  {next(iter(self.by_side)):<9} {self.first_side:.1%} of all points"]
        lines += (
            [f"  illegal   {self.illegal} games lost by an illegal action"] if self.illegal else []
        )
        lines += (
            [f"  repeated  {self.repeated} games not counted, which repeat others"]
            if self.repeated
            else []
        )
        return "\n".join(lines)


def evaluate(
    policy: OpponentLike,
    opponent: OpponentLike = "random",
    *,
    games: int = 400,
    opening_turns: int | None = None,
    game: str | None = None,
    seed: int = 0,
    num_threads: int = 1,
    observation: str = PLANES,
    canonical: bool = False,
    **settings: Any,
) -> Evaluation:
    """Play a policy against an opponent, all games side by side.

    Each start is played twice, with sides swapped. Equal seeds give the same starts as in
    `tkm match`, and the same games, unless a function draws random numbers of its own. Both players
    are anything that environments take as an opponent; unlike the opponent, the policy loses a game
    by an illegal action.

    Args:
        policy: a function ``(observation, info)`` as `tkm_env.envs.vector.GameVectorEnv` describes
            it, which gets the observations of all games in which it is to act and returns an action
            for each; a model of Stable-Baselines3 or sb3-contrib: an object with
            ``predict(observation, action_masks=...)``; an agent: an object with ``act(game)``; or a
            line of text that describes a player.
        opponent: any of these.
        games: the number of games, rounded up to an even number; at most 16,777,216.
        opening_turns: the number of random turns that begin a game; None to begin with the openings
            that come with the game first, as in `tkm_env.arena.match.Match`.
        game: the name of the game; None for the first in the registry.
        seed: where the starts and both players' random numbers come from.
        num_threads: the maximum number of cores; results do not depend on it.
        observation: what functions and models see: ``"planes"``, the game's own observations, or
            ``"compact"``, as in environments.
        canonical: whether functions and models see and play every game as the first player, as in
            environments.
        **settings: the keywords of the game's config.

    Returns:
        The policy's results.

    Raises:
        ConfigError: naming the invalid argument.
        IllegalActionError: if the opponent, or an agent as policy, plays an illegal action.
        UnknownActionError: if a player returns anything but one action for each game in which it is
            to act.

    >>> def first(observation, info):
    ...     return info["action_mask"].argmax(1)
    >>> result = evaluate(first, "random", games=10, seed=1)
    >>> result.wins + result.draws + result.losses
    10
    """
    spec = game_spec(default_game() if game is None else game)
    pairs = -(-checked_integer("games", games, 1, MAX_GAMES) // 2)
    seed = checked_secret(seed)
    config = spec.config(settings)
    begins = settings_with_openings(spec.name, config, opening_turns)
    starts = Starts(begins, seed)
    learner = _Participant(policy, "policy", spec.name, observation, canonical)
    other = _Participant(opponent, "opponent", spec.name, observation, canonical)
    batch = make_batch(spec, 2 * pairs, num_threads=num_threads, **settings)
    batch.reset(0)  # each game is replaced
    begun_alike: list[int] = []
    for pair in range(pairs):
        begun = begin_game(begins, *starts[pair])
        batch.set_game(2 * pair, begun)
        batch.set_game(2 * pair + 1, begun)
        begun_alike += 2 * [begun.key]
    for number, participant in enumerate((learner, other)):
        participant.player.reset(np.random.default_rng(derived(seed, "player", number)))
    sides = np.tile(np.arange(2), pairs)
    illegal = 0
    while not batch.over.all():
        illegal += _play_policy(learner, batch, sides)
        other.player.answer_all(batch, sides)
    return _summarize(learner.name, other.name, batch, sides, begun_alike, illegal)


class _Participant:
    """A player of an evaluation.

    Raises:
        ConfigError: if it cannot play.
    """

    def __init__(
        self, given: OpponentLike, keyword: str, game: str, observation: str, canonical: bool
    ) -> None:
        if isinstance(given, str):
            given = make_agent(given, keyword, game)
        self.player: SingleOpponent = make_opponent(given, game, observation, canonical, keyword)
        self.name = name_of(given)
        #: Whether it acts in many games at once, and loses a game by an illegal action.
        self.is_policy = not callable(getattr(given, "act", None))
        predict = getattr(given, "predict", None)
        if self.is_policy and keyword == "policy" and callable(predict):  # keeps illegal actions
            self.player = make_opponent(predicting(predict), game, observation, canonical)


def _play_policy(learner: _Participant, batch: BaseBatch[Any], sides: NDArray[np.int64]) -> int:
    """Play each game until it is over or the opponent of player ``sides[i]`` is to act.

    Returns:
        The number of games that an illegal action lost.
    """
    if not learner.is_policy:
        learner.player.answer_all(batch, 1 - sides)
        return 0
    illegal = 0
    while len(indices := (~batch.over & (batch.to_act == sides)).nonzero()[0]):
        actions = np.full(batch.num_games, NO_ACTION)
        actions[indices] = learner.player.choose("policy", batch, indices)
        batch.play(actions)
        illegal += int(batch.illegal.sum())
    return illegal


def _summarize(
    policy: str,
    opponent: str,
    batch: BaseBatch[Any],
    sides: NDArray[np.int64],
    starts: list[int],
    illegal: int,
) -> Evaluation:
    """How the player of these sides did in finished games, pair by pair.

    ``starts`` are the keys of the positions in which the games began.
    """
    courses = np.column_stack([np.array(starts, np.uint64), batch.keys, sides.astype(np.uint64)])
    numbers = np.sort(np.unique(courses, axis=0, return_index=True)[1])
    sides, rewards = sides[numbers], batch.rewards[numbers, sides[numbers]]
    by_side = {}
    for number, side in enumerate(batch.players):
        earned = rewards[sides == number]
        by_side[side] = (int((earned > 0).sum()), int((earned == 0).sum()), int((earned < 0).sum()))
    pairs = PairResults.of(zip((numbers // 2).tolist(), ((1 + rewards) / 2).tolist(), strict=True))
    turns = float(np.mean([batch.game(number).turn for number in numbers.tolist()]))
    return Evaluation(
        policy, opponent, by_side, pairs, turns, illegal, batch.num_games - len(numbers)
    )
