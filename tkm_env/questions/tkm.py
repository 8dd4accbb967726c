"""Questions about *That Time You Killed Me*."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tkm_env.core.game import BaseGame
from tkm_env.core.registry import GameSpec
from tkm_env.core.turns import list_turns, played, walk_turns
from tkm_env.foundations.errors import ConfigError, IllegalActionError, PositionError
from tkm_env.games.tkm.engine.actions import ACTIONS
from tkm_env.games.tkm.engine.geometry import ERAS
from tkm_env.games.tkm.engine.state import CHAPTERS, COPY, PLAYERS
from tkm_env.games.tkm.events import Died
from tkm_env.games.tkm.game import Game
from tkm_env.games.tkm.notation import ERA_LETTERS, FIELDS, format_position
from tkm_env.games.tkm.symmetries import SYMMETRIES, Symmetry
from tkm_env.games.tkm.view import view_of
from tkm_env.players.solvers import SOLVERS
from tkm_env.questions.answer_form import NUMBER, SEPARATOR, AnswerForm, Items
from tkm_env.questions.game_questions import GameQuestions, Image
from tkm_env.questions.general_kinds import (
    NEITHER,
    NO,
    YES,
    ForcedWin,
    LegalActions,
    PositionAfter,
    can_play,
    flaw_of,
    play_on,
    proof_of,
    told,
)
from tkm_env.questions.kind import QuestionKind
from tkm_env.questions.random_positions import RandomPositions
from tkm_env.questions.task import Task

_POWERS, _BOARD, _SUPPLY, _STEP = map([*FIELDS].index, ("powers", "board", "supply", "step"))
#: Where nobody has a power.
_NO_POWERS: Final = "-/-"
#: The powers that add several actions; where a power adds a single one, its name is the answer.
_ADDING: Final = (
    *("fixation", "doorway", "exchange", "brushwood"),
    *("green-thumb", "impose", "whisperer", "grapple"),
)
#: In how many eras the opponent has copies where a win in this turn is in question.
_ERAS_IN_REACH: Final = 2
#: The longest forced win for which a table's entry is confirmed by a proof.
_PROVEN: Final = 9
#: The largest number of the turn of an endgame.
_LATEST_ENDGAME: Final = 20


def _own(game: BaseGame) -> Game:
    """A game of this class, for type checkers."""
    assert isinstance(game, Game)
    return game


def _with_field(position: str, field: int, value: str) -> str:
    """The text of a position with another value of one of its fields."""
    fields = position.split(" ")
    fields[field] = value
    return " ".join(fields)


def _letters(position: str, player: str) -> list[int]:
    """How many copies of a player each era has, counted in the text of a position."""
    letter = player[0]
    return [era.lower().count(letter) for era in position.split(" ")[_BOARD].split("|")]


def _total(position: str, player: str) -> int:
    """The copies of a player on the boards and in supply, counted in the text of a position."""
    supply = position.split(" ")[_SUPPLY].split("/")[PLAYERS.index(player)]
    return sum(_letters(position, player)) + int(supply)


class Deaths(QuestionKind):
    """Asks which copies die in actions."""

    name = "deaths"
    usual = (1, 2, 4, 8)
    about = "which copies die in actions that are named, in which of them, and in which era"
    measure = "actions to carry out"
    hardest = 100
    answers = (
        "Give one entry for each copy that dies, in any order, separated by semicolons: the number "
        "of the action, the colour of the copy and the era in which it dies, separated by spaces."
    )

    def propose(self, source: RandomPositions, difficulty: int) -> Task | None:
        game = source.decision(3)
        task = None if game is None else play_on(source, game, difficulty, difficulty)
        return task if task is not None and _deaths(task) else None

    def ask(self, task: Task) -> str:
        return (
            f"From this position, these actions are played:\n\n{told(task.actions)}\n\n"
            "At least one copy dies. Which copies die?"
        )

    def answer(self, task: Task) -> str:
        return SEPARATOR.join(_deaths(task))

    def objection(self, task: Task, answer: str) -> str:
        """Count the letters of the boards before and after each action of the image."""
        image = _image(task.game)
        now, found = image.game, Counter[str]()
        for number, name in enumerate(task.actions, 1):
            before = now.position
            now = played(now, [image.action(name)])
            if name.startswith("travel"):
                continue  # a copy leaves one era for another, and nothing dies
            for player in PLAYERS:
                there = image.player(player)
                counts = zip(_letters(before, there), _letters(now.position, there), strict=True)
                for era, (had, has) in zip(ERAS, counts, strict=True):
                    found[f"{number} {player} {era}"] += had - has
        expected = Counter(answer.split(SEPARATOR))
        return "" if +found == expected else SEPARATOR.join(sorted((+found).elements()))

    def form(self, task: Task) -> AnswerForm:
        return Items(slots=(NUMBER, PLAYERS, ERAS), repeats=True)


def _deaths(task: Task) -> list[str]:
    """The deaths in a task's actions, as the engine logs them."""
    return [
        f"{number} {event.player} {event.era}"
        for number, ply in enumerate(_own(task.after).plies(), 1)
        for event in ply.events
        if isinstance(event, Died)
    ]


