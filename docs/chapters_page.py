"""The pages of `docs/games`: the games, and each chapter of the first on one template; `docs/generate.py` writes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from pictures import Picture
from tables import numbered, table

from tkm_env import Game, compact_layout
from tkm_env.game.registry import GameSpec
from tkm_env.games.registry import TERMINUS, TKM
from tkm_env.games.tkm.engine.actions import GROUPS
from tkm_env.games.tkm.engine.observation import PLANES

NOTE = "<!-- Written by `python docs/generate.py`; edit `docs/chapters_page.py` or the tables that it reads instead. -->"
DATA = Path(__file__).parents[1] / "tests" / "data"


class Chapter(NamedTuple):
    """A chapter: its setting, its title, what it brings, and what of it may surprise; the words that tables use for it; a position to draw."""

    name: str
    title: str
    brings: str
    remarks: tuple[str, ...]
    words: tuple[str, ...]
    position: str

    @property
    def pictures(self) -> tuple[Picture, Picture]:
        """Its board, for both themes."""
        return Picture(f"chapter-{self.name}", "", self.position), Picture(
            f"chapter-{self.name}-dark", "", self.position, theme="dark"
        )


CHAPTERS = (
    Chapter(
        "standard",
        "The standard game",
        "Two players, three eras, copies and nothing else. White begins in the past, black in the future. A turn is four actions: choose one of "
        "your copies in the era of your focus, act with it twice, shift your focus to another era. A copy steps to a neighbouring space, and "
        "pushes what stands there; or it travels to the same space of a neighbouring era. Into the past it leaves a new copy behind, from "
        "the supply.",
        (
            "A copy that is pushed into a wall is squished; one that meets a copy of its own colour is a paradox, and both are gone.",
            "The second action is mandatory if there is one, the first may be any, even one that leaves no second.",
            "The focus has to change, and a player without a copy in the era of the focus only shifts it.",
        ),
        (),
        "..../..../.BB./....|W.../..../WW../....|..../.W../..B./.... - b c NP - 1/2 - ---/--- -/- 12",
    ),
    Chapter(
        "growth",
        "Chapter 1: Growth",
        "Players plant seeds. A seed in the past grows to a shrub in the present and a tree in the future, one in the present to a shrub in the "
        "future. Who removes a seed, removes what has grown of it.",
        (
            "Nobody steps into a shrub or a fallen tree.",
            "A standing tree that is pushed topples onto the next space, and crushes the copy there.",
            'The editions differ: with `edition="2022"` a seed may also be planted on a space beside, where a copy stands.',
        ),
        ("Growth",),
        "..../..../..w*/..B.|..../B.../..##/...B|.W../*.B./..TT/.... G b c FP - 4/3 - ---/--- -/- 12",
    ),
    Chapter(
        "influence",
        "Chapter 2: Influence",
        "An orange statue stands in every era, and each player may build one of their own. Statues are pushed and pulled; each step of a statue is "
        "passed on to the same statue in the later eras: it propagates.",
        (
            "Pulling is a choice, and has actions of its own.",
            "A statue is never destroyed. Where a built one finds no place, the editions differ: it is displaced (2021), or not placed (2022).",
            "The order in which steps propagate is ruled on in [the rulings](../rulings.md#statues).",
        ),
        ("Influence",),
        "..../.WO./BWB./....|..../.WO./B.../...B|.W../I.O./..B./.... I b c PP - 2/2 b ---/--- -/- 12",
    ),
    Chapter(
        "memory",
        "Chapter 3: Memory",
        "A dark and a light elephant stand in every era. Who trains one, by putting a hat on it, trains it in the later eras, too, and may "
        "command it from anywhere in its era. An elephant tramples any copy that it walks into.",
        (
            "A player has at most one elephant with a hat in each era.",
            "Nothing but a command moves an elephant; pushing one is impossible.",
            "A player may trample their own active copy.",
        ),
        ("Memory",),
        "...D/.W../..W./L.B.|WB.D/..../..../L..B|...D/..../..../LW.. M b f PF - 2/3 - ---/--- -/- 12",
    ),
    Chapter(
        "convergence",
        "Chapter 4: Convergence",
        "Two of the three chapters, drawn for each game from its seed. Statues crush seeds and topple trees, elephants clear what has grown "
        'and push statues. Any other set of chapters is chosen by its names, such as `chapters=["growth", "memory"]`, or all three.',
        (
            "Which two were drawn is in the position's text, in the observation, and as numbers in `info`.",
            "With a network for one set of chapters, choose the set by name; `convergence` mixes three.",
        ),
        ("Growth", "Influence", "Memory"),
        "wB.D/..../..../L*.B|#..D/.B../..../L#.B|T*.D/*W../...B/LT.. GM b c PN - 2/2 - ---/--- -/- 12",
    ),
)


def _settings(spec: GameSpec) -> str:
    """What can be chosen before a game; the page of a chapter leaves out the chapters."""
    rows = [(f"`{setting.keyword}`", setting.help.replace("|", "\\|"), setting.default) for setting in spec.settings]
    return table(("keyword", "what it is", "default"), rows)


#: All of them.
CHAPTER_PICTURES = [picture for chapter in CHAPTERS for picture in chapter.pictures]


def _cases(chapter: Chapter) -> int:
    """How many worked cases are played under exactly this chapter's letter; of a drawn chapter, under two letters."""
    letters = {"standard": {"-"}, "convergence": {"GI", "GM", "IM"}}.get(chapter.name, {chapter.name[0].upper()})
    lines = (DATA / "scenarios.jsonl").read_text("utf-8").splitlines()
    return sum(json.loads(line)["from"].split(" ")[1] in letters for line in lines)


