"""A language model as a player.

The game is described to it in words, and it answers with whole turns.
"""

import json
import math
import re
import time
from collections.abc import Sequence
from hashlib import sha256
from typing import Any, Final

import numpy as np

from tkm_env.core.agent import TurnAgent, agent_name
from tkm_env.core.game import BaseGame
from tkm_env.core.registry import game_spec
from tkm_env.foundations.checks import checked_integer
from tkm_env.foundations.errors import ConfigError, PlayerError
from tkm_env.players.player_spec import PlayerKind, PlayerRequest
from tkm_env.text.chat import ask, check_server
from tkm_env.text.completion import Completion
from tkm_env.text.options import DEFAULT_OPTIONS, TextOptions
from tkm_env.text.paid_answers import PaidAnswers
from tkm_env.text.picture import Messages, messages_of, picture_of
from tkm_env.text.prompt import Prompt, digest, prompt_for
from tkm_env.text.record_fields import LONGEST, kept_text
from tkm_env.text.reply import Refusal, read_reply

#: Where the options begin in the text after the prefix; its end if there are none.
_OPTIONS: Final = re.compile(r":(?=\w+=)|$")
#: Outside matches, whose conditions set a limit of their own: the seconds for a turn, and those for
#: which the server may fail.
_TURN_SECONDS, _PATIENCE = 300.0, 10.0
_MOST_RETRIES: Final = 100
_SECOND_DECIMALS: Final = 3


