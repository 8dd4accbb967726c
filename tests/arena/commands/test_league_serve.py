"""`tkm league serve`: from a stranger's upload to a rank, and whatever is killed."""

from __future__ import annotations

import io
import json
import sys
import time
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pytest

from tests.arena.commands.league_service import serving
from tests.arena.league.leagues import (
    BOT,
    asked,
    children_of,
    kill,
    small_league,
    upload,
    wait_until,
)
from tkm_env.arena.league.casual_games import CasualGame, CasualGames
from tkm_env.arena.league.league import League
from tkm_env.arena.league.playing import check_bot
from tkm_env.arena.league.store import PLAYING, WAITING


@pytest.mark.slow
def test_a_stranger_comes_uploads_reads_the_log_plays_and_is_ranked(tmp_path: Path) -> None:
    league = small_league(tmp_path / "league", games=12)
    token = league.store.issue_token("ann")
    with serving(league.folder, "--processes", "2") as (url, _):
        assert upload(url, token, BOT.encode()) == {"bot": 1}
        (bot,) = wait_until(
            lambda: [one for one in asked(f"{url}api/me", token)["bots"] if one["state"] != WAITING]
        )
        assert bot["state"] == PLAYING, bot["log"]
        assert "ok    it starts again" in bot["log"]

        def ranked() -> list[str]:
            report = asked(f"{url}api/tables/season-1")["report"]
            return (
                [row["player"] for row in report["sections"][0]["parts"][0]["players"]]
                if report
                else []
            )

        wait_until(lambda: "ann" in ranked())
        assert asked(f"{url}api/tables/season-1/1")["kind"] == "tkm_env game record"
        # A new version plays as one, and a bot that loses game after game by its own fault is told
        # so.
        upload(url, token, BOT.replace("[-1]", "[0]").encode())
        wait_until(lambda: "ann@2" in ranked())
        league.store.move_on("final")
        wait_until(
            lambda: (
                asked(f"{url}api/league")["phase"] == "final"
                and asked(f"{url}api/league")["games"] == 6
            )
        )


@pytest.mark.slow
def test_a_person_plays_while_the_league_plays(tmp_path: Path) -> None:
    """The process that plays gives the person a bot, and so does the next one if it is killed."""
    small_league(tmp_path / "league", games=12)
    path = tmp_path / "league" / "league.toml"
    text = path.read_text("utf-8").replace("final_pairs", "casual_games = 1\nfinal_pairs")
    path.write_text(text, "utf-8")
    league = League(tmp_path / "league")
    token = league.store.issue_token("ann")

    def post(address: str, **given: str) -> None:
        headers = {"Authorization": f"Bearer {token}"}
        with urlopen(Request(address, urlencode(given).encode(), headers), timeout=60) as answer:
            assert answer.url.partition("#")[0] == f"{url}casual/1"

    def game() -> CasualGame:
        (found,) = CasualGames(league.store).going()
        return found

    with serving(league.folder) as (url, process):
        post(f"{url}casual", opponent="greedy", settings=league.settings[0].key, moves="second")
        wait_until(lambda: game().waits)
        for child in children_of(process.pid):
            kill(child)
        for name in ("choose 16", "move west", "move west", "focus present"):
            post(f"{url}casual/1", ply=str(len(game().actions)), action=name)
        wait_until(lambda: game().waits)
        assert len(game().actions) == 12


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
def test_a_league_that_is_killed_again_and_again_has_the_games_of_one_that_was_not(
    tmp_path: Path,
) -> None:
    league = small_league(tmp_path / "league", games=80)
    person = league.store.person(league.store.issue_token("ann"))
    assert person is not None
    league.store.add_bot(person, league.receive(io.BytesIO(BOT.encode()), "bot.py"))
    check_bot(league, *league.store.bots(WAITING))
    undisturbed = [*league.tournament(league.store.season(), league.store.bench).play(processes=2)]
    path = league.games_of(league.store.season())

    def games() -> int:
        return path.read_bytes().count(b"\n") if path.exists() else 0

    kills = 0
    for number in range(4):
        before = games()
        if before == len(undisturbed):
            break  # a fast machine
        kills += 1
        with serving(league.folder, "--processes", "2") as (_, process):
            wait_until(lambda before=before: games() > before)
            if number % 2:  # those who play, whom the service replaces
                for child in children_of(process.pid):
                    kill(child)
                time.sleep(1)
            kill(process.pid)
            process.wait()
    with serving(league.folder, "--processes", "2"):
        wait_until(lambda: games() >= len(undisturbed))
        time.sleep(5)
    assert kills > 1, "all games were played before the second kill"
    killed = [json.loads(line) for line in path.read_bytes().splitlines()]
    for record in (*undisturbed, *killed):
        for key in ("seconds", "memory", "cpu", "ended"):
            record.pop(key, None)
    assert len({record["seed"] for record in killed}) == len(killed), "a game was played twice"
    assert killed == undisturbed
