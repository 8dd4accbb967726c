"""The kinds of questions about every game."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from tkm_env.core.game import BaseGame
from tkm_env.core.proofs import Proof, check_proof
from tkm_env.core.registry import GameSpec
from tkm_env.core.turns import played, walk_turns
from tkm_env.foundations.errors import ConfigError, IllegalActionError, TKMError
from tkm_env.players.solvers import SOLVERS, solver
from tkm_env.questions.answer_form import (
    NUMBER,
    SEPARATOR,
    AnswerForm,
    Items,
    PositionText,
    UnreadableError,
    WholeTurn,
)
from tkm_env.questions.forced_wins import fewest_turns
from tkm_env.questions.game_questions import QUESTIONS, questions_of
from tkm_env.questions.kind import QuestionKind
from tkm_env.questions.random_positions import RandomPositions
from tkm_env.questions.task import Task
from tkm_env.text.flaws import PROTOCOL
from tkm_env.text.options import LEFT_OUT, TextOptions
from tkm_env.text.reply import Refusal, read_reply

YES, NO = "yes", "no"
#: The answer if no side can force a win.
NEITHER: Final = "neither"
#: Fewer legal actions make a question whose answer is one of the usual few.
_FEWEST_LEGAL: Final = 3
#: How many actions of a turn may be played before its position is shown.
_WITHIN_TURN: Final = 3
#: The most actions that a usual question follows where something is hidden.
_VISIBLY: Final = 4
#: There are at least this many ways to play a turn for each one that wins at once.
_WAYS_PER_WIN: Final = 8
#: The most turns for which every turn is tried, to confirm what a proof says.
_TRIED: Final = 3
#: The size of a proof's table: 2**16 entries.
_TABLE_BITS: Final = 16


def hides(spec: GameSpec) -> bool:
    """Whether a game hides anything from its players."""
    return spec.game_class.hides()


def told(actions: tuple[str, ...]) -> str:
    """Numbered actions, as questions list them."""
    return "\n".join(f"{number}. `{name}`" for number, name in enumerate(actions, 1))


def play_on(source: RandomPositions, game: BaseGame, difficulty: int, actions: int) -> Task | None:
    """A task in which random actions are played from a position.

    Args:
        source: where the actions are drawn from.
        game: the game at the position; unchanged.
        difficulty: the difficulty.
        actions: how many actions are played.

    Returns:
        The task; None if the game ends before, or depends on what is hidden.
    """
    now, about = game.copy(), questions_of(game)
    for _ in range(actions):
        before = now.copy()
        source.play(now, 1)
        if len(now.history) == len(before.history) or not about.is_determined(before, now):
            return None
    names = tuple(game.action_names[action] for action in now.history)
    return Task(game, difficulty, names)


class LegalActions(QuestionKind):
    """Asks which actions are legal, maybe after others."""

    name = "legal"
    usual = (1, 2, 4)
    about = "which actions are legal, in the position or after actions that are named"
    measure = "decisions: the one that is asked about, and the actions before it"
    hardest = 100
    answers = "Give the names of all these actions, in any order, separated by semicolons."

    def propose(self, source: RandomPositions, difficulty: int) -> Task | None:
        game = source.decision(_WITHIN_TURN)
        task = None if game is None else play_on(source, game, difficulty, difficulty - 1)
        if task is None or len(task.after.legal_actions()) < _FEWEST_LEGAL:
            return None
        return task

    def ask(self, task: Task) -> str:
        asked = "Which actions are legal next? Only the very next action counts."
        if not task.actions:
            return asked
        return f"From this position, these actions are played:\n\n{told(task.actions)}\n\n{asked}"

    def answer(self, task: Task) -> str:
        return SEPARATOR.join(task.after.legal_names())

    def objection(self, task: Task, answer: str) -> str:
        image = questions_of(task.game).image(task.game)
        now = played(image.game, map(image.action, task.actions))
        found = {name for name in task.game.action_names if can_play(now, image.action(name))}
        return "" if found == {*answer.split(SEPARATOR)} else SEPARATOR.join(sorted(found))

    def form(self, task: Task) -> AnswerForm:
        return Items(phrases=task.game.action_names)


def can_play(game: BaseGame, action: str) -> bool:
    """Whether an action can be played, found by playing it.

    Args:
        game: the game; unchanged.
        action: the action's name.

    Returns:
        Whether the game accepts it.
    """
    try:
        game.copy().play(action)
    except IllegalActionError:
        return False
    return True


class PositionAfter(QuestionKind):
    """Asks for the position after actions."""

    name = "position"
    usual = (1, 2, 4, 8)
    about = "the position after actions that are named"
    measure = "actions to carry out"
    hardest = 100
    answers = "Give the position as text, in one line, with all of its fields."

    def usual_difficulties(self, spec: GameSpec) -> tuple[int, ...]:
        """Where something is hidden, few sequences of actions draw nothing."""
        return tuple(actions for actions in self.usual if actions <= _VISIBLY or not hides(spec))

    def propose(self, source: RandomPositions, difficulty: int) -> Task | None:
        game = source.decision(_WITHIN_TURN)
        return None if game is None else play_on(source, game, difficulty, difficulty)

    def ask(self, task: Task) -> str:
        return (
            f"From this position, these actions are played:\n\n{told(task.actions)}\n\n"
            "What is the position after them?"
        )

    def answer(self, task: Task) -> str:
        return task.after.visible_position

    def objection(self, task: Task, answer: str) -> str:
        image = questions_of(task.game).image(task.game)
        found = played(image.game, map(image.action, task.actions)).visible_position
        return "" if found == image.position(answer) else f"{found}, in the image"

    def form(self, task: Task) -> AnswerForm:
        return PositionText(len(task.game.visible_position.split()))


class Win(QuestionKind):
    """Asks whether the side to act can win in this turn."""

    name = "win"
    usual = ()
    about = "whether the side to act can win in this turn"
    measure = "the size of the position"
    hardest = 1000
    answers = "Answer yes or no."

    def usual_difficulties(self, spec: GameSpec) -> tuple[int, ...]:
        return QUESTIONS.of(spec).usual_sizes

    def measure_of(self, spec: GameSpec) -> str:
        return QUESTIONS.of(spec).size_measure

    def balanced_answers(self, difficulty: int) -> int:
        return 2

    def answer_class(self, task: Task, answer: str) -> int:
        return (YES, NO).index(answer)

    def propose(self, source: RandomPositions, difficulty: int) -> Task | None:
        game, about = source.turn(), QUESTIONS.of(source.spec)
        if game is None or about.size(game) != difficulty or not about.is_close(game):
            return None
        return Task(game, difficulty)

    def ask(self, task: Task) -> str:
        side = task.game.to_act
        return f"Can {side} win in this turn, by any way to play it?"

    def answer(self, task: Task) -> str:
        side = task.game.to_act
        return YES if any(way.after.winner == side for way in task.game.turns()) else NO

    def objection(self, task: Task, answer: str) -> str:
        image = questions_of(task.game).image(task.game)
        side = image.player(task.game.to_act)
        wins = any(way.after.winner == side for way in walk_turns(image.game))
        return "" if wins == (answer == YES) else YES if wins else NO

    def form(self, task: Task) -> AnswerForm:
        return Items(phrases=(YES, NO), several=False)


def proof_of(game: BaseGame, turns: int) -> Proof:
    """What the game's proof search says about a position.

    Args:
        game: the game, at the position.
        turns: the number of turns to look ahead, counting both sides.

    Returns:
        The proof.
    """
    found: Proof = solver(game.name, "prove", "proofs are")(game, turns, table_bits=_TABLE_BITS)
    return found


class WinningTurn(QuestionKind):
    """Asks for a turn that wins, at once or by force."""

    name = "winning-turn"
    usual = (1, 2)
    about = "a turn that wins at once, or after which a win is forced"
    measure = "turns of the winner's own, up to the win"
    hardest = 4
    answers = (
        "Give the whole turn: all of its actions in order, separated by semicolons. "
        "Every turn that does it is right."
    )

    def usual_difficulties(self, spec: GameSpec) -> tuple[int, ...]:
        return self.usual if SOLVERS.of(spec).prove is not None else self.usual[:1]

    def check(self, spec: GameSpec, config: Any, difficulty: int) -> None:
        super().check(spec, config, difficulty)
        if difficulty > 1 and SOLVERS.of(spec).prove is None:
            raise ConfigError(
                "difficulty", difficulty, f"it must be 1, since {spec.title} has no proofs"
            )

    def propose(self, source: RandomPositions, difficulty: int) -> Task | None:
        game = source.turn()
        if game is None or not QUESTIONS.of(source.spec).is_close(game):
            return None
        ends = [way.after.winner == game.to_act for way in game.turns()]
        if len(ends) < _WAYS_PER_WIN or sum(ends) * _WAYS_PER_WIN > len(ends):
            return None
        if difficulty == 1:
            return Task(game, difficulty) if any(ends) else None
        proof = None if any(ends) else proof_of(game, _turns(difficulty))
        if proof is None or (proof.winner, proof.turns) != (game.to_act, _turns(difficulty)):
            return None
        return Task(game, difficulty)

    def ask(self, task: Task) -> str:
        side = task.game.to_act
        if task.difficulty == 1:
            return f"{side.capitalize()} can win in this turn. Find a turn that wins."
        return (
            f"{side.capitalize()} can force a win within {task.difficulty} of its own turns, of "
            "which this is the first, whatever the other side plays in between. Find a turn with "
            "which such a win begins."
        )

    def answer(self, task: Task) -> str:
        game = task.game
        if task.difficulty == 1:
            turn = next(way for way in game.turns() if way.after.winner == game.to_act)
            return SEPARATOR.join(game.action_names[action] for action in turn.actions)
        return SEPARATOR.join(proof_of(game, _turns(task.difficulty)).strategy[game.position])

    def objection(self, task: Task, answer: str) -> str:
        image = questions_of(task.game).image(task.game)
        side = image.player(task.game.to_act)
        after = played(image.game, map(image.action, answer.split(SEPARATOR)))
        if task.difficulty == 1 or after.result is not None:
            return "" if after.winner == side else f"{after.visible_position}, in the image"
        proof = proof_of(after, _turns(task.difficulty) - 1)
        if proof.winner != side:
            return f"no forced win of {side}, in the image"
        return flaw_of(after, proof)

    def form(self, task: Task) -> AnswerForm:
        return WholeTurn(task.game.action_names)

    def is_right(self, task: Task, given: str, answer: str, options: TextOptions) -> bool:
        asked = TextOptions(legal=LEFT_OUT, style=options.style, rename=options.rename)
        read = read_reply(task.game, f"TURN: {given}", asked)
        if isinstance(read, Refusal):
            if read.kind == PROTOCOL:
                raise UnreadableError(read.sentence)
            return False
        after = played(task.game, read)
        if task.difficulty == 1 or after.result is not None:
            return after.winner == task.game.to_act
        return proof_of(after, _turns(task.difficulty) - 1).winner == task.game.to_act


def _turns(own: int) -> int:
    """The number of turns of both sides, up to the side's own turn of this number."""
    return 2 * own - 1


