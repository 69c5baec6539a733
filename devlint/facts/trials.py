"""Main parts that only try out what a library module defines: ``if __name__ == "__main__": print(Net()(x))``."""

from __future__ import annotations

import libcst as cst

from devlint.context import FileContext

_PROGRAM = frozenset({"ArgumentParser", "parse", "parse_args", "parse_known_args", "main", "run", "fit", "step"})
"""Names in the main parts of programs."""


def only_tries_out(ctx: FileContext, guard: cst.If) -> bool:
    """Whether a main part makes instances of the file's classes, and runs neither its functions nor a program.

    Such a file is there to be imported: asking for CUDA at its top would freeze the GPUs that its importer chooses.
    """
    names = {one.value for one in ctx.tree.below(guard.body) if isinstance(one, cst.Name)}
    own = {one.name.value: type(one) for one in ctx.module.body if isinstance(one, (cst.FunctionDef, cst.ClassDef))}
    used = {own[name] for name in names & set(own)}
    return used == {cst.ClassDef} and not names & _PROGRAM
