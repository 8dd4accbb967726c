"""People's games: the session, and playing in the terminal."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from tests.games.tictactoe import SPEC as TICTACTOE
from tests.games.tkm.positions import REVEALED, WHITE_WINS
from tkm_env import ConfigError, Game, IllegalActionError, PlayerError
from tkm_env.core.record_files import read_records
from tkm_env.games.registry import TERMINUS, TKM
from tkm_env.games.tkm.engine.powers import POWERS
from tkm_env.games.tkm.rulebook_text import GOAL
from tkm_env.play.adapter import ADAPTERS
from tkm_env.play.session import PERSON, Session
from tkm_env.play.terminal import learn_in_terminal, play_in_terminal

#: White's first turn, up to the shift of the focus.
OPENING = ("choose 1", "move east", "move south")


def new_session(settings: dict[str, Any] | None = None, **keywords: Any) -> Session[Game]:
    return Session(TKM, settings or {}, **{"seed": 1, **keywords})


def played(session: Session[Game], answers: Iterable[str], width: int = 300) -> str:
    """What the terminal shows while a person gives these answers; then the input ends."""
    left: Iterator[str] = iter(answers)

    def ask(prompt: str) -> str:
        console.print(prompt, end="")
        try:
            return next(left)
        except StopIteration:
            raise EOFError from None

    console = Console(file=io.StringIO(), width=width)
    play_in_terminal(session, console, ask)
    return console.file.getvalue()


# The session.


def test_an_action_is_taken_back_until_the_focus_has_moved() -> None:
    session = new_session()
    start = session.game.position
    for action in OPENING:
        session.play(action)
    for _ in OPENING:
        session.undo()
    assert session.game.position == start
    for action in (*OPENING, "focus future"):
        session.play(action)
    assert not session.can_undo
    with pytest.raises(IllegalActionError, match="nothing to undo"):
        session.undo()
    assert session.game.turn == 2, "the refused undo changed the game"


def test_turns_are_taken_back_until_the_start_with_those_of_the_agent() -> None:
    session = new_session(opponent="random", side="black")
    positions = []
    for _ in range(3):
        while session.waits_for_agent:
            session.let_agent_play()
        positions.append(session.game.position)
        while session.waits_for_person:
            session.play(session.game.legal_names()[0])
    while positions:
        session.take_back()
        assert session.game.position == positions.pop()
    with pytest.raises(IllegalActionError, match="there is no turn to take back"):
        session.take_back()


def test_an_action_that_ended_the_game_is_taken_back_with_its_turn() -> None:
    session = new_session(position=WHITE_WINS)
    session.play("focus present")
    session.take_back()
    assert session.game.position == WHITE_WINS


def test_a_game_goes_on_after_an_undo_as_if_nothing_had_been() -> None:
    session = new_session()
    for action in ("choose 1", "move east"):
        session.play(action)
    session.undo()
    session.play("move south")
    record = session.to_record()
    assert record["actions"] == ["choose 1", "move south"]
    assert Game.from_record(record) == session.game


def test_an_agents_turn_is_not_taken_back() -> None:
    session = new_session(opponent="random", side="black")
    while session.waits_for_agent:
        session.let_agent_play()
    assert session.game.to_act == "black"
    assert not session.can_undo


def test_an_action_that_ends_the_game_is_not_taken_back() -> None:
    session = new_session(position=WHITE_WINS)
    session.play("focus present")
    assert session.game.result == "1-0"
    assert not session.can_undo


def test_what_was_drafted_stays() -> None:
    session = new_session({"timeline": "draft_powers", "power_set": REVEALED})
    for action in ("draft 1", "draft 2", "go first"):
        session.play(action)
        assert not session.can_undo, f"{action} could be taken back"


def test_an_offered_draw_stays() -> None:
    session = new_session({"draws": True})
    session.play("offer draw")
    assert session.game.to_act == "black"
    assert not session.can_undo
    session.play("decline draw")
    assert not session.can_undo
    session.play("choose 1")
    assert session.can_undo


def test_a_person_does_not_play_for_the_agent() -> None:
    session = new_session(opponent="random", side="black")
    with pytest.raises(IllegalActionError, match="random is to act for white"):
        session.play("choose 1")
    assert session.game.history == []


def test_no_agent_plays_for_a_person() -> None:
    session = new_session(opponent="random")
    session.let_agent_play()
    assert session.game.history == []


def test_an_agent_that_plays_what_is_illegal_is_named(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text("def never(observation, info):\n    return 20\n")
    session = new_session(opponent=f"{bot}:never", side="black")
    with pytest.raises(PlayerError, match=r"bot\.py:never.*not legal"):
        session.let_agent_play()


def test_the_same_seed_brings_the_same_game() -> None:
    first, second = (
        new_session({"chapters": "convergence"}, opponent="random", side="random", seed=5)
        for _ in range(2)
    )
    for session in (first, second):
        for _ in range(4):
            session.let_agent_play()
    assert first.players == second.players
    assert first.game == second.game


def test_either_side_may_be_drawn() -> None:
    assert {
        new_session(side="random", opponent="random", seed=seed).players["white"]
        for seed in range(20)
    } == {PERSON, "random"}


def test_a_player_that_cannot_be_is_refused() -> None:
    for keyword, given in (("side", "green"), ("opponent", "clever")):
        with pytest.raises(ConfigError, match=f"{keyword}='{given}' is invalid"):
            new_session(**{keyword: given})


# The terminal.


def test_a_whole_game_between_two_people() -> None:
    session = new_session(position=WHITE_WINS)
    shown = played(session, ["focus present"])
    assert session.game.result == "1-0"
    assert shown.rstrip().endswith("over, white won")


def test_a_whole_game_against_an_agent_ends_with_the_result() -> None:
    session = new_session(opponent="random")
    shown = played(session, iter(lambda: "1", None))
    assert session.game.result is not None
    assert shown.rstrip().endswith(session.game.situation)
    assert "black (random): choose" in shown, "the agent's actions are not shown"


def test_numbers_and_names_play() -> None:
    session = new_session()
    played(session, ["move east", "2"])
    assert session.to_record()["actions"] == ["choose 1", "move east", "move south"]


def test_the_menu_groups_actions_under_headings() -> None:
    shown = played(new_session({"chapters": "growth"}), ["choose 1"])
    assert "Move          1 move east   2 move south" in shown
    assert "Plant a seed  3 plant here   4 plant east   5 plant south" in shown


def test_undo_takes_back_and_shows_the_game_again() -> None:
    session = new_session()
    shown = played(session, ["1", "undo"])
    assert session.to_record()["actions"] == ["choose 1"]
    assert shown.count("white to act, 2 actions left") == 2


def test_the_only_copy_is_chosen_by_itself_until_that_is_undone() -> None:
    session = new_session()
    shown = played(session, ["choose 1", "undo"])
    assert "choose 1 was played for you: no other copy can act." in shown
    assert session.game.history == []
    assert shown.index("white to act, 2 actions left") < shown.index("white to choose a copy")


def test_undo_is_refused_once_the_focus_has_moved() -> None:
    session = new_session()
    assert "nothing to undo" in played(session, [*OPENING, "focus future", "undo", "undo"])
    assert len(session.game.history) == 4


def test_position_reports_the_position() -> None:
    session = new_session()
    shown = played(session, ["position"])
    assert session.game.position in shown.splitlines()[-2]


def test_save_adds_a_record_that_can_be_read(tmp_path: Path) -> None:
    session, file = new_session(opponent="random"), tmp_path / "my games.jsonl"
    played(session, ["1", f"save {file}"])
    ((_, record),) = read_records(file)
    assert Game.from_record(record) == session.game
    assert record["players"] == {"white": "person", "black": "random"}


def test_what_cannot_be_saved_is_reported(tmp_path: Path) -> None:
    assert "it cannot be written: there is no folder" in played(
        new_session(), [f"save {tmp_path / 'nowhere' / 'games'}"]
    )


def test_a_game_is_not_saved_to_a_file_of_anything_else(tmp_path: Path) -> None:
    file = tmp_path / "letter.txt"
    file.write_text("Dear Ada", "utf-8")
    assert "nothing is appended, since its last line is not a game record" in played(
        new_session(), [f"save {file}"]
    )
    assert file.read_text("utf-8") == "Dear Ada"


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("move sout", "'move' is followed by east, south, not 'sout'; did you mean 'move south'?"),
        ("move", "'move' is followed by east, south"),
        ("move east now", "'move east' is followed by nothing that is legal now, not 'now'"),
        ("mvoe east", "'mvoe' was not understood; did you mean 'move east'?"),
        ("moove", "'moove' was not understood"),
    ],
)
def test_the_part_that_was_not_understood_is_named(answer: str, told: str) -> None:
    assert told in played(new_session(), [answer])


def test_empty_spaces_show_their_numbers() -> None:
    shown = played(new_session(), [])
    assert "[W] 2  3  4    |    W  2  3  4    |    W  2  3  4" in shown
    assert "13 14 15  B    |   13 14 15  B" in shown


def test_a_draw_is_offered_although_the_only_copy_was_chosen() -> None:
    session = new_session({"draws": True})
    played(session, ["offer draw"])
    assert session.to_record()["actions"] == ["offer draw"]


def test_quit_and_the_end_of_input_leave() -> None:
    session = new_session()
    played(session, ["1", "q", "move east"])
    assert len(session.game.history) == 2


def test_control_c_leaves() -> None:
    def interrupt(prompt: str) -> str:
        raise KeyboardInterrupt

    play_in_terminal(new_session(), Console(file=io.StringIO()), interrupt)


def test_nonsense_is_answered_with_help() -> None:
    for answer in (
        "",
        "0",
        "3",
        "-1",
        "٣",
        "²",
        "1.0",
        "save",
        "undo now",
        "moove",
        "[bold]",
        "9" * 5000,
    ):
        session = new_session()
        assert "Numbers go from 1 to 2." in played(session, [answer]), answer
        assert len(session.game.history) == 1, answer


def test_an_illegal_action_is_answered_with_what_is_legal() -> None:
    assert "'move north' is not legal for white at step 2; legal: move east" in played(
        new_session(), ["move north"]
    )


def test_what_is_drafted_is_told_beside_its_number() -> None:
    shown = played(new_session({"timeline": "draft_powers", "power_set": REVEALED}), [])
    assert "  Take a power  1 draft 1: overtime: Once per game" in shown


def test_lines_end_between_words_and_within_the_terminal() -> None:
    shown = played(
        new_session({"timeline": "draft_powers", "power_set": REVEALED}),
        ["?", "help goal", "9"],
        width=52,
    )
    assert (
        max(
            len(line.removeprefix("white> ").rstrip())
            for line in shown.splitlines()
            if "|" not in line
        )
        <= 52
    )
    for sentence in (
        *GOAL,
        "Type a number or the name of an action; ? for the rules",
        POWERS[0].effect,
    ):
        assert sentence in " ".join(shown.split())


def test_help_tells_the_goal_and_what_is_in_play() -> None:
    for answer in ("?", "help"):
        shown = " ".join(played(new_session({"chapters": "memory"}), [answer]).split())
        assert (
            "You win if your turn ends with all your opponent's copies in a single era, "
            "or with none left." in shown
        ), answer
        assert "an elephant beside your active copy puts on one of your hats" in shown, answer
        assert "Seeds" not in shown, answer
        assert (
            "help NAME explains more, with examples: "
            "goal, turn, moving, travelling, ending, elephants, commands" in shown
        ), answer


def test_help_with_a_name_shows_examples_on_boards() -> None:
    shown = played(new_session(), ["help moving"])
    assert (
        "A paradox: one black copy is pushed into another, and both are gone. (move east)" in shown
    )
    assert "turn 7: white to act, 1 action left" in shown


def test_help_with_a_name_that_is_not_in_play_lists_those_that_are() -> None:
    shown = played(new_session(), ["help seeds"])
    assert "The rules of this game have no section of that name." in shown
    assert "goal, turn, moving" in shown


def test_help_on_a_terminal_comes_in_pages_that_q_ends() -> None:
    def shown(*answers: str) -> str:
        left = iter(["help moving", *answers])
        console = Console(
            file=io.StringIO(), width=80, height=20, force_terminal=True, color_system=None
        )
        play_in_terminal(
            new_session(), console, lambda prompt: asked.append(prompt) or next(left, "q")
        )
        return console.file.getvalue()

    asked: list[str] = []
    whole = shown(*[""] * 20)
    pages = asked.count("Enter for more, q to return to the game> ")
    assert pages > 1
    last = (
        next(section for section in TKM.rules_for() if section.name == "moving").examples[-1].words
    )
    assert last in " ".join(whole.split())
    asked.clear()
    first = shown("q", "q")
    assert asked == ["white> ", "Enter for more, q to return to the game> ", "white> "]
    assert last not in " ".join(first.split())


def learnt(spec: Any, answers: Iterable[str]) -> str:
    """Return what the terminal shows of a game's lessons for these answers of a person.

    Then the input ends.
    """
    left, console = iter([*answers, "q"]), Console(file=io.StringIO(), width=300)
    learn_in_terminal(spec, console, lambda prompt: console.print(prompt, end="") or next(left))
    return console.file.getvalue()


@pytest.mark.parametrize("spec", [TKM, TERMINUS], ids=lambda spec: spec.name)
def test_the_lessons_of_the_page_are_played_in_the_terminal_to_their_end(spec: Any) -> None:
    lessons = ADAPTERS.of(spec).exercises()["first steps"]
    answers = ["nonsense", "1"]
    for index, lesson in enumerate(lessons):
        start = Session.of_exercise(spec, "first steps", index)
        obvious = start.adapter.obvious(start.game)  # which is chosen for the person
        answers += [*(action for action in lesson.answers[0] if action != obvious), ""]
    shown = learnt(spec, answers)
    for lesson in lessons:
        assert lesson.before in shown
        assert lesson.after in shown
        assert lesson.wrong not in shown
    assert shown.rstrip().endswith("Enter to finish, or 1 to 7>")


def test_a_wrong_try_in_the_terminal_is_tried_again_or_passed_over() -> None:
    first, second = ADAPTERS.of(TKM).exercises()["first steps"][:2]
    shown = learnt(TKM, ["1", "move south", "", "move south", "2"])
    assert shown.count(first.before) == shown.count(first.wrong) == 2
    assert shown.count(second.before) == 1


def test_puzzles_in_the_terminal_say_how_many_find_them() -> None:
    assert "1 of 79: Win this turn (Easy)" in learnt(TKM, ["2", "q"])


def test_a_game_without_lessons_says_so() -> None:
    with pytest.raises(ConfigError, match="it has no lessons"):
        learnt(TICTACTOE, [])


def test_a_game_without_rules_of_its_own_still_has_help() -> None:
    session: Session[Any] = Session(TICTACTOE, {}, seed=1)
    assert played(session, ["help"]).count("Type a number") == 2


def test_colours_are_used_at_a_terminal_only() -> None:
    for terminal in (False, True):
        console = Console(
            file=io.StringIO(),
            width=100,
            force_terminal=terminal,
            color_system="standard" if terminal else None,
        )
        play_in_terminal(new_session(), console, lambda prompt: "quit")
        assert ("\x1b[1;36mW" in console.file.getvalue()) == terminal


def test_no_agent_concedes_or_offers_a_draw_to_a_person() -> None:
    for side in ("white", "black"):
        for seed in range(3):
            session = new_session(
                {"concede": True, "draws": True, "max_turns": 20},
                opponent="random",
                side=side,
                seed=seed,
            )
            while session.game.result is None:
                session.let_agent_play()
                if session.waits_for_person:
                    quiet = [
                        name
                        for name in session.game.legal_names()
                        if name not in ("concede", "offer draw")
                    ]
                    session.play(quiet[len(session.game.history) % len(quiet)])
            by_agent = [
                entry.action
                for entry in session.adapter.log(session.game)
                if session.players[entry.player] == "random"
            ]
            assert not {"concede", "offer draw"} & {*by_agent}, side


def test_an_agent_that_is_offered_a_draw_answers_and_the_game_goes_on_if_it_declines() -> None:
    results = set()
    for seed in range(6):
        session = new_session(
            {"concede": True, "draws": True, "max_turns": 3}, opponent="random", seed=seed
        )
        session.play("offer draw")
        session.let_agent_play()
        while session.game.result is None:
            session.let_agent_play()
            if session.waits_for_person:
                session.play(session.game.legal_names()[0])
        results.add(session.game.result)
    assert {"1/2", "*"} <= results


def test_powers_are_drafted_and_the_order_decided() -> None:
    session = new_session({"timeline": "draft_powers", "power_set": REVEALED})
    shown = played(session, ["draft 1", "draft 2", "go second"])
    assert "Take a power" in shown
    assert "Decide who goes first" in shown
    assert session.game.about[1:3] == ("white: overtime", "black: fixation")
    assert "white to act, 2 actions left" in shown


def test_a_draw_is_offered_and_accepted() -> None:
    session = new_session({"draws": True})
    assert played(session, ["offer draw", "accept draw"]).rstrip().endswith("over, drawn")
