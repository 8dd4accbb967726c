"""A program with every public name, as users write it; type checkers read it, nothing runs it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

import tkm_env
from tkm_env import (
    ACTIONS,
    NO_ACTION,
    PLANES,
    POWERS,
    TERMINUS_FEATURES,
    ArrayError,
    Batch,
    BatchTurns,
    BudgetError,
    Campaign,
    ConcurrentUseError,
    ConfigError,
    CudaBatch,
    DeckError,
    DisplayError,
    EncodingError,
    FileError,
    Game,
    GameConfig,
    GameParts,
    GameSpec,
    IllegalActionError,
    MachineError,
    MissingExtraError,
    NewerVersionError,
    ObservationEncoder,
    OpponentPool,
    Outcome,
    PlayerError,
    PositionError,
    Preset,
    ProtocolError,
    RecordError,
    Series,
    TerminusBatch,
    TerminusConfig,
    TerminusGame,
    TKMError,
    Turn,
    TurnEnv,
    TurnVectorEnv,
    UnknownActionError,
    UnknownKeywordError,
    achieved,
    action_index,
    compact_layout,
    decode_observation,
    events,
    from_record,
    read_deck,
    read_records,
    register_game,
    replay_of,
    replay_page,
    symmetries,
    write_deck,
    write_record,
)
from tkm_env.course import GameNode, Node
from tkm_env.envs.single import GameEnv
from tkm_env.envs.vector import GameVectorEnv
from tkm_env.evaluation import Evaluation, Solution, evaluate, solve
from tkm_env.learn import Snapshots, zero_sum_gae
from tkm_env.players import (
    Agent,
    AlphaBetaAgent,
    FunctionAgent,
    GreedyAgent,
    GumbelAgent,
    MCTSAgent,
    NetAgent,
    PolicyAgent,
    RandomAgent,
    SolvedPosition,
    card_of,
    draw_endgames,
    endgame_split,
    ladder,
    make_agent,
    read_solved_positions,
    write_policy,
)
from tkm_env.questions import (
    Answerer,
    AnswerForm,
    BestTurnEnv,
    BestTurnSet,
    Flaw,
    GameQuestions,
    Image,
    MarkedReply,
    PlanRow,
    Question,
    QuestionEnv,
    QuestionKind,
    QuestionPlan,
    QuestionSet,
    ResultRow,
    Task,
    ValuedPosition,
    Verdict,
    answerer_of,
    check_questions,
    kinds_of,
    make_question,
    make_valued_position,
    mark_replies,
    question_reward,
    questions_for_benchmark,
    read_questions,
    result_table,
    rows_for,
    training_rows,
    usual_rows,
    write_questions,
)
from tkm_env.text import (
    TURN_SCHEMA,
    Prompt,
    Refusal,
    TextOptions,
    digest,
    legal_turns,
    prompt_for,
    read_reply,
    write_reply,
)


def play() -> None:
    """One game."""
    assert_type(tkm_env.__version__, str)
    game = Game(chapters=["growth", "memory"], powers=("ripple", None), seed=1)
    game.play("choose 1")
    game.play(action_index("choose 2"))
    assert_type(game.copy(), Game)
    assert_type(game.config, GameConfig)
    assert_type(game.legal_actions(), list[int])
    assert_type(game.action_mask(), NDArray[np.int8])
    assert_type(game.observation(), NDArray[np.int8])
    assert_type(game.result, "str | None")
    assert_type(game.winner, "str | None")
    assert_type(game.position, str)
    assert_type(achieved(game), list[tuple[str, str]])
    assert_type(decode_observation(game.observation()), str)
    assert_type(replay_page(game.replay()), str)
    assert_type(GameConfig(chapters=2).max_turns, int)
    module: ModuleType = events
    assert_type(module.__name__, str)
    Game(chapter="growth")  # type: ignore[call-arg]  # a keyword that there is not


def play_terminus() -> None:
    """One game with chance."""
    game = TerminusGame(seed=1, deck=read_deck("deck.json"))
    assert_type(game.copy(), TerminusGame)
    assert_type(game.config, TerminusConfig)
    assert_type(read_deck("deck.json"), tuple[str, ...])
    write_deck("deck.json")


def play_many() -> None:
    """Many games."""
    batch = Batch(4, chapters="growth")
    batch.reset(seed=1)
    batch.step(batch.random_actions(), batch.new_observations())
    assert_type(batch.masks, NDArray[np.int8])
    assert_type(batch.random_actions(), NDArray[np.int64])
    assert_type(TerminusBatch(4).masks, NDArray[np.int8])
    assert_type(CudaBatch(4), CudaBatch)


def play_turns(env: GameEnv, envs: GameVectorEnv) -> None:
    """Whole turns."""
    assert_type(Game().turns(), tuple[Turn[Game], ...])
    assert_type(Game().turns()[0].after.turns()[0].result, str | None)
    batch = Batch(4)
    turns = batch.turns()
    assert_type(turns, BatchTurns)
    batch.play_turns(turns, turns.best(batch.observe_turns(turns).sum((1, 2, 3))))
    assert_type(TurnEnv(env, max_choices=256).step(3)[1], float)
    assert_type(TurnVectorEnv(envs).step([0])[2], NDArray[np.bool_])


def keep() -> None:
    """Records, series and campaigns."""
    write_record("games.jsonl", Game().to_record())
    assert_type(read_records("games.jsonl"), Iterator[tuple[int, dict[str, Any]]])
    for _, record in read_records("games.jsonl"):
        assert_type(from_record(record).position, str)
        assert_type(replay_of(record).title, str)
    assert_type(Series(("Ada", "Bob"), chapters="growth").next_game(), Game)
    assert_type(Campaign(("Ada", "Bob")).next_game(), Game)


def look_up() -> None:
    """Tables."""
    no_action: int = NO_ACTION
    assert_type(ACTIONS, tuple[str, ...])
    assert_type(ACTIONS[no_action], str)
    assert_type(PLANES[0].name, str)
    assert_type(POWERS[0].name, str)
    assert_type(TERMINUS_FEATURES[0].name, str)
    assert_type(symmetries()[0].name, str)
    assert_type(compact_layout(chapters="growth")[0].name, str)
    encoder = ObservationEncoder(Game, GameConfig(), canonical=True)
    assert_type(encoder.action_mask(Game()), NDArray[np.int8])


def register(spec: GameSpec) -> None:
    """A game of one's own."""
    assert_type(spec.parts, GameParts)
    assert_type(spec.presets["Small"], Preset)
    assert_type(Game().outcome, Outcome | None)
    assert_type(spec.name, str)
    register_game(spec)


