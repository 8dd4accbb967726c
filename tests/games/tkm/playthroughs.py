"""Whole games written down, position by position.

A change of the rules thus shows as a difference that people can read. `python -m
tests.games.tkm.playthroughs` rewrites `data/playthroughs/*.txt`; with `--check` it only shows what
would change.
"""

from __future__ import annotations

import argparse
import difflib
import random
from typing import Any

from tests.cases import DATA
from tkm_env import ACTIONS, Game

FOLDER = DATA / "playthroughs"

#: Games are truncated early, to keep the files short.
MAX_TURNS = 24

#: How many actions lie between two drawings.
DRAWN_EVERY = 16

#: The games: a file's name, the seed of its actions (and of what the settings leave to chance), its
#: settings.
PLAYTHROUGHS: dict[str, tuple[int, dict[str, Any]]] = {
    "standard": (99, {"chapters": "standard"}),
    "growth": (63, {"chapters": "growth"}),
    "growth-2022": (120, {"chapters": "growth", "edition": "2022"}),
    "influence": (74, {"chapters": "influence"}),
    "influence-2022": (67, {"chapters": "influence", "edition": "2022"}),
    "memory": (147, {"chapters": "memory"}),
    "growth-influence": (44, {"chapters": ("growth", "influence")}),
    "growth-memory": (98, {"chapters": ("growth", "memory")}),
    "influence-memory": (68, {"chapters": ("influence", "memory")}),
    "all-chapters": (126, {"chapters": ("growth", "influence", "memory")}),
    "all-chapters-2022": (133, {"chapters": ("growth", "influence", "memory"), "edition": "2022"}),
    "convergence": (65, {"chapters": "convergence", "first_player": "black", "handicap": (2, 0)}),
    "talk": (2172, {"chapters": "standard", "concede": True, "draws": True}),
    "powers": (109, {"chapters": ("growth", "influence"), "powers": ("green-thumb", "impose")}),
    "draft": (51, {"timeline": "draft_powers", "power_set": "beasts"}),
    "power-share": (51, {"timeline": "power_share", "power_set": "tempo"}),
}


def written(name: str) -> str:
    """The text of one playthrough, played again."""
    seed, settings = PLAYTHROUGHS[name]
    settings = settings | {"max_turns": MAX_TURNS}
    game = Game(seed=seed, **settings)
    chance = random.Random(seed)
    lines = [f"{keyword}: {value!r}" for keyword, value in {**settings, "seed": seed}.items()]
    while game.result is None:
        number = len(game.history)
        if number % DRAWN_EVERY == 0:
            lines += ["", str(game)]
        names = [ACTIONS[action] for action in game.legal_actions()]
        name = names[
            int(chance.random() * len(names))
        ]  # unlike `choice`, the same in every version of Python
        lines += ["", f"{number}. {game.position}", f"legal: {', '.join(names)}", f"plays: {name}"]
        game.play(name)
    lines += ["", str(game), "", f"{len(game.history)}. {game.position}", f"result: {game.result}"]
    return "\n".join(lines) + "\n"


def differences(name: str, most: int = 60) -> list[str]:
    """The first lines in which the file and the game played now differ; none if they agree."""
    path = FOLDER / f"{name}.txt"
    kept = path.read_text("utf-8").splitlines() if path.exists() else []
    played = written(name).splitlines()
    diff = [
        *difflib.unified_diff(
            kept, played, f"{path.name} as kept", f"{path.name} as played now", n=4, lineterm=""
        )
    ]
    return [*diff[:most], f"… and {len(diff) - most} more lines"] if len(diff) > most else diff


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.games.tkm.playthroughs", description=__doc__
    )
    parser.add_argument(
        "names",
        nargs="*",
        metavar="name",
        help=f"which to write: {', '.join(PLAYTHROUGHS)} (default: all)",
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="write nothing; show what would change, and fail if something would",
    )
    arguments = parser.parse_args()
    if unknown := set(arguments.names) - set(PLAYTHROUGHS):
        parser.error(f"no playthrough is named {', '.join(sorted(unknown))}")
    changed = 0
    for name in arguments.names or PLAYTHROUGHS:
        diff = differences(name)
        changed += bool(diff)
        if arguments.check:
            print("\n".join(diff), end="\n" if diff else "")
        elif diff:
            FOLDER.mkdir(exist_ok=True)
            (FOLDER / f"{name}.txt").write_text(written(name), "utf-8", newline="\n")
            print(f"wrote {name}.txt")
    return int(arguments.check and changed > 0)


if __name__ == "__main__":
    raise SystemExit(main())
