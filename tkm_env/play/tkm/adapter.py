"""*That Time You Killed Me* as people play it."""

import dataclasses
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from tkm_env.core.turns import played
from tkm_env.foundations.message import Message, joined
from tkm_env.games.tkm.engine.actions import ACTIONS, GROUPS
from tkm_env.games.tkm.engine.geometry import DIRECTIONS, ERAS, NUM_SPACES, WIDTH
from tkm_env.games.tkm.engine.powers import effect_of
from tkm_env.games.tkm.engine.state import CHAPTERS, ELEPHANT, ELEPHANTS, PIECES_OF_GROWTH, PLAYERS
from tkm_env.games.tkm.events import Died, Moved, Travelled
from tkm_env.games.tkm.game import Game, Ply
from tkm_env.games.tkm.notation import CELLS
from tkm_env.games.tkm.render.svg import GROWTH_PIECES, HATS_EACH, box_of, parts, place_of
from tkm_env.games.tkm.render.text import draw
from tkm_env.games.tkm.rulebook_text import GOAL
from tkm_env.games.tkm.view import View, space_name, view_of
from tkm_env.play.adapter import (
    Advice,
    Board,
    Cell,
    Choice,
    PlayAdapter,
    PositionValue,
    SidePanel,
    Thing,
)
from tkm_env.play.exercises import Exercise, read_exercises
from tkm_env.play.tkm.editor import EDITOR
from tkm_env.play.tkm.session_matches import MATCHES
from tkm_env.play.tkm.tooltips import BELONGINGS, ERA_TIPS, HEADINGS, NEXT, PIECES, RULES
from tkm_env.players.solvers import SOLVERS
from tkm_env.players.tkm.search.analysis import Line, analyse
from tkm_env.render.canvas import Scene
from tkm_env.render.shapes import use
from tkm_env.text.tkm import TKMWords, spaces_of

_OFFERED_AND_DECLINED: Final = ("offer draw", "decline draw")
#: The first words of actions that cannot be undone: drafts, offers and answers.
_FINAL: Final = ("draft", "go", "offer", "accept", "decline")
_QUESTIONS: Final = {
    "concede": Message("Concede the game?"),
    "offer draw": Message("Offer a draw?"),
}
#: Numbers of eras in words.
_ERAS_IN_WORDS: Final = (
    Message("no era"),
    Message("one era"),
    Message("two eras"),
    Message("three eras"),
)
#: An era, by how many players have their focus there.
_WATCHED: Final = (
    "{era}",
    "{era}, with the focus of {player}",
    "{era}, with the focus of {player} and {other}",
)
_MEANINGS: Final = {
    name: group.meaning.replace("`", "") for group in GROUPS for name in group.names
}
#: The pattern of the letters of pieces, on the boards and in the legend.
_PIECE: Final = r"(?m)(?<=[\s\[])[{}](?=[\s\]wb]|$)"
_STYLES: Final = MappingProxyType(
    {
        "^turn .*": "bold",
        r"(?m)(?<![a-z:,] )(?<=\s)\d{1,2}(?=\s|$)": "dim",  # the numbers of empty spaces
        _PIECE.format("WwI"): "bold cyan",
        _PIECE.format("BbE"): "bold magenta",
        _PIECE.format(r"*#T^>v<"): "green",
        _PIECE.format("O"): "yellow",
        _PIECE.format("DL"): "blue",
        r"\[.\]": "reverse",
    }
)
#: In short notation, a copy died.
_DIED: Final = "\N{MULTIPLICATION SIGN}"
_ANALYSIS_SECONDS: Final = 1.0
_EVALUATION_SECONDS: Final = 0.25
_GROWTH, _INFLUENCE, _MEMORY = CHAPTERS


