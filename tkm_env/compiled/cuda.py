"""Arrays and kernels on a GPU, and the kernels that all games share: the one module that knows numba's CUDA target and CuPy, from the extra
``[cuda]``. With ``NUMBA_ENABLE_CUDASIM=1`` and ``NUMBA_DISABLE_JIT=1`` kernels run in numba's simulator, as plain Python on numpy's arrays.
Everything is launched on the default stream, in order, and returns before it is done.
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
    """A module, or None where it is not installed, so that this module can be imported, and documented, without it."""
    try:
        return import_module(name)
    except ModuleNotFoundError:
        return None


_numba: Any = _import_if_installed("numba")
#: Whether there is no GPU, and kernels are simulated.
SIMULATED: Final = _numba is not None and bool(_numba.config.ENABLE_CUDASIM)
#: What kernels are written with, such as ``target.grid(1)``, the thread's number; the simulator requires it to be a module's global.
target: Any = _import_if_installed("numba.cuda")
#: The module that makes arrays on the device, with numpy's interface: CuPy, or numpy itself in the simulator.
arrays: Any = np if SIMULATED else _import_if_installed("cupy")

#: A compiled kernel.
Kernel: TypeAlias = Any
#: An array in the device's memory: one of CuPy's, or of NumPy's in the simulator.
DeviceArray: TypeAlias = Any
#: A view of one that kernels take, of numba's own class.
KernelArgument: TypeAlias = Any

#: The most LLVM instructions of a function that may be inlined.
_MOST_COPIED: Final = 300
#: Threads per block; in the simulator each is a Python thread.
_BLOCK: Final = 4 if SIMULATED else 128
#: Threads per block where they share memory to prepare their output.
ROWS: Final = 4 if SIMULATED else 32


def _do_nothing(*_: Any) -> None:
    """What kernels call in place of `host_only` functions."""


def _parts_for_kernels() -> None:
    """Have kernels compile each part of the engine once, for all integer types, and large ones not inlined: a quarter of the time."""
    from numba.cuda.dispatcher import CUDADispatcher

    from tkm_env.compiled.linking import Inlined, widen

    class KernelPart(CUDADispatcher):
        def get_call_template(self, args: Sequence[Any], kws: dict[str, Any]) -> Any:
            return super().get_call_template(
                [widen(given) for given in args], {name: widen(kws[name]) for name in kws}
            )

        def compile_device(self, args: Any, return_type: Any = None) -> Any:
            is_new = args not in self.overloads
            result = super().compile_device(args, return_type)
            if is_new:
                code = result.library.get_function(result.fndesc.llvm_func_name)
                if sum(len(block.instructions) for block in code.blocks) > _MOST_COPIED:
                    code.attributes.add("noinline")
            return result

    @cache
    def on_device(part: Any) -> Any:
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
    """Raise a `MissingExtraError` without the extra ``[cuda]``, and a `ConfigError` if there is no GPU that CUDA can use."""
    if SIMULATED:
        return
    with extra("cuda"):
        for name in ("numba_cuda", "cupy"):
            import_module(name)
    if not target.is_available():
        raise ConfigError(
            "device",
            "cuda",
            "there is no GPU that CUDA can use; the games run on processors without it",
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
    """Run a kernel with at least so many threads; excess ones have nothing to do."""
    if SIMULATED:
        arguments = tuple(
            _wrap_for_simulator(given) if isinstance(given, np.ndarray) else given
            for given in arguments
        )
    _configure(kernel, -(-threads // block), block)(*arguments)


@cache
def _configure(kernel: Kernel, blocks: int, block: int) -> Any:
    """A kernel configured for so many blocks of so many threads, without numba's warning that these are few."""
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
    """A view of an array as a kernel argument, which numba would otherwise create at each launch."""
    return array if SIMULATED else target.as_cuda_array(array, sync=False)


def records(rows: DeviceArray, dtype: np.dtype[Any]) -> KernelArgument:
    """A view of records for kernels: shape (n,) for uint8 ``rows`` (n, bytes of a record), C-contiguous."""
    return argument(rows).view(dtype).reshape(len(rows))


def is_on_device(given: object) -> bool:
    """Whether something is an array in the device's memory, of any library."""
    return hasattr(given, "__cuda_array_interface__")


@kernel
def pick(masks: Masks, streams: StreamOfEach, actions: Actions) -> None:
    """As `pick_all`, which describes the arguments."""
    game = target.grid(1)
    if game < masks.shape[0]:
        actions[game] = draw_legal(masks[game], streams, game)


@kernel
def draw_some(
    streams: StreamOfEach, indices: Indices, below: int, drawn: NDArray[np.int64]
) -> None:
    """As `draw_all`."""
    number = target.grid(1)
    if number < indices.shape[0]:
        drawn[number] = draw(streams, indices[number], below)


@kernel
def gather_some(
    rows: Rows, viewers: PlayerOfEach, plans: WordRows, factors: Factors, gathered: Gathered
) -> None:
    """Gather from ``rows`` (n, size) int8 by the plans of ``viewers`` (n,) int64, as `gather_rows` does on processors."""
    number = target.grid(1)
    if number < rows.shape[0]:
        gather(rows[number], plans[viewers[number]], factors, gathered[number])


@kernel
def write_keys(words: WordRows, keys: Words) -> None:
    """As the kernel of that name on processors."""
    number = target.grid(1)
    if number < words.shape[0]:
        keys[number] = key_of(words[number])
