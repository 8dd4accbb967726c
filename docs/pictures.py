"""The pictures of the pages, as tables; `docs/generate.py` draws them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from tkm_env.core.record_files import replay_of
from tkm_env.core.registry import GameSpec
from tkm_env.games.registry import TERMINUS, TKM
from tkm_env.render.animated_svg import animated_svg


class Picture(NamedTuple):
    """A drawing of a position.

    Attributes:
        name: its name.
        position: the position's text; None for the start of the game.
        actions: the actions to play from there.
        settings: the settings of the game.
        theme: the theme.
        legal: whether legal targets are marked.
        game: the game.
    """

    name: str
    position: str | None = None
    actions: Sequence[str] = ()
    settings: Mapping[str, Any] = MappingProxyType({})
    theme: str = "light"
    legal: bool = False
    game: GameSpec = TKM

    def draw(self) -> str:
        """The SVG document."""
        game = self.game.game_class(position=self.position, seed=0, **self.settings)
        for action in self.actions:
            game.play(action)
        return game.svg(size=924, theme=self.theme, legal=self.legal) + "\n"


ALL_PIECES = (
    "W.*D/.IO./w..b/L..B|W.#D/.IO./.w.E/L..B|v.TD/.IO./>.<E/L^.B GIM w c NF - 3/3 - w-b/-bw -/- 17"
)
CROWDED = (
    "**.D/W.O*/IBB./L.*.|W#.D/*WO#/IB.E/L.#B|.T.D/W.OT/I.BE/L.T. "
    "GIM b 1 NN P10 1/2 - ---/--- overtime!/ripple 22"
)
DEATHS = (
    "W.D./.IOB/.W.B/L.*B|w.D./.WWI/..O./LB..|*..D/.w.I/..O./L.E. GIM b 2 NP P8 0/1 - bbb/--- -/- 28"
)
TREE = (
    "...D/.*O./W*B./L..B|wWID/.#O./.#B./L...|.WID/.TO./.TEB/L*b. "
    "GIM w 1 FF F2 3/2 - ---/--- second-wind/afterimage 13"
)
TARGETS = (
    "W..D/.IO./.*.*/L..B|W.../D.O./.#.#/L..B|W..D/B.O./.TW./L..B GIM w 2 NF N1 2/3 b -w-/--b -/- 12"
)
TRAVEL = (
    "W.../..../..../...B|..../.W../..../...B|W.../..../..../..B. - w 2 NF N6 4/4 - ---/--- -/- 5"
)
DRAFT = (
    "W.../..../..../...B|W.../..../..../...B|W.../..../..../...B "
    "- b d -- - 4/4 - ---/--- overtime,fixation,express,doorway/express/- 1"
)
SHIFT = (
    "..../.W../..../...B|..../..../..../..B.|..../..../.W../...B - b f PN N15 2/3 - ---/--- -/- 20"
)

CHAPTERS = {
    "standard": (
        "..../..../.BB./....|W.../..../WW../....|..../.W../..B./.... "
        "- b c NP - 1/2 - ---/--- -/- 12"
    ),
    "growth": (
        "..../..../..w*/..B.|..../B.../..##/...B|.W../*.B./..TT/.... "
        "G b c FP - 4/3 - ---/--- -/- 12"
    ),
    "influence": (
        "..../.WO./BWB./....|..../.WO./B.../...B|.W../I.O./..B./.... "
        "I b c PP - 2/2 b ---/--- -/- 12"
    ),
    "memory": (
        "...D/.W../..W./L.B.|WB.D/..../..../L..B|...D/..../..../LW.. "
        "M b f PF - 2/3 - ---/--- -/- 12"
    ),
    "convergence": (
        "wB.D/..../..../L*.B|#..D/.B../..../L#.B|T*.D/*W../...B/LT.. "
        "GM b c PN - 2/2 - ---/--- -/- 12"
    ),
}

TERMINUS_START = "1:.I. r p 2,6,11/4,9,17 ?10 -/- 1 -"
TERMINUS_MIDDLE = "6:RAB|2:R|4:RF.|1:I.|11:RAB r G 9*,T/3,5*,7 8,10,16 4/- 5 0123456789abcdef"
TERMINUS_LATE = "14:RS.|16:AR|6:BAR|12:R|1:I.|2:G|11:BA|5:BF.|10:BR r p T,3,13/8,15,17 ?0 -/5 11 -"


def moving_game(theme: str) -> str:
    """Animate the game in ``docs/game.json``, made by the commands at the end of README."""
    record = json.loads(Path(__file__).with_name("game.json").read_text("utf-8"))
    return animated_svg(replay_of(record), size=640, theme=theme, speed=3)


def board() -> str:
    """A position in text, for where README is shown without its pictures."""
    game = TKM.game_class(position=CHAPTERS["growth"])
    return f"```text\n{game}\n```\n"


def rules_pictures(spec: GameSpec) -> list[Picture]:
    """The examples of a game's rules, in their order."""
    return [
        Picture(
            f"rules-{spec.name}-{section.name}-{number}",
            example.position,
            example.actions,
            example.settings,
            game=spec,
        )
        for section in spec.rules_for()
        for number, example in enumerate(section.examples, 1)
    ]


PICTURES = {
    picture.name: picture
    for picture in (
        Picture("start"),
        Picture("pieces", ALL_PIECES),
        Picture("pieces-dark", ALL_PIECES, theme="dark"),
        Picture("crowded", CROWDED),
        Picture("deaths", DEATHS, ["move west"]),
        Picture("tree", TREE, ["move south"]),
        Picture("targets", TARGETS, legal=True),
        Picture("travel", TRAVEL, ["travel backward"]),
        Picture("draft", DRAFT, legal=True),
        Picture("focus", SHIFT, ["focus past"]),
        Picture("terminus", TERMINUS_MIDDLE, game=TERMINUS),
        Picture("terminus-start", TERMINUS_START, legal=True, game=TERMINUS),
        Picture("terminus-end", TERMINUS_LATE, ["play first at 3"], game=TERMINUS),
        *(Picture(f"chapter-{name}", position) for name, position in CHAPTERS.items()),
        *rules_pictures(TKM),
        *rules_pictures(TERMINUS),
    )
}
