"""A league from the first token to the final, as strangers use its pages, and as attackers do."""

from __future__ import annotations

import contextlib
import errno
import io
import json
import os
import re
import shutil
import stat
import sys
import threading
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast

import pytest

from tests.arena.league.leagues import BOT, archive, form, small_league, wait_until
from tkm_env import Game
from tkm_env.arena.league.app import new_app
from tkm_env.arena.league.database import BENCHED, PLAYING, REFUSED, REPLACED, WAITING, WITHDRAWN
from tkm_env.arena.league.league import League
from tkm_env.arena.league.playing import Checks, check_bot, check_waiting, play
from tkm_env.arena.league.store import Season, UploadedBot
from tkm_env.arena.playing.live import LiveGame, clear_live_games
from tkm_env.arena.playing.workers import Workers, local_workers
from tkm_env.arena.tournament.tournament import Tournament
from tkm_env.foundations.errors import ConfigError, FileError

LOCAL = "http://127.0.0.1"


@pytest.fixture
def league(tmp_path: Path) -> League:
    return small_league(tmp_path / "league")


def client_of(league: League) -> Any:
    client = new_app(league).test_client()
    client.environ_base["HTTP_HOST"] = "127.0.0.1"
    return client


def send(client: Any, token: str, content: bytes, filename: str = "bot.py") -> Any:
    body, kind = form(content, filename)
    return client.post(
        "/bots", data=body, content_type=kind, headers={"Authorization": f"Bearer {token}"}
    )


def states(league: League, token: str) -> list[str]:
    person = league.store.person(token)
    assert person is not None
    return [bot.state for bot in league.store.bots(person=person)]


def test_only_a_token_that_was_given_says_who_somebody_is(league: League) -> None:
    first = league.store.issue_token("ann")
    assert (league.store.person(first) or ["", ""])[1] == "ann"
    second = league.store.issue_token("ann")
    assert league.store.person(second) is not None
    for wrong in (
        first,
        "",
        ".",
        "1",
        "1.",
        f"2.{second.partition('.')[2]}",
        "9" * 99,
        "-1.x",
        "\udc80.x",
        f"{second}x",
        "1.é",
    ):
        assert league.store.person(wrong) is None, wrong
    assert (
        second.partition(".")[2].encode() not in (league.folder / "league.sqlite").read_bytes()
    ), "a token is kept"


def test_nobody_has_a_name_that_a_version_could_have_or_that_is_not_shown(league: League) -> None:
    for name in ("", " ann", "ann@2", "a\nb", "\u202ea", "x" * 41):
        with pytest.raises(ConfigError):
            league.token(name)
    with pytest.raises(ConfigError, match="a player in league"):
        league.token("greedy")


def test_the_cookie_is_for_this_site_alone(league: League) -> None:
    client, token = client_of(league), league.store.issue_token("ann")
    assert client.post("/sign-in", data={"token": "1.wrong"}).status_code == 401
    answer = client.post("/sign-in", data={"token": token})
    assert answer.status_code == 303
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= {*answer.headers["Set-Cookie"].split("; ")}
    assert "ann" in client.get("/me").text
    token = league.store.issue_token("ann")
    assert "This token is not valid" in client.get("/me").text
    client.post("/sign-in", data={"token": token})
    assert "ann" in client.get("/me").text
    client.post("/sign-out")
    assert "Sign in" in client.get("/me").text
    secure = new_app(league, public_url="https://cup.example").test_client()
    answer = secure.post(
        "/sign-in",
        data={"token": token},
        headers={"Host": "cup.example", "Origin": "https://cup.example"},
    )
    assert "Secure" in answer.headers["Set-Cookie"].split("; ")


