"""Every wrapper of Gymnasium, PettingZoo and SuperSuit does what `docs/wrappers.toml` says."""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from pettingzoo.utils import conversions
from pettingzoo.utils import wrappers as pettingzoo_wrappers
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from tests.package.libraries.table import read
from tests.package.libraries.wrapped_games import Ended, games_through
from tkm_env import tkm_v0

# SuperSuit's, once it makes a vector of PettingZoo's environments.
pytestmark = pytest.mark.filterwarnings("ignore:agent_selector is deprecated:DeprecationWarning")

TABLE = read("docs/wrappers.toml")
VERSIONS: dict[str, str] = TABLE.pop("versions")
#: What rows say must be installed: a module, and why the row is skipped without it.
INSTALLED = {
    "array_api_compat": ("array_api_compat", "needs array-api-compat"),
    "cv2": ("cv2", "needs OpenCV"),
    "jax": ("jax", "needs the extra [jax]"),
    "moviepy": ("moviepy", "needs moviepy"),
    "render": ("resvg_py", "needs the extra [render]"),
    "supersuit": ("supersuit", "needs SuperSuit"),
    "train": ("stable_baselines3", "needs the extra [train]"),
}
#: Games in each row; rows that draw each step play fewer.
GAMES = 5
#: More games than a warning waits for, in each of a few environments.
UNTIL_A_WARNING = 40


def exported(library: str, around: str) -> set[str]:
    """The wrappers that the installed library has."""
    if (library, around) == ("Gymnasium", "one game"):
        return {*gymnasium.wrappers.__all__} - {"vector"}
    if library == "Gymnasium":
        return {*gymnasium.wrappers.vector.__all__}
    if library == "PettingZoo":
        functions = inspect.getmembers(conversions, inspect.isfunction)
        return {*pettingzoo_wrappers.__all__} | {name for name, _ in functions if "_to_" in name}
    supersuit = import_module("supersuit")
    return {name for name in dir(supersuit) if re.search(r"_v\d+$", name)}


def numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(".")[:2]]


def is_older(library: str) -> bool:
    """Whether the installed library is older than the one that the rows describe."""
    try:
        installed = version(library.lower())
    except PackageNotFoundError:
        return False
    return numbers(installed) < numbers(VERSIONS[library.lower()])


def every_row() -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    """The library, what the wrapper stands around, its name, and its row."""
    for library, groups in TABLE.items():
        for around, group in groups.items():
            for name, row in group.items():
                yield library, around, name, row


def rows(outcome: str, *keys: str) -> list[Any]:
    """The rows of an outcome with all of these keys; only of wrappers that are there."""
    chosen = []
    for library, around, name, row in every_row():
        if row["outcome"] != outcome or not row.keys() >= {*keys}:
            continue
        needed = [*row.get("installed", []), *(["supersuit"] if library == "SuperSuit" else [])]
        reasons = [INSTALLED[one][1] for one in needed if find_spec(INSTALLED[one][0]) is None]
        is_there = not is_older(library) or name in exported(library, around)
        if not (reasons or is_there) or ("quiet" in keys and is_older(library)):
            continue
        marks: list[Any] = [pytest.mark.skipif(True, reason=reason) for reason in reasons[:1]]
        if "render" in needed:
            marks.append(pytest.mark.slow)
        row = row | {"library": library}
        chosen.append(pytest.param(row, id=f"{library}, {around}, {name}", marks=marks))
    return chosen


def plain(env: Any) -> Any:
    """An environment of PettingZoo whose observations are arrays, without the mask."""
    supersuit = import_module("supersuit")
    return supersuit.observation_lambda_v0(
        env, lambda seen, space: seen["observation"], lambda space: space["observation"]
    )


def make(env_id: str = "tkm_env/TKM-v0", **settings: Any) -> Any:
    return gymnasium.make(env_id, **settings)


def make_vec(env_id: str = "tkm_env/TKM-v0", **settings: Any) -> Any:
    return gymnasium.make_vec(env_id, num_envs=3, **settings)


@pytest.fixture
def films(tmp_path: Path) -> Path:
    return tmp_path / "films"


@pytest.fixture
def wrapped(films: Path, request: pytest.FixtureRequest) -> Callable[[str], Any]:
    """Makes what a call of a row makes."""
    if "render" in request.getfixturevalue("row").get("installed", []):
        request.getfixturevalue("no_display_needed")
    names: dict[str, Any] = {
        "conversions": conversions,
        "env": tkm_v0.env,
        "films": str(films),
        "make": make,
        "make_vec": make_vec,
        "np": np,
        "parallel": lambda **settings: turn_based_aec_to_parallel(tkm_v0.env(**settings)),
        "pettingzoo": pettingzoo_wrappers,
        "plain": plain,
        "spaces": spaces,
        "vector": gymnasium.wrappers.vector,
        "wrappers": gymnasium.wrappers,
    }
    names |= {name: import_module(name) for name in ("supersuit", "torch") if find_spec(name)}
    return lambda call: eval(call, names)


