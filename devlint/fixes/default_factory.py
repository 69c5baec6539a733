"""A field's default that is worked out when an instance is made: ``field(default_factory=lambda: …)``."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.devices.cuda_literals import CudaLiteral
from devlint.analysis.names.resolution import import_origin, origin
from devlint.core.diagnostic import Edit
from devlint.fixes.conditional_device import conditional_expression
from devlint.fixes.replace_expression import put
from devlint.syntax import edits
from devlint.syntax.file_context import FileContext

_FACTORIES = {"dataclasses.field": "dataclasses.dataclass", "pydantic.Field": "pydantic.BaseModel"}


def lazy_default(ctx: FileContext, owner: cst.CSTNode, literal: CudaLiteral) -> list[Edit | None] | None:
    """The edits that put the choice into a factory; None where the class, or the file, has none."""
    choice = conditional_expression(ctx, literal)
    if choice is None:
        return None
    text, imports = choice
    factory = f"default_factory=lambda: {text}"
    if isinstance(owner, cst.Call):
        arg = ctx.tree.parent(literal.node)
        if origin(ctx, owner.func) not in _FACTORIES or not isinstance(arg, cst.Arg):
            return None
        if arg.keyword is None:
            return [put(ctx, literal.node, factory), *imports]
        return [edits.replace_from_to(ctx, arg.keyword, literal.node, factory), *imports]
    maker = _maker(ctx, owner)
    return None if maker is None else [put(ctx, literal.node, f"{maker}({factory})"), *imports]


def _maker(ctx: FileContext, field: cst.CSTNode) -> str | None:
    """What the file calls the function that makes a field of this class."""
    definition = next((one for one in ctx.tree.ancestors(field) if isinstance(one, cst.ClassDef)), None)
    if definition is None:
        return None
    makers = [one.decorator for one in definition.decorators] + [one.value for one in definition.bases]
    for maker in makers:
        kind = origin(ctx, maker.func if isinstance(maker, cst.Call) else maker)
        for function, of_kind in _FACTORIES.items():
            if kind == of_kind:
                module, _, name = function.rpartition(".")
                if import_origin(ctx, name, field) == function:
                    return name
                return function if import_origin(ctx, module, field) == module else None
    return None
