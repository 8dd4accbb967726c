"""Write the documents that are made from the package's tables and from measured figures: ``python docs/generate.py``.

With ``--check`` nothing is written; the exit status is 1 if a document is stale. The figures are in ``docs/agents.json``, written by
``python benchmarks/agents.py``, and in ``docs/performance.json``, written by ``tkm bench --json``.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from agents_page import agents
from pictures import PICTURES, TERMINUS_MIDDLE, TERMINUS_PICTURES, Picture
from tables import numbered, table

from tkm_env import Game
from tkm_env.bench.report import markdown
from tkm_env.bench.running import read_outcome
from tkm_env.core.actions import ActionGroup
from tkm_env.core.records import FIELDS as RECORD_FIELDS
from tkm_env.games.registry import TKM
from tkm_env.games.terminus.deck import DEFAULT_DECK
from tkm_env.games.terminus.engine.actions import ACTIONS as TERMINUS_ACTIONS
from tkm_env.games.terminus.engine.actions import GROUPS as TERMINUS_GROUPS
from tkm_env.games.terminus.engine.observation import FEATURES, NUM_FEATURES
from tkm_env.games.terminus.engine.state import ERAS, MAX_LENGTH
from tkm_env.games.terminus.game import TerminusGame
from tkm_env.games.terminus.notation import FIELDS as TERMINUS_FIELDS
from tkm_env.games.tkm.achievements import ACHIEVEMENTS
from tkm_env.games.tkm.campaign import JOURNEY
from tkm_env.games.tkm.engine.actions import ACTIONS, GROUPS
from tkm_env.games.tkm.engine.observation import PLANES, PLANES_PER_ERA
from tkm_env.games.tkm.engine.powers import POWERS
from tkm_env.games.tkm.engine.state import EMPTY, GROWTH, INFLUENCE, MEMORY, PIECES
from tkm_env.games.tkm.events import EVENT_CLASSES
from tkm_env.games.tkm.notation import CELLS

DOCS = Path(__file__).parent
NOTE = "<!-- Written by `python docs/generate.py`; edit the tables in the package instead. -->"


def actions_of(groups: tuple[ActionGroup, ...], most: int) -> str:
    """The table of actions, with at most so many names in a row."""
    rows = []
    first = 0
    for group in groups:
        shown = group.names if len(group.names) <= most else (*group.names[: most - 1], group.names[-1])
        names = [f"`{name}`" for name in shown]
        if len(shown) < len(group.names):
            names.insert(-1, "…")
        rows.append((numbered(first, len(group.names)), ", ".join(names), group.meaning, group.when, group.rules))
        first += len(group.names)
    return table(("index", "names", "what it does", "exists with", "rules"), rows)


def actions() -> str:
    """``docs/actions.md``."""
    return f"""{NOTE}

# Actions

There are {len(ACTIONS)} actions, numbered from 0, the same for every chapter and power: a network trained on one chapter runs on all.
A turn is several of them: choose a copy, act twice, shift the focus.

`tkm_env.ACTIONS` lists the names in index order; `tkm_env.action_index(name)` gives the index of a name. `Game.play` takes either.

{actions_of(GROUPS, len(ACTIONS))}
"""


def observation() -> str:
    """``docs/observation.md``."""
    eras = [(f"{number}, {number + PLANES_PER_ERA}, {number + 2 * PLANES_PER_ERA}", plane) for number, plane in enumerate(PLANES)]
    game = [(str(number), plane) for number, plane in enumerate(PLANES) if plane.era is None]
    head = ("plane", "name", "what it shows", "values", "layout")
    of_eras, of_game = (
        table(head, [(number, plane.name, plane.meaning, f"0–{plane.high}", plane.layout) for number, plane in rows])
        for rows in (eras[:PLANES_PER_ERA], game)
    )
    return f"""{NOTE}

# Observations

