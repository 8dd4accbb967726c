"""What language models did in games, and what listing the legal turns or renaming words changes."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import permutations
from typing import Any, NamedTuple

from tkm_env.arena.rating import Played, Ratings, fit
from tkm_env.evaluation.score import Elo, Interval, share_of
from tkm_env.text.chat import CUT_OFF, REFUSED
from tkm_env.text.options import LEFT_OUT, LEGAL


class ModelUse(NamedTuple):
    """What one language model did."""

    player: str
    elo: Elo  # its rating by all games
    #: Its rating by the games that no fault ended; None if there are none.
    without_faults: Elo | None
    turns: int  # for how many it was asked
    illegal: Interval  # the share of answers whose turn may not be played, with its 95% interval
    no_turn: Interval  # the share of answers without a turn, with its 95% interval
    retries: float  # how often it was asked again, a turn
    tokens_in: float  # of what it was asked, a turn
    tokens_out: float  # of what it answered, a turn
    cut_off: int  # how many answers the limit on their tokens cut off
    refused: int  # how many times it, or who runs it, refused to answer
    models: tuple[str, ...]  # the model, as servers name it; several if that changed
    prompts: tuple[str, ...]  # the versions of its prompts


class PromptEffect(NamedTuple):
    """How much stronger a model is with one prompt than with another, which differs in one
    thing.
    """

    what: str  # that thing
    player: str
    against: str  # with the other prompt
    elo: Elo  # the difference by all games, with its 95% interval
    #: By the games that no fault ended; None if these do not connect the two.
    without_faults: Elo | None


class ModelTable(NamedTuple):
    """All language models in some games."""

    uses: tuple[ModelUse, ...] = ()  # in the order of the ratings
    effects: tuple[PromptEffect, ...] = ()


def model_table(
    records: Iterable[tuple[Mapping[str, Any], Hashable]],
    played: Iterable[Played],
    ratings: Ratings,
) -> ModelTable:
    """The language models in games.

    Args:
        records: the games' records, each with what games that begin alike have in common.
        played: the games as results.
        ratings: the ratings by these results.
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
        sum(row["tokens"][kind] for _, row in answers) / max(turns, 1) for kind in range(2)
    )
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
        models=tuple(dict.fromkeys(row["model"] for _, row in answers)),
        prompts=tuple(dict.fromkeys(conversation["prompt"] for conversation, _ in said)),
    )


def _what_differs(asked: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    """What the first prompt has that the other has not, if that is one thing, and everything
    else is alike; "" otherwise.
    """
    differing = [key for key in {**asked, **other} if asked.get(key) != other.get(key)]
    ways: list[Any] = [asked.get("legal"), other.get("legal")]
    if (
        differing == ["legal"]
        and all(way in LEGAL for way in ways)
        and ways == sorted(ways, key=LEGAL.index)
    ):
        return f"legal turns {' instead of '.join(ways)}".replace(LEFT_OUT, "left out")
    return (
        "the game's own words instead of invented ones"
        if differing == ["rename"] and asked.get("rename") is None
        else ""
    )
