"""Arrays and kernels on a GPU, and the kernels that all games share.

It is the only module that knows numba's CUDA target and CuPy, from the extra ``[cuda]``. With
``NUMBA_ENABLE_CUDASIM=1`` and ``NUMBA_DISABLE_JIT=1``, kernels run in numba's simulator, as plain
Python on NumPy's arrays. All work is launched on the default stream, in order, and calls return
before their work is done.
"""

import warnings
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.array_types import (
    Actions,
    Factors,
    Gathered,
    Indices,
    Masks,
    PlayerOfEach,
    Rows,
    StreamOfEach,
    WordRows,
    Words,
)
from tkm_env.compiled.decorators import cache_folder, package_of
from tkm_env.compiled.gather_plan import gather
from tkm_env.compiled.hashing import key_of
from tkm_env.compiled.kernels import draw_legal
from tkm_env.compiled.random_numbers import draw
from tkm_env.foundations.errors import ConfigError, extra


def _import_if_installed(name: str) -> Any:
    """A module, or None if it is not installed.

    So the module here can be imported, and documented, without that one.
    """
    try:
        return import_module(name)
    except ModuleNotFoundError:
        return None


_numba: Any = _import_if_installed("numba")
#: Whether kernels are simulated, without a GPU.
SIMULATED: Final = _numba is not None and bool(_numba.config.ENABLE_CUDASIM)
#: What kernels are written with, such as ``target.grid(1)``, the thread's index. The simulator
#: requires it to be a global of a module.
target: Any = _import_if_installed("numba.cuda")
#: The module that makes arrays on the device, with NumPy's interface: CuPy, or NumPy itself in the
#: simulator.
arrays: Any = np if SIMULATED else _import_if_installed("cupy")

#: A compiled kernel.
Kernel: TypeAlias = Any
#: An array in the device's memory: one of CuPy's, or of NumPy's in the simulator.
DeviceArray: TypeAlias = Any
#: A view of a device array, as kernels take it, of numba's own class.
KernelArgument: TypeAlias = Any

#: One of numba's types, and a function that numba compiles.
NumbaType: TypeAlias = Any
Compiled: TypeAlias = Any

#: The most LLVM instructions in a function that may be inlined.
_MOST_COPIED: Final = 300
#: Threads per block; in the simulator each is a Python thread.
_BLOCK: Final = 4 if SIMULATED else 128
#: Threads per block if they share memory to prepare their output.
ROWS: Final = 4 if SIMULATED else 32


def _do_nothing(*_: Any) -> None:
    """What kernels call instead of `host_only` functions."""


def _parts_for_kernels() -> None:
    """Make kernels compile each part of the engine once, for all integer types.

    Large parts are not inlined. Compiling thus takes a quarter of the time.
    """
    from numba.cuda.dispatcher import CUDADispatcher

    from tkm_env.compiled.linking import Inlined, widen

    class KernelPart(CUDADispatcher):
        def get_call_template(self, args: Sequence[NumbaType], kws: dict[str, NumbaType]) -> Any:
            return super().get_call_template(
                [widen(given) for given in args], {name: widen(kws[name]) for name in kws}
            )

        def compile_device(
            self, args: tuple[NumbaType, ...], return_type: NumbaType | None = None
        ) -> Any:
            is_new = args not in self.overloads
            result = super().compile_device(args, return_type)
            if is_new:
                code = result.library.get_function(result.fndesc.llvm_func_name)
                if sum(len(block.instructions) for block in code.blocks) > _MOST_COPIED:
                    code.attributes.add("noinline")
            return result

    @cache
    def on_device(part: Compiled) -> Compiled:
        function = (
            _do_nothing
            if getattr(part, "does_nothing_in_kernels", False)
            else getattr(part, "on_device", part.py_func)
        )
        return KernelPart(
            function, part.targetoptions | {"device": True, "debug": False, "opt": True}
        )

    # The attribute in which numba looks for the device version of a host function.
    Inlined._CUDATypingContext__dispatcher = property(on_device)


if arrays is not None and not SIMULATED:
    _parts_for_kernels()


def check_device() -> None:
    """Check that there is a GPU.

    Raises:
        MissingExtraError: without the extra ``[cuda]``.
        ConfigError: if there is no GPU that CUDA can use.
    """
    if SIMULATED:
        return
    with extra("cuda"):
        for name in ("numba_cuda", "cupy"):
            import_module(name)
    if not target.is_available():
        raise ConfigError(
            "device", "cuda", "there is no GPU that CUDA can use; without it, the games run on CPUs"
        )


def kernel(function: Callable[..., None]) -> Kernel:
    """Compile a function for the GPU; its machine code is cached where the engine's is."""
    if arrays is None:
        return function
    made = target.jit(function)
    package = package_of(function)
    folder = cache_folder(package) if package and not SIMULATED else None
    if folder is not None:
        made._cache = _cache_in(folder, function)
    return made


