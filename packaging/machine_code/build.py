"""Build the package of machine code for the system that this runs on.

    python packaging/machine_code/build.py FOLDER

It writes a wheel of ``tkm-env-machine-code`` to FOLDER. With it, the first game after an
installation does not wait for the compiler. Everything that ``tkm warmup`` compiles is compiled
for the processors that `FEATURES` names, without Python's side, and described in the form that
`tkm_env.compiled.shipped_code` reads. The wheel fits this version of the sources alone, any
version of Python, and every numba that calls functions in the same way. The same sources, numba and
system give the same bytes. It needs the package ``build``.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

#: For each kind of machine: the name of its processors in LLVM, and what they must have.
FEATURES: Final = {
    "x86_64": (
        "x86-64-v3",
        "avx,avx2,bmi,bmi2,cx16,f16c,fma,lzcnt,movbe,popcnt,sahf,sse3,sse4.1,sse4.2,ssse3,xsave",
    ),
    "arm64": ("generic", "neon"),
}
HERE: Final = Path(__file__).parent


def machine() -> str:
    """The kind of machine that this runs on."""
    name = platform.machine().lower()
    return {"amd64": "x86_64", "aarch64": "arm64"}.get(name, name)


def kernels() -> Iterator[tuple[Any, Any, Any]]:
    """Each compiled function that Python calls, types of its arguments, and what it returns."""
    from numba.core.caching import FunctionCache
    from numba.core.dispatcher import Dispatcher

    from tkm_env.compiled.linking import Inlined

    for found in gc.get_objects():
        if (
            isinstance(found, Dispatcher)
            and not isinstance(found, Inlined)
            and isinstance(found._cache, FunctionCache)
            and not found.targetoptions.get("no_cpython_wrapper")
        ):
            for arguments, overload in found.overloads.items():
                yield found, arguments, overload.signature.return_type


def emitted(kernel: Any, arguments: Any, symbol: str) -> tuple[bytes, list[str]]:
    """Compile a kernel without Python's side.

    Args:
        kernel: the function, as numba wraps it.
        arguments: the types of its arguments.
        symbol: what to name its entry.

    Returns:
        The object file, and the names of the C functions that it calls.
    """
    from llvmlite import binding

    from tkm_env.compiled.linking import as_kernel

    options = {**kernel.targetoptions, "no_cpython_wrapper": True}
    plain = as_kernel(kernel.py_func, **options)
    plain.compile(arguments)
    ((_, overload),) = plain.overloads.items()
    module = binding.parse_bitcode(overload.library._final_module.as_bitcode())
    module.get_function(overload.fndesc.llvm_func_name).name = symbol
    needs = [
        function.name
        for function in module.functions
        if function.is_declaration and not function.name.startswith("llvm.")
    ]
    return overload.library.codegen._tm.emit_object(module), sorted(needs)


def write_code(folder: Path, chosen: Iterable[tuple[Any, Any, Any]]) -> Counter[str]:
    """Write kernels as the package has them.

    Args:
        folder: the folder of the package.
        chosen: the kernels, as `kernels` finds them.

    Returns:
        The bytes of machine code in each folder of the cache.
    """
    from tkm_env.compiled.decorators import cache_folder, package_of
    from tkm_env.compiled.shipped_code import (
        INDEX,
        OBJECT,
        Row,
        convention_of,
        digest_of,
        key_of,
        name_of,
        symbol_of,
    )

    indices: dict[str, dict[str, Any]] = {}
    sizes: Counter[str] = Counter()
    rows = [
        (str(cache_folder(package_of(kernel.py_func))), key_of(kernel.py_func, arguments), given)
        for given in chosen
        for kernel, arguments, _ in [given]
    ]
    for path, key, (kernel, arguments, answer) in sorted(rows, key=lambda row: row[:2]):
        answer_name = name_of(answer)
        if answer_name is None:
            raise SystemExit(f"{kernel.py_func.__qualname__} returns {answer}, which has no name")
        name = Path(path).name
        (folder / name).mkdir(parents=True, exist_ok=True)
        content, needs = emitted(kernel, arguments, symbol_of(key))
        (folder / name / f"{key}{OBJECT}").write_bytes(content)
        convention = convention_of(kernel.targetctx, answer, arguments)
        row = Row(digest_of(content), answer_name, convention, tuple(needs))
        indices.setdefault(name, {})[key] = row._asdict()
        sizes[name] += len(content)
    for name, index in indices.items():
        text = json.dumps(index, indent=1, sort_keys=True)
        (folder / name / INDEX).write_text(f"{text}\n", "utf-8")
    _, features = FEATURES[machine()]
    about = {"features": features.split(",")}
    (folder / INDEX).write_text(json.dumps(about) + "\n", "utf-8")
    return sizes


def warm_up() -> None:
    """Compile everything in this process."""
    from tkm_env.cli.commands.warmup import WORK
    from tkm_env.core.registry import game_names, game_spec

    for work in WORK:
        for game in game_names():
            work(game_spec(game))


def build(folder: Path) -> Path:
    """Write the wheel, in a process that compiles for other machines, too."""
    from tkm_env import __version__

    with tempfile.TemporaryDirectory() as temporary:
        project = Path(temporary) / "project"
        shutil.copytree(HERE, project, ignore=shutil.ignore_patterns("__pycache__", "build.py"))
        package = project / "tkm_env_machine_code"
        package.mkdir()
        warm_up()
        sizes = write_code(package, kernels())
        text = (project / "pyproject.toml").read_text("utf-8")
        text = text.replace('version = "0"', f'version = "{__version__}"')
        (project / "pyproject.toml").write_text(text, "utf-8")
        command = [sys.executable, "-m", "build", "--wheel", "--outdir", str(folder), str(project)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        for name, size in sorted(sizes.items()):
            print(f"{name}: {size / 1e6:.2f} MB")
    return max(folder.glob("tkm_env_machine_code-*.whl"), key=lambda path: path.stat().st_mtime)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    if machine() not in FEATURES:
        parser.error(f"no features are known for {machine()}; known: {', '.join(FEATURES)}")
    processor, features = FEATURES[machine()]
    wanted = {
        "NUMBA_CPU_NAME": processor,
        "NUMBA_CPU_FEATURES": ",".join(f"+{name}" for name in features.split(",")),
    }
    if wanted.items() <= os.environ.items():
        wheel = build(given.folder.resolve())
        print(f"wrote {wheel}, {wheel.stat().st_size / 1e6:.2f} MB")
        return
    with tempfile.TemporaryDirectory() as empty:
        environment = os.environ | wanted | {"NUMBA_CACHE_DIR": empty}
        done = subprocess.run([sys.executable, *sys.argv], env=environment, check=False)
    raise SystemExit(done.returncode)


if __name__ == "__main__":
    main()