class Safety(QuestionKind):
    """Asks whether the side to act can keep all of its copies."""

    name = "safety"
    usual = (5, 7, 9)
    about = "whether the side to act can keep all of its copies through the opponent's next turn"
    measure = "copies on the boards, of both sides"
    hardest = 14
    answers = "Answer yes or no."

    def balanced_answers(self, difficulty: int) -> int:
        return 2

    def answer_class(self, task: Task, answer: str) -> int:
        return (YES, NO).index(answer)

    def propose(self, source: RandomPositions, difficulty: int) -> Task | None:
        game = source.turn()
        fits = game is not None and _size(_own(game)) == difficulty
        return Task(game, difficulty) if game is not None and fits else None

    def ask(self, task: Task) -> str:
        side = task.game.to_act
        (other,) = (player for player in PLAYERS if player != side)
        return (
            f"Count {side}'s copies on the boards and in supply together. Can {side} play this "
            f"turn so that the count is no lower than now after it, and no lower after {other}'s "
            f"next turn either, whatever {other} plays? (A game that ends with {side}'s turn has "
            "no next turn.)"
        )

    def answer(self, task: Task) -> str:
        """Generate all turns of the side, and then all of the opponent's, as arrays."""
        game = _own(task.game)
        side = PLAYERS.index(game.to_act)
        enough = _totals(game.state, side)[0]
        _, mine = list_turns(game.turn_kernels, game.state, np.zeros(1, np.int64))
        kept = _totals(mine.states, side) >= enough
        if (kept & (mine.results != 0)).any():
            return YES
        states = mine.states[kept].copy()
        if not len(states):
            return NO
        offsets, replies = list_turns(game.turn_kernels, states, np.arange(len(states)))
        lowest = np.minimum.reduceat(_totals(replies.states, side), offsets[:-1])
        return YES if (lowest >= enough).any() else NO

    def objection(self, task: Task, answer: str) -> str:
        """Walk through the turns of the image one by one, and count letters."""
        image = _image(task.game)
        side, enough = image.game.to_act, _total(image.game.position, image.game.to_act)
        is_safe = any(
            _total(way.after.position, side) >= enough
            and all(_total(reply.after.position, side) >= enough for reply in walk_turns(way.after))
            for way in walk_turns(image.game)
        )
        return "" if is_safe == (answer == YES) else YES if is_safe else NO

    def form(self, task: Task) -> AnswerForm:
        return Items(phrases=(YES, NO), several=False)


