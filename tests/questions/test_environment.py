"""Questions in the shapes that training libraries take."""

from __future__ import annotations

import json

import pytest

from tkm_env import ConfigError, RecordError
from tkm_env.questions import (
    QuestionEnv,
    QuestionSet,
    Verdict,
    make_question,
    question_reward,
    training_rows,
)


def test_an_episode_is_one_question_with_a_reward() -> None:
    env = QuestionEnv(kinds=["legal", "win"], difficulties=[6])
    told = env.reset(seed=4)
    assert told == env.reset(seed=4, prompt="ignored", column=1)
    assert "# The rules" in told
    assert (env.done, env.get_reward(), env.verdict) == (False, 0.0, None)
    assert env.answer(f"ANSWER: {env.question.answer}") == 1.0
    assert (env.done, env.get_reward(), env.verdict) == (True, 1.0, Verdict.RIGHT)
    assert env.answer("ANSWER: no such thing") == 1.0, "a second answer does not count"


def test_seeds_go_through_kinds_and_follow_each_other() -> None:
    env = QuestionEnv(kinds=["legal", "win"], difficulties=[6])
    kinds = []
    for _ in range(4):
        env.reset()
        kinds.append((env.question.kind.name, env.question.seed))
        assert env.answer("no idea") == 0.0
    assert kinds == [("legal", 0), ("win", 0), ("legal", 1), ("win", 1)]


def test_an_environment_refuses_what_does_not_fit() -> None:
    with pytest.raises(ConfigError, match="an integer from 0"):
        QuestionEnv(kinds=["legal"]).reset(seed=-1)
    with pytest.raises(ConfigError, match="it must be 'legal'"):
        QuestionEnv(kinds=["riddle"])
    with pytest.raises(ConfigError, match="draws the first one"):
        _ = QuestionEnv(kinds=["legal"]).question


def test_rewards_take_what_trl_passes() -> None:
    questions = [make_question("victories", 1, seed, game="terminus") for seed in range(3)]
    rows = [*training_rows(questions)]
    assert [message["role"] for message in rows[0]["prompt"]] == ["system", "user"]
    column = [row["question"] for row in rows]
    right = [f"ANSWER: {question.answer}" for question in questions]
    chat = [[{"role": "assistant", "content": text}] for text in right]
    prompts = [row["prompt"] for row in rows]
    columns = {"completion_ids": [[1]], "trainer_state": None}
    assert question_reward(prompts, right, question=column, **columns) == [1.0] * 3
    assert question_reward(prompts, chat, question=column) == [1.0] * 3
    assert question_reward(prompts, chat[::-1], question=column)[1] == 1.0
    assert question_reward(prompts, ["", "?", "ANSWER: red"], question=column) == [0.0] * 3
    assert question_reward([], [[]], question=[json.loads(column[0])]) == [0.0]
    with pytest.raises(RecordError, match="keys must be"):
        question_reward([], ["yes"], question=["{}"])


def test_a_question_set_has_the_interface_of_procedural_data_sets() -> None:
    questions = QuestionSet(["legal", "win"], [6], size=11, seed=3)
    entries = [*questions]
    assert len(questions) == len(entries) == 11
    assert entries[7] == questions[7]
    assert QuestionSet(["legal", "win"], [6], size=11, seed=3)[10] == entries[10]
    assert QuestionSet(["legal", "win"], [6], size=11, seed=4)[10] != entries[10]
    for index, entry in enumerate(entries):
        assert {*entry} == {"question", "answer", "metadata"}
        assert entry["metadata"]["source_index"] == index
        assert questions.score_answer(entry["answer"], entry) == 1.0
        assert questions.score_answer(None, entry) == 0.0
        assert questions.score_answer("nothing of the kind", entry) == 0.0
    for index in (-1, 11):
        with pytest.raises(IndexError, match=f"there is no question {index}"):
            questions[index]