def flaw_of(game: BaseGame, proof: Proof) -> str:
    """Why a winner's strategy fails, by the rules alone; empty if it does not.

    Args:
        game: the position that the proof is about.
        proof: the proof, with a winner.

    Returns:
        The reason.
    """
    try:
        check_proof(game, proof)
    except TKMError as error:
        return str(error)
    return ""


class ForcedWin(QuestionKind):
    """Asks which side can force a win, and in how few turns."""

    name = "forced-win"
    usual: ClassVar[tuple[int, ...]] = (2, 3)
    easiest = 2
    about = "which side can force a win within a number of turns, and in how few"
    measure = "turns to look ahead, counting both sides"
    hardest = 9
    answers = f"Give the side and that number, separated by a space, or {NEITHER}."

    def is_about(self, spec: GameSpec) -> bool:
        return SOLVERS.of(spec).prove is not None

    def balanced_answers(self, difficulty: int) -> int:
        return difficulty + 1

    def answer_class(self, task: Task, answer: str) -> int:
        return 0 if answer == NEITHER else int(answer.split()[-1])

    def propose(self, source: RandomPositions, difficulty: int) -> Task | None:
        game = source.turn()
        return None if game is None else Task(game, difficulty)

    def ask(self, task: Task) -> str:
        turns, game = task.difficulty, task.game
        return (
            f"Look at the next {turns} turns, counting each side's turns, the first of which is "
            f"{game.to_act}'s turn now. Which side can force a win within them, whatever the other "
            "side plays, and what is the smallest number of these turns within which it can?"
        )

    def answer(self, task: Task) -> str:
        proof = proof_of(task.game, task.difficulty)
        return NEITHER if proof.winner is None else f"{proof.winner} {proof.turns}"

    def objection(self, task: Task, answer: str) -> str:
        image = questions_of(task.game).image(task.game)
        if task.difficulty <= _TRIED:
            found = fewest_turns(image.game, task.difficulty)
            flaw = ""
        else:
            proof = proof_of(image.game, task.difficulty)
            found = None if proof.winner is None else (proof.winner, proof.turns)
            flaw = "" if proof.winner is None else flaw_of(image.game, proof)
        words = answer.split()
        expected = None if answer == NEITHER else (image.player(words[0]), int(words[1]))
        return flaw if found == expected else f"{found}, in the image"

    def form(self, task: Task) -> AnswerForm:
        return Items(slots=(task.game.players, NUMBER), phrases=(NEITHER,), several=False)


#: In the order in which tables show them.
GENERAL_KINDS: Final[tuple[QuestionKind, ...]] = (
    LegalActions(),
    PositionAfter(),
    Win(),
    WinningTurn(),
    ForcedWin(),
)
