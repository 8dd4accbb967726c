"""Questions about *Terminus*."""

from __future__ import annotations

from typing import Final

from tkm_env.core.turns import played
from tkm_env.games.terminus.engine.state import PLAYERS
from tkm_env.games.terminus.game import TerminusGame
from tkm_env.games.terminus.notation import FIELDS
from tkm_env.games.terminus.view import TERMINUS, PublicView, view_of
from tkm_env.questions.answer_form import NUMBER, SEPARATOR, AnswerForm, Items
from tkm_env.questions.game_questions import GameQuestions, Image
from tkm_env.questions.general_kinds import play_on, told
from tkm_env.questions.kind import QuestionKind
from tkm_env.questions.random_positions import RandomPositions
from tkm_env.questions.task import Task

#: Exchanges the colours of victories and players, in the text of eras and of players to act.
_EXCHANGED: Final = str.maketrans("RBrb", "BRbr")
_TIMELINE, _TO_ACT, _STEP, _HANDS, _FRESH = map(
    [*FIELDS].index, ("timeline", "to act", "step", "hands", "fresh")
)


class Victories(QuestionKind):
    """Asks how many victories of each player can be seen after actions."""

    name = "victories"
    usual = (1, 2, 3, 4)
    about = "how many victories of each player are visible after actions that are named"
    measure = "actions to carry out"
    hardest = 8
    answers = (
        "Give each player's name and number, separated by a space, in any order, with a semicolon "
        "between the two players."
    )

    def propose(self, source: RandomPositions, difficulty: int) -> Task | None:
        game = source.decision(2)
        return None if game is None else play_on(source, game, difficulty, difficulty)

    def ask(self, task: Task) -> str:
        return (
            f"From this position, these actions are played:\n\n{told(task.actions)}\n\n"
            "How many victories of each player are visible after them?"
        )

    def answer(self, task: Task) -> str:
        after = task.after
        assert isinstance(after, TerminusGame)
        return _told(after.victories)

    def objection(self, task: Task, answer: str) -> str:
        """Count letters in the timeline of the image."""
        image = _image(task.game)
        after = played(image.game, map(image.action, task.actions))
        eras = after.visible_position.split(" ")[_TIMELINE]
        found = {player: eras.count(image.player(player)[0].upper()) for player in PLAYERS}
        return "" if _told(found) == answer else _told(found)

    def form(self, task: Task) -> AnswerForm:
        return Items(slots=(PLAYERS, NUMBER))


def _told(victories: dict[str, int]) -> str:
    return SEPARATOR.join(f"{player} {victories[player]}" for player in PLAYERS)


def _image(game: object) -> Image:
    """The game in which red and blue have changed places, also on the cards."""
    assert isinstance(game, TerminusGame)
    assert isinstance(game.config.deck, tuple)
    deck = [eras.translate(_EXCHANGED) for eras in game.config.deck]

    def position(text: str) -> str:
        fields = text.split(" ")
        for field in (_TIMELINE, _TO_ACT):
            fields[field] = fields[field].translate(_EXCHANGED)
        for field in (_HANDS, _FRESH):
            fields[field] = "/".join(reversed(fields[field].split("/")))
        if "-" in fields[_STEP]:  # a result
            fields[_STEP] = fields[_STEP][::-1]
        return " ".join(fields)

    image = TerminusGame(deck=deck, seed=0, position=position(game.visible_position))
    return Image(image, str, _other, position)


def _other(player: str) -> str:
    return PLAYERS[1 - PLAYERS.index(player)]


def _known(view: PublicView) -> set[str]:
    """The cards that can be seen."""
    held = {held.card for hand in view.hands.values() for held in hand}
    return held | {run.card for run in view.timeline}


class TerminusQuestions(GameQuestions[TerminusGame]):
    """Questions about *Terminus*; none depends on the order of the deck."""

    kinds = (Victories(),)
    size_measure = "visible eras"
    usual_sizes = (17, 19, 21)
    turns = (1, 17)

    def size(self, game: TerminusGame) -> int:
        return len(view_of(game).eras)

    def is_close(self, game: TerminusGame) -> bool:
        """Whether the player to act holds Terminus."""
        view = view_of(game)
        return TERMINUS in {held.card for held in view.hands[view.to_act]}

    def is_determined(self, before: TerminusGame, after: TerminusGame) -> bool:
        """Whether no card was drawn."""
        return _known(view_of(after)) <= _known(view_of(before))

    def image(self, game: TerminusGame) -> Image:
        return _image(game)


QUESTIONS: Final = TerminusQuestions()