def played(env: Any, games: int, strict: bool = False) -> list[Ended]:
    return [*islice(games_through(env, np.random.default_rng(1), strict), games)]


def holds(expression: str, end: Ended) -> bool:
    """Whether something is true of what was seen at the end of a game."""
    names = {"np": np} | ({"torch": import_module("torch")} if find_spec("torch") else {})
    return bool(eval(expression, names | end.seen))


@pytest.mark.parametrize(
    ("library", "around"), [(library, around) for library in TABLE for around in TABLE[library]]
)
def test_every_wrapper_of_the_installed_libraries_has_a_row(library: str, around: str) -> None:
    if library == "SuperSuit":
        pytest.importorskip("supersuit", reason="needs SuperSuit")
    there = {*TABLE[library][around]}
    assert exported(library, around) <= there
    if not is_older(library):
        assert there <= exported(library, around)


def test_no_cell_is_empty() -> None:
    for _, _, name, row in every_row():
        assert f".{name}(" in row["call"], name
        assert row["outcome"] in ("works", "needs", "no sense"), name
        assert bool(row.get("text")) or row["outcome"] == "works", name
        assert ("otherwise" in row) == (row["outcome"] == "needs"), name
        assert ("notice" in row) + ("quiet" in row) == (row["outcome"] != "works"), name


@pytest.mark.parametrize("row", [*rows("works"), *rows("needs")])
def test_games_keep_their_rewards_their_ends_and_their_masks(
    row: dict[str, Any], wrapped: Callable[[str], Any], films: Path
) -> None:
    env = wrapped(row["call"])
    is_drawn = "render" in row.get("installed", [])
    ends = played(env, 1 if is_drawn else GAMES, strict=not is_older(row["library"]))
    for end in ends:
        if row.get("scaled"):
            assert np.sign(end.rewards).tolist() == end.expected
        else:
            assert end.rewards == end.expected
    assert is_drawn or any(end.expected[0] for end in ends)
    if "shows" in row:
        assert holds(row["shows"], ends[-1])
    if hasattr(env, "close"):
        env.close()
    if "films" in row["call"]:
        assert [*films.glob("*.mp4")]


@pytest.mark.parametrize("row", [*rows("needs", "notice"), *rows("no sense", "notice")])
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # refused half-made
def test_what_does_not_work_is_noticed(row: dict[str, Any], wrapped: Callable[[str], Any]) -> None:
    def play() -> None:
        end = played(wrapped(row.get("otherwise", row["call"])), UNTIL_A_WARNING)[-1]
        if "shows" in row:
            holds(row["shows"], end)

    kind, _, text = row["notice"].partition(": ")
    if kind == "UserWarning":
        with pytest.warns(UserWarning, match=re.escape(text)):
            play()
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(Exception) as raised:  # noqa: PT011 what is raised is checked below
            play()
    if not is_older(row["library"]):
        assert raised.type.__name__ == kind
        assert text in str(raised.value)
    if kind == "AssertionError":
        assert "tests" not in raised.traceback[-1].path.parts, "it is not the wrapper's own"


@pytest.mark.parametrize("row", [*rows("needs", "quiet"), *rows("no sense", "quiet")])
def test_what_does_not_work_quietly_is_known(
    row: dict[str, Any], wrapped: Callable[[str], Any]
) -> None:
    assert holds(row["quiet"], played(wrapped(row.get("otherwise", row["call"])), 1)[0])


def test_maskable_ppo_refuses_supersuits_vectors_since_they_have_no_masks() -> None:
    supersuit = pytest.importorskip("supersuit", reason="needs SuperSuit")
    contrib = pytest.importorskip("sb3_contrib", reason="needs the extra [train]")
    agents = supersuit.pettingzoo_env_to_vec_env_v1(
        turn_based_aec_to_parallel(tkm_v0.env(observation="compact"))
    )
    envs = supersuit.concat_vec_envs_v1(agents, 2, base_class="stable_baselines3")
    model = contrib.MaskablePPO("MultiInputPolicy", envs, n_steps=8, batch_size=8)
    with pytest.raises((AttributeError, ValueError), match=r"has_attr|action masking"):
        model.learn(8)