def test_another_site_can_do_nothing(league: League) -> None:
    client, token = client_of(league), league.store.issue_token("ann")
    client.post("/sign-in", data={"token": token})
    for path in ("/withdraw", "/bots", "/sign-in", "/sign-out"):
        for origin in ("https://evil.example", "http://127.0.0.1:81", "null"):
            assert client.post(path, headers={"Origin": origin}).status_code == 403, (path, origin)
        assert client.post(path, headers={"Host": "evil.example"}).status_code == 403, path
    policy = client.get("/me").headers["Content-Security-Policy"]
    scripts = next(part for part in policy.split("; ") if part.startswith("script-src"))
    assert "unsafe" not in scripts
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy


def test_who_tries_too_often_has_to_wait(league: League) -> None:
    client = client_of(league)
    codes = [client.post("/sign-in", data={"token": "1.x"}).status_code for _ in range(11)]
    assert codes == [401] * 10 + [429]


def test_a_program_gets_its_run_bit_and_python_its_name(league: League) -> None:
    client, token = client_of(league), league.store.issue_token("ann")
    assert send(client, token, archive({"mine/run": "#!/bin/sh\n"}), "bot.zip").status_code == 201
    assert send(client, token, b"#!/bin/sh\n", "anything").status_code == 201
    assert send(client, token, BOT.encode(), "mine.py").status_code == 201
    assert states(league, token) == [REPLACED, REPLACED, WAITING]
    files = [
        [*(league.folder / "bots" / bot.folder / "bot").iterdir()]
        for bot in league.store.bots(WAITING, REPLACED)
    ]
    assert [(file.name, file.stat().st_mode & 0o111) for (file,) in files] == [
        ("run", 0o111),
        ("run", 0o111),
        ("bot.py", 0),
    ]


def test_what_a_killed_service_had_half_received_is_cleared(league: League) -> None:
    half = [league.folder / "bots" / name for name in (".ab", ".ab.zip", ".new")]
    for path in half:
        (path / "all").mkdir(parents=True) if path.suffix == "" else path.write_bytes(b"PK")
    for path in half[:2]:
        os.utime(path, (time.time() - 3_600,) * 2)
    new_app(league)
    assert [path.exists() for path in half] == [False, False, True]


def test_everybody_can_watch_a_game(league: League) -> None:
    client = client_of(league)
    assert "No game has begun yet" in client.get("/live").text
    clear_live_games(league.live)
    season = league.store.season()
    tournament = league.tournament(season, print)
    playing = cast(
        Generator[Any, None, None], tournament.play(league.games_of(season), live=league.live)
    )
    with contextlib.closing(playing):
        record = next(playing)
        assert client.get("/api/live").json["games"][0]["record"]["players"] == record["players"]
        assert record["ended"] == pytest.approx(time.time(), abs=60)
    page = client.get("/live").text
    for side, name in record["players"].items():
        assert f"<bdi>{name}</bdi></a> <small>({side})" in page
    pictures = re.findall(r'src="(/boards/\d+/0.svg\?theme=\w+)"', page)
    assert len(pictures) == 2, "a picture for each theme"
    for address in (*pictures, f"/boards/{record['seed']}/{len(record['actions'])}.svg"):
        assert client.get(address).mimetype == "image/svg+xml"
    for address in ("/boards/1/0.svg", f"/boards/{record['seed']}/9999.svg", "/boards/x/0.svg"):
        assert client.get(address).status_code == 404


def test_a_league_goes_on_though_it_was_killed_before_it_noted_which_games_are_checked(
    league: League,
) -> None:
    season = league.store.season()
    games = league.games_of(season)
    tournament = league.tournament(season, print)
    playing = tournament.play(games, live=league.live)
    with contextlib.closing(cast(Generator[Any, None, None], playing)):
        first = next(playing)
    games.with_name(f"{games.name}.checkpoint").unlink()
    again = [*league.tournament(season, print).play(games, live=league.live)]
    assert again[0] == first
    assert len({record["seed"] for record in again}) == 10


