"""GRPO of TRL on single turns: a few steps with a tiny model, on the CPU.

    python -m pip install tkm_env trl datasets torch
    python examples/trl_grpo.py --steps 4

The tiny model is made on the spot, with random weights and bytes as tokens, so that nothing is
downloaded; it learns nothing in a few steps. For a model that can, give `--model` a folder or a
name, with a tokenizer that has a chat template. The reward of an answer is the credit for its turn.
"""

from __future__ import annotations

import argparse
from typing import Any

from datasets import Dataset
from transformers import AutoModelForCausalLM, ByT5Tokenizer, Qwen2Config
from trl import GRPOConfig, GRPOTrainer

from tkm_env.questions import BestTurnSet
from tkm_env.text import TextOptions


def tiny() -> tuple[Any, Any]:
    """A model of some thousand weights, whose tokens are bytes, and its tokenizer."""
    tokenizer = ByT5Tokenizer(extra_ids=0)
    tokenizer.chat_template = "{% for message in messages %}{{ message.content }}{% endfor %}"
    config = Qwen2Config(
        vocab_size=len(tokenizer),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    return AutoModelForCausalLM.from_config(config), tokenizer


def main() -> None:
    parser = argparse.ArgumentParser(description="Train a language model on single turns.")
    parser.add_argument("--model", help="a folder or a name; by default a tiny random model")
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--size", type=int, default=64, help="the number of positions")
    parser.add_argument("--output", default="grpo")
    given = parser.parse_args()
    turns = BestTurnSet(size=given.size, depth=1, options=TextOptions(style="terse"))
    entries = [*turns]
    prompts = [[{"role": "user", "content": entry["question"]}] for entry in entries]

    def credit(completions: list[Any], entry: list[int], **_: Any) -> list[float]:
        return [
            turns.score_answer(message["content"], entries[index])
            for (message,), index in zip(completions, entry, strict=True)
        ]

    model, tokenizer = (given.model, None) if given.model else tiny()
    config = GRPOConfig(
        given.output,
        max_steps=given.steps,
        per_device_train_batch_size=4,
        num_generations=4,
        max_completion_length=24,
        logging_steps=1,
        report_to=[],
        use_cpu=given.model is None,
        save_strategy="no",
    )
    rows = Dataset.from_dict({"prompt": prompts, "entry": [*range(given.size)]})
    GRPOTrainer(model, credit, config, rows, processing_class=tokenizer).train()


if __name__ == "__main__":
    main()