def _totals(states: NDArray[np.void], side: int) -> NDArray[np.int64]:
    """The copies of a side in each state, on the boards and in supply."""
    on_boards = (states["cell"] == COPY + side).sum((1, 2))
    totals: NDArray[np.int64] = on_boards + states["supply"][:, side]
    return totals


def _size(game: Game) -> int:
    """The number of copies on the boards."""
    return sum(letter in "WBwb" for letter in view_of(game).cells)


def _power_of(game: Game, player: str) -> str | None:
    return view_of(game).powers[PLAYERS.index(player)]


def _without_power(game: Game, player: str) -> Game | None:
    """The same position in which a player has no power; None if that is not a position."""
    powers = game.position.split(" ")[_POWERS].split("/")
    powers[PLAYERS.index(player)] = "-"
    position = _with_field(game.position, _POWERS, "/".join(powers))
    step = position.split(" ")[_STEP].removesuffix("+")  # the free action is the power's
    try:
        return Game(game.config, position=_with_field(position, _STEP, step))
    except PositionError:
        return None


class PowerActions(QuestionKind):
    """Asks which legal actions a power adds."""

    name = "power-actions"
    usual = (1, 2, 4)
    about = "which legal actions the power of the side to act adds"
    measure = "decisions: the one that is asked about, and the actions before it"
    hardest = 20
    answers = LegalActions.answers

    def check(self, spec: GameSpec, config: Any, difficulty: int) -> None:
        """Check that a player has a fitting power.

        Args:
            spec: the game.
            config: its settings.
            difficulty: the difficulty.

        Raises:
            ConfigError: naming what does not fit.
        """
        super().check(spec, config, difficulty)
        if config.timeline is None and not {*_ADDING} & {*(config.powers or ())}:
            wanted = f"{self.name!r} needs a player with one of {', '.join(_ADDING)}"
            raise ConfigError("powers", config.powers, wanted)

    def propose(self, source: RandomPositions, difficulty: int) -> Task | None:
        game = source.decision(4)
        task = None if game is None else play_on(source, game, difficulty, difficulty - 1)
        return task if task is not None and _added(task) else None

    def ask(self, task: Task) -> str:
        game = _own(task.after)
        side = game.to_act
        asked = (
            f"{side.capitalize()} has the power {_power_of(game, side)}. Which of the actions that "
            f"are legal next would not be legal if {side} had no power?"
        )
        if not task.actions:
            return asked
        return f"From this position, these actions are played:\n\n{told(task.actions)}\n\n{asked}"

    def answer(self, task: Task) -> str:
        return SEPARATOR.join(_added(task))

    def objection(self, task: Task, answer: str) -> str:
        image = _image(task.game)
        now = played(image.game, map(image.action, task.actions))
        without = _without_power(_own(now), now.to_act)
        if without is None:
            return "no such position without the power, in the image"
        found = {
            name
            for name in ACTIONS
            if can_play(now, image.action(name)) and not can_play(without, image.action(name))
        }
        return "" if found == {*answer.split(SEPARATOR)} else SEPARATOR.join(sorted(found))

    def form(self, task: Task) -> AnswerForm:
        return Items(phrases=ACTIONS)


def _added(task: Task) -> list[str]:
    """The legal actions that the power of the side to act adds."""
    game = _own(task.after)
    if game.result is not None or _power_of(game, game.to_act) not in _ADDING:
        return []
    without = _without_power(game, game.to_act)
    if without is None:
        return []
    more = game.action_mask() > without.action_mask()
    return [ACTIONS[action] for action in more.nonzero()[0]]