def test_a_game_that_takes_its_time_is_shown_while_it_is_played(league: League) -> None:
    clear_live_games(league.live)
    game = Game()
    LiveGame(str(league.live), {"white": "ann", "black": "bob"}, 7).show(game)
    (path,) = league.live.iterdir()
    path.write_text(path.read_text("utf-8").replace('"since": ', '"since": -'), "utf-8")
    client = client_of(league)
    (board,) = client.get("/api/live").json["boards"]
    assert (board["seed"], board["is_live"], board["number"]) == ("7", True, None)
    assert "live</span>" in client.get("/").text
    assert client.get("/boards/7/0.svg?theme=dark").status_code == 200


def test_a_tab_has_a_picture(league: League) -> None:
    assert client_of(league).get("/favicon.ico", buffered=True).mimetype == "image/svg+xml"


def test_quotas_hold(league: League) -> None:
    client, token = client_of(league), league.store.issue_token("ann")
    assert [send(client, token, BOT.encode()).status_code for _ in range(5)] == [201] * 4 + [429]
    assert send(client, league.store.issue_token("bob"), BOT.encode()).status_code == 201


@pytest.mark.parametrize("count", [12])
def test_uploads_at_the_same_time_get_no_more_than_the_quota(league: League, count: int) -> None:
    app, token = new_app(league), league.store.issue_token("ann")

    def one(_: int) -> int:
        client = app.test_client()
        client.environ_base["HTTP_HOST"] = "127.0.0.1"
        return int(send(client, token, BOT.encode()).status_code)

    with ThreadPoolExecutor(count) as threads:
        codes = Counter(threads.map(one, range(count)))
    assert codes == {201: 4, 429: count - 4}
    assert sorted(states(league, token)) == [REPLACED] * 3 + [WAITING]
    assert len([*(league.folder / "bots").iterdir()]) == 4


@pytest.mark.parametrize(
    "address",
    [
        "/tables/season-1.jsonl.seed",
        "/tables/season-1.jsonl",
        "/tables/..",
        "/tables/%2e%2e%2fleague",
        "/tables/season-1%0a",
        "/tables/*",
    ]
    + [
        "/tables/season-1%00",
        "/tables/" + "x" * 5_000,
        "/tables/season-?",
        "/static/..%2f..%2fapp.py",
        "/static//etc/passwd",
    ]
    + [
        f"{path}/season-1/{number}"
        for path in ("/tables", "/api/tables")
        for number in ("0", "-1", "2", "9" * 5_000, "1.0", "%D9%A1")
    ],
    ids=lambda address: address[:30],
)
def test_no_address_leads_to_what_is_no_table(league: League, address: str) -> None:
    games = league.folder / "games"
    (games / "season-1.jsonl").write_text("", "utf-8")
    (games / "season-1.jsonl.seed").write_text("12345", "utf-8")
    answer = client_of(league).get(address, follow_redirects=True)
    assert answer.status_code == 404
    assert "12345" not in answer.text
    assert str(league.folder) not in answer.text


@pytest.mark.parametrize(
    "name",
    [
        "../../x.py",
        "/etc/x.py",
        "a\\b.py",
        "\u202e.py",
        "x" * 5_000 + ".py",
        "..",
        "run",
        "x.SH",
        "con",
    ],
)
def test_the_name_of_an_upload_names_no_file(league: League, name: str) -> None:
    client, token = client_of(league), league.store.issue_token("ann")
    sent = {"file": (io.BytesIO(BOT.encode()), name)}
    answer = client.post(
        "/bots",
        data=sent,
        content_type="multipart/form-data",
        headers={"Authorization": f"Bearer {token}"},
    )
    assert answer.status_code == 201
    (file,) = (
        path
        for path in league.folder.rglob("*")
        if path.is_file() and path.name not in ("league.toml", "league.sqlite")
    )
    assert file.relative_to(league.folder).parts[0] == "bots"
    assert file.name == ("bot.py" if name.endswith(".py") else "run")