An observation is an array of shape ({len(PLANES)}, 4, 4), dtype int8: {len(PLANES)} planes over the 4×4 spaces. It is written from one player's
side: *I* am the one who looks, *they* are the opponent. All three eras use the same map: a cell of a plane is the same place in
every era, and space n of the rulebook is row (n − 1) // 4, column (n − 1) % 4.

`tkm_env.PLANES` holds this table; the space's bounds are these values exactly. After the end of a game all planes of the step are 0.
`tkm_env.games.tkm.decoding.decode_observation` turns an observation back into the text of its position.

Layouts: *spaces*, each cell speaks of its own space; *everywhere*, one value in all 16 cells; *numbered*, cell n speaks of the n-th
power of `tkm_env.games.tkm.engine.powers.POWERS`.

## One group for each era

`observation[:{3 * PLANES_PER_ERA}].reshape(3, {PLANES_PER_ERA}, 4, 4)` is past, present and future. The three numbers are the plane's in each.

{of_eras}

## The whole game

{of_game}
"""


def positions() -> str:
    """``docs/positions.md``."""
    cells = [
        (f"`{letter}`", ("a seed" if piece == EMPTY else f"{PIECES[piece]} on a seed") if seed else PIECES[piece])
        for letter, (piece, seed) in CELLS.items()
    ]
    return f"""{NOTE}

# The text of a position

One line, eleven fields, single spaces between them. `Game.position` prints it, `Game(position=…)` and `reset(options={{"position": …}})`
read it. The standard start:

    {Game().position}

A position in the middle of a game with all chapters, an elephant of white's about to move:

    {Game(position=MIDDLE).position}

| field | what it says |
| --- | --- |
| board | past, present and future, separated by a vertical bar; four rows from north to south, separated by `/`; four cells from west to east |
| chapters | letters of `GIM` (Growth, Influence, Memory), or `-` |
| to act | `w` or `b` |
| step | `c` choose a copy; `2`, `1` actions still to take; `f` shift the focus; `d` draft a power; `o` decide the order; `a` answer a draw offer; when over `1-0`, `0-1`, `1/2`, or `*` for cut off |
| focus | white's, then black's era: `P` past, `N` present, `F` future; `--` while drafting |
| active copy | era and space, like `N7`, or `-` |
| supply | copies in white's / black's supply |
| statues | whose statue is still to build: `wb`, `w`, `b` or `-` |
| hats | of the dark elephant in past, present, future, then of the light one: `w`, `b` or `-` |
| powers | white's / black's, or `-`; `!` once `overtime` is spent; while drafting the four revealed ones come first |
| turn | its number, from 1 |

The step can carry a mark: `+` while a free action of `green-thumb` is left, `=` once a draw was offered at this `c` or `f`.
Edition, turn limit and the switches for conceding and draws are settings, not part of the line.

A text that is no position is refused with a `PositionError`, whose `field` is the name in this table and whose `reason` is a sentence.

## Cells

{table(("cell", "what stands there"), cells)}
"""


def events() -> str:
    """``docs/events.md``."""
    rows = [
        (
            f"`{event.__name__}`",
            ", ".join(f"`{field.name}`" for field in dataclasses.fields(event)),
            " ".join((event.__doc__ or "").replace("``", "`").split()),
            ", ".join(f"`{kind}`" for kind in event.kinds),
        )
        for event in EVENT_CLASSES
    ]
    return f"""{NOTE}

# Events

`Game.events` tells what the last action did, one record for each change, in the order in which they happened; `Game.plies()` tells it for every
action so far. Together the events of an action are the difference between the positions before and after it. They cost nothing until
they are asked for. Import the classes from `tkm_env.games.tkm.events`:

```python
from tkm_env import Game
from tkm_env.games.tkm.events import Died

game = Game(position="..../..WB/..../....|W.../...B/..../....|W.../...B/..../.... - w 2 PF P7 4/4 - ---/--- -/- 7")
game.play("move east")
assert Died("past", "black", 8, "squish") in game.events
```

