"""Defaults that are computed when they are needed: in the body of a function, or by a ``default_factory``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import libcst as cst

from devlint.analysis.apis.asked_at_import import asks_at_import
from devlint.analysis.cuda.guarded_defaults import is_replaced_without_cuda
from devlint.analysis.cuda.literal_roles import LiteralRole, literal_uses
from devlint.analysis.devices.cuda_literals import CudaLiteral
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.classes import bases
from devlint.analysis.names.control_flow import statements
from devlint.analysis.names.resolution import import_origin, origin, reads_named
from devlint.analysis.names.scripts import is_script
from devlint.analysis.names.torchscript import mentions_torchscript
from devlint.analysis.owners.initializers import initializes_base
from devlint.analysis.slots.changeable_defaults import may_become_none
from devlint.core.diagnostic import Edit
from devlint.fixes.conditional_device import conditional_expression, conditional_text, imports_of_choice
from devlint.fixes.device.anchors.placement import is_docstring, top_imports
from devlint.fixes.device.shared.shared_function import resolving_call
from devlint.fixes.torch_import import torch_name
from devlint.syntax import edits, line_edits
from devlint.syntax.edits import replace_expression
from devlint.syntax.file_context import FileContext, fact

_FACTORIES = {"dataclasses.field": "dataclasses.dataclass", "pydantic.Field": "pydantic.BaseModel"}
_STUBS = frozenset({"overload", "abstractmethod", "abstractproperty"})
_COMPILED = frozenset({"script", "export", "njit", "jit"})


_READ_ALL = ("locals", "vars", "eval")
_MOST = 1
"""How many functions of a file may each choose for themselves: for more, one function that chooses is better."""


def none_default_edits(ctx: FileContext, param: cst.Param, literal: CudaLiteral) -> list[Edit | None] | None:
    """The edits that let the body of a function choose its device; None for lambdas, stubs and one-line bodies."""
    body = _body_with(ctx, param)
    name = param.name.value
    choice = _choice(ctx, body, name, literal) if body is not None else None
    if body is None or choice is None:
        return None
    first, (text, imports) = _first_statement(ctx, body, name), choice
    step = line_edits.step_after(ctx, line_edits.indentation(ctx, first) or "")
    lines = [f"if {name} is None:", f"{step}{name} = {text}"]
    call = resolving_call(ctx, first, name, text, text in _shared_choices(ctx)) if not imports else None
    if call is not None:
        lines, imports = [f"{name} = {call[0]}"], call[1]
    if _docstring_only(body):
        chosen = line_edits.insert_line_after(ctx, first, lines)
    else:
        chosen = line_edits.insert_line_before(ctx, first, lines)
    if chosen is None:
        return None
    return [replace_expression(ctx, literal.node, "None"), chosen, *_annotation(ctx, param), *imports]


def _choice(
    ctx: FileContext, body: cst.IndentedBlock, name: str, literal: CudaLiteral
) -> tuple[str, tuple[Edit, ...]] | None:
    """The choice that the body of a function makes for a parameter, and the imports that it needs."""
    torch = torch_name(ctx, _first_statement(ctx, body, name))
    text = conditional_text(ctx, literal, torch[0]) if torch is not None else None
    imports = imports_of_choice(ctx, torch[1]) if torch is not None else None
    return (text, imports) if text is not None and imports is not None else None


@fact
def _shared_choices(ctx: FileContext) -> frozenset[str]:
    """The choices that more than a few functions of a library would each make, and may."""
    uses = [(one.owner, one) for one in literal_uses(ctx, LiteralRole.PARAMETER)]
    if len(uses) <= _MOST or ctx.target.kind == "project" or mentions_torchscript(ctx):
        return frozenset()
    if is_script(ctx) or asks_at_import(ctx):
        return frozenset()
    found = Counter[str]()
    for param, use in uses:
        body = _body_with(ctx, param) if isinstance(param, cst.Param) else None
        if not isinstance(param, cst.Param) or body is None or is_replaced_without_cuda(ctx, use):
            continue
        choice = _choice(ctx, body, param.name.value, use.literal)
        if choice is not None and may_become_none(ctx, param):
            found[choice[0]] += 1
    return frozenset(text for text, count in found.items() if count > _MOST)


def _body_with(ctx: FileContext, param: cst.Param) -> cst.IndentedBlock | None:
    """The body of the function of a parameter, where it can choose what it is given."""
    parameters = ctx.tree.parent(param)
    function = ctx.tree.parent(parameters) if parameters is not None else None
    if not isinstance(function, cst.FunctionDef) or not isinstance(function.body, cst.IndentedBlock):
        return None
    return None if _is_stub(ctx, function) or _is_compiled(function) else function.body


def _first_statement(ctx: FileContext, block: cst.IndentedBlock, name: str) -> cst.CSTNode:
    """The statement before which the choice is made: the first that is no docstring, where there is one.

    Nor is it ``super().__init__()`` that does not ask for it, which everybody expects at the top.
    """
    body: Sequence[cst.CSTNode] = block.body
    at = 1 if len(body) > 1 and _is_docstring_alone(body[0]) else 0
    is_base = at + 1 < len(body) and initializes_base(body[at])
    is_asked = any(isinstance(one, cst.Name) and one.value in (name, *_READ_ALL) for one in ctx.tree.below(body[at]))
    return body[at + 1] if is_base and not is_asked else body[at]


def _docstring_only(block: cst.IndentedBlock) -> bool:
    return len(block.body) == 1 and _is_docstring_alone(block.body[0])


def _is_docstring_alone(statement: cst.CSTNode) -> bool:
    """Whether nothing but a docstring stands on a line."""
    return is_docstring(statement) and len(statements(statement)) == 1


def _is_stub(ctx: FileContext, function: cst.FunctionDef) -> bool:
    """Whether a function only says what another one looks like."""
    if _decorators(function) & _STUBS:
        return True
    scope = next(
        (one for one in ctx.tree.ancestors(function) if isinstance(one, (cst.ClassDef, cst.FunctionDef))), None
    )
    if isinstance(scope, cst.ClassDef) and any(name.rpartition(".")[2] == "Protocol" for name in bases(ctx, scope)):
        return True
    return all(_does_nothing(one) for one in function.body.body)


def _is_compiled(function: cst.FunctionDef) -> bool:
    """Whether a function is compiled from its source, by types that ``None`` would change."""
    return bool(_decorators(function) & _COMPILED)


def _decorators(function: cst.FunctionDef) -> set[str]:
    """The last names of a function's decorators."""
    found = set()
    for decorator in function.decorators:
        call = decorator.decorator
        found.add((dotted_name(call.func if isinstance(call, cst.Call) else call) or "").rpartition(".")[2])
    return found