@pytest.mark.parametrize(
    ("kind", "body", "status"),
    [
        ("multipart/form-data", form(BOT.encode(), "bot.py")[0], 400),
        ("multipart/form-data; boundary=", form(BOT.encode(), "bot.py")[0], 400),
        ("application/json", form(BOT.encode(), "bot.py")[0], 400),
        ("application/x-www-form-urlencoded", b"file=" + BOT.encode(), 400),
        (
            "multipart/form-data; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="file"\r\n\r\nno file\r\n--x--\r\n',
            400,
        ),
        (
            "multipart/form-data; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="f"\r\n\r\n1\r\n' * 5_000 + b"--x--\r\n",
            413,
        ),
    ],
)
def test_what_holds_no_file_is_no_upload(
    league: League, kind: str, body: bytes, status: int
) -> None:
    client, token = client_of(league), league.store.issue_token("ann")
    answer = client.post(
        "/bots", data=body, content_type=kind, headers={"Authorization": f"Bearer {token}"}
    )
    assert (answer.status_code, states(league, token)) == (status, [])
    assert [*(league.folder / "bots").iterdir()] == []


@pytest.mark.slow
def test_who_withdraws_during_a_final_ends_it_for_nobody(league: League) -> None:
    people = [league.store.join(name) for name in ("ann", "bob")]
    for person in people:
        league.store.add_bot(person, league.receive(io.BytesIO(BOT.encode()), "bot.py"))
        (bot,) = league.store.bots(WAITING)
        league.store.decide(bot, "", "digest")
    league.store.move_on("final")
    path = league.games_of(league.store.season())
    for number, record in enumerate(_final(league), 1):
        if number == 3:
            assert record["players"]
            break
    played = path.read_bytes()
    league.store.withdraw(people[1])
    pairs = [{*record["players"].values()} for record in _final(league)]
    assert path.read_bytes().startswith(played)
    assert all(
        pairs.count({one, other}) == 2
        for one, other in (("ann", "greedy"), ("ann", "random"), ("greedy", "random"))
    )


def _final(league: League) -> Iterator[dict[str, Any]]:
    def workers_for(tournament: Tournament, _: Path) -> Callable[[], Workers]:
        return local_workers(tournament.conditions, 1)

    return play(league, workers_for, once=True)


def test_the_author_is_told_why_a_bot_is_refused(league: League) -> None:
    client, token = client_of(league), league.store.issue_token("ann")
    send(client, token, b"raise SystemExit('no <b>luck</b>\\x1b[2J')")
    check_bot(league, *league.store.bots(WAITING))
    headers = {"Authorization": f"Bearer {token}"}
    (bot,) = client.get("/api/me", headers=headers).json["bots"]
    assert bot["state"] == REFUSED
    assert "FAIL" in bot["log"]
    assert "no <b>luck</b>\\x1b[2J" in bot["log"]
    assert str(league.folder) not in bot["log"]
    client.post("/sign-in", data={"token": token})
    assert "no &lt;b&gt;luck" in client.get("/me").text
    assert "<details open>" in client.get("/me").text
    send(client, token, BOT.encode())
    league.store.decide(*league.store.bots(WAITING), "passed\n", "digest")
    assert "<details open>" not in client.get("/me").text, "the log of a bot that plays is folded"
    assert client.get("/api/me").status_code == 200
    other = client_of(league)
    assert other.get("/api/me").status_code == 401


def test_seasons_freeze_and_end_and_begin(league: League) -> None:
    client, token = client_of(league), league.store.issue_token("ann")
    assert league.store.season() == Season(1, "open")
    assert league.store.move_on("frozen") == Season(1, "frozen")
    assert send(client, token, BOT.encode()).status_code == 429
    assert league.store.move_on("final") == Season(1, "final")
    with pytest.raises(ConfigError):
        league.store.move_on("frozen")
    assert league.games_of(league.store.season()).name == "season-1-final.jsonl"
    assert league.store.move_on("open") == Season(2, "open")
    assert league.games_of(league.store.season()).name == "season-2.jsonl"