`Game.totals`, which is also in `info` at the end of a game, counts by player and kind: `totals["black"]["squish"]`. What happens to copies
counts for their owner, everything else for the player who acted.

{table(("event", "fields", "meaning", "kinds in the totals"), rows)}
"""


def campaign() -> str:
    """``docs/campaign.md``."""
    rows = [(f"`{feat.name}`", feat.feat, f"`{feat.opens}`" if feat.opens else "-") for feat in ACHIEVEMENTS]
    journey = ", ".join(f"`{stage}`" for stage in dict.fromkeys(JOURNEY))
    return f"""{NOTE}

# Series and campaigns

`tkm_env.Series` plays games in a row between two players: the loser goes first in the next game; after a draw or a game cut off, whoever
went second does. It keeps the score, and `save` and `load` keep it as JSON.

`tkm_env.Campaign` is the rulebook's journey: {journey} ({len(JOURNEY)} games: the standard game once, each chapter three times), then the Coda without end.

```python
from tkm_env import Campaign

campaign = Campaign(("Ada", "Bob"), seed=1)
game = campaign.next_game()
while game.result is None:
    game.play(game.legal_actions()[0])
campaign.finish(game)
print(campaign.stage, campaign.series.score)
```

In the Coda feats count. The first player to complete one signs its envelope; four envelopes open a set of [powers](powers.md). A set that has just
been opened is drafted from in the next game, and the one who signed goes first.

The texts of the published envelopes are in none of the rulebooks, so **these {len(ACHIEVEMENTS)} feats are this project's own**.
`tkm_env.games.tkm.achievements.achieved(game)` tells which were completed in any finished game.

{table(("feat", "what must be done", "opens"), rows)}
"""


MIDDLE = "W..D/.IO./.*.*/L..B|W.../D.O./.#.#/L..B|W..D/B.O./.TW./L..B GIM w 2 NF N1 2/3 b -w-/--b -/- 12"


def powers() -> str:
    """``docs/powers.md``."""
    icons = {GROWTH: "Growth", INFLUENCE: "Influence", MEMORY: "Memory"}
    rows = [
        (
            power.set,
            f"`{power.name}`",
            ", ".join(name for bit, name in icons.items() if power.requires & bit) or "-",
            power.effect,
            f"`{power.module}.py`",
        )
        for power in POWERS
    ]
    return f"""{NOTE}

# Powers

The game's own power cards are in none of the published rulebooks, so **these {len(POWERS)} powers are this project's own**, in sets of four,
shaped by what the rulebook says of powers: bonus actions, requirement icons, sets with the same border.

{table(("set", "power", "requires", "effect", "where in `tkm_env/games/tkm/engine/`"), rows)}

## Playing with powers

- `Game(powers=("doorway", None))`: white's and black's power, or None. Every chapter they require must be in play.
- `Game(timeline="draft_powers")`: four powers of one set are revealed; each player takes one, then the second decides who goes first.
- `Game(timeline="power_share")`: the first player takes one of four, and both use it.
- `power_set=` says which four are revealed: a set's name, four names, or `"random"`.

With a timeline the chapters come from the powers' requirements and from drawn cards; `chapters=` fixes them instead. What was drawn is
in `info` after a reset and in the position's text.

## Adding a power

1. Give it a row in `POWERS` in `tkm_env/games/tkm/engine/powers.py`, and an index below the table. Configuration, position text, observation planes
   and this page follow from the row.
2. Write its effect where the rule that it changes stands: ask `state.power[player]` there. If it brings an action of its own, add that to
   `tkm_env/games/tkm/engine/actions.py` and to `tkm_env/games/tkm/engine/power_actions.py`.
3. Add worked cases to `tests/data/powers.jsonl`. The simulation takes the new power into its random pairs by itself.
"""


def records() -> str:
    """``docs/records.md``."""
    game = Game(chapters="memory")
    for action in ("choose 1", "move east", "move east"):
        game.play(action)
    rows = [(f"`{name}`", "yes" if needed else "no", meaning) for name, needed, meaning in RECORD_FIELDS]
    return f"""{NOTE}