def rank() -> None:
    """Agents."""
    agents: list[Agent] = [
        AlphaBetaAgent(depth=2),
        FunctionAgent(lambda observation, info: int(info["action_mask"].argmax())),
        GreedyAgent(seed=1),
        GumbelAgent(iterations=50),
        MCTSAgent(seconds=0.1),
        NetAgent(file="net.npz"),
        PolicyAgent("policy.npz", temperature=1.0),
        RandomAgent(seed=1),
        make_agent("mcts:iterations=200"),
        *ladder(),
    ]
    for agent in agents:
        agent.reset(1)
        assert_type(agent.act(Game()), int)
        assert_type(agent.name, str)
    evaluation = evaluate("greedy", agents[0], games=20)
    assert_type(evaluation, Evaluation)
    assert_type(evaluation.losses, int)
    solution = solve(Game(max_turns=1))
    assert_type(solution, Solution)
    assert_type(solution.optimal_actions(Game(max_turns=1)), list[int])
    assert_type(card_of("net.npz").game, str)
    assert_type([*draw_endgames(2, "test", 1, seed=1)], list[SolvedPosition])
    assert_type(read_solved_positions("solved.jsonl.gz")[1], list[SolvedPosition])
    assert_type(endgame_split(Game()), str)
    write_policy("policy.npz", [(np.zeros((2, 2)), np.zeros(2))])
    assert_type(OpponentPool(["random", "greedy"], weights=[1, 2]), OpponentPool)
    assert_type(Snapshots(keep=3), Snapshots)
    advantages, _ = zero_sum_gae([[0.0]], [[0.0]], [[True]], [[0]], gamma=1.0)
    assert_type(advantages, NDArray[np.float64])