def test_a_newer_bot_replaces_the_one_before_once_it_passes(league: League) -> None:
    token = league.store.issue_token("ann")
    person = league.store.person(token)
    assert person is not None
    for expected in ([PLAYING], [REPLACED, PLAYING]):
        league.store.add_bot(person, "x")
        (waiting,) = league.store.bots(WAITING)
        assert [bot.id for bot in league.store.bots(PLAYING)] == [waiting.id - 1] * (waiting.id - 1)
        league.store.decide(waiting, "log\n", f"digest {waiting.id}")
        assert states(league, token) == expected
    league.store.bench("ann", "digest 1", "an older one")
    assert states(league, token) == [REPLACED, PLAYING]
    league.store.bench("ann@2", "digest 2", "it lost")
    assert states(league, token) == [REPLACED, BENCHED]
    league.store.add_bot(person, "x")
    league.store.withdraw(person)
    assert states(league, token) == [REPLACED, BENCHED, WITHDRAWN]


def test_a_backup_is_one_file_and_restores_everything(league: League, tmp_path: Path) -> None:
    client, token = client_of(league), league.store.issue_token("ann")
    send(client, token, archive({"run": "#!/bin/sh\n", "more/helper": "x"}), "bot.zip")
    (league.folder / "games" / "season-1.jsonl").write_text("", "utf-8")
    league.store.move_on("frozen")
    league.back_up(tmp_path / "backup.zip")
    League.restore(tmp_path / "backup.zip", tmp_path / "again", None)
    again = League(tmp_path / "again")
    assert again.store.dump() == league.store.dump()
    files = [
        [path.relative_to(each.folder / "bots") for path in (each.folder / "bots").rglob("*")]
        for each in (league, again)
    ]
    assert sorted(files[0]) == sorted(files[1])
    (bot,) = again.store.bots(WAITING)
    assert again.entrant(bot).line.startswith("cmd:")
    with pytest.raises(FileError, match="not empty"):
        League.restore(tmp_path / "backup.zip", tmp_path / "again", None)