def _actions(chapter: Chapter) -> str:
    rows = []
    first = 0
    for group in GROUPS:
        own = any(word in group.when for word in chapter.words) and "`" not in group.when.split(" or ")[0]
        if own or (not chapter.words and group.when == "always"):
            names = ", ".join(
                f"`{name}`" for name in (*group.names[:3], *(["…"] if len(group.names) > 4 else []), *group.names[3:][-1:])
            )
            rows.append((numbered(first, len(group.names)), names.replace("`…`", "…"), group.meaning, group.rules))
        first += len(group.names)
    return table(("index", "names", "what it does", "rules"), rows)


def _planes(chapter: Chapter) -> str:
    if not chapter.words:
        return "All planes that vary in the standard game vary in every other."
    names = [f"`{plane.name}`" for plane in dict.fromkeys(PLANES) if any(word in plane.varies for word in chapter.words)]
    return (
        f"Beside those of the standard game, {len(dict.fromkeys(names))} kinds of planes vary: {', '.join(dict.fromkeys(names))}."
    )


def chapter_page(chapter: Chapter) -> str:
    """The page of a chapter."""
    remarks = "\n".join(f"- {remark}" for remark in chapter.remarks)
    numbers = sum(row.length for row in compact_layout(chapters=chapter.name))
    masked = len(Game(chapters=chapter.name).action_mask())
    brings = "The actions of every game:" if not chapter.words else "Beside those of [the standard game](standard.md):"
    images = "\n\n".join(
        f"```{{image}} ../pictures/{picture.name}.svg\n:alt: A position of a game: {chapter.title}\n:class: only-{theme}\n```"
        for picture, theme in zip(chapter.pictures, ("light", "dark"), strict=True)
    )
    return f"""{NOTE}

# {chapter.title}

{chapter.brings}

{images}

{remarks}

| | |
| --- | --- |
| setting | `chapters="{chapter.name}"` |
| players | white (0) and black (1), who take turns of several actions |
| action space | `Discrete({masked})`, the same for all chapters, with a [mask](../which-mask.md) |
| observation space | `Box`, int8 of shape {Game.observation_shape}, or float32 of shape ({numbers},) with `observation="compact"` |
| rewards | 1 and −1 at the end, 0 before; 0 for both when truncated or drawn |
| ends | an opponent with copies in at most one era at the end of the turn; `max_turns` truncates |
| tested by | {_cases(chapter)} worked positions of this chapter, beside [what holds for all](../testing.md) |

## Actions

{brings}

{_actions(chapter)}

[All actions](../actions.md), with those of powers, drafts and draws.

## Observation

{_planes(chapter)} [All planes](../observation.md).

## Example

```python
from tkm_env import tkm_v0

env = tkm_v0.env(chapters="{chapter.name}")
env.reset(seed=1)
for agent in env.agent_iter():
    observation, reward, termination, truncation, info = env.last()
    over = termination or truncation
    env.step(None if over else env.action_space(agent).sample(info["action_mask"]))
print(env.unwrapped.game.result)
```

At the terminal: `tkm play --chapters {chapter.name} --opponent greedy`.

## Versions

`v0`: the first. A change of what an action or a number of an observation means would be `v1`; the [changelog](../changelog.md) has the rest.
"""


def games_index() -> str:
    """``docs/games/index.md``."""
    rows = [(f"[{chapter.title}]({chapter.name}.md)", f'`chapters="{chapter.name}"`') for chapter in CHAPTERS]
    pages = "\n".join(chapter.name for chapter in CHAPTERS)
    return f"""{NOTE}

# Games

## {TKM.title}

Two players, perfect information, no randomness once chapters and powers are drawn. About 100 decisions a game.

{table(("chapter", "setting"), rows)}

[Powers](../powers.md) go with any chapter. Every interface takes these settings as keywords:

{_settings(TKM)}

## {TERMINUS.title}

Two players, chance, and a deck whose order nobody sees. About 20 decisions a game. [Its page](../terminus.md) has everything.

{_settings(TERMINUS)}

```{{toctree}}
:hidden:

{pages}
../terminus
```
"""
