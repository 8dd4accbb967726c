"""Files of policies in matches and tournaments."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.players.policies import compact_policy
from tkm_env import ConfigError, GameConfig
from tkm_env.arena.match import Match
from tkm_env.arena.tournament.tournament_file import read_tournament


def test_matches_take_it(tmp_path: Path) -> None:
    line = f"policy:{compact_policy(tmp_path)}"
    records = [*Match(line, "random", games=2, seed=1).play()]
    assert [record["players"]["white"] for record in records] == [line, "random"]
    assert not any(record.get("fault") for record in records)


def test_a_match_with_other_settings_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"settings=\{'chapters': \['growth'\]\} .*element 48 "):
        Match(f"policy:{compact_policy(tmp_path)}", "random", config=GameConfig(chapters="growth"))


def test_tournaments_find_it_beside_their_file(tmp_path: Path) -> None:
    compact = compact_policy(tmp_path)
    (tmp_path / "cup.toml").write_text(
        f'[[players]]\nname = "mine"\nplayer = "policy:{compact.name}:temperature=1"\n'
        '[[players]]\nplayer = "random"\n',
        "utf-8",
    )
    tournament = read_tournament(tmp_path / "cup.toml")
    assert f"policy:{compact}:temperature=1" in [entrant.line for entrant in tournament.players]
