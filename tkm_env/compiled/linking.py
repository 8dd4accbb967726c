"""Functions that only compiled functions call, compiled as parts of these.

numba would take each of them through all of LLVM, and make machine code that nobody calls, since they are copied into what calls them.
A part goes no further than code for LLVM. An entry point takes in all parts it is made of, and they are optimised and turned into
machine code together; so the first game takes less than half the time.

This builds on numba's internals; `tkm_env.compiled.decorators` does without it where they differ.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numba
from numba.core import codegen, compiler, compiler_machinery, registry, typed_passes, types, untyped_passes

# numba's types leave these out.
_jit: Any = numba.jit
_settings: Any = numba.config
_codegen: Any = codegen
_Library: Any = _codegen.JITCodeLibrary
_llvm: Any = _codegen.ll
_Compiler: Any = compiler.CompilerBase
_DefaultPassBuilder: Any = compiler.DefaultPassBuilder
_Dispatcher: Any = registry.CPUDispatcher
_PassManager: Any = compiler_machinery.PassManager
_types: Any = types

_METHODS: Final = ("_finalize_final_module", "_get_module_for_linking", "finalize")
if not all(hasattr(_Library, method) for method in _METHODS):
    raise ImportError("this version of numba stores compiled code differently")

#: What numba needs of a function that is linked in, beside its code.
_ENVIRONMENT: Final = "_ZN08NumbaEnv"

#: Types that int64 stands for.
_NARROW: Final = frozenset((_types.boolean, _types.int8, _types.uint8, _types.int16, _types.uint16, _types.int32, _types.uint32))

#: numba's steps from a function to LLVM's code, without those for what parts do not contain: closures, comprehensions, ``with``, ``raise``,
#: expressions over whole arrays.
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


class _Code(_Library):  # type: ignore[misc]
    """The code of a part: to be linked into what calls it, never run by itself."""

    _code: Any
    _final_module: Any
    _shared_module: Any

    def finalize(self) -> None:
        """Put the code aside, and give the machine an empty module with the part's environment, for which numba asks."""
        self._code = self._final_module
        for function in self._code.functions:
            if not function.is_declaration and function.linkage == _llvm.Linkage.external:
                function.linkage = "linkonce_odr"
        names = (variable.name for variable in self._code.global_variables if variable.name.startswith(_ENVIRONMENT))
        empty = [str(self._codegen._create_empty_module(self.name)), *(f"@{name} = common global i8* null" for name in names)]
        self._final_module = _llvm.parse_assembly("\n".join(empty))
        self._final_module.name = self._code.name
        self._finalize_final_module()

    def _get_module_for_linking(self) -> Any:
        """The code with all that it calls."""
        if self._shared_module is None:
            _take_in(self._code, self, {self})
            self._shared_module = self._code
        return self._shared_module


class _Kernel(_Library):  # type: ignore[misc]
    """The code of an entry point, with that of each of its parts once."""

    def finalize(self) -> None:
        _take_in(self._final_module, self, {self})
        self._linking_libraries.clear()
        # Nothing else can call what was taken in: LLVM may then change how it is called, or write it where it is called from only once.
        for function in self._final_module.functions:
            if function.linkage == _llvm.Linkage.linkonce_odr:
                function.linkage = "internal"
        super().finalize()


def _take_in(code: Any, caller: Any, taken: set[Any]) -> None:
    """Link to ``code`` what ``caller``, which is in it, calls: LLVM leaves out what nothing calls yet."""
    for library in caller._linking_libraries:
        if library not in taken:
            taken.add(library)
            if isinstance(library, _Code) and library._shared_module is None:
                code.link_in(library._code, preserve=True)
                _take_in(code, library, taken)
            else:
                code.link_in(library._get_module_for_linking(), preserve=True)


class _KernelCompiler(_Compiler):  # type: ignore[misc]
    """How an entry point is compiled: as numba does, but for what becomes of the code."""

    def define_pipelines(self) -> list[Any]:
        _begin(_Kernel, self.state)
        return [_DefaultPassBuilder.define_nopython_pipeline(self.state)]


class _InlinedCompiler(_Compiler):  # type: ignore[misc]
    """How a part is compiled."""

    def define_pipelines(self) -> list[Any]:
        _begin(_Code, self.state)
        steps = _PassManager("part")
        for step in _STEPS:
            steps.add_pass(step, step.__name__)
        steps.finalize()
        return [steps]


def _begin(library: Any, state: Any) -> None:
    """Have the code written to such a library, which numba makes where there is none."""
    state.library = library(state.targetctx.codegen(), state.func_id.func_qualname)
    state.library.enable_object_caching()


class Inlined(_Dispatcher):  # type: ignore[misc]
    """A function that is compiled as a part of what calls it.

    Whole numbers and truth values are all handed over as int64: numba would compile it once for each constant, and for each type.
    """

    def __init__(self, py_func: Callable[..., Any], locals: Any = None, targetoptions: Any = None) -> None:  # noqa: A002 as in numba
        super().__init__(py_func, locals or {}, targetoptions or {}, _InlinedCompiler)

    def get_call_template(self, args: Sequence[Any], kws: dict[str, Any]) -> Any:
        return super().get_call_template([widen(given) for given in args], {name: widen(kws[name]) for name in kws})


def widen(given: Any) -> Any:
    kind = _types.unliteral(given)
    return _types.int64 if kind in _NARROW else kind


def as_inlined(function: Callable[..., Any], **options: Any) -> Any:
    """The function compiled as a part of what calls it, with numba's options; only compiled functions can call it."""
    return function if _settings.DISABLE_JIT else Inlined(function, targetoptions=options)


def as_kernel(function: Callable[..., Any], **options: Any) -> Any:
    """The function compiled together with the parts that it calls, for Python to call."""
    return _jit(pipeline_class=_KernelCompiler, **options)(function)