def test_a_backup_is_for_its_owner_and_the_one_before_stays_until_it_is_whole(
    league: League, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, games = tmp_path / "backup.zip", league.folder / "games" / "season-1.jsonl"
    games.write_text("first\n", "utf-8")
    league.back_up(path)
    before = path.read_bytes()
    if sys.platform != "win32":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, "it holds the seed"

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(zipfile.ZipFile, "write", full)
    with pytest.raises(FileError, match="No space left"):
        league.back_up(path)
    assert path.read_bytes() == before
    assert {entry.name for entry in tmp_path.iterdir()} == {"backup.zip", "league"}


@pytest.mark.parametrize("seconds", [0, 5_000_000_000])
def test_a_wrong_clock_stops_no_backup(league: League, tmp_path: Path, seconds: int) -> None:
    games = league.folder / "games" / "season-1.jsonl"
    games.write_text("one\n", "utf-8")
    os.utime(games, (seconds, seconds))
    league.back_up(tmp_path / "backup.zip")
    with zipfile.ZipFile(tmp_path / "backup.zip") as archive:
        assert archive.read("games/season-1.jsonl") == b"one\n"


def _backup(parts: dict[str, tuple[str | bytes, int]]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as opened:
        for name, (text, mode) in parts.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = mode << 16
            opened.writestr(entry, text)
    return content.getvalue()


#: The tables of a league in which Ann has a bot.
TABLES: dict[str, list[dict[str, Any]]] = {
    "people": [{"id": 1, "name": "ann", "token": "x"}],
    "bots": [
        {
            "id": 1,
            "person": 1,
            "uploaded": 1.0,
            "folder": "ab",
            "state": WAITING,
            "digest": "",
            "log": "",
        }
    ],
    "seasons": [{"number": 1, "phase": "open"}],
}


def _with(table: str, **changes: object) -> str:
    return json.dumps({**TABLES, table: [TABLES[table][0] | changes]})


#: What is in the place of a backup's tables, with a word of the refusal.
NO_TABLES: dict[str, tuple[str, str]] = {
    "no JSON": ("{", "not JSON"),
    "a list": ("[]", "must be an object"),
    "without bots": (
        json.dumps({key: TABLES[key] for key in ("people", "seasons")}),
        "bots is missing",
    ),
    "another table": (json.dumps({**TABLES, "more": []}), "there is no 'more'"),
    "no rows": (json.dumps({**TABLES, "bots": 5}), "list of rows"),
    "another column": (_with("people", more=1), "there is no 'more'"),
    "a number as text": (_with("people", id="1"), "people.id='1'"),
    "a switch as a number": (_with("people", id=True), "people.id=True"),
    "a huge number": (_with("people", id=10**30), "people.id="),
    "text as a number": (_with("bots", uploaded="now"), "bots.uploaded='now'"),
    "a name that none may have": (_with("people", name="ann@2"), "people.name='ann@2'"),
    "a folder elsewhere": (_with("bots", folder="../../etc"), "bots.folder="),
    "a folder above": (_with("bots", folder=".."), "bots.folder="),
    "a folder without a name": (_with("bots", folder=""), "bots.folder="),
    "an unknown state": (_with("bots", state="cheating"), "bots.state='cheating'"),
    "an unknown phase": (_with("seasons", phase="over"), "seasons.phase='over'"),
    "no season": (json.dumps({**TABLES, "seasons": []}), "there must be at least one"),
    "a number twice": (
        json.dumps({**TABLES, "people": [{"id": 1, "name": name, "token": ""} for name in "ab"]}),
        "cannot hold",
    ),
    "a name twice": (
        json.dumps(
            {**TABLES, "people": [{"id": number, "name": "a", "token": ""} for number in (1, 2)]}
        ),
        "cannot hold",
    ),
}
#: What else is in an archive, or not, with a word of the refusal.
NO_BACKUPS: dict[str, tuple[dict[str, tuple[str | bytes, int]], str]] = {
    "above": ({"../evil": ("", 0o644)}, "it holds '../evil'"),
    "above its bots": ({"bots/x/../../../evil": ("", 0o644)}, "it holds 'bots/x/"),
    "absolute": ({"/evil": ("", 0o644)}, "it holds '/evil'"),
    "a database": ({"league.sqlite": ("", 0o644)}, "it holds 'league.sqlite'"),
    "a checkpoint": ({"games/season-1.jsonl.checkpoint": ("{}", 0o644)}, "it holds 'games/"),
    "a folder": ({"bots/x/bot/": ("", 0o40777)}, "it holds 'bots/x/bot/'"),
    "hidden": ({"bots/.x/bot/run": ("", 0o644)}, "it holds 'bots/.x"),
    "a file that is a folder, too": (
        {"bots/x/a": ("", 0o644), "bots/x/a/b": ("", 0o644)},
        "cannot be restored",
    ),
    "no league": ({"league.toml": ("kind = 5", 0o644)}, "kind="),
}


@pytest.mark.parametrize("was_there", [False, True], ids=["new", "empty"])
@pytest.mark.parametrize(("tables", "words"), NO_TABLES.values(), ids=NO_TABLES)
def test_tables_that_no_backup_holds_are_refused(
    league: League, tmp_path: Path, tables: str, words: str, was_there: bool
) -> None:
    file = (league.folder / "league.toml").read_bytes()
    _check_refused(
        tmp_path,
        _backup({"tables.json": (tables, 0o600), "league.toml": (file, 0o644)}),
        words,
        was_there=was_there,
    )


@pytest.mark.parametrize(("more", "words"), NO_BACKUPS.values(), ids=NO_BACKUPS)
def test_archives_that_are_no_backup_are_refused(
    league: League, tmp_path: Path, more: dict[str, tuple[str | bytes, int]], words: str
) -> None:
    file = (league.folder / "league.toml").read_bytes()
    whole: dict[str, tuple[str | bytes, int]] = {
        "tables.json": (json.dumps(TABLES), 0o600),
        "league.toml": (file, 0o644),
    }
    _check_refused(tmp_path, _backup(whole | more), words)


@pytest.mark.parametrize(
    "content", [b"", b"no archive", _backup({}), _backup({"league.toml": ("", 0o644)})]
)
def test_files_that_are_no_backup_are_refused(tmp_path: Path, content: bytes) -> None:
    _check_refused(tmp_path, content, "cannot be restored")


def _check_refused(tmp_path: Path, content: bytes, words: str, *, was_there: bool = False) -> None:
    place = tmp_path / "place"
    place.mkdir()
    (place / "backup.zip").write_bytes(content)
    if was_there:
        (place / "again").mkdir()
    before = {*tmp_path.rglob("*")}
    with pytest.raises(FileError, match=re.escape(words)):
        League.restore(place / "backup.zip", place / "again", None)
    assert {*tmp_path.rglob("*")} == before, "something of it stays"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no such rights")
def test_a_restored_file_has_no_more_rights_than_a_backup_gives(
    league: League, tmp_path: Path
) -> None:
    given = {
        "bots/ab/bot/run": 0o106755,
        "bots/ab/bot/data": 0,
        "games/season-1.jsonl.seed": 0o100600,
    }
    parts: dict[str, tuple[str | bytes, int]] = {name: ("5", mode) for name, mode in given.items()}
    parts |= {
        "tables.json": (json.dumps(TABLES), 0),
        "league.toml": ((league.folder / "league.toml").read_bytes(), 0o644),
    }
    (tmp_path / "backup.zip").write_bytes(_backup(parts))
    League.restore(tmp_path / "backup.zip", tmp_path / "again", None)
    assert [stat.S_IMODE((tmp_path / "again" / name).stat().st_mode) for name in given] == [
        0o755,
        0o600,
        0o600,
    ]


@pytest.mark.usefixtures("every_isolation")
def test_mistakes_in_the_file_are_named(tmp_path: Path) -> None:
    for text, words in {
        "kind = 'gauntlet'": "kind=",
        "[league]\nuploads = 3": "uploads=3",
        "[league]\nupload_mib = 0": "upload_mib=0",
        "[[players]]\nplayer = 'nobody'": "nobody",
    }.items():
        (tmp_path / "league.toml").write_text(text, "utf-8")
        with pytest.raises(FileError, match=words):
            League(tmp_path)


def test_a_slow_check_holds_up_nobody_but_its_author(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_end, begun = threading.Event(), list[str]()

    def check(_: League, bot: UploadedBot) -> None:
        begun.append(bot.name)
        assert bot.name != "mal" or may_end.wait(60)
        league.store.decide(bot, "", f"{bot.id}")

    monkeypatch.setattr("tkm_env.arena.league.playing.check_bot", check)
    people = {name: league.store.join(name) for name in ("mal", "ann", "bob")}
    league.store.add_bot(people["mal"], "x")
    checks = Checks(league)
    checks.take_up()
    for name in ("mal", "ann", "bob"):
        league.store.add_bot(people[name], "y")
    checks.take_up()
    wait_until(lambda: len(league.store.bots(PLAYING)) == 2)
    checks.take_up()
    assert sorted(begun) == ["ann", "bob", "mal"]
    may_end.set()

    def all_play() -> bool:
        checks.take_up()
        return len(league.store.bots(PLAYING)) == 3

    wait_until(all_play)
    assert sorted(begun) == ["ann", "bob", "mal", "mal"]


def test_a_bot_whose_files_are_gone_holds_up_no_other(league: League) -> None:
    client, tokens = client_of(league), [league.store.issue_token(name) for name in ("ann", "bob")]
    for token in tokens:
        assert send(client, token, b"no bot\n").status_code == 201
    shutil.rmtree(league.folder / "bots" / league.store.bots(WAITING)[0].folder)
    with pytest.warns(RuntimeWarning, match="checked again"):
        check_waiting(league)
    assert [states(league, token) for token in tokens] == [[WAITING], [REFUSED]]
