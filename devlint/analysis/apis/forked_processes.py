"""Processes that a program forks: they cannot use CUDA once the program itself has asked for it."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.resolution import origin, uses_of
from devlint.analysis.names.scopes import Scope
from devlint.core.lazy_regex import regex
from devlint.syntax.file_context import FileContext, fact

_PROCESSES = frozenset(
    {
        "concurrent.futures.ProcessPoolExecutor",
        "multiprocessing.Pool",
        "multiprocessing.Process",
        "multiprocessing.pool.Pool",
        "os.fork",
        "torch.multiprocessing.Pool",
        "torch.multiprocessing.Process",
    }
)
_WORDS = ("Process", "Pool", "fork")
_OTHER_WAYS = regex(r"\b(?:spawn|forkserver)\b")


@fact
def forks_processes(ctx: FileContext) -> bool:
    """Whether a file starts ``Process(target=…)`` or a ``Pool``, and names no other way to start than to fork.

    Until Python 3.14 Linux forks, and a question for CUDA in the program keeps CUDA from the processes it forks.
    """
    text = ctx.source.text
    if not any(word in text for word in _WORDS) or _OTHER_WAYS.search(text) is not None:
        return False
    return any(origin(ctx, call.func) in _PROCESSES for call in ctx.tree.of_type(cst.Call))


def runs_in_fork(ctx: FileContext, function: cst.FunctionDef, around: Scope) -> bool:
    """Whether a file that forks hands a function to another call, as ``Process(target=decode)`` and ``map`` get it."""
    if not forks_processes(ctx):
        return False
    return any(isinstance(ctx.tree.parent(one), cst.Arg) for one in uses_of(ctx, around, function.name.value))
