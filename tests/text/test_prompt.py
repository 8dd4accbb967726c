"""Prompts: golden examples, complete descriptions, nothing hidden, and renamed words."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cases import CHAPTER_SETS
from tests.games.tictactoe import TicTacToe
from tkm_env import Game, TerminusGame
from tkm_env.core.game import BaseGame
from tkm_env.foundations.errors import ConfigError
from tkm_env.text import Refusal, TextOptions, digest, legal_turns, prompt_for, read_reply
from tkm_env.text.prompt import image_of
from tkm_env.text.renaming import _families, renaming_of
from tkm_env.text.words import WORDS

GOLDEN = Path(__file__).parents[1] / "data" / "prompts"
CHAPTERS = ("growth", "influence", "memory")
ALL_OPTIONS = [
    TextOptions(legal, history, style, rename)
    for legal, history, style, rename in itertools.product(
        ("listed", "grouped", "counted", "none"),
        ("none", "last", "all"),
        ("english", "terse"),
        (None, 5),
    )
]


def played(game: BaseGame, actions: int, seed: int = 0) -> BaseGame:
    """The game after that many random actions, or at its end."""
    generator = np.random.default_rng(seed)
    while game.result is None and actions > 0:
        game.play(int(generator.choice(game.legal_actions())))
        actions -= 1
    return game


def golden() -> dict[str, tuple[BaseGame, TextOptions]]:
    """The golden prompts, by file: both sides, all sets of chapters, both games, all options."""
    kept: dict[str, tuple[BaseGame, TextOptions]] = {}
    for names in CHAPTER_SETS:
        for actions in (12, 16):
            game = played(Game(chapters=names), actions)
            kept[f"tkm-{'-'.join(names) or 'standard'}-{game.to_act}"] = (
                game,
                TextOptions(style="terse"),
            )
    kept["tkm-english"] = (played(Game(chapters="memory"), 13), TextOptions())
    kept["tkm-draft"] = (Game(timeline="draft_powers", seed=3), TextOptions())
    kept["tkm-renamed"] = (
        played(Game(chapters="growth"), 16),
        TextOptions(rename=7, legal="counted"),
    )
    kept["tkm-restructured"] = (
        played(Game(chapters="memory"), 16),
        TextOptions(eras=3, layout=4, numbers=5, style="terse"),
    )
    kept["tkm-draws"] = (Game(concede=True, draws=True), TextOptions(style="terse"))
    kept["tkm-over"] = (played(Game(max_turns=3), 100), TextOptions(history="all"))
    for actions in (2, 3):
        game = played(TerminusGame(seed=4), actions)
        kept[f"terminus-{game.to_act}"] = (game, TextOptions())
    kept["terminus-renamed"] = (
        played(TerminusGame(seed=4), 9),
        TextOptions(rename=7, style="terse", history="all"),
    )
    return kept


def test_prompts_are_the_golden_ones() -> None:
    """To update, delete `tests/data/prompts`, run this test twice, and raise `VERSION`."""
    GOLDEN.mkdir(exist_ok=True)
    kept = golden()
    assert {game.to_act for game, _ in kept.values()} == {"white", "black", "red", "blue"}
    assert len(kept) == 2 * len(CHAPTER_SETS) + 9
    changed = []
    for name, (game, options) in kept.items():
        text = "\n\n=====\n\n".join(prompt_for(game, options)) + "\n"
        file = GOLDEN / f"{name}.txt"
        if not file.exists():
            file.write_text(text, "utf-8")
            changed.append(f"{name} is new")
        elif file.read_text("utf-8") != text:
            changed.append(name)
    assert not changed, "these prompts have changed"


@pytest.mark.parametrize("options", ALL_OPTIONS, ids=str)
def test_a_prompt_follows_from_settings_position_and_history(options: TextOptions) -> None:
    for make in (
        lambda: played(Game(chapters="growth"), 14),
        lambda: played(TerminusGame(seed=2), 5),
    ):
        game = make()
        prompt = prompt_for(game, options)
        assert prompt == prompt_for(make(), options)
        assert game == make(), "the game is as it was"
        assert game.history == make().history
        if options.history == "none":
            assert prompt_for(game.restart(), options) == prompt


def test_only_what_is_in_play_is_told() -> None:
    system = prompt_for(Game()).system
    assert "black's supply; 3 fields that do not matter here; the number of the turn" in system
    for word in (
        "seed",
        "shrub",
        "statue",
        "elephant",
        "concede",
        "draw",
        "Edition",
        "power's",
        "pull",
        "overtime",
    ):
        assert not re.search(
            rf"\b{word}s?\b",
            system.replace("no draw by repetition", "").replace("is drawn as well", ""),
        ), word
    both = {
        edition: prompt_for(Game(chapters="growth", edition=edition)).system
        for edition in ("2021", "2022")
    }
    assert "only on an empty space" in both["2021"]
    assert "only on an empty space" not in both["2022"]
    assert "You may concede" in prompt_for(Game(concede=True)).system


def test_after_a_draft_only_the_powers_taken_are_told() -> None:
    game = Game(timeline="draft_powers", power_set="tempo", chapters="growth")
    assert "doorway" in prompt_for(game).system
    for action in ("draft 1", "draft 2", "go first"):
        game.play(action)
    system = prompt_for(game).system
    assert "overtime" in system
    assert "doorway" not in system


@pytest.mark.parametrize(
    "settings",
    [
        {"chapters": CHAPTERS, "powers": ("overtime", "grapple")},
        {"chapters": CHAPTERS, "powers": ("express", "afterimage"), "edition": "2022"},
        {"chapters": CHAPTERS, "powers": ("exchange", "doorway"), "concede": True},
        {"timeline": "power_share", "draws": True},
    ],
)
def test_every_action_that_can_be_played_is_explained(settings: dict[str, Any]) -> None:
    game = played(Game(**settings), 0)
    generator = np.random.default_rng(1)
    for _ in range(25):
        if game.result is not None:
            break
        system = prompt_for(game).system
        for name in game.legal_names():
            assert name.startswith("choose ") or f"`{name}`" in system, name
        game.play(str(generator.choice([name for name in game.legal_names() if name != "concede"])))


def test_nothing_hidden_is_told() -> None:
    """Two games that a player cannot tell apart have the same prompt, and the deck is in none."""
    generator = np.random.default_rng(1)
    for seed in range(8):
        game = played(TerminusGame(seed=seed), 3 + seed % 9, seed)
        if game.result is not None:
            continue
        twin = game.determinize(generator)
        assert twin != game or game.visible_position.split(" ")[4] in ("?0", "?1")
        for options in (TextOptions(history="none"), TextOptions(history="none", rename=1)):
            assert prompt_for(twin, options) == prompt_for(game.restart(), options)
        whole = "\n".join(prompt_for(game, TextOptions(history="all")))
        assert game.position not in whole
        assert game.position.split(" ")[7] not in whole, "the state of the random numbers"


def test_another_deck_is_told_as_it_is() -> None:
    deck = (".I.", *[".RA"] * 2, *["RBG"] * 14)
    system = prompt_for(TerminusGame(deck=deck, seed=1)).system
    assert "4 `RBG`" in system
    assert "Example" not in system, "the examples are of the project's own deck"


def test_history_is_what_was_played_since_the_own_last_turn_all_or_nothing() -> None:
    game = Game()
    for number in (2, 5, 1):
        for action in game.turns()[number].actions:
            game.play(action)
    terse = {
        history: prompt_for(game, TextOptions(history=history, style="terse")).user
        for history in ("none", "last", "all")
    }
    assert "1 white" not in terse["last"]
    assert "2 black" not in terse["none"]
    assert "3 white: " in terse["last"]
    assert [
        f"{turn} {player}: " in terse["all"]
        for turn, player in ((1, "white"), (2, "black"), (3, "white"))
    ] == [True] * 3


def test_of_turns_before_a_given_position_nothing_is_told() -> None:
    assert "Nothing was played yet." in prompt_for(Game()).user
    later = Game(position=played(Game(), 12).position)
    assert prompt_for(later).user.startswith("Turn 4 of at most 200.")


@pytest.mark.parametrize("player", ["white", "black"])
def test_both_players_are_told_what_was_played_of_an_unfinished_turn(player: str) -> None:
    game = played(Game(), 2)
    told = prompt_for(game, player=player).user
    assert told.startswith("So far in this turn, the rest of which is still to be played:")
    assert ("do you play?" in told) == (player == game.to_act)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("game_class", [Game, TerminusGame, TicTacToe])
def test_no_word_of_the_game_is_left_after_renaming(
    tictactoe: str, game_class: type[BaseGame], seed: int
) -> None:
    terms = WORDS.of(game_class.name).terms
    forms = {form.lower() for forms in terms for form in forms} | {*game_class.players}
    settings: dict[str, Any] = (
        {"chapters": CHAPTERS, "powers": ("overtime", "green-thumb")} if game_class is Game else {}
    )
    for actions in (0, 9):
        game = played(game_class(seed=seed, **settings), actions, seed)
        text = "\n".join(prompt_for(game, TextOptions(rename=seed, history="all"))).lower()
        assert not {*re.findall(r"[a-z]+(?:-[a-z]+)*", text)} & forms
        assert game.title.lower() not in text or game_class is TerminusGame


def test_renamed_words_and_actions_are_told_apart(tictactoe: str) -> None:
    for game_class, seed in itertools.product((Game, TerminusGame, TicTacToe), range(40)):
        renaming = renaming_of(game_class, seed)
        assert len({renaming.prose(name) for name in game_class.action_names}) == len(
            game_class.action_names
        )
        families = [{renaming.prose(form) for form in forms} for forms in _families(game_class)]
        assert len({*itertools.chain(*families)}) == sum(map(len, families)), "no two share a form"


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("game_class", [Game, TerminusGame])
def test_renamed_sentences_are_grammatical(game_class: type[BaseGame], seed: int) -> None:
    settings: dict[str, Any] = {"chapters": CHAPTERS} if game_class is Game else {}
    options = TextOptions(rename=seed, history="all")
    text = "\n".join(prompt_for(played(game_class(seed=1, **settings), 9), options))
    new = {*renaming_of(game_class, seed)._new.values()}
    for article, word in re.findall(r"\b(an?) ([a-z]+)", text, re.IGNORECASE):
        if word in new and len(word) > 1:
            assert article.lower() == "a", f"{article} {word}"
    assert not re.search(r"ss\b", " ".join(new)), "a plural of a plural"


def test_renamed_letters_in_sentences_are_those_of_the_position() -> None:
    options = TextOptions(rename=4)
    words = renaming_of(TerminusGame, 4)
    rules = prompt_for(TerminusGame(seed=1), options).system
    letters = [words.position(letter) for letter in "AI"]
    article = {letter: "an" if letter in "AEFHILMNORSX" else "a" for letter in letters}
    a, i = (f"{article[letter]} {letter}" for letter in letters)
    assert f"You may not {words.prose('cover')} {a} or {i}." in rules
    assert words.prose("An A means that a card reads.").startswith(
        f"{a.capitalize()[:-1]}{letters[0]}"
    )
    assert words.prose("A card: the first A played").endswith(f"the first {letters[0]} played")


def test_a_renamed_drawing_keeps_its_columns() -> None:
    game = Game(chapters=CHAPTERS)
    rows = prompt_for(game, TextOptions(rename=3)).user.split("drawn:")[1].strip().splitlines()[1:6]
    assert len({row.index("|") for row in rows[1:]}) == 1


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("game_class", [Game, TerminusGame])
def test_a_renamed_drawing_renames_letters_of_pieces_but_no_other_words(
    game_class: type[BaseGame], seed: int
) -> None:
    settings: dict[str, Any] = {"chapters": CHAPTERS} if game_class is Game else {}
    game, words = played(game_class(seed=2, **settings), 14), renaming_of(game_class, seed)
    own, told = str(game).splitlines(), words.drawing(str(game)).splitlines()
    assert told[0] == words.prose(own[0])
    for line, renamed in zip(own, told, strict=True):
        for letter, owner, piece in re.findall(r"\b(\w) (\w+)'s (\w+)", line):
            expected = f"{words.position(letter)} {words.prose(owner)}'s {words.prose(piece)}"
            assert expected in renamed
    if game_class is TerminusGame:
        assert told[2].split()[1:] == words.position(" ".join(own[2].split()[1:])).split()


def test_a_turned_prompt_tells_an_image_of_the_game() -> None:
    game = played(Game(chapters="growth"), 14)
    boards = set()
    for seed in range(9):
        options = TextOptions(turned=seed, history="all")
        image = image_of(game, options).game
        told = prompt_for(game, options)
        assert told.user == prompt_for(image, TextOptions(history="all")).user
        assert image.position in told.user
        assert len(image.turns()) == len(game.turns())
        assert len(image.history) == len(game.history)
        boards.add(image.position)
    assert len(boards) == 7, "seven symmetries besides the one that changes nothing"
    assert game.position not in boards
    for same in (played(TerminusGame(seed=2), 5), game):
        options = TextOptions(turned=1 if same is not game else None)
        assert prompt_for(same, options) == prompt_for(same)


#: How the notation names the fields, in the usual order.
FIELDS = (
    *("the boards", "the chapters", "the player to act", "the step", "white's and black's focus"),
    *("the active copy", "white's and black's supply", "the statues", "the elephants' hats"),
    *("the powers", "the number of the turn"),
)


def usual_form(text: str, system: str) -> str:
    """A position in the usual form, by what the prompt says about its own form."""
    (told,) = re.findall(r"separated by spaces: (.*?)\. A field", system)
    order = [
        next(place for place, name in enumerate(FIELDS) if field.startswith(name))
        for field in told.split("; ")
    ]
    fields = dict(zip(order, text.split(" "), strict=True))
    eras, board, lines, line, along, across, empty = re.search(
        r"Boards: (.*?), separated by `(.)`; in each the four (rows|columns) from (\w+) to \w+, "
        r"separated by `(.)`; in each four spaces from (\w+) to (?:\w+)\. (`(?:.)` is empty)",
        system,
    ).group(1, 2, 3, 5, 4, 6, 7)  # type: ignore[union-attr]
    boards = dict(zip(re.findall("past|present|future", eras), fields[0].split(board), strict=True))
    usual = []
    for era in ("past", "present", "future"):
        cells = np.array([[*each.replace(empty[1], ".")] for each in boards[era].split(line)])
        cells = cells[:: -1 if along in ("south", "east") else 1]
        cells = cells[:, :: -1 if across in ("south", "east") else 1]
        cells = cells.T if lines == "columns" else cells
        usual.append("/".join("".join(row) for row in cells))
    fields[0] = "|".join(usual)
    (hats,) = re.findall(r"on the dark elephant in (the .*?), then, after", system)
    places = [("past", "present", "future").index(era) for era in re.findall("[a-z]{4,}", hats)]
    fields[8] = "/".join(
        "".join(worn[places.index(era)] for era in range(3)) for worn in (fields[8].split("/"))
    )
    return " ".join(fields[place] for place in range(len(FIELDS)))


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("changed", [("eras",), ("layout",), ("eras", "layout")], ids="+".join)
def test_a_position_in_another_form_is_what_its_explanation_says(
    changed: tuple[str, ...], seed: int
) -> None:
    options = TextOptions(**dict.fromkeys(changed, seed))
    game = played(Game(chapters=CHAPTERS, powers=("overtime", "grapple")), 40, seed)
    system, user = prompt_for(game, options)
    told = re.search(r"position as text:\n\n(.*)", user)
    assert told
    assert told[1] != game.position
    assert usual_form(told[1], system) == game.position
    plain = prompt_for(game).user
    (empty,) = re.findall("`(.)` is empty", system)
    user = re.sub(  # in the rows of the boards
        r"(?m)^ .*\|.*$", lambda row: re.sub(f" {re.escape(empty)}(?= |$)", " .", row[0]), user
    )
    if changed == ("layout",):
        assert user.replace(told[1], game.position) == plain, "all else is as it was"
    assert sorted(user.replace(told[1], "").split()) == sorted(
        plain.replace(game.position, "").split()
    )


def test_examples_in_another_form_are_the_same_examples() -> None:
    options = TextOptions(eras=1, layout=2)
    game = Game(chapters="memory")
    usual, told = (prompt_for(game, which).system for which in (TextOptions(), options))
    pattern = r"From `(.*?)`: .*? This leads to `(.*?)`\."
    for before, after in zip(re.findall(pattern, usual), re.findall(pattern, told), strict=True):
        assert (
            tuple(
                usual_form(
                    each,
                    prompt_for(
                        Game(chapters=CHAPTERS, powers=("overtime", "grapple")), options
                    ).system,
                )
                for each in after
            )
            == before
        )


def numbers_told(system: str) -> list[int]:
    """The number of each space, row by row, by what the prompt says about them."""
    (told,) = re.findall("From west to east, the spaces of the north row have (.*?) Around", system)
    return [int(number) for number in re.findall("[0-9]+", told)]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("names", CHAPTER_SETS, ids=" ".join)
def test_other_numbers_of_spaces_are_those_that_the_prompt_explains(
    names: tuple[str, ...], seed: int
) -> None:
    game = played(Game(chapters=names), 40 + seed, seed)
    options = TextOptions(numbers=seed, history="all")
    told, usual = prompt_for(game, options), prompt_for(game, TextOptions(history="all"))
    numbers = numbers_told(told.system)
    assert sorted(numbers) == [*range(1, 17)]
    assert numbers != sorted(numbers)
    before = (
        "choose ",
        "past ",
        "present ",
        "future ",
        "[0-9] to ",
        "onto ",
        "one on ",
        r"\s[PNF]",
    )
    spaces = "|".join(f"(?<={words})[0-9]+" for words in before)
    back = re.sub(spaces, lambda found: f"{numbers.index(int(found[0])) + 1}", told.user)
    assert told.user != usual.user
    assert back == usual.user, "all else is as it was"
    rules = usual.system.partition("# How positions")[0]
    assert not re.search(r"\b(copy|space|past|present|future) \d", rules), "no space by its number"


def test_numbers_of_spaces_change_the_examples_and_nothing_in_a_game_without_them() -> None:
    options = TextOptions(numbers=2)
    numbers, usual = numbers_told(prompt_for(Game(), options).system), prompt_for(Game()).system
    told = prompt_for(Game(), options).system
    assert [int(space) for space in re.findall(r" [PNF](\d+) ", told)] == [
        numbers[int(space) - 1] for space in re.findall(r" [PNF](\d+) ", usual)
    ]
    assert f"`choose {numbers[5]}, move" in told.replace("`, `", ", ")
    other = played(TerminusGame(seed=2), 5)
    assert prompt_for(other, options) == prompt_for(other)


def test_a_form_can_be_renamed_and_changes_nothing_elsewhere() -> None:
    game = played(Game(chapters="growth"), 14)
    options = TextOptions(rename=3, eras=2, layout=5, turned=1)
    assert legal_turns(game, options) == legal_turns(game, TextOptions(rename=3, turned=1))
    assert prompt_for(game, options) != prompt_for(game, TextOptions(rename=3, turned=1))
    other = played(TerminusGame(seed=2), 5)
    assert prompt_for(other, TextOptions(eras=1, layout=1)) == prompt_for(other)


def test_the_digest_tells_options_and_games_apart(tictactoe: str) -> None:
    digests = [
        digest(game_class, options)
        for game_class in (Game, TerminusGame, TicTacToe)
        for options in ALL_OPTIONS
    ]
    assert len({*digests}) == len(digests)
    assert all(re.fullmatch("[0-9a-f]{16}", each_digest) for each_digest in digests)


def test_a_game_from_outside_has_prompts_by_its_names_and_text(tictactoe: str) -> None:
    game = played(TicTacToe(), 2)
    system, user = prompt_for(game)
    assert "`top left`" in system
    assert game.position in user
    assert str(game) in user
    assert len(legal_turns(game)) == 7


@pytest.mark.parametrize("tool", ["", "play"])
@pytest.mark.parametrize("style", ["english", "terse"])
@pytest.mark.parametrize("legal", ["listed", "grouped", "counted"])
def test_a_single_legal_turn_is_told_in_the_singular(
    tictactoe: str, legal: str, style: str, tool: str
) -> None:
    game = TicTacToe(position="ooxxxoox.")
    user = prompt_for(game, TextOptions(legal, style=style), tool=tool).user
    assert not re.search(r"\b1 (?:legal )?turns|the 1\b|, 1 of them", user), user
    assert ("1. bottom right" in user) == (legal != "counted")
    refusal = read_reply(game, "TURN: 2", TextOptions(style=style))
    assert isinstance(refusal, Refusal)
    assert refusal.sentence == "There is no turn 2: the only legal turn has the number 1."


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"legal": "all"}, "legal"),
        ({"history": None}, "history"),
        ({"style": "x"}, "style"),
        ({"rename": -1}, "rename"),
        ({"eras": -1}, "eras"),
        ({"layout": 2**32}, "layout"),
        ({"numbers": 1.5}, "numbers"),
    ],
)
def test_wrong_options_are_refused(wrong: dict[str, Any], named: str) -> None:
    with pytest.raises(ConfigError, match=named):
        TextOptions(**wrong)


def test_a_player_who_is_not_to_act_is_not_asked() -> None:
    for style in ("english", "terse"):
        user = prompt_for(Game(), TextOptions(style=style), player="black").user
        assert "legal" not in user
        assert "End your answer" not in user
        assert Game().position in user


def test_a_player_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ConfigError, match="player='green'"):
        prompt_for(Game(), player="green")