def _cache_in(folder: str, function: Callable[..., None]) -> Any:
    """Numba's cache of a kernel, in a folder."""
    dispatcher: Any = import_module("numba.cuda.dispatcher")
    settings: Any = dispatcher.config
    given = settings.CACHE_DIR
    settings.CACHE_DIR = folder
    try:
        return dispatcher.CUDACache(function)
    finally:
        settings.CACHE_DIR = given


def launch(kernel: Kernel, threads: int, *arguments: Any, block: int = _BLOCK) -> None:
    """Run a kernel on at least a given number of threads.

    Args:
        kernel: the kernel, in which threads beyond ``threads`` do nothing.
        threads: the number of threads that are needed.
        *arguments: what the kernel takes.
        block: the number of threads per block.
    """
    if SIMULATED:
        arguments = tuple(
            _wrap_for_simulator(given) if isinstance(given, np.ndarray) else given
            for given in arguments
        )
    _configure(kernel, -(-threads // block), block)(*arguments)


@cache
def _configure(kernel: Kernel, blocks: int, block: int) -> Compiled:
    """A kernel configured for blocks of threads, without numba's warning that they are few."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return kernel[blocks, block]


def _wrap_for_simulator(array: NDArray[Any]) -> KernelArgument:
    """An array that the simulator does not copy, so that writes through other views are kept."""
    return import_module("numba.cuda.simulator.cudadrv.devicearray").FakeCUDAArray(array)


def on_device(array: NDArray[Any]) -> DeviceArray:
    """A copy of an array in the device's memory."""
    return arrays.array(array)


def to_host(array: DeviceArray) -> NDArray[Any]:
    """A copy of a device array as a numpy array, once all writes to it are done."""
    return array.copy() if SIMULATED else array.get()


def argument(array: DeviceArray) -> KernelArgument:
    """A view of an array as a kernel argument, which saves creating one at each launch."""
    return array if SIMULATED else target.as_cuda_array(array, sync=False)


def records(rows: DeviceArray, dtype: np.dtype[Any]) -> KernelArgument:
    """A view of records for kernels.

    Args:
        rows: the records as bytes: uint8 of shape (n, bytes of a record), C-contiguous.
        dtype: the dtype of a record.

    Returns:
        A view of shape (n,).
    """
    return argument(rows).view(dtype).reshape(len(rows))


def is_on_device(given: object) -> bool:
    """Whether an object is an array in the device's memory, of any library."""
    return hasattr(given, "__cuda_array_interface__")


@kernel
def pick(masks: Masks, streams: StreamOfEach, actions: Actions) -> None:
    """Draw a legal action for each game, as `pick_all` does on CPUs.

    Args:
        masks: the legal actions: int8 of shape (n, actions), 1 if legal, else 0.
        streams: random numbers for each game: uint64 of shape (n,).
        actions: where to write the actions: int64 of shape (n,).
    """
    game = target.grid(1)
    if game < masks.shape[0]:
        actions[game] = draw_legal(masks[game], streams, game)


@kernel
def draw_some(
    streams: StreamOfEach, indices: Indices, below: int, drawn: NDArray[np.int64]
) -> None:
    """Draw an integer from each of some streams, as `draw_all` does on CPUs.

    Args:
        streams: uint64 of shape (n,).
        indices: which streams: int64 of shape (k,).
        below: the exclusive upper bound, 1 to 2**32.
        drawn: where to write the integers: int64 of shape (k,).
    """
    number = target.grid(1)
    if number < indices.shape[0]:
        drawn[number] = draw(streams, indices[number], below)


@kernel
def gather_some(
    rows: Rows, viewers: PlayerOfEach, plans: WordRows, factors: Factors, gathered: Gathered
) -> None:
    """Gather from each row, as `gather_rows` does on CPUs.

    Args:
        rows: int8 of shape (n, size).
        viewers: the index of the viewer of each row, whose plan is followed: int64 of shape (n,).
        plans: a plan for each player: uint64 of shape (players, m).
        factors: float32 or int8 of shape (k,).
        gathered: where to write: of shape (n, k) and the dtype of the factors.
    """
    number = target.grid(1)
    if number < rows.shape[0]:
        gather(rows[number], plans[viewers[number]], factors, gathered[number])


@kernel
def write_keys(words: WordRows, keys: Words) -> None:
    """Write a key of each state, as the kernel of the same name does on CPUs.

    Args:
        words: the states as words: uint64 of shape (n, words of a state).
        keys: where to write the keys: uint64 of shape (n,).
    """
    number = target.grid(1)
    if number < words.shape[0]:
        keys[number] = key_of(words[number])
