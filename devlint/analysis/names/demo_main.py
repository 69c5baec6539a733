"""Main parts that only try out what a library module defines: ``if __name__ == "__main__": print(Net()(x))``."""

from __future__ import annotations

import libcst as cst

from devlint.syntax.file_context import FileContext

_RUN = frozenset({"main", "run", "fit", "step"})
"""Names in the main parts of programs."""
_PARSE = frozenset({"ArgumentParser", "parse", "parse_args", "parse_known_args"})
"""Names of what reads the options of a program; in a part of a package, of what its classes are tried out with."""


def only_tries_out(ctx: FileContext, guard: cst.If) -> bool:
    """Whether a main part does nothing, or makes instances of the file's classes and runs no function and no program.

    Such a file is there to be imported: asking for CUDA at its top would freeze the GPUs that its importer chooses.
    """
    names = {one.value for one in ctx.tree.below(guard.body) if isinstance(one, cst.Name)}
    own = {one.name.value: type(one) for one in ctx.module.body if isinstance(one, (cst.FunctionDef, cst.ClassDef))}
    used = {own[name] for name in names & set(own)}
    program = _RUN if _is_of_package(ctx) else _RUN | _PARSE
    return not names or (used == {cst.ClassDef} and not names & program)


def _is_of_package(ctx: FileContext) -> bool:
    """Whether a module imports from beside it (``from . import layers``): it cannot be started as a file."""
    lines = (one.body for one in ctx.module.body if isinstance(one, cst.SimpleStatementLine))
    return any(isinstance(small, cst.ImportFrom) and small.relative for line in lines for small in line)
