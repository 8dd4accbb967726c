"""How language models did in games, and the effects of differences in their prompts."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import permutations
from typing import Any, Final, NamedTuple

from tkm_env.arena.game_counts import Played
from tkm_env.arena.rating import Ratings, fit
from tkm_env.evaluation.score import Elo, Interval, share_of
from tkm_env.text.flaws import CUT_OFF, FLAWS, REFUSED
from tkm_env.text.options import DEFAULT_OPTIONS, LEFT_OUT, LEGAL, TEXT

#: What a prompt without an option has.
_PLAINER: Final = {
    "rename": "the game's own words instead of invented ones",
    "turned": "the board as it is instead of turned or reflected",
    "eras": "the eras in the order of time instead of another",
    "board": "the position as text instead of a picture",
    "layout": "the usual form of positions instead of another",
    "numbers": "the usual numbers of spaces instead of others",
}


class ModelUse(NamedTuple):
    """The answers of one language model."""

    player: str
    elo: Elo  # its rating by all games
    #: Its rating by the games that no fault ended; None if there are none.
    without_faults: Elo | None
    turns: int  # the number of turns for which it was asked
    illegal: Interval  # the share of answers with an illegal turn, with its 95% interval
    no_turn: Interval  # the share of answers without a turn, with its 95% interval
    retries: float  # the mean number of further requests per turn
    #: The mean number of tokens of its prompts per turn, and of its answers; None if its server
    #: does not count them for every answer.
    tokens_in: float | None
    tokens_out: float | None
    cut_off: int  # the number of answers cut off by the limit on tokens
    refused: int  # the number of times that the model or its server refused to answer
    #: How many answers had each flaw, such as "form 3", the most frequent first.
    flaws: tuple[str, ...]
    models: tuple[str, ...]  # the model, as servers name it; several if that changed
    #: What was unusual about its prompts, its tools and what its server was asked for, such as
    #: "legal=none".
    asked: tuple[str, ...]
    prompts: tuple[str, ...]  # the versions of its prompts


class PromptEffect(NamedTuple):
    """How much stronger a model is with one of two prompts that differ in one thing."""

    what: str  # the difference
    player: str
    against: str  # the model with the other prompt
    elo: Elo  # the difference in strength by all games, with its 95% interval
    #: The difference by the games that no fault ended; None if these do not connect the two.
    without_faults: Elo | None


class ModelTable(NamedTuple):
    """All language models in some games."""

    uses: tuple[ModelUse, ...] = ()  # in the order of the ratings
    effects: tuple[PromptEffect, ...] = ()

    @property
    def flaws(self) -> dict[str, str]:
        """What the flaws that some answers had mean, by name."""
        had = " ".join(flaw for use in self.uses for flaw in use.flaws)
        return {name: flaw.meaning for name, flaw in FLAWS.items() if name in had}


def model_table(
    records: Iterable[tuple[Mapping[str, Any], Hashable]],
    played: Iterable[Played],
    ratings: Ratings,
) -> ModelTable:
    """Summarize the language models in games.

    Args:
        records: the games' records, each with a key that is equal for games that begin alike.
        played: the results of the same games.
        ratings: the ratings by these results.

    Returns:
        The table; empty if no language model played.
    """
    said: dict[str, list[tuple[Mapping[str, Any], Hashable]]] = defaultdict(list)
    for record, start in records:
        for side, conversation in record.get("models", {}).items():
            said[record["players"][side]].append((conversation, start))
    if not said:
        return ModelTable()
    clean = fit([game for game in played if not game.by_fault], players=ratings.names)
    order = [rating.player for rating in ratings.players if rating.player in said]
    effects = (
        PromptEffect(
            what,
            one,
            other,
            ratings.difference(one, other),
            clean.difference(one, other) if clean.connects(one, other) else None,
        )
        for one, other in permutations(order, 2)
        if (what := _what_differs(*(said[player][0][0]["asked"] for player in (one, other))))
        and ratings.connects(one, other)
    )
    return ModelTable(
        tuple(_use(player, said[player], ratings, clean) for player in order), tuple(effects)
    )


def _use(
    player: str,
    said: Sequence[tuple[Mapping[str, Any], Hashable]],
    ratings: Ratings,
    clean: Ratings,
) -> ModelUse:
    answers = [
        (start, answer) for conversation, start in said for answer in conversation["answers"]
    ]
    turns = sum(
        len({answer["ply"] for answer in conversation["answers"]}) for conversation, _ in said
    )
    illegal, no_turn = (
        share_of([(start, row["refused"] == kind) for start, row in answers])
        for kind in ("illegal", "protocol")
    )
    tokens_in, tokens_out = (
        _per_turn([row["tokens"][kind] for _, row in answers], turns) for kind in range(2)
    )
    flaws = Counter(flaw for _, row in answers if (flaw := row.get("flaw")) is not None)
    ends = Counter(row["end"] for _, row in answers)
    return ModelUse(
        player=player,
        elo=ratings.of(player).elo,
        without_faults=clean.of(player).elo if clean.of(player).games else None,
        turns=turns,
        illegal=illegal,
        no_turn=no_turn,
        retries=(len(answers) - turns) / max(turns, 1),
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        cut_off=ends[CUT_OFF],
        refused=sum(ends[end] for end in REFUSED),
        flaws=tuple(f"{flaw} {count}" for flaw, count in flaws.most_common()),
        models=tuple(dict.fromkeys(row["model"] for _, row in answers if row["model"])),
        asked=_asked(said[0][0]["asked"]),
        prompts=tuple(dict.fromkeys(conversation["prompt"] for conversation, _ in said)),
    )


def _asked(asked: Mapping[str, Any]) -> tuple[str, ...]:
    """The options of a conversation that differ from the defaults, but for the model's name."""
    usual = {"model": asked.get("model"), **vars(DEFAULT_OPTIONS)}
    return tuple(f"{key}={value}" for key, value in asked.items() if value != usual.get(key))


def _per_turn(tokens: Sequence[int | None], turns: int) -> float | None:
    """The mean per turn; None if any number is unknown."""
    known = [number for number in tokens if number is not None]
    return sum(known) / max(turns, 1) if len(known) == len(tokens) else None


def _what_differs(asked: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    """Describe what the first prompt has and the other lacks.

    Empty unless the two differ in exactly one thing.
    """
    differing = [key for key in {**asked, **other} if asked.get(key) != other.get(key)]
    ways: list[Any] = [asked.get("legal"), other.get("legal")]
    if (
        differing == ["legal"]
        and all(way in LEGAL for way in ways)
        and ways == sorted(ways, key=LEGAL.index)
    ):
        return f"legal turns {' instead of '.join(ways)}".replace(LEFT_OUT, "left out")
    if len(differing) == 1 and asked.get(differing[0]) in (None, TEXT):
        return _PLAINER.get(differing[0], "")
    return ""