# Game records

A game record is a JSON object that tells a whole game. A file of records holds one a line.

```python
from tkm_env import Game

game = Game(chapters="growth", seed=7)
game.play("choose 1")
record = game.to_record(players={{"white": "me", "black": "random"}}, seed=7)
again = Game.from_record(record)
```

`Game.from_record` plays the game again. What cannot be is a `RecordError` that names the key, and for an action that is illegal where it
stands the ply, counted from 1. `tkm_env.core.records.write_record` and `read_records` are for files.

{table(("key", "needed", "meaning"), rows)}

```json
{json.dumps(game.to_record(players={"white": "me", "black": "random"}), indent=2)}
```

Times, where they are given, are in seconds. A form with other keys has another `version`: records of version 1, which lack `game`, tell of
`"{TKM.name}"`, and are read as they always were.

A game of Terminus begins by chance, so its record holds the position it began in, with the order of the deck and the random numbers of the
shuffle to come; a deck that is not the project's own stands in `config`, card by card. `tkm_env.core.records.from_record` reads records of
both games.
"""


def terminus() -> str:
    """``docs/terminus.md``."""
    game = TerminusGame(position=TERMINUS_MIDDLE)
    features, first = [], 0
    for feature in FEATURES:
        features.append((numbered(first, feature.length), feature.name, feature.meaning, f"0–{feature.high}"))
        first += feature.length
    return f"""{NOTE}

# Terminus

A second game behind the same faces: *Terminus* by Kyle Haas, for two players, with 18 cards. Red and blue lay cards over one timeline and over
each other's; the weapon that ends it is shuffled into the deck while they play, and nobody knows when it comes. Chance and hidden information,
where the first game has neither; about 20 decisions a game.

## The game

A card is three *eras* wide: {", ".join(f"`{era.letter}` {era.name}" for era in ERAS[1:])}. It can be *flipped*, to read from right to left.

1. **Play** the lowest-numbered of the unfrozen cards in your hand, or any frozen one: directly at an end of the timeline, or so that it covers
   one, two or three eras. Not over a fixed event (`A`, `I`), and not over all three eras of a card that the opponent played in their last turn.
   The second `A` that is played shuffles Terminus, number 18, into the deck; with the third its number is 0.
2. **Resolve** the special events that were covered, each once, in any order, or not: *grow* plays one more card at an end, *freeze* freezes a card of the
   hand, *swap* exchanges one for one of the opponent's; their frozen card only for a frozen one, or for Terminus.
3. **Draw** up to three cards while the deck lasts. Who is out of cards then takes no more turns.

Whoever plays Terminus ends the game. More visible victories of the own colour win; on a tie whoever played Terminus loses. So there are no draws.

```
{game}
```

![A game of Terminus: the timeline, the deck, both hands](pictures/{TERMINUS_PICTURES[0].name}.svg)

`TerminusGame`, `TerminusBatch` and `TerminusConfig` are what `Game`, `Batch` and `GameConfig` are for the first game.

```python
from tkm_env import TerminusGame

game = TerminusGame(seed=1)
while game.result is None:
    game.play(game.legal_actions()[0])
print(game, game.winner, game.victories)
```

The faces: `terminus_v0.env()` and `raw_env()` for PettingZoo, with the agents `red_0` and `blue_0` (`pettingzoo.make("aec", "tkm_env/games/terminus-v0")`);
`gymnasium.make("tkm_env/Terminus-v0", opponent="random", side="red")`, and `gymnasium.make_vec` with its vector entry point, against an opponent or in
self-play. They do what [gymnasium.md](gymnasium.md) tells of the first game. The winner's reward is 1, the loser's −1, and comes with the end; nothing is truncated.

## Seeing and playing it

