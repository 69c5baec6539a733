"""Finds what no fix makes portable: kernels for CUDA, builds of extensions, libraries that need CUDA."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator

from devlint.analysis.project.module import ProjectModule
from devlint.analysis.project.project import Index
from devlint.core.lazy_regex import regex
from devlint.report.model import Blocker, BlockerKind
from devlint.syntax.python_tree.nodes import plain_text
from devlint.torch_api.libraries import NEEDS_CUDA

CUDA_SUFFIXES = (".cu", ".cuh")
"""What CUDA's own compiler takes."""
_WORDS = regex(
    r"triton|tilelang|cutlass|cupy|cudnn|pycuda|flash_attn|apex|amp_C|tensorrt|trt|nvidia|transformer_engine|pynvml"
    r"|numba|jiterator|_cuda|cuda_ext|CUDAExtension|cpp_extension|import cuda|from cuda"
)
"""A file without any of them has no blocker."""
_EXTENSIONS = "torch.utils.cpp_extension."
_RUN_TIME_KERNELS = frozenset(
    "cupy.RawKernel cupy.RawModule cupy.ElementwiseKernel cupy.ReductionKernel pycuda.compiler.SourceModule".split()
)
_JITERATOR = "torch.cuda.jiterator."
_DECORATORS = {
    "triton.jit": BlockerKind.TRITON,
    "numba.cuda.jit": BlockerKind.KERNEL,
    "cupyx.jit.rawkernel": BlockerKind.KERNEL,
}
_MAYBE = (ast.Try, ast.If, ast.IfExp, ast.With)
_LATER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def may_block(text: str) -> bool:
    """Whether a program may have blockers."""
    return _WORDS.search(text) is not None


def blockers_in(path: str, tree: ast.Module) -> tuple[Blocker, ...]:
    """What needs CUDA itself in a program, each once, in order."""
    module = ProjectModule(path, tree)
    found = sorted(set(_found(module, tree, False, False)))
    with_kernels = {one.kind for one in found}
    if BlockerKind.TRITON in with_kernels:  # the import says no more than the kernels do
        found = [one for one in found if not (one.kind is BlockerKind.LIBRARY and one.detail == "imports `triton`")]
    return tuple(sorted(found, key=lambda one: (one.row, one.kind.value, one.detail)))


def _found(module: ProjectModule, node: ast.AST, is_maybe: bool, is_later: bool) -> Iterator[Blocker]:
    """The blockers at a node and below; each in a block that may be left out, or in a function, is optional."""
    if _is_for_types(node):
        return
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from _imports(module, node, is_maybe or is_later)
    elif isinstance(node, ast.Call):
        yield from _calls(module, node, is_maybe)
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        yield from _kernels(module, node, is_maybe)
    is_maybe = is_maybe or (isinstance(node, _MAYBE) and not _is_for_scripts(node))
    is_later = is_later or isinstance(node, _LATER)
    for child in ast.iter_child_nodes(node):
        yield from _found(module, child, is_maybe, is_later)


def _is_for_types(node: ast.AST) -> bool:
    """Whether a block is for type checkers alone."""
    return isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")


def _is_for_scripts(node: ast.AST) -> bool:
    """Whether a block is what a script is there for: ``if __name__ == "__main__":``."""
    return isinstance(node, ast.If) and "__main__" in ast.unparse(node.test)


def _imports(module: ProjectModule, node: ast.Import | ast.ImportFrom, is_optional: bool) -> Iterator[Blocker]:
    """The library that an import names, if that needs CUDA."""
    if isinstance(node, ast.ImportFrom):
        if node.level or node.module is None:
            return
        names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    else:
        names = [alias.name for alias in node.names]
    found = next((name for name in names if NEEDS_CUDA.match(name)), None)
    if found is not None and not _is_own(module.path, found):
        library = found if found.startswith(("numba.", "torch.")) else found.partition(".")[0]
        yield Blocker(module.path, node.lineno, BlockerKind.LIBRARY, f"imports `{library}`", is_optional)


def _is_own(path: str, name: str) -> bool:
    """Whether a file imports Python of its own project under a name: what is in it is told of its own file."""
    return Index().find(os.path.abspath(path), name.partition(".")[0]) is not None


def _calls(module: ProjectModule, node: ast.Call, is_optional: bool) -> Iterator[Blocker]:
    """What a call builds or compiles for CUDA."""
    called = module.origin(node.func)
    kind, detail = BlockerKind.EXTENSION, ""
    if called == f"{_EXTENSIONS}CUDAExtension":
        detail = f"builds `{_name(node)}` from {_count(_sources(node))}"
    elif called in (f"{_EXTENSIONS}load", f"{_EXTENSIONS}load_inline"):
        has_cuda = any(one.endswith(CUDA_SUFFIXES) for one in _sources(node))
        if has_cuda or any(one.arg == "cuda_sources" for one in node.keywords):
            detail = f"compiles `{_name(node)}` when it runs"
    elif called in _RUN_TIME_KERNELS or called.startswith(_JITERATOR):
        kind, detail = BlockerKind.KERNEL, f"compiles a kernel by `{called}`"
    if detail:
        yield Blocker(module.path, node.lineno, kind, detail, is_optional)


def _name(call: ast.Call) -> str:
    """The name of an extension, as its call says it."""
    given = next((one.value for one in call.keywords if one.arg == "name"), call.args[0] if call.args else None)
    return (plain_text(given) if given is not None else None) or "an extension"


def _sources(call: ast.Call) -> list[str]:
    """The files that are named in a call."""
    texts = (plain_text(one) for one in ast.walk(call) if isinstance(one, ast.expr))
    return [one for one in texts if one is not None and one.endswith((".cpp", ".cc", ".c", *CUDA_SUFFIXES))]


def _count(sources: list[str]) -> str:
    cuda = sum(one.endswith(CUDA_SUFFIXES) for one in sources)
    return f"{cuda} CUDA file{'' if cuda == 1 else 's'}" if cuda else "sources that are found when it runs"


def _kernels(
    module: ProjectModule, node: ast.FunctionDef | ast.AsyncFunctionDef, is_optional: bool
) -> Iterator[Blocker]:
    """A function that is compiled for the GPU."""
    for decorator in node.decorator_list:
        kind = _DECORATORS.get(module.origin(decorator.func if isinstance(decorator, ast.Call) else decorator))
        if kind is not None:
            yield Blocker(module.path, node.lineno, kind, f"kernel `{node.name}`", is_optional)
