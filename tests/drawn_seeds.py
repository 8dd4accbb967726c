"""A plugin for pytest: in the process of a test, seeds that nobody gave are the same in every run.

A test that depends on luck would fail one day in a thousand, for somebody else. With ``--inputs``
they are drawn anew in each run, as the inputs of Hypothesis are. What programs draw that a test
starts, and names of files, stay as they are.
"""

import random
import secrets
from collections.abc import Iterator
from typing import Any

import numpy.random.bit_generator
import pytest

#: Where NumPy and this package draw from the system.
_DRAWN_FROM = (secrets, numpy.random.bit_generator)


class DrawnSeeds:
    """Draws for each test, and for each fixture that several tests share, from its own name."""

    def __init__(self) -> None:
        self._generator = random.Random("collection")

    def randbits(self, bits: int) -> int:
        """Draw an integer, as `secrets.randbits` does."""
        return self._generator.getrandbits(bits)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        self._generator = random.Random(item.nodeid)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
    ) -> Iterator[None]:
        if fixturedef.scope == "function":
            return (yield)
        for_test = self._generator
        name = f"{fixturedef.baseid}::{fixturedef.argname}[{getattr(request, 'param_index', 0)}]"
        self._generator = random.Random(name)
        try:
            return (yield)
        finally:
            self._generator = for_test


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--inputs") is None:
        seeds, patch = DrawnSeeds(), pytest.MonkeyPatch()
        config.pluginmanager.register(seeds, "drawn seeds")
        for module in _DRAWN_FROM:
            patch.setattr(module, "randbits", seeds.randbits)
        config.add_cleanup(patch.undo)