`game.svg()` is the drawing, with the keywords that [drawing.md](drawing.md) tells: what the last action played, drew, froze or swapped is framed, and
`legal=True` marks where cards may be played. It shows what both players see, so never the order of the deck. Red's shield is pointed and bears
an R, blue's is round and bears a B; under a card stands its number, and a small shield where a player played it in their last turn. The faces'
render modes `"rgb_array"` and `"human"` show the drawing, too.

{shown(TERMINUS_PICTURES[1:])}

```
tkm play --game terminus --browser --opponent greedy
tkm play --game terminus --side blue --deck my_deck.json
tkm replay game.json
tkm gif game.json
```

On the page a card is laid with a click where its right-hand era is to lie; where several actions lead there, the page asks which. An action can be
taken back until the turn ends and cards are drawn. A deck file can be named only on the command line; games that are begun on the page keep it.
`tkm replay` and `tkm gif` read from a [record](records.md) which game it is. A record, also one saved while the game goes on, holds the
order of the deck.

## Cards

The faces of the published cards are in no source that this project has, so **this deck is the project's own**. Swapping red and blue, cards 2 and 3, 4 and 5,
7 and 8, 9 and 10, 12 and 13, 14 and 15 change places, and the others read flipped. What is left of the colours is the order of the numbers: at random
blue wins 51 games of 100, and with red and blue exchanged red does.

{table(("card", "eras"), [*((str(number), f"`{eras}`") for number, eras in enumerate(DEFAULT_DECK, 1)), ("18, then 0", "Terminus")])}

If you own the cards, type them in: write this deck with `tkm_env.games.terminus.deck.write_deck("my_deck.json")`, edit it, and play with
`deck="my_deck.json"`, which every face takes.

```json
{{"kind": "tkm_env terminus deck", "version": 1, "cards": {{"1": ".I.", "2": "R.G", "3": "B.G", "…": "…"}}}}
```

A deck has the cards 1 to 17, three eras each. Card 1, and no other, bears `I`; cards 2 to 17 bear two `A` or more, since Terminus would never enter
otherwise. What is no such deck is a `DeckError` that names the card and the reason.

## Actions

There are {len(TERMINUS_ACTIONS)} actions, the same for every deck. A turn is one of them, `play …`, and one more for each event that is resolved; `done` leaves out the
rest. The turn ends by itself when nothing is left that could be resolved, and cards are drawn.

{actions_of(TERMINUS_GROUPS, 6)}

Why these are all: a hand holds at most three cards, in the order of their numbers, so its ranks name them whatever the deck is. A card has two
directions. Its place is one of the two ends, or tells which era of the timeline lies under its right-hand era: at least the first, at most two beyond the
last. Before the last card is played there are at most 17 on the timeline, {MAX_LENGTH - 3} eras, so that number goes from 1 to {MAX_LENGTH - 1}.

## Observations

An observation is an array of shape ({NUM_FEATURES},), dtype int8, from one player's side: *I* am the one who looks, *they* are the opponent. It holds what both
players see, and not what lies covered, though a player may remember that; nor the order of the deck. The space's bounds are these values exactly.
`tkm_env.games.terminus.engine.observation.FEATURES` holds this table.

{table(("numbers", "name", "what it shows", "values"), features)}

`TerminusGame.determinized(generator)` gives a game that looks the same to both, with the hidden part shuffled again: what search has to look at.

## Players

`opponent=` in the Gymnasium faces, `tkm match --game terminus`, and `tkm_env.agents.specs.make_agent(line, game="terminus")` know

- `random`: any legal action;
- `greedy`: the whole turn after which it leads by most visible eras, of equals any; it wins when it can. In compiled code within a batch, too;
- `ismcts:iterations=1000`: a search tree over what both players know. Each iteration shuffles what is hidden, goes down the tree, adds a node and
  plays at random to the end; the action most visited is played. `exploration=0.7` can be given, too.