def _does_nothing(statement: cst.CSTNode) -> bool:
    """``pass``, ``...``, a docstring or ``raise NotImplementedError``."""
    if not isinstance(statement, cst.SimpleStatementLine):
        return False
    for small in statement.body:
        if isinstance(small, cst.Raise):
            error = small.exc.func if isinstance(small.exc, cst.Call) else small.exc
            if error is None or dotted_name(error) != "NotImplementedError":
                return False
        elif isinstance(small, cst.Expr):
            if not isinstance(small.value, (cst.SimpleString, cst.ConcatenatedString, cst.Ellipsis)):
                return False
        elif not isinstance(small, cst.Pass):
            return False
    return True


def _annotation(ctx: FileContext, param: cst.Param) -> list[Edit | None]:
    """``str`` made ``Optional[str]`` or ``str | None``, where the file has the means for it."""
    if param.annotation is None:
        return []
    annotation = param.annotation.annotation
    text = ctx.text_of(annotation)
    if "None" in text or "Optional" in text or "Any" in text or isinstance(annotation, cst.SimpleString):
        return []
    if import_origin(ctx, "Optional", param) == "typing.Optional":
        return [replace_expression(ctx, annotation, f"Optional[{text}]")]
    if import_origin(ctx, "typing", param) == "typing":
        return [replace_expression(ctx, annotation, f"typing.Optional[{text}]")]
    future = import_origin(ctx, "annotations", param) == "__future__.annotations"
    if future or ctx.fact(_writes_unions):
        return [edits.insert_after(ctx, annotation, " | None")]
    last = _last_name_of_typing(ctx)
    if last is None or ctx.span(last).start > ctx.span(param).start or reads_named(ctx, "Optional"):
        return []
    start = ctx.span(last).start
    before = ctx.source.text[line_edits.line_start(ctx.source.text, start) : start]
    gap = " " if before.strip() else f"{ctx.module.default_newline}{before}"  # a line of its own for each name
    return [replace_expression(ctx, annotation, f"Optional[{text}]"), edits.insert_after(ctx, last, f",{gap}Optional")]


def _last_name_of_typing(ctx: FileContext) -> cst.CSTNode | None:
    """The last name that the first ``from typing import …`` at the top of the module lists."""
    for line in top_imports(ctx):
        for small in line.body:
            if isinstance(small, cst.ImportFrom) and dotted_name(small.module or small) == "typing":
                if isinstance(small.names, cst.ImportStar):
                    return None
                alias = small.names[-1]
                return alias.asname.name if alias.asname is not None else alias.name
    return None


def _writes_unions(ctx: FileContext) -> bool:
    """Whether the file annotates with ``X | None`` already."""
    written = [ctx.text_of(one.annotation) for one in ctx.tree.of_type(cst.Annotation)]
    return any(text.endswith("| None") for text in written)


def default_factory_edits(ctx: FileContext, owner: cst.CSTNode, literal: CudaLiteral) -> list[Edit | None] | None:
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
            return [replace_expression(ctx, literal.node, factory), *imports]
        return [edits.replace_from_to(ctx, arg.keyword, literal.node, factory), *imports]
    maker = _maker(ctx, owner)
    return None if maker is None else [replace_expression(ctx, literal.node, f"{maker}({factory})"), *imports]


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
