"""Functions that only compiled functions call, compiled as parts of their callers.

numba would take each of them through all of LLVM, only to produce machine code that is never
called, since it is copied into the callers. Here a part ends as LLVM code; a kernel links all its
parts, which are optimised and compiled together. This more than halves the time to the first game.
It builds on numba's internals; where these differ, `tkm_env.compiled.numba_backend` does without
it.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

import numba
from numba.core import (
    codegen,
    compiler,
    compiler_machinery,
    registry,
    typed_passes,
    types,
    untyped_passes,
)

_METHODS: Final = ("_finalize_final_module", "_get_module_for_linking", "finalize")
if not all(hasattr(codegen.JITCodeLibrary, method) for method in _METHODS):
    raise ImportError("this version of numba stores compiled code differently")

#: LLVM code, as llvmlite wraps it.
Module: TypeAlias = Any
#: A library of compiled functions, of one of numba's classes.
Library: TypeAlias = Any
#: A function that numba compiles, and the template of a call to one.
Compiled: TypeAlias = Any
Template: TypeAlias = Any

#: What numba needs from a linked function, besides its code.
_ENVIRONMENT: Final = "_ZN08NumbaEnv"

#: Types that int64 stands for.
_NARROW: Final = frozenset(
    (types.boolean, types.int8, types.uint8, types.int16, types.uint16, types.int32, types.uint32)
)

#: numba's steps from a function to LLVM code. Parts do not need those for closures, comprehensions,
#: ``with``, ``raise`` and expressions over whole arrays.
_STEPS: Final[tuple[Any, ...]] = (
    untyped_passes.TranslateByteCode,
    untyped_passes.FixupArgs,
    untyped_passes.IRProcessing,
    untyped_passes.GenericRewrites,
    untyped_passes.ReconstructSSA,
    typed_passes.NopythonTypeInference,
    typed_passes.PreLowerStripPhis,
    typed_passes.IRLegalization,
    typed_passes.AnnotateTypes,
    typed_passes.NativeLowering,
    typed_passes.NoPythonBackend,
)


class _Code(codegen.JITCodeLibrary):
    """The code of a part: to be linked into what calls it, never run by itself."""

    _code: Module
    _final_module: Module
    _shared_module: Module

    def finalize(self) -> None:
        """Set the code aside, and finalize an empty module instead.

        The empty module has the part's environment, which numba requires.
        """
        self._code = self._final_module
        for function in self._code.functions:
            if not function.is_declaration and function.linkage == codegen.ll.Linkage.external:
                function.linkage = "linkonce_odr"
        names = (
            variable.name
            for variable in self._code.global_variables
            if variable.name.startswith(_ENVIRONMENT)
        )
        empty = [
            str(self._codegen._create_empty_module(self.name)),
            *(f"@{name} = common global i8* null" for name in names),
        ]
        self._final_module = codegen.ll.parse_assembly("\n".join(empty))
        self._final_module.name = self._code.name
        self._finalize_final_module()

    def _get_module_for_linking(self) -> Module:
        """The code with everything that it calls."""
        if self._shared_module is None:
            _take_in(self._code, self, {self})
            self._shared_module = self._code
        return self._shared_module


class _Kernel(codegen.JITCodeLibrary):
    """The code of a kernel, with that of each of its parts once."""

    def finalize(self) -> None:
        _take_in(self._final_module, self, {self})
        self._linking_libraries.clear()
        # No other code can call the linked parts, so LLVM may change their calling convention, or
        # inline those called only once.
        for function in self._final_module.functions:
            if function.linkage == codegen.ll.Linkage.linkonce_odr:
                function.linkage = "internal"
        super().finalize()


def _take_in(code: Module, caller: Library, taken: set[Library]) -> None:
    """Link everything that ``caller`` calls into ``code``, which contains the caller.

    ``preserve`` is set because LLVM would drop functions that are not called yet.
    """
    for library in caller._linking_libraries:
        if library not in taken:
            taken.add(library)
            if isinstance(library, _Code) and library._shared_module is None:
                code.link_in(library._code, preserve=True)
                _take_in(code, library, taken)
            else:
                code.link_in(library._get_module_for_linking(), preserve=True)


class _KernelCompiler(compiler.CompilerBase):
    """How a kernel is compiled: as numba does, but into a `_Kernel`."""

    def define_pipelines(self) -> list[Any]:
        _begin(_Kernel, self.state)
        return [compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)]


class _InlinedCompiler(compiler.CompilerBase):
    """How a part is compiled."""

    def define_pipelines(self) -> list[Any]:
        _begin(_Code, self.state)
        steps = compiler_machinery.PassManager("part")
        for step in _STEPS:
            steps.add_pass(step, step.__name__)
        steps.finalize()
        return [steps]


def _begin(library: Any, state: Any) -> None:
    """Write the code to a library of this class instead of numba's own."""
    state.library = library(state.targetctx.codegen(), state.func_id.func_qualname)
    state.library.enable_object_caching()


class Inlined(registry.CPUDispatcher):
    """A function compiled as a part of its callers.

    Integers and booleans are passed as int64, so that it is compiled once, not for each type and
    constant.

    Args:
        py_func: the function.
        locals: as in numba.
        targetoptions: numba's options.
    """

    def __init__(
        self,
        py_func: Callable[..., Any],
        locals: Any = None,  # noqa: A002 as in numba
        targetoptions: Any = None,
    ) -> None:
        super().__init__(py_func, locals or {}, targetoptions or {}, _InlinedCompiler)

    def get_call_template(self, args: Sequence[types.Type], kws: dict[str, types.Type]) -> Template:
        """The template of a call, with integers widened.

        Args:
            args: the types of the positional arguments.
            kws: the types of the keyword arguments.

        Returns:
            What numba's method returns for them.
        """
        return super().get_call_template(
            [widen(given) for given in args], {name: widen(kws[name]) for name in kws}
        )


def widen(given: types.Type) -> types.Type:
    """int64 for the type of a narrower integer or a boolean; any other type as it is."""
    kind = types.unliteral(given)
    return types.int64 if kind in _NARROW else kind


def as_inlined(function: Callable[..., Any], **options: Any) -> Compiled:
    """Compile a function as a part of its callers; only compiled functions can call it.

    Args:
        function: the function.
        **options: numba's options.

    Returns:
        The compiled function; ``function`` itself if numba compiles nothing.
    """
    return function if numba.config.DISABLE_JIT else Inlined(function, targetoptions=options)


def as_kernel(function: Callable[..., Any], **options: Any) -> Compiled:
    """Compile a function together with the parts it calls, for Python to call.

    Args:
        function: the function.
        **options: numba's options.

    Returns:
        The compiled function.
    """
    return numba.jit(pipeline_class=_KernelCompiler, **options)(function)