None of them looks at the order of the deck: the same player with the same seed does the same whatever it is. Over 400 games, every deal played from both
sides (`tkm match greedy random --game terminus --games 400 --opening-turns 0 --processes 1`, and so on):

{table(("player", "against", "score (95% interval)"), list(TERMINUS_MATCHES))}

Games are paired by their deal, which also tells who goes first; `--opening-turns` counts turns that are played at random before the players take over.

## The text of a position

One line, eight fields, single spaces between them. `TerminusGame.position` prints all of it; `position_for(player)` what a player sees. Both are read:
of what is not seen, `TerminusGame(position=…, seed=…)` draws something that fits.

    {game.position}
    {game.position_for("red")}

{table(("field", "what it says"), list(TERMINUS_FIELDS.items()))}

A text that is no position is refused with a `PositionError`, whose `field` is the name in this table and whose `reason` is a sentence.
"""


def shown(pictures: Sequence[Picture]) -> str:
    """Pictures, each under what it shows."""
    return "\n\n".join(f"{picture.shows}\n\n![{picture.shows}](pictures/{picture.name}.svg)" for picture in pictures)


#: Measured with the command that the document names, seed 0.
TERMINUS_MATCHES = (
    ("`greedy`", "`random`", "97.8% (95.8% to 98.8%)"),
    ("`ismcts:iterations=200`", "`greedy`", "53.2% (48.4% to 58.1%)"),
    ("`ismcts:iterations=1000`", "`greedy`", "83.0% (79.0% to 86.4%)"),
    ("`ismcts:iterations=4000`", "`greedy`", "93.5% (90.6% to 95.5%)"),
    ("`ismcts:iterations=1000`", "`ismcts:iterations=200`", "77.2% (72.9% to 81.1%)"),
)


def drawing() -> str:
    """``docs/drawing.md``."""
    return f"""{NOTE}

# The drawing

`Game.svg()` draws a position as SVG; a notebook shows it for any `Game` by itself. Everything is made of paths: no fonts, no scripts, nothing
to load, so that it looks the same everywhere. It takes about a millisecond or two.

```python
from pathlib import Path

from tkm_env import Game

game = Game(chapters="influence")
game.play("choose 1")
svg = game.svg(size=640, theme="dark", legal=True)
```

- `size`: how wide it is, in pixels; by default that is left to what shows it.
- `theme`: `"light"` or `"dark"`.
- `last`: whether the last action is shown. Arrows are steps, double arrows pushes, corners what appeared, crosses what vanished; a cross on a
  white disc or a black octagon is the death of a white or a black copy. `last=False` leaves all this out.
- `legal`: whether the targets of the legal actions are marked.

White and black differ in shape, not only in colour: bowler and top hat, column and obelisk, round and angular watch. The dark elephant
looks west, the light one east.

As pixels, in a window, or as a film, see [gymnasium.md](gymnasium.md); as a page to click through or a GIF, see [replays.md](replays.md).

## Pictures

{shown(PICTURES)}
"""


def adding_a_game() -> str:
    """``docs/adding-a-game.md``."""
    source = (DOCS.parent / "tests/games/tictactoe.py").read_text("utf-8")

    def code(first: str, after: str | None = None) -> str:
        """A part of the file; ``py``, since ``python`` marks whole programs, which the tests run."""
        part = source[source.index(first) : None if after is None else source.index(after)].strip("\n")
        return f"```py\n{part}\n```"

    position, start = (f"    @property\n    def {name}" for name in ("position", "start"))
    return f"""{NOTE}

# Adding a game

A game is a class that keeps its rules, and one row that says where the class is. With that it is an environment for PettingZoo and
Gymnasium, plays in batches and matches, is kept as records, is replayed as a page, and is played in the terminal and in the browser. Nothing else
in the package knows its name.

This page is `tests/games/tictactoe.py`, the third game that the tests enter: plain Python, {len(source.splitlines())} lines. The games of the
package are compiled; how they do that is at the end.

## What there is to choose

