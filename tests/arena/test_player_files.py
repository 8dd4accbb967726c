"""Files with separators in their names play in matches and tournaments, and have a version."""

from __future__ import annotations

from pathlib import Path

import pytest

from tkm_env import GameConfig
from tkm_env.arena.match import Match
from tkm_env.arena.playing.referee import Conditions
from tkm_env.arena.playing.schedule import Entrant
from tkm_env.arena.playing.versions import digest_of
from tkm_env.arena.tournament.tournament_file import tournament_of
from tkm_env.isolation.limits import Limits

BOT = """
class Bot:
    def __init__(self, depth=1):
        self.name = f"depth {depth}"

    def act(self, game):
        return game.legal_actions()[-1]
"""


@pytest.mark.parametrize("name", ["a:b.py", "x.py:y.py"])
def test_a_python_file_plays_in_a_process_of_its_own_and_in_a_tournament(
    name: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(BOT, "utf-8")
    line = f"{tmp_path / name}:Bot"
    config, conditions = GameConfig(max_turns=3), Conditions(Limits("process"), trust=False)
    assert not any(
        "fault" in record
        for record in Match(line, "random", 2, config, conditions=conditions).play()
    )
    players = [{"player": f"{name}:Bot"}, {"player": f"exploit:{name}:Bot"}, {"player": "random"}]
    league = tournament_of({"players": players, "conditions": {"trust": True}}, str(tmp_path))
    assert [entrant.line for entrant in league.players[:2]] == [line, f"exploit:{line}"]


def test_a_file_with_the_longest_name_plays(tmp_path: Path) -> None:
    path = tmp_path / f"{'x' * 252}.py"
    path.write_text(BOT, "utf-8")
    config, conditions = GameConfig(max_turns=3), Conditions(Limits("process"), trust=False)
    assert not any(
        "fault" in record
        for record in Match(f"{path}:Bot", "random", 2, config, conditions=conditions).play()
    )


def test_the_version_of_a_player_follows_a_file_whose_name_holds_a_colon(tmp_path: Path) -> None:
    path = tmp_path / "a:b.py"
    path.write_text(BOT, "utf-8")
    lines = (f"{path}:Bot", f"exploit:{path}:Bot")
    before = [digest_of(Entrant("ann", line), Conditions()) for line in lines]
    path.write_text(BOT + "\n# changed\n", "utf-8")
    assert all(
        digest_of(Entrant("ann", line), Conditions()) != old
        for line, old in zip(lines, before, strict=True)
    )