class PowerPosition(QuestionKind):
    """Asks for a position that depends on a power."""

    name = "power-position"
    usual = (1, 2, 4, 8)
    about = "the position after actions in which the power of the side to act matters"
    measure = PositionAfter.measure
    hardest = 20
    answers = PositionAfter.answers

    def check(self, spec: GameSpec, config: Any, difficulty: int) -> None:
        """Check that a player has a fitting power.

        Args:
            spec: the game.
            config: its settings.
            difficulty: the difficulty.

        Raises:
            ConfigError: naming what does not fit.
        """
        super().check(spec, config, difficulty)
        if config.powers is None and config.timeline is None:
            raise ConfigError("powers", config.powers, f"{self.name!r} needs a player with a power")

    def propose(self, source: RandomPositions, difficulty: int) -> Task | None:
        game = source.decision(4)
        if not isinstance(game, Game) or _power_of(game, game.to_act) is None:
            return None
        task = play_on(source, game, difficulty, difficulty)
        return task if task is not None and _matters(task) else None

    def ask(self, task: Task) -> str:
        game = _own(task.game)
        side = game.to_act
        return (
            f"{side.capitalize()} has the power {_power_of(game, side)}, and without it what "
            "follows would be illegal or end in another position. From this position, these "
            f"actions are played:\n\n{told(task.actions)}\n\nWhat is the position after them?"
        )

    def answer(self, task: Task) -> str:
        return task.after.position

    def objection(self, task: Task, answer: str) -> str:
        image = _image(task.game)
        actions = [*map(image.action, task.actions)]
        after = played(image.game, actions)
        if after.position != image.position(answer):
            return f"{after.position}, in the image"
        return (
            "" if _differs(_own(image.game), actions, _own(after)) else "the power does not matter"
        )

    def form(self, task: Task) -> AnswerForm:
        return PositionAfter().form(task)


def _matters(task: Task) -> bool:
    """Whether a task's actions are illegal or end elsewhere without the power."""
    return _differs(_own(task.game), [*task.actions], _own(task.after))


def _differs(game: Game, actions: list[str], after: Game) -> bool:
    without = _without_power(game, game.to_act)
    if without is None:
        return False
    try:
        end = played(without, actions)
    except IllegalActionError:
        return True
    return _with_field(end.position, _POWERS, "") != _with_field(after.position, _POWERS, "")


class Endgame(ForcedWin):
    """Asks about solved endgames what `ForcedWin` asks about other positions."""

    name = "endgame"
    usual = (3, 5, 7, 9)
    about = "the same as `forced-win`, about solved endgames with two copies on each side"
    hardest = 20

    def is_about(self, spec: GameSpec) -> bool:
        return SOLVERS.of(spec).outcome is not None

    def check(self, spec: GameSpec, config: Any, difficulty: int) -> None:
        """Check that the game is the standard game, which the table is about.

        Args:
            spec: the game.
            config: its settings.
            difficulty: the difficulty.

        Raises:
            ConfigError: naming what does not fit.
        """
        super().check(spec, config, difficulty)
        if config.chapters is not None and config.chapters != ():
            raise ConfigError("chapters", config.chapters, "endgames are of the standard game")
        if config.powers is not None or config.timeline is not None:
            raise ConfigError("powers", config.powers, "endgames are of the standard game")
        most = config.max_turns - _LATEST_ENDGAME
        if difficulty > most:
            raise ConfigError("max_turns", config.max_turns, "the endgames need more turns")

    def propose(self, source: RandomPositions, difficulty: int) -> Task | None:
        generator = source.generator
        cells = [["."] * 16 for _ in ERAS]
        held = []
        for letter in "WWBB":
            era, space = int(generator.integers(len(ERAS))), int(generator.integers(16))
            held.append((letter, era))
            if cells[era][space] != ".":
                return None
            cells[era][space] = letter
        if len({*held}) < len(held):
            return None  # both copies of a side in one era
        rows = ["/".join("".join(era[row : row + 4]) for row in range(0, 16, 4)) for era in cells]
        focus = "".join(ERA_LETTERS[generator.integers(len(ERAS))] for _ in PLAYERS)
        side = "wb"[generator.integers(2)]
        turn = int(generator.integers(1, _LATEST_ENDGAME))
        after = f"{focus} - 0/0 - ---/--- {_NO_POWERS} {turn}"
        for step in "cf":
            try:
                game = Game(source.config, position=f"{'|'.join(rows)} - {side} {step} {after}")
            except PositionError:
                continue
            return Task(game, difficulty)
        return None

    def answer(self, task: Task) -> str:
        game = _own(task.game)
        outcome = SOLVERS.of(game.name).outcome
        assert outcome is not None
        turns = outcome(game.state)
        if not turns or turns > task.difficulty:
            return NEITHER
        side = PLAYERS.index(game.to_act)
        return f"{PLAYERS[side if turns % 2 else 1 - side]} {turns}"

    def objection(self, task: Task, answer: str) -> str:
        """Search for a proof, which knows no table."""
        image = _image(task.game)
        within = task.difficulty if answer == NEITHER else int(answer.split()[-1])
        proof = proof_of(image.game, min(within, _PROVEN))
        found = None if proof.winner is None else (proof.winner, proof.turns)
        words = answer.split()
        expected = None if answer == NEITHER else (image.player(words[0]), int(words[1]))
        if found == expected or (within > _PROVEN and found is None):
            return "" if proof.winner is None else flaw_of(image.game, proof)
        return f"{found}, in the image"


