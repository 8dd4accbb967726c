"""Casual games: people play against the players of a league, and nothing else changes."""

from __future__ import annotations

import io
import re
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tests.arena.league.leagues import small_league, wait_until
from tests.arena.league.test_league import client_of
from tests.arena.results_files import finished, written
from tkm_env.arena.league import casual_play
from tkm_env.arena.league.casual_games import IDLE_SECONDS, CasualGame, CasualGames
from tkm_env.arena.league.casual_play import CasualTables, play_casual_game
from tkm_env.arena.league.league import League
from tkm_env.arena.playing.versions import digest_of
from tkm_env.foundations.errors import MachineError

#: Bots that need no Python: one plays what is listed first by its index, the others fail.
PLAYS = """#!/bin/sh
while read -r verb rest; do
  case $verb in
    tkm) echo tkm 1 name=first;;
    go) rest=${rest#*legal=}; rest=${rest%% *}; echo play ${rest%%,*};;
  esac
done
"""
CRASHES = PLAYS.replace("go) ", "go) echo a secret >&2; exit 3; ")
IS_SILENT = PLAYS.replace("echo play", ": echo play")
NEVER_STARTS = "#!/bin/sh\nexit 4\n"


def league_of(folder: Path, *, seconds: float = 600, settings: str = "") -> League:
    """A league whose games last six turns, in which two people may play."""
    small_league(folder)
    text = (folder / "league.toml").read_text("utf-8")
    text = text.replace("final_pairs", "casual_games = 2\nfinal_pairs")
    settings = f"[[settings]]\nmax_turns = 6\n{settings}\n"
    text = text.replace("[[settings]]", settings).replace(
        "[conditions]", f"[conditions]\nturn_seconds = {seconds}"
    )
    (folder / "league.toml").write_text(text, "utf-8")
    return League(folder)


@pytest.fixture
def league(tmp_path: Path) -> League:
    return league_of(tmp_path / "league")


def signed_in(league: League, name: str) -> Any:
    client, token = client_of(league), league.store.issue_token(name)
    assert client.post("/sign-in", data={"token": token}).status_code == 303
    return client


def add_bot(league: League, name: str, program: str) -> None:
    """A bot that plays, as if it had passed its check."""
    person = league.store.join(name)
    league.store.add_bot(person, league.receive(io.BytesIO(program.encode()), "run"))
    bot = league.store.bots(person=person)[-1]
    league.store.decide(bot, "", digest_of(league.entrant(bot), league.conditions))


def begin(client: Any, league: League, opponent: str, moves: str = "first", **more: str) -> Any:
    given = {"opponent": opponent, "settings": league.settings[0].key, "moves": moves, **more}
    return client.post("/casual", data=given)


def found(league: League, number: int = 1) -> CasualGame:
    game = CasualGames(league.store).game(number)
    assert game is not None
    return game


def legal(client: Any, number: int = 1) -> list[str]:
    page = client.get(f"/casual/{number}").text
    return re.findall(r'name="action" value="([^"]+)"', page)


def play(client: Any, league: League, number: int, action: str) -> Any:
    ply = len(found(league, number).actions)
    return client.post(f"/casual/{number}", data={"ply": ply, "action": action})


def play_turns(client: Any, league: League, number: int = 1) -> CasualGame:
    """Play what is listed first until the game is over."""
    while not (game := found(league, number)).ending:
        if game.waits:
            assert play(client, league, number, legal(client, number)[0]).status_code == 303
        else:
            time.sleep(0.01)
    return game


def bot_plays(league: League, number: int = 1) -> threading.Thread:
    """A thread that plays the bot's side."""
    thread = threading.Thread(target=play_casual_game, args=[league, number])
    thread.start()
    return thread


def test_a_person_plays_to_the_end_and_sees_the_replay(league: League) -> None:
    client = signed_in(league, "ann")
    assert begin(client, league, "greedy", "second").location == "/casual/1"
    assert "greedy</bdi> is to play" in client.get("/casual/1").text
    assert legal(client) == []
    assert client.get("/casual/1/replay").status_code == 404
    thread = bot_plays(league)
    game = play_turns(client, league)
    thread.join()
    assert game.ending == "The limit of 6 turns was reached."
    page = client.get("/casual/1").text
    assert game.ending in page
    assert "Resign" not in page
    assert "slider" in client.get("/casual/1/replay").text
    assert game.ending in client.get("/casual").text
    drawing = client.get("/casual/1/5.svg?theme=dark")
    assert (drawing.mimetype, drawing.status_code) == ("image/svg+xml", 200)