def converse() -> None:
    """A language model's turn."""
    game, options = Game(), TextOptions(legal="none", rename=1)
    assert_type(prompt_for(game, options), Prompt)
    assert_type(digest(Game, options), str)
    assert_type(legal_turns(game), list[str])
    assert_type(TURN_SCHEMA, Mapping[str, Any])
    answer = read_reply(game, write_reply(game, [0]))
    if isinstance(answer, Refusal):
        assert_type(answer.message, str)
    else:
        assert_type(answer, tuple[int, ...])


def ask(reply: str, spec: GameSpec) -> None:
    """Questions with one right answer."""
    question = make_question("win", 6, 1, chapters="growth")
    assert_type(question, Question)
    assert_type(question.kind, QuestionKind)
    assert_type(question.kind.form(question.task), AnswerForm)
    assert_type(question.task, Task)
    assert_type(question.mark(reply), Verdict)
    rows = (*usual_rows(["tkm"]), *rows_for(spec, GameConfig(), ["legal"], [1]))
    assert_type(rows[0], PlanRow)
    plan = QuestionPlan(rows, 10)
    assert_type(write_questions(plan, "questions.jsonl"), "dict[str, Any] | None")
    assert_type([*check_questions("questions.jsonl")], list[Flaw])
    assert_type([*read_questions("questions.jsonl")], list[Question])
    model: Answerer = answerer_of("llm:MODEL", "tkm")
    marked = [*mark_replies(questions_for_benchmark("tkm"), model)]
    assert_type(marked, list[MarkedReply])
    assert_type(result_table(marked), tuple[ResultRow, ...])
    column = [row["question"] for row in training_rows([question])]
    assert_type(question_reward([], [reply], column), list[float])
    env = QuestionEnv(["legal"], [1], chapters="growth")
    assert_type(env.answer(env.reset(seed=1)), float)
    entry = QuestionSet(["legal"], [1])[0]
    assert_type(entry["answer"], str)
    turns = BestTurnEnv(depth=1)
    assert_type(turns.play(turns.reset(seed=1)), float)
    position = make_valued_position(1, depth=1)
    assert_type(position, ValuedPosition)
    assert_type(position.mark(reply), float)
    assert_type(BestTurnSet(depth=1)[0]["question"], str)
    assert_type([*kinds_of(spec)], list[str])
    about: GameQuestions[Game] = GameQuestions()
    assert_type(about.image(Game()), Image)


def search(node: Node) -> GameNode:
    """An assignment."""
    assert_type(node.children(), "list[tuple[str, Node]]")
    return GameNode(Game(), lambda game: 0)


def catch(error: TKMError) -> str | None:
    """Errors, each with what was given."""
    match error:
        case ConfigError() | UnknownKeywordError():
            return assert_type(error.keyword, str)
        case EncodingError():
            return str(error)
        case NewerVersionError():
            assert_type((error.found, error.known), tuple[int, int])
            return assert_type(error.form, str)
        case MissingExtraError():
            return assert_type(error.extra, str)
        case DeckError() | PositionError():
            return assert_type(error.reason, str)
        case (
            ArrayError()
            | BudgetError()
            | ConcurrentUseError()
            | RecordError()
            | DisplayError()
            | FileError()
            | IllegalActionError()
            | MachineError()
        ):
            return None
        case PlayerError() | ProtocolError() | UnknownActionError():
            return None
        case _:
            return None