def _image(game: Any) -> Image:
    """The image of a position under a symmetry that the position chooses."""
    own = SYMMETRIES if _has_memory(game) else SYMMETRIES[: len(SYMMETRIES) // 2]
    symmetry = own[1 + game.key % (len(own) - 1)]
    actions = _actions(symmetry)

    def position(text: str) -> str:
        states = symmetry.states(Game(game.config, position=text).state)
        return format_position(states[0])

    def action(name: str) -> str:
        return ACTIONS[actions[ACTIONS.index(name)]]

    def player(name: str) -> str:
        number = PLAYERS.index(name)
        return PLAYERS[1 - number if symmetry.colours else number]

    return Image(Game(game.config, position=position(game.position)), action, player, position)


@cache
def _actions(symmetry: Symmetry) -> list[int]:
    """What each action becomes."""
    actions: list[int] = symmetry.actions().tolist()
    return actions


def _has_memory(game: Game) -> bool:
    return CHAPTERS[-1] in view_of(game).chapters


class TKMQuestions(GameQuestions[Game]):
    """Questions about *That Time You Killed Me*."""

    kinds = (Deaths(), Safety(), PowerActions(), PowerPosition(), Endgame())
    size_measure = "copies on the boards, of both sides"
    usual_sizes = (5, 7, 9)
    turns = (2, 60)
    usual_settings: tuple[Mapping[str, Any], ...] = (
        {},
        {"chapters": ("growth",)},
        {"chapters": ("influence",)},
        {"chapters": ("memory",)},
        {"chapters": CHAPTERS},
        {"chapters": ("growth", "influence"), "edition": "2022"},
        {"powers": ("doorway", "exchange")},
        {"powers": ("kinship", "overtime")},
        {"chapters": ("growth",), "powers": ("green-thumb", "brushwood")},
        {"chapters": ("influence",), "powers": ("impose", "grapple")},
        {"chapters": ("memory",), "powers": ("whisperer", "bulldoze")},
        {"chapters": CHAPTERS, "powers": ("express", "ripple"), "power_texts": 2},
    )

    def check(self, config: Any) -> None:
        for keyword in ("concede", "draws"):
            if getattr(config, keyword):
                raise ConfigError(keyword, True, "questions are about games without it")

    def size(self, game: Game) -> int:
        return _size(game)

    def is_close(self, game: Game) -> bool:
        """Whether the opponent has copies in exactly two eras."""
        (other,) = (player for player in PLAYERS if player != game.to_act)
        return game.eras_held[other] == _ERAS_IN_REACH

    def image(self, game: Game) -> Image:
        return _image(game)


QUESTIONS: Final = TKMQuestions()
