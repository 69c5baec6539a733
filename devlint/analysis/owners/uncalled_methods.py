"""Methods of a class's own that nothing calls: what they decide is decided nowhere."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.classes import method_of
from devlint.analysis.names.resolution import attributes_named
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.mentions import is_unused_elsewhere
from devlint.syntax.file_context import FileContext, fact_of


def is_in_uncalled_method(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether code stands in a method like ``_acquire_device`` that no file of the project mentions."""
    method = method_of(ctx, node)
    return method is not None and method.name.value.startswith("_") and _is_uncalled(ctx, method)


@fact_of
def _is_uncalled(ctx: FileContext, method: cst.FunctionDef) -> bool:
    name = method.name.value
    if name.startswith("__") or attributes_named(ctx, name) or f'"{name}"' in ctx.source.text:
        return False
    return not method.decorators and is_unused_elsewhere(project_around(ctx), name)
