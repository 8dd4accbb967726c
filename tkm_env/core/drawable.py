"""How a compiled game is shown: by modules of its package that are imported on demand, so that training does not wait for them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from typing import Any, ClassVar

from tkm_env.core.compiled_game import CompiledGame
from tkm_env.render.canvas import Canvas, Scene
from tkm_env.render.replay import Frame


class DrawableGame(CompiledGame):
    """A compiled game whose package has the modules ``view`` and ``render``, the latter with ``text`` and ``svg``."""

    __slots__ = ()

    #: The package with these modules.
    package: ClassVar[str]

    @classmethod
    def _module(cls, name: str) -> Any:
        return import_module(f"{cls.package}.{name}")

    def __str__(self) -> str:
        return self._module("render.text").draw(self)

    @property
    def situation(self) -> str:
        return self._module("view").view_of(self).situation

    @property
    def events(self) -> Sequence[Any]:
        """What the last action did, for the drawing; by default empty."""
        return ()

    @property
    def canvas(self) -> Canvas:
        return self._module("render.svg").CANVAS

    def drawing(self, *, last: bool = True, legal: bool = False) -> dict[str, str]:
        view_of = self._module("view").view_of
        scene = Scene(view_of(self), legal=tuple(self.legal_names()) if legal else ())
        if last and self.history:
            action, before = self.action_names[self.history[-1]], view_of(self.at(-1))
            scene = dataclasses.replace(scene, action=action, events=self.events, before=before)
        return self._module("render.svg").parts(scene)

    def icon(self, player: str) -> str:
        self._number_of(player)
        return self._module("render.svg").icon_of(player)

    def frames(self) -> Iterator[Frame]:
        view_of, parts = self._module("view").view_of, self._module("render.svg").parts
        now = self.start
        before = view_of(now)
        yield Frame(parts(Scene(before)), now.turn)
        for number, events in zip(self.history, self._events_by_ply(), strict=True):
            turn, side, action = now.turn, self.players.index(now.to_act), self.action_names[number]
            now.play(number)
            after = view_of(now)
            drawn, clauses = (
                parts(Scene(after, action, events, before)),
                self._clauses(before, action, after, events),
            )
            yield Frame(drawn, turn, side, action, clauses)
            before = after

    def _events_by_ply(self) -> Iterable[Sequence[Any]]:
        """What each action did, for the drawing; by default nothing."""
        return [()] * len(self.history)

    def _clauses(
        self, before: Any, action: str, after: Any, events: Sequence[Any]
    ) -> tuple[str, ...]:
        """What an action did, one clause each, from the views before and after it and its events; by default the events in words."""
        return tuple(map(str, events))