class LanguageModel(TurnAgent):
    """Plays the answers of a language model, through any server with the usual chat interface.

    The extra ``[llm]`` is required. The server and the key come from the environment:
    ``OPENAI_BASE_URL`` and ``OPENAI_API_KEY``. The options for the server are sent unchanged; None
    leaves them to the server, which accepts only one of the two limits on tokens.

    Args:
        model: the model, as the server knows it.
        game: the name of the game that it will play.
        base_url: the server; None for the environment's.
        retries: how often, in a turn, the model is told what was wrong with its answer and asked
            again before it loses, from 0 to 100.
        legal: as for `tkm_env.text.options.TextOptions`.
        history: as for `tkm_env.text.options.TextOptions`.
        style: as for `tkm_env.text.options.TextOptions`.
        rename: as for `tkm_env.text.options.TextOptions`.
        turned: as for `tkm_env.text.options.TextOptions`.
        eras: as for `tkm_env.text.options.TextOptions`.
        layout: as for `tkm_env.text.options.TextOptions`.
        numbers: as for `tkm_env.text.options.TextOptions`.
        board: as for `tkm_env.text.options.TextOptions`; a picture needs the extra ``[render]``.
        temperature: sent to the server.
        top_p: sent to the server.
        max_tokens: sent to the server.
        max_completion_tokens: sent to the server.
        reasoning_effort: sent to the server.
        seed: distinguishes games whose answers are kept; None draws one from the system.

    Attributes:
        paid: the answers so far, which are not requested again.
        options: what its prompts hold.
        conversation: what was asked and answered in this game, as records hold it.

    Raises:
        ConfigError: naming the option that is invalid, or if there is no key.
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
        turned: int | None = None,
        eras: int | None = None,
        layout: int | None = None,
        numbers: int | None = None,
        board: str = DEFAULT_OPTIONS.board,
        temperature: float | None = None,
        top_p: float | None = None,
        max_tokens: int | None = None,
        max_completion_tokens: int | None = None,
        reasoning_effort: str | None = None,
        seed: int | np.random.Generator | None = None,
    ) -> None:
        self.options = TextOptions(
            legal, history, style, rename, turned, eras, layout, numbers, board
        )
        self._base_url = base_url
        self._retries = checked_integer("retries", retries, 0, _MOST_RETRIES)
        check_server(base_url)
        limits = {"max_tokens": max_tokens, "max_completion_tokens": max_completion_tokens}
        given = {
            "temperature": temperature,
            "top_p": top_p,
            **limits,
            "reasoning_effort": reasoning_effort,
        }
        usual = {**vars(DEFAULT_OPTIONS), **dict.fromkeys(given)}
        changed = {
            keyword: (value, usual[keyword])
            for keyword, value in {**vars(self.options), **given}.items()
        }
        self._model = model
        self._sent = {keyword: value for keyword, value in given.items() if value is not None}
        self._asked = {"model": model, **self._sent, "retries": self._retries, **vars(self.options)}
        self._prompt = digest(game_spec(game).game_class, self.options)
        self.paid = PaidAnswers()
        super().__init__(agent_name(f"llm:{model}", **changed), seed)

    def reset(self, seed: int | np.random.Generator | None = None) -> None:
        """Begin another game.

        The same seed gives the same game, whose answers may have been kept.
        """
        super().reset(seed)
        self._game = f"{int(self._stream[0]):016x}"
        self.conversation: dict[str, Any] = {
            "asked": self._asked,
            "prompt": self._prompt,
            "answers": [],
        }

    def answer(
        self, game: BaseGame, left: float, patience: float = math.inf
    ) -> tuple[list[int], float]:
        """Ask for a whole turn.

        Args:
            game: the game, in which the model is to act.
            left: how many seconds are left; the time that a kept answer took is deducted.
            patience: for how many seconds the network or the server may fail.

        Returns:
            The indices of the turn's actions, and the seconds that kept answers took at the time.

        Raises:
            PlayerError: if the last try produced no turn, or none in time.
            MachineError: if the network or the server failed.
            BudgetError: if the budget is used up.
            ConfigError: if the server refuses the request.
        """
        messages = self._messages(prompt_for(game, self.options), game)
        deadline, recalled, tries = time.monotonic() + left, 0.0, 0
        while True:
            until = deadline - recalled
            number = len(self.conversation["answers"])
            answer, taken = self._paid_answer(messages, [self._game, number], until, patience)
            recalled += taken
            if len(answer.said) > LONGEST:
                self._note(game, answer, "output", "output", None)
                raise PlayerError(
                    self.name, f"an answer of {len(answer.said):,} characters", "output"
                )
            read = read_reply(game, answer.said, self.options, end=answer.end)
            if not isinstance(read, Refusal):
                self._note(game, answer, None, None, [game.action_names[index] for index in read])
                return [*read], recalled
            self._note(game, answer, read.kind, read.flaw, None)
            tries += 1
            if tries > self._retries:
                raise PlayerError(
                    self.name,
                    f"{read.sentence} ({tries} answers in a row)" if tries > 1 else read.sentence,
                    read.kind,
                )
            messages += [
                {"role": "assistant", "content": answer.said or "-"},
                {"role": "user", "content": read.message},
            ]

    def _note(
        self,
        game: BaseGame,
        answer: Completion,
        refused: str | None,
        flaw: str | None,
        turn: list[str] | None,
    ) -> None:
        """Add an answer, and what was understood, to the conversation."""
        self.conversation["answers"].append(
            {
                "ply": len(game.history) + 1,
                "text": kept_text(answer.text),
                "thoughts": kept_text(answer.thoughts),
                "calls": kept_text(answer.calls),
                "end": answer.end,
                "tokens": [*answer.tokens],
                "reasoning": answer.reasoning,
                "cached": answer.cached,
                "seconds": round(answer.seconds, _SECOND_DECIMALS),
                "model": answer.model,
                "turn": turn,
                "refused": refused,
                "flaw": flaw,
            }
        )

    def _paid_answer(
        self, messages: Messages, place: list[Any], until: float, patience: float
    ) -> tuple[Completion, float]:
        """An answer, new or kept, and the seconds that it took if it was kept.

        Args:
            messages: what the model is asked.
            place: where it is asked, which tells the same questions apart.
            until: the time at which it is too late.
            patience: for how many seconds the network or the server may fail.
        """
        request = {"model": self._model, **self._sent, "messages": messages}
        key = sha256(json.dumps([*place, request]).encode()).hexdigest()
        answer = self.paid.find(key)
        if answer is not None:
            return answer, answer.seconds
        self.paid.check(self._model)
        try:
            answer = ask(
                self._base_url,
                request,
                until - time.monotonic(),
                patience,
                lambda waste: self.paid.add("", self._model, waste),
            )
        except TimeoutError:
            raise PlayerError(self.name, "no answer in time", "timeout") from None
        self.paid.add(key, self._model, answer)
        return answer, 0.0

    def _messages(self, prompt: Prompt, game: BaseGame | None) -> Messages:
        """A prompt as messages, with a picture of the position if the options ask for one."""
        is_seen = game is not None and self.options.has_picture
        return messages_of(prompt, picture_of(game, self.options) if game and is_seen else b"")

    def complete(
        self,
        prompt: Prompt,
        seconds: float = _TURN_SECONDS,
        patience: float = _PATIENCE,
        game: BaseGame | None = None,
    ) -> Completion:
        """Answer a prompt outside a game, once.

        Args:
            prompt: what the model is told.
            seconds: how long an answer may take.
            patience: for how many of these seconds the network or the server may fail.
            game: the game at the position that the prompt is about, for its picture; None for
                none.

        Returns:
            The answer; one that was paid for before is not requested again.

        Raises:
            PlayerError: if there is no answer in time.
            MachineError: if the network or the server failed.
            BudgetError: if the budget is used up.
            ConfigError: if the server refuses the request.
        """
        until = time.monotonic() + seconds
        return self._paid_answer(self._messages(prompt, game), [], until, patience)[0]

    def reply(self, prompt: Prompt) -> str:
        """The text of the answer to a prompt outside a game, as for `complete`."""
        return self.complete(prompt).said

    def _plan_turn(self, game: BaseGame) -> Sequence[int]:
        return self.answer(game, _TURN_SECONDS, _PATIENCE)[0]


class _LanguageModelKind(PlayerKind):
    """Players described by ``llm:MODEL``."""

    form = "MODEL"

    def split(self, text: str) -> tuple[str, str]:
        """A model's name may hold colons: options begin where a name and ``=`` follow one."""
        model, options = _OPTIONS.split(text, maxsplit=1)
        return model, options

    def make(self, request: PlayerRequest) -> LanguageModel:
        model = request.spec.subject
        if not model or "key=" in request.spec.options:  # messages must not show a key
            reason = (
                "a model's name must follow; the key comes from the environment: OPENAI_API_KEY"
            )
            raise ConfigError(request.keyword, f"llm:{model}", reason)
        player: LanguageModel = request.build(LanguageModel, model, request.game)
        return player


PLAYER_KIND: Final = _LanguageModelKind()
