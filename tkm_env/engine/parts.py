"""Functions that only compiled functions call, compiled as parts of these. Imports numba and nothing of this package.

numba would take each of them through all of LLVM, and make machine code that nobody calls, since they are copied into what calls them.
A part goes as far as unoptimised code. An entry point takes in all parts it is made of, and they are optimised and turned into machine
code together, which takes half the time.

This builds on numba's insides: `tkm_env.engine.compiled` does without where they are other ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from numba.core import codegen, compiler, compiler_machinery, registry, typed_passes, types, untyped_passes

__all__ = ["Part"]

# numba's types leave these out.
_codegen: Any = codegen
_Library: Any = _codegen.JITCodeLibrary
_llvm: Any = _codegen.ll
_Compiler: Any = compiler.CompilerBase
_Dispatcher: Any = registry.CPUDispatcher
_PassManager: Any = compiler_machinery.PassManager
_types: Any = types

_METHODS: Final = ("_finalize_final_module", "_get_module_for_linking", "_optimize_functions", "finalize")
if not all(hasattr(_Library, method) for method in _METHODS):
    raise ImportError("this numba keeps compiled code in another way")

#: What numba needs of a function that is linked in, beside its code.
_ENVIRONMENT: Final = "_ZN08NumbaEnv"

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

    def _optimize_functions(self, module: Any) -> None:
        """Leave that to what calls the part."""
        module.data_layout = self._codegen._data_layout

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
            self._take_in(self, {self})
            self._shared_module = self._code
        return self._shared_module

    def _take_in(self, caller: Any, taken: set[Any]) -> None:
        """Link in what ``caller`` calls, which comes first: LLVM leaves out what nothing calls yet."""
        for library in caller._linking_libraries:
            if library not in taken:
                taken.add(library)
                is_open = isinstance(library, _Code) and library._shared_module is None
                self._code.link_in(library._code if is_open else library._get_module_for_linking(), preserve=True)
                if is_open:
                    self._take_in(library, taken)


class _ToCode(_Compiler):  # type: ignore[misc]
    """How a part is compiled."""

    def define_pipelines(self) -> list[Any]:
        self.state.library = _Code(self.state.targetctx.codegen(), self.state.func_id.func_qualname)
        self.state.library.enable_object_caching()
        steps = _PassManager("part")
        for step in _STEPS:
            steps.add_pass(step, step.__name__)
        steps.finalize()
        return [steps]


class Part(_Dispatcher):  # type: ignore[misc]
    """A function compiled as a part of what calls it.

    Whole numbers and truth values are all handed over as int64: numba would compile it once for each constant, and for each type.
    """

    def __init__(self, py_func: Callable[..., Any], locals: Any = None, targetoptions: Any = None) -> None:  # noqa: A002 as in numba
        super().__init__(py_func, locals or {}, targetoptions or {}, _ToCode)

    def get_call_template(self, args: Sequence[Any], kws: dict[str, Any]) -> Any:
        return super().get_call_template(*_widened(args, kws))


def _widened(args: Sequence[Any], kws: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """The types of arguments, with int64 for all that it can hold."""

    def widened(given: Any) -> Any:
        kind = _types.unliteral(given)
        return _types.int64 if kind in _NARROW else kind

    return [widened(given) for given in args], {name: widened(given) for name, given in kws.items()}