def test_nothing_that_is_rated_changes(league: League) -> None:
    add_bot(league, "bob", CRASHES)
    path = league.games_of(league.store.season())
    written(path, [finished("bob", "greedy", seed=2 * number) for number in range(5)])
    client = signed_in(league, "ann")

    def rated() -> Any:
        store, kept = league.store, {"casual_games", "events"}
        rows = {name: rows for name, rows in store.dump().items() if name not in kept}
        files = {each: each.read_bytes() for each in league.folder.rglob("*") if each.is_file()}
        files = {each: text for each, text in files.items() if "sqlite" not in each.name}
        season = store.season()
        schedule = league.tournament(season, store.bench).schedule()
        return rows, files, client.get("/api/tables/season-1").data, schedule.settings

    before = rated()
    for opponent in ("greedy", "bob"):
        number = int(begin(client, league, opponent).location.rpartition("/")[2])
        thread = bot_plays(league, number)
        play_turns(client, league, number)
        thread.join()
    assert rated() == before


@pytest.mark.parametrize(
    ("program", "meaning", "seen"),
    [
        (CRASHES, "it raised an exception, ended, or was killed", "crash: .*a secret"),
        (IS_SILENT, "no answer in time", "timeout: "),
        (NEVER_STARTS, "it raised an exception, ended, or was killed", "crash: .*exit code 4"),
    ],
    ids=["a bot that crashes", "a silent bot", "a bot that does not start"],
)
def test_a_fault_ends_the_game_and_its_author_reads_why(
    tmp_path: Path, program: str, meaning: str, seen: str
) -> None:
    league = league_of(tmp_path / "league", seconds=0.5)
    add_bot(league, "bob", program)
    client = signed_in(league, "ann")
    begin(client, league, "bob", "second")
    play_casual_game(league, 1)
    assert found(league).ending == f"You won, since bob made a fault: {meaning}."
    page = client.get("/casual/1").text
    assert meaning in page
    assert "secret" not in page
    event = league.store.events("bob")[0].what
    said = rf"casual game 1 against ann: bob lost it by a fault at action \d, {seen}"
    assert re.match(said, event)
    assert "casual game 1" in signed_in(league, "bob").get("/me").text
    assert [bot.state for bot in league.store.bots("playing")] == ["playing"]


def test_a_stranger_is_refused(league: League) -> None:
    ann, stranger, bob = signed_in(league, "ann"), client_of(league), signed_in(league, "bob")
    begin(ann, league, "greedy")
    assert "Sign in" in stranger.get("/casual").text
    assert begin(stranger, league, "greedy").status_code == 401
    data = {"ply": "0", "action": "choose 1"}
    for path in ("/casual/1", "/casual/1/0.svg", "/casual/1/replay"):
        assert stranger.get(path).status_code == 401, path
        assert bob.get(path).status_code == 404, path
    assert stranger.post("/casual/1", data=data).status_code == 401
    assert bob.post("/casual/1", data={"resign": "yes"}).status_code == 404
    assert ann.get("/casual/2").status_code == 404
    assert (found(league).actions, found(league).ending) == ((), "")
    ann.post("/casual/1", data={"resign": "yes"})
    league.store.ban("ann", "insults")
    answer = begin(ann, league, "greedy")
    assert answer.status_code == 429
    assert "you are banned: insults" in answer.text


def test_people_play_only_where_the_organiser_allows_it(tmp_path: Path) -> None:
    client = signed_in(league := small_league(tmp_path / "league"), "ann")
    assert ">Play<" not in client.get("/").text
    assert client.get("/casual").status_code == begin(client, league, "greedy").status_code == 404


def test_an_organiser_sees_who_plays(league: League) -> None:
    begin(signed_in(league, "ann"), league, "greedy")
    eve = signed_in(league, "eve")
    league.store.appoint("eve")
    page = eve.get("/organiser").text
    assert "Casual game 1: <bdi>ann</bdi> against <bdi>greedy</bdi>" in page
    assert "tkm_league_casual_games_in_progress 1.0" in eve.get("/metrics").text


