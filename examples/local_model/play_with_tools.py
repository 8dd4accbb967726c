"""A model behind the usual chat interface plays with the tools of `tkm mcp`.

    python -m pip install 'tkm_env[llm,mcp]'
    export OPENAI_BASE_URL=http://127.0.0.1:8080/v1
    python examples/local_model/play_with_tools.py qwen --games 20 --trials 3 --save tools.jsonl

All further options are those of `tkm mcp`. The model is told the rules and, before each turn, the
position; a turn begins without what was said in earlier ones. If a turn takes more than `--tries`
answers, the model resigns.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from collections import Counter
from typing import Any

from mcp import Client, StdioServerParameters
from openai import AsyncOpenAI

#: The tools that a model is offered: it is told the rest before each turn.
OFFERED = ("play", "try_out")


class Player:
    """Answers of a model, whose calls reach the tools."""

    def __init__(self, model: str, tools: Client, tries: int) -> None:
        self._model, self._tools, self._tries = model, tools, tries
        self._chat = AsyncOpenAI(api_key=os.environ.get("OPENAI_API_KEY", "none"))
        self.counted: Counter[str] = Counter()

    async def __aenter__(self) -> Player:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._chat.close()

    async def play_game(self) -> None:
        """Play a game to its end."""
        rules = (await self._tools.call_tool("rules")).content[0].text
        told = await self._tools.call_tool("observe")
        while told.structured_content["status"] == "playing":
            told = await self._take_turn(rules, told.content[0].text)

    async def _take_turn(self, rules: str, told: str) -> Any:
        """Let the model call tools until it has played a turn; what the last tool answered."""
        messages: list[Any] = [
            {"role": "system", "content": rules},
            {"role": "user", "content": told},
        ]
        for _ in range(self._tries):
            said = await self._answer(messages)
            messages.append(said.model_dump(exclude_none=True))
            for call in said.tool_calls or []:
                result = await self._call(call.function.name, call.function.arguments)
                if call.function.name == "play" and not result.is_error:
                    return result
                content = result.content[0].text
                messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
            if not said.tool_calls:
                self.counted["answers without a call"] += 1
                messages.append({"role": "user", "content": "Call play."})
        self.counted["games resigned"] += 1
        return await self._tools.call_tool("resign")

    async def _answer(self, messages: list[Any]) -> Any:
        tools: Any = [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.input_schema,
                },
            }
            for tool in (await self._tools.list_tools()).tools
            if tool.name in OFFERED
        ]
        answer = await self._chat.chat.completions.create(
            model=self._model, messages=messages, tools=tools
        )
        self.counted["answers"] += 1
        if answer.usage is not None:
            self.counted["tokens in"] += answer.usage.prompt_tokens
            self.counted["tokens out"] += answer.usage.completion_tokens
        return answer.choices[0].message

    async def _call(self, name: str, arguments: str) -> Any:
        try:
            given = json.loads(arguments)
        except ValueError:
            given = {"arguments": arguments}  # which the tool refuses
        result = await self._tools.call_tool(name, given if isinstance(given, dict) else {})
        self.counted[f"calls of {name}{', refused' if result.is_error else ''}"] += 1
        return result


async def main() -> None:
    parser = argparse.ArgumentParser(description="Let a model play with the tools of tkm mcp.")
    parser.add_argument("model", help="as its server calls it")
    parser.add_argument("--games", type=int, default=2)
    parser.add_argument("--tries", type=int, default=8, help="the most answers in a turn")
    given, options = parser.parse_known_args()
    words = ["-m", "tkm_env", "mcp", "--name", f"{given.model} with tools", *options]
    server = StdioServerParameters(command=sys.executable, args=words, env={**os.environ})
    async with Client(server) as tools, Player(given.model, tools, given.tries) as player:
        for number in range(given.games):
            if number:
                await tools.call_tool("new_game")
            await player.play_game()
            print(f"{number + 1}/{given.games}: {dict(player.counted)}", flush=True)


if __name__ == "__main__":
    asyncio.run(main())