class TKMAdapter(TKMWords, PlayAdapter[Game]):
    """Headings, places, tooltips and advice of *That Time You Killed Me*."""

    rules = (*GOAL, *RULES)
    goal = GOAL[-1]
    editor = EDITOR
    matches = MATCHES
    variables = MappingProxyType(
        {
            **dict.fromkeys(DIRECTIONS, "direction"),
            **dict.fromkeys(ELEPHANTS, "elephant"),
            **dict.fromkeys(ERAS, "era"),
        }
    )
    marks = (
        Thing(
            Message("watch"),
            Message("White's focus: the era of white's next turn. Black's watch has corners."),
            use("white-focus", scale=2),
        ),
        Thing(
            Message("yellow frame"),
            Message("The active copy, which acts this turn."),
            use("active"),
        ),
        Thing(
            Message("green dot"),
            Message("An action leads here: click it."),
            use("target", scale=1.5),
        ),
        Thing(Message("arrow"), Message("A copy or an elephant moved."), use("step", -24)),
        Thing(
            Message("two hooks"),
            Message("A piece was pushed or pulled, or a tree fell."),
            use("shove", -51, scale=1.5),
        ),
        Thing(
            Message("red corners"),
            Message("Something new: a copy, a seed, a shrub, a tree, a statue, a hat."),
            use("appear"),
        ),
        Thing(Message("crossed disc"), Message("A copy died here."), use("white-died", scale=2)),
        Thing(
            Message("ring of dashes"),
            Message("A seed, a shrub or a tree was removed here."),
            use("vanish"),
        ),
    )
    styles = _STYLES

    def view(self, game: Game) -> View:
        return view_of(game)

    def choice(self, action: str, view: View) -> Choice:
        """An action under its heading, with its meaning; a draft is named after its power."""
        verb, *words = action.split(" ")
        if verb == "draft":
            power = view.revealed[int(words[0]) - 1]
            return Choice(
                action,
                HEADINGS[verb],
                Message(
                    "{power}: {effect}", power=power, effect=effect_of(power, view.power_texts)
                ),
                label=Message(power),
            )
        question = _QUESTIONS.get(action, "")
        return Choice(
            action,
            HEADINGS[verb],
            Message(_MEANINGS[action]),
            place_of(action, view),
            self.action_words(action),
            question=question,
        )

    def parts(self, game: Game, *, hints: bool) -> Mapping[str, str]:
        """The drawing, with marks of everything done this turn.

        Until anything has changed, it marks the turn before.
        """
        scenes = [Scene(view_of(game))]
        for number, ply in _last_turn(game):
            scenes.append(
                Scene(
                    view_of(game.at(number + 1)), ply.action, ply.events, view_of(game.at(number))
                )
            )
        legal = tuple(game.legal_names()) if hints else ()
        return parts(
            dataclasses.replace(scenes[-1], view=scenes[0].view, legal=legal, earlier=scenes[1:-1])
        )

    def numbered_drawing(self, game: Game) -> str:
        """The boards, with the numbers of empty spaces."""
        return draw(game, numbered=True)

    def boards(self, game: Game) -> Sequence[Board]:
        view = view_of(game)
        happened: dict[str, list[Message]] = {}
        for _, ply in _last_turn(game):
            for event in ply.events:
                for space in spaces_of(event):
                    happened.setdefault(space, []).append(Message(str(event)))
        boards = []
        for number, era in enumerate(ERAS):
            cells = [_cell(view, number, space, happened) for space in range(NUM_SPACES)]
            rows = [cells[first : first + WIDTH] for first in range(0, NUM_SPACES, WIDTH)]
            left, top, width, height = box_of(era)
            watches = [
                player for player, focus in zip(PLAYERS, view.focus, strict=True) if focus == number
            ]
            watching = dict(zip(("player", "other"), watches, strict=False))
            label = Message(_WATCHED[len(watches)], era=era, **watching)
            boards.append(Board(era, label, ERA_TIPS[era], left, top - 6, width, height + 6, rows))
        return boards

    def sides(self, game: Game) -> Sequence[SidePanel]:
        view, totals = view_of(game), game.totals
        sides = []
        for number, player in enumerate(PLAYERS):
            power, counts = view.powers[number], totals[player]
            lost = (
                counts["squish"]
                + counts["paradox"]
                + counts["crush"]
                + counts["trample"]
                - counts["returned"]
            )
            things = [
                Thing(
                    Message("in supply"),
                    BELONGINGS["supply"],
                    use(f"{player}-copy"),
                    view.supply[number],
                ),
                Thing(Message("dead"), BELONGINGS["lost"], use(f"{player}-died", scale=2.2), lost),
            ]
            if power is not None:
                label = Message(power)
                if view.spent[number]:
                    label = Message("{power}, spent", power=power)
                effect = Message(effect_of(power, view.power_texts))
                things.insert(0, Thing(label, effect))
            if _INFLUENCE in view.chapters:
                things.append(
                    Thing(
                        Message("to build"),
                        BELONGINGS["statue"],
                        use(f"{player}-statue"),
                        int(view.unbuilt[number]),
                    )
                )
            if _MEMORY in view.chapters:
                left = HATS_EACH - sum(hats.count(number) for hats in view.hats)
                things.append(
                    Thing(
                        Message("hat", "hats", count=left),
                        BELONGINGS["hats"],
                        use(f"{player}-hat", scale=1.7),
                        left,
                    )
                )
            sides.append(SidePanel(player, things))
        if _GROWTH in view.chapters:
            growing = [
                Thing(_left(glyph, left), BELONGINGS[f"{glyph}s"], use(glyph), left)
                for glyph, letters in GROWTH_PIECES.items()
                for left in [PIECES_OF_GROWTH - sum(map(view.cells.count, letters))]
            ]
            sides.append(SidePanel("", growing))
        return sides

    def settings_between(self, persons: int) -> dict[str, Any]:
        """Let people concede, and two of them agree to a draw."""
        return {"concede": True, "draws": persons > 1}

    def for_agent(self, game: Game) -> Game:
        """Return the game without conceding and draw offers, which are for people.

        An agent that plays at random would concede.
        """
        config = game.config
        if game.step_text == "a" or not (config.concede or config.draws):
            return game
        quiet = dataclasses.replace(config, concede=False, draws=False)
        start = game.start
        if start.step_text == "a":
            return Game(quiet, position=game.position)
        asked = Game(quiet, position=start.position)
        for action in game.history:
            if ACTIONS[action] not in _OFFERED_AND_DECLINED:
                asked.play(action)
        return asked

    def concede(self, game: Game) -> Game:
        return played(game, ["concede"]) if "concede" in game.legal_names() else game

    def obvious(self, game: Game) -> str | None:
        """The choice of the only copy that can act."""
        names = [name for name in game.legal_names() if name not in _QUESTIONS]
        return names[0] if len(names) == 1 and names[0].startswith("choose") else None

    def is_final(self, game: Game) -> bool:
        return ACTIONS[game.history[-1]].split(" ")[0] in _FINAL

    def directions(self, game: Game, actions: Sequence[str]) -> Sequence[str]:
        """What to do, in the imperative; without the choice of the copy that acts."""
        plies = [*played(game, actions).plies()][len(game.history) :]
        return [_direction(ply) for ply in plies if not ply.action.startswith("choose")]

    def short(self, game: Game, actions: Sequence[str]) -> str:
        """Write a turn such as ``past 6→10→14, focus future``; it marks each copy that died."""
        return _notation([*played(game, actions).plies()][len(game.history) :], view_of(game))

    def verdict(self, game: Game) -> str:
        """Return the outcome of best play, if the table of endgames has the position."""
        solved = SOLVERS.of(game.name).outcome
        outcome = None if solved is None or game.result is not None else solved(game.state)
        if outcome is None:
            return ""
        if outcome == 0:
            return Message("Solved: neither side can force a win.")
        mover = PLAYERS.index(game.to_act)
        winner = PLAYERS[mover if outcome % 2 else 1 - mover]
        return Message(
            "Solved: {player} wins in {turns}.",
            player=winner.capitalize(),
            turns=_turns((outcome + 1) // 2),
        )

    def position_key(self, game: Game) -> str:
        """Return the position without the number of the turn."""
        return game.position.rpartition(" ")[0]

    def advice(self, game: Game) -> list[Advice]:
        if game.result is not None:
            return []
        lines = analyse(game.state, seconds=_ANALYSIS_SECONDS)
        return [Advice(_worth(line), line.turns, _reason(game, line.turns[0])) for line in lines]

    def exercises(self) -> Mapping[str, Sequence[Exercise]]:
        return read_exercises(__package__)

    def what_next(self, game: Game) -> str:
        """Tell a newcomer what to do at this step."""
        return NEXT.get(game.step_text, "")

    def marks_of(self, game: Game, actions: Sequence[str]) -> Mapping[str, str]:
        drawn = self.parts(played(game, actions), hints=False)
        return {slot: drawn.get(slot, "") for slot in ("arrows", "marks")}

    def evaluation(self, game: Game, **limits: Any) -> PositionValue | None:
        """Return White's chance of winning.

        Args:
            game: the game at the position.
            **limits: limits of the search, such as ``seconds``.

        Returns:
            The value; None if no line was found.
        """
        if game.result is not None:
            assert game.outcome is not None
            result = view_of(game).result
            assert result is not None
            return PositionValue(game.outcome.points[0], result)
        lines = analyse(game.state, lines=1, **limits or {"seconds": _EVALUATION_SECONDS})
        return _evaluation(lines[0], game.to_act) if lines else None


def _evaluation(line: Line, player: str) -> PositionValue:
    """The value of the best line of ``player``, as seen by White."""
    chance = line.chance if player == PLAYERS[0] else 1 - line.chance
    if line.is_drawn:
        return PositionValue(chance, Message("drawn"))
    if line.wins_in is None and line.loses_in is None:
        words = Message("white {white:.0%}, black {black:.0%}", white=chance, black=1 - chance)
        return PositionValue(chance, words)
    winner = PLAYERS[0] if chance > 0.5 else PLAYERS[1]
    win = _wins_in(line.wins_in, line.loses_in)
    return PositionValue(chance, Message("{player} {wins}", player=winner, wins=win))


def _worth(line: Line) -> Message:
    """The value of a line, and how sure it is."""
    if line.wins_in is not None:
        return _wins_in(line.wins_in)
    if line.loses_in is not None:
        return Message("loses in {turns} against best play", turns=_turns(line.loses_in))
    if line.is_drawn:
        return Message("a proven draw")
    return Message(
        "{chance:.0%} to win, an estimate {turns} ahead",
        chance=line.chance,
        turns=_turns(line.depth),
    )


def _wins_in(own: int | None, others: int | None = None) -> Message:
    """A win of the side to act in its own turns, or of the other side in its turns, in words."""
    if own == 1:
        return Message("wins this turn")
    return Message("wins in {turns}", turns=_turns(own or others or 1))


def _turns(count: int) -> Message:
    return Message("{count} turn", "{count} turns", count=count)


def _direction(ply: Ply) -> Message:
    """What to do for an action to have its effect; the action's name if that says it all."""
    for event in ply.events:
        if isinstance(event, Moved) and event.how == "walked":
            return Message(
                "step {space} → {to} in the {era}", space=event.space, to=event.to, era=event.era
            )
        if isinstance(event, Travelled):
            return Message("travel from the {era} to the {to}", era=event.era, to=event.to)
    verb, _, rest = ply.action.partition(" ")
    if verb == "focus":
        return Message("shift the focus to the {era}", era=rest)
    return ADAPTER.action_words(ply.action)


def _notation(plies: Sequence[Ply], view: View) -> Message:
    """Write a turn in short notation, given the view before it."""
    parts: list[list[str]] = []  # each from its first word to where a walk ends
    walks = False  # whether the last part is a walk, which goes on
    here = "" if view.active is None else str(view.active[1] + 1)
    era = ERAS[view.active[0] if view.active else view.focus[view.to_act] or 0]
    for ply in plies:
        verb, _, rest = ply.action.partition(" ")
        deaths = _DIED * sum(isinstance(event, Died) for event in ply.events)
        to = next(
            (
                str(event.to)
                for event in ply.events
                if isinstance(event, Travelled)
                or (isinstance(event, Moved) and event.how == "walked")
            ),
            None,
        )
        if verb == "choose":
            parts.append([Message("{era} {space}", era=era, space=rest)])
            here, walks = rest, True
        elif to is None:
            parts.append([ADAPTER.action_words(ply.action), deaths])
            walks = False
        else:
            if not walks:
                parts.append([here])
            parts[-1] += ["→", to, deaths]
            here, walks = to, True
    return joined(", ", (joined("", part) for part in parts))


def _reason(game: Game, actions: Sequence[str]) -> Message:
    """What a turn does, in a sentence or two."""
    after, player = played(game, actions), game.to_act
    other = PLAYERS[1 - PLAYERS.index(player)]
    if after.winner == player:
        return Message("Wins: {ending}", ending=ADAPTER.ending(after))
    views = [view_of(one) for one in (game, after)]
    gain, loss = (
        views[1].cells.lower().count(side[0]) - views[0].cells.lower().count(side[0])
        for side in (player, other)
    )
    before, left = (
        sum(other[0] in view.era(number).lower() for number in range(len(ERAS))) for view in views
    )
    found = []
    if loss < 0:
        found.append(
            Message(
                "Kills {copies}; {player} is down to {eras}."
                if left < before
                else "Kills {copies}; {player} still has copies in {eras}.",
                copies=Message(
                    "a copy of {player}",
                    "{count} copies of {player}",
                    count=-loss,
                    player=other.capitalize(),
                ),
                player=other.capitalize(),
                eras=_ERAS_IN_WORDS[left],
            )
        )
    if gain:
        copies = Message("a copy", "{count} copies", count=abs(gain))
        form = "You gain {copies}." if gain > 0 else "It costs you {copies}."
        found.append(Message(form, copies=copies))
    return joined(" ", found or [Message("A quiet move that improves your position.")])


def _left(glyph: str, count: int) -> Message:
    """What pieces of growth are left, named after their number."""
    return {
        "seed": Message("seed left", "seeds left", count=count),
        "shrub": Message("shrub left", "shrubs left", count=count),
        "tree": Message("tree left", "trees left", count=count),
    }[glyph]


def _last_turn(game: Game) -> list[tuple[int, Ply]]:
    """The plies of the last turn in which anything changed, each with its index."""
    plies = list(enumerate(game.plies()))
    for turn in sorted({ply.turn for _, ply in plies[-12:]}, reverse=True):
        shown = [(number, ply) for number, ply in plies if ply.turn == turn]
        if any(ply.events or ply.action.startswith("focus") for _, ply in shown):
            return shown
    return []


def _cell(view: View, era: int, space: int, happened: Mapping[str, Sequence[Message]]) -> Cell:
    name = space_name(era, space)
    letter = view.era(era)[space]
    piece = PIECES[letter]
    label: Message = Message(
        "{era} {space}: {piece}", era=ERAS[era], space=space + 1, piece=piece.name
    )
    if (code := CELLS[letter][0]) >= ELEPHANT and (
        hat := view.hats[code - ELEPHANT][era]
    ) is not None:
        label = Message("{what} with a hat of {player}", what=label, player=PLAYERS[hat])
    if view.active == (era, space):
        label = Message("{what}, active", what=label)
    news = (Message("Just now: {what}.", what=clause) for clause in happened.get(name, ()))
    return Cell(name, label, joined(" ", [piece.tip, *news]), *box_of(name))


ADAPTER: Final = TKMAdapter()