def test_only_so_many_games_go_on_at_a_time(league: League) -> None:
    people = [signed_in(league, name) for name in ("ann", "bob", "eve")]
    assert [begin(each, league, "greedy").status_code for each in people] == [303, 303, 429]
    assert "finish the game" in begin(people[0], league, "greedy").text
    people[0].post("/casual/1", data={"resign": "yes"})
    assert begin(people[2], league, "random").location == "/casual/3"


@pytest.mark.parametrize(
    "wrong", [{"opponent": "nobody"}, {"moves": "third"}, {"settings": "[]"}], ids=str
)
def test_a_game_that_cannot_be_is_refused(league: League, wrong: dict[str, str]) -> None:
    client = signed_in(league, "ann")
    given = {"opponent": "greedy", "settings": league.settings[0].key, "moves": "first"} | wrong
    assert client.post("/casual", data=given).status_code == 400
    assert CasualGames(league.store).going() == []


@pytest.mark.parametrize(
    "given",
    [
        {"ply": "0", "action": "choose 2"},
        {"ply": "0", "action": "fly"},
        {"ply": "0"},
        {"ply": "1", "action": "choose 1"},
        {"action": "choose 1"},
    ],
    ids=["illegal", "unknown", "nothing", "too late", "of no position"],
)
def test_an_action_that_cannot_be_played_changes_nothing(
    league: League, given: dict[str, str]
) -> None:
    client = signed_in(league, "ann")
    begin(client, league, "greedy")
    assert client.post("/casual/1", data=given).status_code == 400
    assert found(league).actions == ()


def test_an_action_that_comes_twice_is_played_once(league: League) -> None:
    client = signed_in(league, "ann")
    begin(client, league, "greedy")
    data = {"ply": "0", "action": "choose 1"}
    assert [client.post("/casual/1", data=data).status_code for _ in range(2)] == [303, 400]
    assert len(found(league).actions) == 1


def test_the_board_is_clicked_where_an_action_leads(tmp_path: Path) -> None:
    more = 'chapters = ["growth", "influence", "memory"]'
    league = league_of(tmp_path / "league", settings=more)
    client = signed_in(league, "ann")
    begin(client, league, "greedy")
    several = None
    while several is None:
        page = client.get("/casual/1").text
        places = page.partition('class="places"')[2].partition("</form>")[0]
        single = re.findall(r'value="([^"]+)" title="[^"]*" aria-label="\1" style="', places)
        several = re.search(r'href="(/casual/1\?at=(\w+))#actions" title="([^"]+)"', places)
        assert single or several
        if several is None:
            answer = play(client, league, 1, single[-1])
            assert answer.location == "/casual/1#board", "the tab key goes on from the board"
    address, place, names = several.groups()
    narrowed = client.get(address).text
    assert f"Here, at <bdi>{place}</bdi>" in narrowed
    listed = re.findall(r'name="action" value="([^"]+)"', narrowed.partition('id="actions"')[2])
    assert listed == names.split(", ")
    assert 1 < len(listed) < len(set(legal(client)))
    assert "Here, at" not in client.get("/casual/1?at=nowhere").text
    client.post("/casual/1", data={"resign": "yes"})
    assert 'class="places"' not in client.get("/casual/1").text


def test_a_turn_can_be_taken_back_until_it_is_over(league: League) -> None:
    client = signed_in(league, "ann")
    begin(client, league, "greedy")
    assert "Take this turn back" not in client.get("/casual/1").text
    for action in ("choose 1", "move east"):
        play(client, league, 1, action)
    assert "Take this turn back" in client.get("/casual/1").text
    assert client.get("/casual/1/2.svg?action=move+south").status_code == 200
    client.post("/casual/1", data={"ply": "2", "back": "yes"})
    assert (found(league).actions, found(league).waits) == ((), True)
    for action in ("choose 1", "move east", "move east", "focus present"):
        play(client, league, 1, action)
    assert not found(league).waits
    assert client.post("/casual/1", data={"ply": "4", "back": "yes"}).status_code == 400


def test_two_people_do_not_disturb_each_other(league: League) -> None:
    """One of them waits for a bot that thinks until the other has finished."""
    done = league.folder / "done"
    add_bot(league, "bob", PLAYS.replace("go) ", f"go) until [ -e {done} ]; do sleep 0.1; done; "))
    add_bot(league, "eve", PLAYS)
    ann, joe = signed_in(league, "ann"), signed_in(league, "joe")
    begin(ann, league, "bob", "second")
    begin(joe, league, "eve", "second")
    threads = [bot_plays(league, number) for number in (1, 2)]
    assert play_turns(joe, league, 2).ending
    assert (found(league, 1).actions, found(league, 1).ending) == ((), "")
    done.touch()
    assert play_turns(ann, league, 1).ending
    for thread in threads:
        thread.join()


