"""The prompt for a player of a game.

It holds the rules of what is in play, the position, what happened, the legal turns, and how to
answer.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from string import Template
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np

from tkm_env.core.game import BaseGame
from tkm_env.core.rulebook_text import Example, RulesSection
from tkm_env.core.turns import Turn
from tkm_env.foundations.checks import checked_choice
from tkm_env.foundations.files import packaged_text
from tkm_env.text.options import (
    BOTH,
    COUNTED,
    DEFAULT_OPTIONS,
    ENGLISH,
    GROUPED,
    LAST_TURN,
    LEFT_OUT,
    LISTED,
    NO_HISTORY,
    PICTURE,
    TEXT,
    TextOptions,
)
from tkm_env.text.renaming import Renaming, renaming_of
from tkm_env.text.words import WORDS, GameImage, GameWords

#: To be raised when prompts change although their sentences do not.
VERSION: Final = 5

_DIGEST_BYTES: Final = 8
#: The number of actions of a game whose prompts count in the digest.
_TRIED: Final = 6
#: The turn of a game that is shown as an answer: late enough not to be legal at the start.
_EXAMPLE_TURN: Final = 6


#: The key of an answer.
TURN: Final = "turn"

Listed = TypeVar("Listed", bound=BaseGame)


class Prompt(NamedTuple):
    """What a language model is told.

    Attributes:
        system: the rules, the notation and how to answer: the same from turn to turn, except that a
            draft of powers ends.
        user: what was played, the position and the legal turns.
    """

    system: str
    user: str


def prompt_for(
    game: BaseGame,
    options: TextOptions = DEFAULT_OPTIONS,
    *,
    player: str | None = None,
    tool: str = "",
) -> Prompt:
    """The prompt for a player of a game.

    It holds nothing that is hidden from the players. Once the game is over, it says how it ended.

    Args:
        game: the game.
        options: what the prompt holds.
        player: the player's name; None for the player to act.
        tool: the name of the tool that takes turns; empty if the reply is to hold the turn.

    Returns:
        The prompt.

    Raises:
        ConfigError: if there is no such player, or the game is not registered.

    >>> from tkm_env import Game
    >>> prompt_for(Game()).user.splitlines()[1]
    'Turn 1 of at most 200. You are white.'
    """
    game = image_of(game, options).game
    seat = game.to_act if player is None else checked_choice("player", player, game.players)
    words, fill = renaming_of(type(game), options.rename), sentences(options)
    told = WORDS.of(game.name)
    other = next(player for player in game.players if player != seat)
    shown = {"title": words.title, "seat": words.prose(seat), "opponent": words.prose(other)}
    rules, notation = rules_in_words(game, options)
    position = words.position(told.position(game.visible_position, options))
    way = way_to_answer(options, tool)
    count = len(game.turns()) if options.lists_turns else 0
    which = fill(_about_turns("which", count), count=count)
    system = fill(
        "system",
        **shown,
        rules=rules,
        notation=notation,
        answer=_how_to_answer(type(game), options, tool),
    )
    user = fill(
        "user" if game.result is None else "over",
        **shown,
        history="" if options.history == NO_HISTORY else _history(game, seat, options),
        turn=game.turn,
        limit=game.config.max_turns,
        position=position,
        board=_board(game, options, position),
        legal=_legal(game, options, fill) if seat == game.to_act else "",
        ask=fill(f"ask{way}", tool=tool, which=which) if seat == game.to_act else "",
        situation=words.prose(
            f"{game.situation.removeprefix('over, ')}. {told.ending(game)}".strip()
        ),
    )
    return Prompt(_tidy(system), _tidy(user))


def _board(game: BaseGame, options: TextOptions, position: str) -> str:
    """The position as text, which is given, with its drawing, or where its picture is."""
    fill = sentences(options)
    text = fill("as_text", position=position, drawing=drawing_in_words(game, options))
    parts = {TEXT: [text], PICTURE: [fill("pictured")], BOTH: [text, fill("pictured")]}
    return "\n".join(part.strip("\n") for part in parts[options.board])


def image_of(game: BaseGame, options: TextOptions = DEFAULT_OPTIONS) -> GameImage:
    """The game as prompts tell it: itself, or its image under a symmetry.

    Args:
        game: the game.
        options: the options of the prompt, of which only ``turned`` counts.

    Returns:
        The image.
    """
    words: GameWords[Any] = GameWords() if options.turned is None else WORDS.of(game.name)
    return words.image(game, options.turned or 0)


def rules_in_words(game: BaseGame, options: TextOptions = DEFAULT_OPTIONS) -> tuple[str, str]:
    """The rules that a game needs, and how its positions and actions are written.

    Args:
        game: the game, which decides what is in play.
        options: the options of the prompt.

    Returns:
        The two texts, in sections with headings.

    >>> from tkm_env import Game
    >>> rules_in_words(Game(), TextOptions(style="terse"))[1][:28]
    'Spaces: Each era has 16 spac'
    """
    words = renaming_of(type(game), options.rename)
    rules, notation = _told_sections(game, options)
    return _sections(game, rules, words, options), _sections(game, notation, words, options)


def topics(game: BaseGame, options: TextOptions = DEFAULT_OPTIONS) -> dict[str, str]:
    """The rules and the notation by topic.

    Args:
        game: the game, which decides what is in play.
        options: the options of the prompt.

    Returns:
        For the title of each section, in the order of the rules, its text with the heading.

    >>> from tkm_env import Game
    >>> [*topics(Game())][:3]
    ['How the game is won', 'A turn', 'Moving and pushing']
    """
    words = renaming_of(type(game), options.rename)
    return {
        words.prose(section.title): _sections(game, [section], words, options)
        for section in itertools.chain(*_told_sections(game, options))
    }


def _told_sections(
    game: BaseGame, options: TextOptions
) -> tuple[Sequence[RulesSection], Sequence[RulesSection]]:
    """The sections of the rules and of the notation that a game needs."""
    told = WORDS.of(game.name)
    rules = told.rules_for(game) or [RulesSection("rules", game.title, told.rules)]
    names = f"The actions are {', '.join(f'`{name}`' for name in game.action_names)}."
    notation = told.notation_for(game, options) or [
        RulesSection("actions", "Names of actions", (names,))
    ]
    return rules, notation


def drawing_in_words(game: BaseGame, options: TextOptions = DEFAULT_OPTIONS) -> str:
    """The position, drawn with letters under a heading.

    Args:
        game: the game.
        options: the options of the prompt.

    Returns:
        The drawing; empty in the terse style, and for a game that draws no positions with letters.
    """
    if type(game).__str__ is BaseGame.__str__ or options.style != ENGLISH:
        return ""
    drawn = WORDS.of(game.name).drawing(game.restart(), options)
    drawing = renaming_of(type(game), options.rename).drawing(drawn)
    return sentences(options)("drawn", drawing=drawing)


def listed_turns(game: Listed) -> list[Turn[Listed]]:
    """The legal turns, in the order in which prompts number them from 1.

    The order is mixed by a seed that follows from the position, so that the place of a turn in the
    list says nothing about it; but turns that differ in their last action only stand together.

    Args:
        game: the game.

    Returns:
        The turns; none once the game is over.
    """
    shown = f"{game.name} {game.visible_position}".encode()
    seed = int.from_bytes(blake2b(shown, digest_size=_DIGEST_BYTES).digest(), "big")
    turns = game.turns()
    mixed = [turns[index] for index in np.random.default_rng(seed).permutation(len(turns))]
    groups: dict[tuple[int, ...], list[Turn[Listed]]] = {}
    for turn in mixed:
        groups.setdefault(turn.actions[:-1], []).append(turn)
    return [*itertools.chain.from_iterable(groups.values())]


def legal_turns(game: BaseGame, options: TextOptions = DEFAULT_OPTIONS) -> list[str]:
    """The legal turns, in the order in which a list in a prompt numbers them from 1.

    Args:
        game: the game.
        options: the options of the prompt.

    Returns:
        For each turn, the names of its actions, separated by semicolons.
    """
    return _told_turns(image_of(game, options).game, options)


def _told_turns(game: BaseGame, options: TextOptions) -> list[str]:
    """The legal turns of a game that is told as it is."""
    names = actions_in_words(type(game), options)
    return ["; ".join(names[action] for action in turn.actions) for turn in listed_turns(game)]


@lru_cache(maxsize=64)
def actions_in_words(
    game_class: type[BaseGame], options: TextOptions = DEFAULT_OPTIONS
) -> tuple[str, ...]:
    """The names of all actions, as prompts write them.

    Args:
        game_class: the class of the game.
        options: the options of the prompt, of which ``rename`` and ``numbers`` count.

    Returns:
        The names, in the order of the actions.

    >>> from tkm_env import Game
    >>> actions_in_words(Game, TextOptions(numbers=1))[:2]
    ('choose 2', 'choose 13')
    """
    told, rename = WORDS.of(game_class.name), renaming_of(game_class, options.rename).prose
    return tuple(rename(told.action(name, options)) for name in game_class.action_names)


@lru_cache(maxsize=64)
def digest(game_class: type[BaseGame], options: TextOptions = DEFAULT_OPTIONS) -> str:
    """The version of a game's prompts.

    It changes with the options, and with any sentence, rule or word that a prompt may contain.

    Args:
        game_class: the class of the game.
        options: the options of the prompts.

    Returns:
        16 hexadecimal digits.

    >>> from tkm_env import Game
    >>> digest(Game) == digest(Game, TextOptions(legal="none"))
    False
    """
    told = WORDS.of(game_class.name)
    sections = [
        [*section[:3], *map(str, section.examples)]
        for section in (*game_class.rules_for(), *told.notation_for(None))
    ]
    game = game_class(seed=0)
    parts = [
        VERSION,
        {keyword: value for keyword, value in vars(options).items() if value is not None},
        sections,
        told.terms,
        _blocks(options.style),
        prompt_for(game, options),
    ]
    while game.result is None and len(game.history) < _TRIED:
        game.play(game.legal_actions()[0])
        parts.append(prompt_for(game, options))  # code decides what a prompt says, too
    return blake2b(json.dumps(parts).encode(), digest_size=_DIGEST_BYTES).hexdigest()


@lru_cache(maxsize=8)
def _blocks(style: str) -> dict[str, str]:
    """The sentences of a style, by name."""
    parts = re.split(r"^## (\w+)\n", packaged_text(__package__, f"{style}.md"), flags=re.MULTILINE)
    return {name: text.strip("\n") for name, text in zip(parts[1::2], parts[2::2], strict=True)}


def sentences(options: TextOptions) -> Callable[..., str]:
    """A function that fills in a sentence in the style of these options.

    It takes the name of the sentence, and the values in it as keywords.
    """
    blocks = _blocks(options.style)
    return lambda name, /, **values: Template(blocks[name]).substitute(values)


def way_to_answer(options: TextOptions, tool: str) -> str:
    """How the names of sentences end that ask for a turn.

    Where the legal turns are listed, prompts ask for a number: it takes the fewest tokens, and
    small models that are shown a turn copy that turn.

    Args:
        options: the options of the prompt.
        tool: the name of the tool that takes turns; empty if the reply is to hold the turn.

    Returns:
        The end of their names.
    """
    return f"{'_by_tool' if tool else ''}{'_by_number' if options.lists_turns else ''}"


def _how_to_answer(game_class: type[BaseGame], options: TextOptions, tool: str) -> str:
    """The form of answers, with an example."""
    example, names = _example(game_class), actions_in_words(game_class, options)
    actions = [names[action] for action in example.actions]
    return sentences(options)(
        f"answer{way_to_answer(options, tool)}",
        tool=tool,
        object=json.dumps({TURN: actions}),
        line="; ".join(actions),
        number=example.number,
    )


class _Answer(NamedTuple):
    """An answer in some position: its actions, and its number among the legal turns."""

    actions: tuple[int, ...]
    number: int


@lru_cache(maxsize=64)
def _example(game_class: type[BaseGame]) -> _Answer:
    """A real answer, since models copy what only stands for one."""
    game, answer = game_class(seed=0), _Answer((), 0)
    for _ in range(_EXAMPLE_TURN):
        if not (turns := listed_turns(game)):
            break
        index = len(turns) * 2 // 3
        answer, game = _Answer(turns[index].actions, index + 1), turns[index].after
    return answer


def _tidy(text: str) -> str:
    """A text without the empty lines that missing parts leave."""
    return re.sub(r"\n{3,}", "\n\n", text).strip("\n")


def _sections(
    game: BaseGame, sections: Iterable[RulesSection], words: Renaming, options: TextOptions
) -> str:
    """Sections of rules with their headings and, in English, with their examples."""
    fill, is_english, parts = sentences(options), options.style == ENGLISH, []
    told = WORDS.of(game.name)
    for section in sections:
        texts = [*section.text]
        for example in section.examples if is_english else ():
            actions = ", ".join(f"`{told.action(name, options)}`" for name in example.actions)
            after = _after(
                type(game), example.position, example.actions, tuple(example.settings.items())
            )
            texts.append(
                fill(
                    "example",
                    words=example.words,
                    position=told.position(example.position, options),
                    actions=actions,
                    after=told.position(after, options),
                )
            )
        text = ("\n\n" if is_english else " ").join(map(words.prose, texts))
        parts.append(fill("section", title=words.prose(section.title), text=text))
    return ("\n\n" if is_english else "\n").join(parts)


@lru_cache(maxsize=512)
def _after(
    game_class: type[BaseGame],
    position: str,
    actions: tuple[str, ...],
    settings: tuple[tuple[str, Any], ...],
) -> str:
    """The position to which an example leads."""
    return Example("", position, actions, dict(settings)).played(game_class).visible_position


def _history(game: BaseGame, seat: str, options: TextOptions) -> str:
    """What was played, turn by turn."""
    fill, rename = sentences(options), renaming_of(type(game), options.rename).prose
    told = WORDS.of(game.name)
    log = [
        entry._replace(label=entry.label or told.action(entry.action, options))
        for entry in told.log(game, options)
    ]
    turns = [
        (*key, [*entries])
        for key, entries in itertools.groupby(log, key=lambda entry: (entry.turn, entry.player))
    ]
    running = (
        [turns.pop()]
        if turns and game.result is None and turns[-1][:2] == (game.turn, game.to_act)
        else []
    )
    own = [number for number, (_, player, _) in enumerate(turns) if player == seat]
    since = options.history == LAST_TURN and len(own) > 0
    shown = turns[own[-1] + 1 :] if since else turns
    lines = (
        [fill("last" if since else "all"), *_told(shown, fill, rename)]
        if shown
        else [fill("nothing")]
        if not log and game.turn == 1
        else []
    )
    return "\n".join(
        [*lines, *([fill("running"), *_told(running, fill, rename)] if running else [])]
    )


def _told(
    turns: Iterable[tuple[int, str, list[Any]]],
    fill: Callable[..., str],
    rename: Callable[[str], str],
) -> Iterator[str]:
    for turn, player, entries in turns:
        actions = [
            fill(
                "action" if entry.text else "plain",
                action=rename(entry.label),
                effect=rename(entry.text),
            )
            for entry in entries
        ]
        yield fill("turn", turn=turn, player=rename(player), actions="; ".join(actions))


def _legal(game: BaseGame, options: TextOptions, fill: Callable[..., str]) -> str:
    """The legal turns, in the form that the options ask for."""
    if options.legal == LEFT_OUT:
        return ""
    count = len(game.turns())
    if options.legal == COUNTED:
        return fill(_about_turns(COUNTED, count), count=count)
    turns = _told_turns(game, options)
    first = {turn.actions[0] for turn in game.turns()}
    names = actions_in_words(type(game), options)
    besides = [names[action] for action in game.legal_actions() if action not in first]
    numbered = [f"{number}. {turn}" for number, turn in enumerate(turns, 1)]
    way = options.legal if count > 1 else LISTED
    lines = "\n".join(_grouped(turns) if way == GROUPED else numbered)
    more = fill("besides", actions="; ".join(besides)) if besides else ""
    return f"{fill(_about_turns(way, count), count=count, turns=lines)}\n{more}"


def _about_turns(name: str, count: int) -> str:
    """The name of a sentence about the legal turns, which differs where there is only one."""
    return f"{name}_of_one" if count == 1 else name


def _grouped(turns: Sequence[str]) -> Iterator[str]:
    """The lines of a list in which turns that begin alike share a heading."""
    parts = ((number, *turn.rpartition("; ")[::2]) for number, turn in enumerate(turns, 1))
    for beginning, group in itertools.groupby(parts, key=lambda part: part[1]):
        if beginning:
            yield f"{beginning}; then"
        yield from (f"{number}. {last}" for number, _, last in group)
