"""Imports what programs need into the process that forks them, once for all their runs."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import os
import re
import sys
from collections.abc import Iterator, Mapping
from typing import Any

_MODULES = ("numpy", "torch", "torch.distributed", "torch.utils.data")
"""Modules that most programs import."""
_DYNAMO = "torch._dynamo"
"""Optimizers and compilers import it, which takes as long as torch itself."""
_WANTS_DYNAMO = re.compile(r"optim|compile|dynamo|checkpoint|export|distributed|parallel|prune|parametri|inductor|fx\b")
_WITHOUT_DYNAMO = sys.stdlib_module_names | {"torch", "numpy"}


def preload() -> None:
    """Import what most programs do."""
    for name in _MODULES:
        if importlib.util.find_spec(name.partition(".")[0]) is not None:
            importlib.import_module(name)


def preload_for(program: Mapping[str, Any]) -> None:
    """Import what a program is likely to as well; if it does not, or another is, that costs time and nothing else."""
    if _DYNAMO not in sys.modules and may_want_dynamo(program):
        before = {*os.environ}
        importlib.import_module(_DYNAMO)
        for name in os.environ.keys() - before:  # the folder of its cache, which is not the program's
            del os.environ[name]


def may_want_dynamo(program: Mapping[str, Any]) -> bool:
    """Whether a program may make an optimizer, or imports what nobody has looked into."""
    if program["command"] is not None:
        return False  # the shell starts a Python of its own
    for path in filter(None, (program["path"], program["driver"])):
        try:
            with open(path, "rb") as file:
                data = file.read()
            imported = {*_imported(ast.parse(data))}
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
            return True
        own = {"program"} if program["driver"] else set()
        if _WANTS_DYNAMO.search(data.decode("utf-8", "replace")) or not imported <= _WITHOUT_DYNAMO | own:
            return True
    return False


def _imported(tree: ast.Module) -> Iterator[str]:
    """The names of the packages that a program imports, an empty one for its own."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "" if node.level else (node.module or "").partition(".")[0]