def test_a_game_goes_on_where_a_killed_process_left_it(league: League) -> None:
    client, games = signed_in(league, "ann"), CasualGames(league.store)
    begin(client, league, "greedy")
    for action in ("choose 1", "move east", "move east", "focus present"):
        play(client, league, 1, action)
    first = found(league)
    thread = bot_plays(league)
    wait_until(lambda: found(league).waits)
    seen = found(league)
    assert seen.actions[:4] == first.actions
    # As if it had been killed before it kept that answer: the same bot answers the same.
    client.post("/casual/1", data={"resign": "yes"})
    thread.join()
    begin(client, league, "greedy")
    assert games.move(found(league, 2), first.actions, waits=False)
    other = bot_plays(league, 2)
    wait_until(lambda: found(league, 2).waits)
    assert len(found(league, 2).actions) > 4
    assert play_turns(client, league, 2).ending == "The limit of 6 turns was reached."
    other.join()


def test_a_game_ends_if_the_person_leaves(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    client, games = signed_in(league, "ann"), CasualGames(league.store)
    begin(client, league, "greedy")
    later = time.time() + IDLE_SECONDS
    monkeypatch.setattr(time, "time", lambda: later - 1)
    assert len(games.going()) == 1
    monkeypatch.setattr(time, "time", lambda: later + 60)
    assert games.going() == []
    assert found(league).ending == "The game ended, since you did not play for 10 minutes."


def test_a_game_ends_without_a_result_if_the_bot_leaves(league: League) -> None:
    add_bot(league, "bob", PLAYS)
    client = signed_in(league, "ann")
    begin(client, league, "bob")
    league.store.remove("bob", "it attacks")
    play_casual_game(league, 1)
    assert found(league).ending.endswith("your opponent was replaced or has left the league.")
    assert len(league.store.events("bob")) == 3, "an event was noted"


def test_no_more_processes_play_than_the_organiser_allows(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bot may think for a while though its game has ended."""
    begun: list[int] = []
    go = threading.Event()

    def think(_: CasualTables, number: int) -> None:
        begun.append(number)
        go.wait()

    def is_begun(number: int) -> bool:
        tables.take_up()
        return number in begun

    monkeypatch.setattr(CasualTables, "_see_through", think)
    client, tables = signed_in(league, "ann"), CasualTables(league)
    for number in (1, 2, 3):
        begin(client, league, "greedy")
        tables.take_up()
        client.post(f"/casual/{number}", data={"resign": "yes"})
    begin(client, league, "greedy")
    tables.take_up()
    assert begun == [1, 2]
    go.set()
    wait_until(lambda: is_begun(4))


def test_a_machine_that_fails_again_and_again_ends_the_game(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[int] = []

    class Pool:
        def __init__(self, *_: Any) -> None:
            pass

        def submit(self, number: int, *_: Any) -> None:
            tries.append(number)

        def wait(self) -> list[tuple[int, Any]]:
            return [(tries[-1], MachineError("a process that was at work", "it was killed"))]

        def close(self) -> None:
            pass

    monkeypatch.setattr(casual_play, "ProcessPool", Pool)
    begin(signed_in(league, "ann"), league, "greedy")

    def ended() -> None:
        CasualTables(league).take_up()
        wait_until(lambda: found(league).ending)

    with pytest.warns(RuntimeWarning, match="casual game 1: .*it was killed"):
        ended()
    assert tries == [1, 1, 1]
    assert found(league).ending == "The game ended, since the league's machine failed."


def test_what_a_deck_hides_is_not_shown_before_the_action_is_played(tmp_path: Path) -> None:
    league = league_of(tmp_path / "league", settings='\n[[settings]]\ngame = "terminus"')
    client = signed_in(league, "ann")
    begin(client, league, "greedy", settings=league.settings[1].key)
    assert found(league).waits
    actions = legal(client)
    assert "data-preview" not in client.get("/casual/1").text
    assert client.get("/casual/1/0.svg", query_string={"action": actions[0]}).status_code == 404
    thread = bot_plays(league)
    play(client, league, 1, actions[0])
    wait_until(lambda: found(league).waits)
    client.post("/casual/1", data={"resign": "yes"})
    thread.join()