The settings of a game are a frozen dataclass whose fields all have defaults. It also says `max_turns`, which no game exceeds, and whether
its settings leave anything to chance.

{code("@dataclasses.dataclass", "class TicTacToe(BaseGame)")}

## The rules

A game is a value: it derives from `BaseGame`, names its players and actions, and says how large each number of an observation can be.

{code("class TicTacToe(BaseGame)", "    def __init__")}

It begins from the start, or from the text of a position, which it checks; what cannot be is refused with an error that says what is wrong.

{code("    def __init__", position)}

The rest of the rules: the text of the position, whose turn it is, how the game ended, what is legal, what a player sees, and what an action
does. `BaseGame` sees to it that `_play` only gets legal actions.

{code(position, start)}

## The drawing

A drawing is a canvas, which is the same for all positions, and what fills its slots. The canvas names glyphs and the colours of two
themes; `tkm_env.render.theme` has colours that go with the pages around it.

{code("GLYPHS =", "@dataclasses.dataclass")}

{code(start, "    def __str__")}

The text is what the terminal shows, and the render mode `"ansi"`:

{code("    def __str__", "#: Its row")}

## The row

{code("#: Its row")}

`tkm_env.register_game(SPEC)` enters it in this process. A package that brings a game names its row in its entry points instead, so that
commands know it, too:

```toml
[project.entry-points."tkm_env.games"]
tictactoe = "my_package.tictactoe:SPEC"
```

Then these work as for every other game:

```python
import gymnasium
import pettingzoo

import tkm_env
from tests.games.tictactoe import SPEC

tkm_env.register_game(SPEC)
env = gymnasium.make("tests/TicTacToe-v0", opponent="random")
envs = gymnasium.make_vec("tests/TicTacToe-v0", num_envs=64, vectorization_mode="vector_entry_point", opponent="self")
aec = pettingzoo.make("aec", "tests/tictactoe-v0")
```

    tkm match random path/to/bot.py:MyBot --game tictactoe --save games.jsonl
    tkm replay games.jsonl
    tkm play --game tictactoe --browser

## More than that

All further fields of the row may be left out:

- `options`: a table of `Setting`s, one for each field of the config; commands and the page's dialog are made from it.
- `adapter`: a `PlayAdapter`, where people are to click on the drawing, or to read sentences instead of the names of actions.
- `agents` and `ladder`: agents by name, and one of each kind from the weakest to the strongest.
- `batch`: a `CompiledBatch`. A game whose rules are compiled keeps them in a folder `engine/` of its own, derives from `CompiledGame`, and gives
  its batch two kernels; `tkm_env/games/terminus/` is the smaller example. `tkm_env.core.jit` compiles, and keeps machine code under a digest
  of the sources it was made from.
- `analyse` and `perft`: what `tkm analyse` and `tkm perft` call.
"""


def performance() -> str:
    """``docs/performance.md``."""
    return markdown(read_outcome(DOCS / "performance.json"))


DOCUMENTS = {
    "actions.md": actions,
    "adding-a-game.md": adding_a_game,
    "agents.md": agents,
    "campaign.md": campaign,
    "drawing.md": drawing,
    "events.md": events,
    "observation.md": observation,
    "performance.md": performance,
    "positions.md": positions,
    "powers.md": powers,
    "records.md": records,
    "terminus.md": terminus,
} | {f"pictures/{picture.name}.svg": picture.draw for picture in (*PICTURES, *TERMINUS_PICTURES)}


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Write the documents that are made from the package's tables and from measured figures."
    )
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a document is stale")
    check = parser.parse_args().check
    failed = False
    for name, document in DOCUMENTS.items():
        path, text = DOCS / name, document()
        if path.exists() and path.read_text("utf-8") == text:
            continue
        if check:
            failed = True
            print(f"{name} is stale: run python docs/generate.py")
        else:
            path.write_text(text, "utf-8")
            print(f"wrote {name}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
