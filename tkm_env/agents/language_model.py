"""A language model as a player: it is told the game in words, and asked for whole turns."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, Final

import numpy as np

from tkm_env.agents.base import agent_name
from tkm_env.agents.chat import Answer, ask, check_server
from tkm_env.agents.paid_answers import PaidAnswers
from tkm_env.agents.turn_agent import TurnAgent
from tkm_env.checks import checked_integer
from tkm_env.errors import MachineError, PlayerError
from tkm_env.game.base import BaseGame
from tkm_env.game.registry import game_spec
from tkm_env.text.options import DEFAULT_OPTIONS, TextOptions
from tkm_env.text.prompt import digest, prompt_for
from tkm_env.text.reply import Refusal, read_reply

#: Seconds for a turn outside of matches, whose conditions say how long one may take.
_TURN_SECONDS: Final = 300.0
#: Seconds before the first further try after the network or the server failed, and before all later ones, each twice as long.
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0
_MOST_RETRIES: Final = 100
#: Characters of an answer that a record holds.
_LONGEST: Final = 1 << 20
_DIGEST_BYTES: Final = 8


class LanguageModel(TurnAgent):
    """Plays what a language model answers, through any server with the usual chat interface. Needs the extra ``[llm]``.

    The server and the key are those of the environment, ``OPENAI_BASE_URL`` and ``OPENAI_API_KEY``. Raises a `ConfigError` naming the
    option that is invalid, or if there is no key.

    Args:
        model: the model, as the server knows it.
        game: the game it will play, by its name in the registry.
        base_url: the server, in place of the environment's.
        retries: how often it is asked again in a turn, told what was wrong with its answer, before it loses.
        legal: this, ``history``, ``style`` and ``rename`` as for `tkm_env.text.options.TextOptions`.
        temperature: this and the following are sent to the server as they are, which knows one of the limits on tokens; None leaves them
            to it.
        seed: distinguishes games whose answers are kept; None draws one from the system.

    Attributes:
        paid: the answers so far, which are not asked for again.
    """

    def __init__(
        self,
        model: str,
        game: str,
        *,
        base_url: str | None = None,
        retries: int = 2,
        legal: str = DEFAULT_OPTIONS.legal,
        history: str = DEFAULT_OPTIONS.history,
        style: str = DEFAULT_OPTIONS.style,
        rename: int | None = None,
        temperature: float | None = None,
        top_p: float | None = None,
        max_tokens: int | None = None,
        max_completion_tokens: int | None = None,
        reasoning_effort: str | None = None,
        seed: int | np.random.Generator | None = None,
    ) -> None:
        self._options = TextOptions(legal, history, style, rename)
        self._base_url, self._retries = base_url, checked_integer("retries", retries, 0, _MOST_RETRIES)
        check_server(base_url)
        limits = {"max_tokens": max_tokens, "max_completion_tokens": max_completion_tokens}
        given = {"temperature": temperature, "top_p": top_p, **limits, "reasoning_effort": reasoning_effort}
        sent = {keyword: value for keyword, value in given.items() if value is not None}
        self._model, self._request = model, {"model": model, **sent}
        self._asked = {**self._request, "retries": self._retries, **vars(self._options)}
        self._prompt = digest(game_spec(game).game_class, self._options)
        self.paid = PaidAnswers()
        changed = {keyword: (value, getattr(DEFAULT_OPTIONS, keyword)) for keyword, value in vars(self._options).items()}
        super().__init__(agent_name(f"llm:{model}", **changed, **{keyword: (value, None) for keyword, value in sent.items()}), seed)

    def reset(self, seed: int | np.random.Generator | None = None) -> None:
        """Begin another game: with the same seed, it is the same one, whose answers may be there already."""
        super().reset(seed)
        self._game = f"{int(self._stream[0]):016x}"
        self._answers: list[dict[str, Any]] = []

    @property
    def conversation(self) -> dict[str, Any]:
        """What was asked and answered in this game, as records hold it."""
        return {"asked": self._asked, "prompt": self._prompt, "answers": self._answers}

    def answer(self, game: BaseGame, left: float = _TURN_SECONDS) -> tuple[list[int], float]:
        """A whole turn, and how many seconds the answers took, of those that are left.

        Raises:
            PlayerError: of the kind ``illegal`` or ``protocol`` if the last try brought no turn, ``timeout`` if there was none in time,
                ``output`` if an answer is too long.
            MachineError: if the network or the server failed until the time was over, which is not the player's fault.
            BudgetError: if nothing is left for another answer.
            ConfigError: if the server refuses the request.
        """
        system, user = prompt_for(game, self._options)
        messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        began = time.monotonic()
        recalled = 0.0
        refusal = Refusal("", "", "")
        for _ in range(self._retries + 1):
            key = f"{self._game}/{game.turn}/{_digest([self._request, messages])}"
            answer = self.paid.find(key)
            if answer is None:
                answer = self._ask(messages, began + left - recalled)
                self.paid.add(key, self._model, answer)
            else:
                recalled += answer.seconds
            read = read_reply(game, answer.text, self._options)
            row = {"text": answer.text, "end": answer.end, "tokens": [answer.tokens_in, answer.tokens_out], "model": answer.model}
            kind = read.kind if isinstance(read, Refusal) else None
            self._answers.append({"ply": len(game.history) + 1, **row, "refused": kind})
            if not isinstance(read, Refusal):
                return [*read], time.monotonic() - began + recalled
            refusal = read
            messages += [{"role": "assistant", "content": answer.text or "-"}, {"role": "user", "content": refusal.message}]
        tries = f" ({self._retries + 1} answers in a row)" if self._retries else ""
        raise PlayerError(self.name, f"{refusal.sentence}{tries}", refusal.kind)

    def _ask(self, messages: list[dict[str, str]], deadline: float) -> Answer:
        """The server's answer, asked for again and again while the network or the server fails."""
        self.paid.check(self._model)
        left, pause = deadline - time.monotonic(), _FIRST_PAUSE
        trouble: MachineError | None = None
        while left > 0:
            try:
                answer = ask(self._base_url, {**self._request, "messages": messages}, left)
            except TimeoutError:
                break
            except MachineError as error:
                trouble = error
                time.sleep(max(0.0, min(pause, deadline - time.monotonic())))
                left, pause = deadline - time.monotonic(), min(2 * pause, _LONGEST_PAUSE)
                continue
            if len(answer.text) > _LONGEST:
                raise PlayerError(self.name, f"an answer of {len(answer.text):,} characters", "output")
            return answer
        if trouble is not None:
            raise trouble
        raise PlayerError(self.name, "no answer in time", "timeout")

    def _plan_turn(self, game: BaseGame) -> Sequence[int]:
        return self.answer(game)[0]


def _digest(content: Any) -> str:
    return blake2b(json.dumps(content).encode(), digest_size=_DIGEST_BYTES).hexdigest()
