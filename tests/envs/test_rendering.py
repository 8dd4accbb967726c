"""Pictures and windows: the render modes of all faces."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import AddRenderObservation, RecordVideo, RenderCollection

from tkm_env import DisplayError, Game, MissingExtraError, terminus_v0, tkm_v0
from tkm_env.render.raster import pixels

pygame = pytest.importorskip("pygame", reason="needs the extra [render]")
pytest.importorskip("resvg_py", reason="needs the extra [render]")

ID = "tkm_env/TKM-v0"
#: The shapes of the pictures of either game.
SHAPES = ((480, 960, 3), (528, 960, 3))

#: Each face, made in a render mode.
FACES: dict[str, Callable[[str], Any]] = {
    "aec": lambda mode: tkm_v0.env(render_mode=mode),
    "raw aec": lambda mode: tkm_v0.raw_env(render_mode=mode),
    "pettingzoo.make": lambda mode: pettingzoo.make("aec", "tkm_env/tkm-v0", render_mode=mode),
    "gymnasium": lambda mode: gymnasium.make(ID, render_mode=mode, side="white"),
    "terminus aec": lambda mode: terminus_v0.env(render_mode=mode),
    "terminus gymnasium": lambda mode: gymnasium.make("tkm_env/Terminus-v0", render_mode=mode),
}


@pytest.fixture(params=FACES)
def face(request: pytest.FixtureRequest) -> Iterator[Callable[[str], Any]]:
    made: list[Any] = []

    def in_mode(mode: str) -> Any:
        made.append(FACES[request.param](mode))
        return made[-1]

    yield in_mode
    for env in made:
        env.close()


def is_picture(value: Any) -> bool:
    return (
        isinstance(value, np.ndarray)
        and value.dtype == np.uint8
        and value.shape in SHAPES
        and len(np.unique(value)) > 10
    )


# Pixels.


def test_pixels_have_the_size_and_the_colours_of_the_drawing() -> None:
    picture = pixels(Game().svg(size=640))
    assert (picture.shape, picture.dtype) == ((320, 640, 3), np.uint8)
    assert picture[8, 320].tolist() == [0xFA, 0xF7, 0xF0], "the ground of the light theme"
    assert picture[0, 0].tolist() == [255, 255, 255], "what is behind the drawing"
    assert pixels(Game().svg(size=640), ground="#102030")[0, 0].tolist() == [16, 32, 48]


def test_different_positions_are_different_pictures() -> None:
    game = Game()
    before = pixels(game.svg(size=320))
    game.play("choose 1")
    assert (pixels(game.svg(size=320)) != before).any()


# The mode "rgb_array".


def test_rgb_array_gives_pixels_after_reset_and_each_step(face: Callable[[str], Any]) -> None:
    env = face("rgb_array")
    env.reset(seed=1)
    first = env.render()
    assert is_picture(first)
    env.step(0)
    second = env.render()
    assert is_picture(second)
    assert (first != second).any()
    second[:] = 0
    assert is_picture(env.render()), "what was handed out can be written to"


def test_vector_environments_give_a_picture_of_each_game() -> None:
    envs = gymnasium.make_vec(ID, num_envs=2, opponent="self", render_mode="rgb_array")
    envs.reset(seed=1)
    pictures = envs.render()
    assert isinstance(pictures, tuple)
    assert len(pictures) == 2
    assert all(map(is_picture, pictures))


@pytest.mark.usefixtures("no_display_needed")
def test_gymnasium_checks_pass_in_every_mode() -> None:
    check_env(gymnasium.make(ID, render_mode="rgb_array").unwrapped, skip_render_check=False)


@pytest.mark.slow
def test_gymnasium_wrappers_collect_pictures() -> None:
    env = RenderCollection(gymnasium.make(ID, render_mode="rgb_array"))
    _, info = env.reset(seed=1)
    for _ in range(3):
        _, _, _, _, info = env.step(int(info["action_mask"].argmax()))
    pictures = env.render()
    assert len(pictures) == 4
    assert all(map(is_picture, pictures))
    seen, _ = AddRenderObservation(gymnasium.make(ID, render_mode="rgb_array")).reset(seed=1)
    assert is_picture(seen)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_record_video_writes_a_film(tmp_path: Any) -> None:
    pytest.importorskip("moviepy", reason="needs moviepy")
    env = RecordVideo(
        gymnasium.make(ID, render_mode="rgb_array"),
        str(tmp_path),
        episode_trigger=lambda episode: True,
    )
    _, info = env.reset(seed=1)
    for _ in range(5):
        _, _, _, _, info = env.step(int(info["action_mask"].argmax()))
    env.close()
    films = list(tmp_path.glob("*.mp4"))
    assert len(films) == 1
    assert films[0].stat().st_size > 5000


# The mode "human".


@pytest.mark.usefixtures("no_display_needed")
def test_human_shows_the_picture_in_a_window_after_reset_and_each_step(
    face: Callable[[str], Any],
) -> None:
    env = face("human")
    env.reset(seed=1)
    first = shown_picture()
    assert is_picture(first)
    env.step(0)
    assert (shown_picture() != first).any()
    assert env.render() is None
    env.close()
    assert not pygame.display.get_init(), "closing the environment closes the window"
    env.close()


def shown_picture() -> np.ndarray:
    """What is to be seen in the window."""
    surface = pygame.display.get_surface()
    width, height = surface.get_size()
    return np.frombuffer(pygame.image.tobytes(surface, "RGB"), np.uint8).reshape(height, width, 3)


@pytest.mark.usefixtures("no_display_needed")
def test_play_goes_on_when_a_person_closes_the_window(face: Callable[[str], Any]) -> None:
    env = face("human")
    env.reset(seed=1)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    env.step(0)
    assert not pygame.display.get_init()
    env.reset(seed=2)
    assert not pygame.display.get_init()


@pytest.mark.slow
@pytest.mark.usefixtures("no_display_needed")
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_an_environment_with_a_window_can_be_copied(
    face: Callable[[str], Any], copied: Callable[[Any], Any]
) -> None:
    env = face("human")
    env.reset(seed=1)
    twin = copied(env)
    twin.step(0)
    twin.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    "program",
    [
        f"import gymnasium, tkm_env; gymnasium.make({ID!r}, render_mode='human').reset()",
        "import gymnasium, tkm_env; from gymnasium.utils.env_checker import check_env; "
        f"check_env(gymnasium.make({ID!r}, render_mode='rgb_array').unwrapped)",
    ],
    ids=["make", "check_env"],
)
def test_without_a_display_it_says_so_and_does_not_hang(program: str) -> None:
    hidden = (
        "DISPLAY",
        "WAYLAND_DISPLAY",
        "SDL_VIDEODRIVER",
        "SDL_VIDEO_DRIVER",
        "XDG_RUNTIME_DIR",
    )
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    result = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    if result.returncode == 0:
        pytest.skip("SDL finds a display of its own here")
    assert DisplayError.__name__ in result.stderr, result.stderr
    assert (
        "render_mode='rgb_array' does without, and so does SDL_VIDEODRIVER=dummy" in result.stderr
    )
    environment["SDL_VIDEODRIVER"] = "dummy"
    subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        check=True,
        capture_output=True,
        timeout=120,
    )


# Without the extra.


@pytest.mark.parametrize(
    ("mode", "library"), [("rgb_array", "resvg_py"), ("rgb_array", "PIL"), ("human", "pygame")]
)
@pytest.mark.usefixtures("no_display_needed")
def test_without_the_extra_it_says_what_to_install(
    face: Callable[[str], Any], mode: str, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    env = face(mode)
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(
        MissingExtraError,
        match=rf"{library} is not installed: python -m pip install -e '\.\[render\]'",
    ):
        _ = env.reset(seed=1), env.render()


@pytest.mark.slow
def test_nothing_of_the_extra_is_imported_before_it_is_used() -> None:
    program = (
        "import sys, tkm_env, gymnasium; from tkm_env import tkm_v0\n"
        "tkm_v0.env().reset(); tkm_env.Game().svg()\n"
        "assert not {'pygame', 'resvg_py', 'PIL'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
