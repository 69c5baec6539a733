"""A function of the module that says which device to use, where several functions would each ask the same question."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

import libcst as cst

from devlint.analysis.guards.cuda_mentions import cuda_mention_ids
from devlint.analysis.legacy_types.placed_types import placed_types
from devlint.analysis.names.control_flow import is_main_guard, statements
from devlint.analysis.names.resolution import reads_named
from devlint.analysis.names.scopes import scopes
from devlint.analysis.transfers.placements import placement_ids
from devlint.core.diagnostic import Edit
from devlint.core.lazy_regex import regex
from devlint.fixes.device.anchors.import_uses import end_of_import
from devlint.fixes.device.anchors.placement import imports_only, is_docstring, is_import, outermost_function
from devlint.fixes.device.shared.imported_function import imported_call
from devlint.fixes.device.shared.imported_names import may_be_new
from devlint.syntax import line_edits
from devlint.syntax.file_context import FileContext, fact, fact_of
from devlint.syntax.lines_below import insert_below

_NAMES = ("get_device", "default_device", "get_torch_device")
_NAMES_OF_CHOICE = ("choose_device", "select_device", "device_from")
"""The names of one that is given the options of the program."""
_NAMES_OF_RESOLVER = ("resolve_device", "device_or_default")
_GIVEN = "device"
_ONE_LINE = (cst.Import, cst.ImportFrom, cst.Assign, cst.Expr)
_WORD = regex(r"\w+")


def shared_call(
    ctx: FileContext,
    at: cst.CSTNode,
    expression: str,
    shared: bool,
    given: str = "",
    names: Sequence[str] = (),
    argument: str = "",
) -> tuple[str, tuple[Edit, ...]] | None:
    """A call that gives the device ``expression``, and the edits that write the function it calls.

    ``given`` is the parameter that the expression asks, if it asks one, which gets the ``argument``, or what has its
    name; ``names`` what else the function may be called than what gives a device. None where there is no such function
    yet and the device is not ``shared`` by several, or none can be written. A module that the file imports may have it.
    """
    known, told = ctx.fact(_givers).get((_plain(expression), given)), argument or given
    if known is not None:
        return (f"{known}({told})", ()) if scopes(ctx).binder(known, at) is scopes(ctx).module else None
    imported = imported_call(ctx, at, expression, given, told, shared)
    if imported is not None:
        return imported
    shared = shared and not (ctx.fact(_of_main_part) - {given}).intersection(_WORD.findall(expression))
    own_names = names or (_NAMES_OF_CHOICE if given else _NAMES)
    name = next((one for one in own_names if _is_free(ctx, one)), None) if shared else None
    typed = any(one.returns is not None for one in ctx.tree.of_type(cst.FunctionDef))
    result = f" -> {expression.partition('(')[0]}" if typed and expression.partition("(")[0].endswith(".device") else ""
    edit = _definition(ctx, f"{name}({given}){result}", [f"return {expression}"]) if name is not None else None
    return (f"{name}({told})", (edit,)) if edit is not None else None


def shared_call_below(
    ctx: FileContext, at: cst.CSTNode, expression: str, shared: bool
) -> tuple[str, tuple[Edit, ...]] | None:
    """The same for a statement of the module itself, which must run below the function."""
    if any(isinstance(one, (cst.FunctionDef, cst.ClassDef, cst.Lambda)) for one in ctx.tree.ancestors(at)):
        return None
    call = shared_call(ctx, at, expression, shared)
    if call is None:
        return None
    bound = scopes(ctx).module.bindings.get(call[0].partition("(")[0].partition(".")[0], ())
    above = [one.span.start for one in call[1]] or [ctx.span(one.node).start for one in bound]
    return call if max(above, default=-1) < ctx.span(at).start else None


def _of_main_part(ctx: FileContext) -> frozenset[str]:
    """The names that only the main part of a script binds, which no function of the module can rely on."""
    named = scopes(ctx).module.bindings.items()
    return frozenset(
        name
        for name, found in named
        if found and all(any(map(is_main_guard, ctx.tree.ancestors(one.node))) for one in found)
    )


def resolving_call(
    ctx: FileContext, at: cst.CSTNode, given: str, text: str, shared: bool
) -> tuple[str, tuple[Edit, ...]] | None:
    """``resolve_device(device)``, which gives the device that it is given, and ``text`` for None; as above."""
    known = ctx.fact(_resolvers).get(_plain(text))
    if known is not None:
        return (f"{known}({given})", ()) if scopes(ctx).binder(known, at) is scopes(ctx).module else None
    name = next((one for one in _NAMES_OF_RESOLVER if _is_free(ctx, one)), None) if shared else None
    lines = [f"if {_GIVEN} is None:", f"{line_edits.indent_step(ctx)}return {_by_giver(ctx, text)}", f"return {_GIVEN}"]
    edit = _definition(ctx, f"{name}({_GIVEN})", lines) if name is not None else None
    return (f"{name}({given})", (edit,)) if edit is not None else None


def _by_giver(ctx: FileContext, text: str) -> str:
    """``get_device().type`` where the module has a function that gives the device of this name."""
    return next((f"{name}().type" for of, name in _names_given(ctx) if of == _plain(text)), text)


def _plain(text: str) -> str:
    """A text in the quotes in which devices are written before they get those of the file."""
    return text.replace("'", '"')


def _definition(ctx: FileContext, signature: str, body: list[str]) -> Edit | None:
    """The edit that writes a function below the imports that a module begins with, with empty lines around it."""
    last = ctx.fact(_last_import)
    lines = ["", "", f"def {signature}:", *(f"{line_edits.indent_step(ctx)}{one}" for one in body)]
    edit = insert_below(ctx, last, lines) if last is not None else None
    if last is None or edit is None:
        return None
    below = [""] * (2 - _blank_lines_at(ctx, edit.span.start))
    return insert_below(ctx, last, [*lines, *below])


def _givers(ctx: FileContext) -> dict[tuple[str, str], str]:
    """By what they return and their only parameter, if any, the first functions of the module that only return it."""
    found: dict[tuple[str, str], str] = {}
    for function in ctx.module.body:
        given = _gives(ctx, function) if isinstance(function, cst.FunctionDef) else None
        if given is not None and isinstance(function, cst.FunctionDef):
            found.setdefault((_plain(given[0]), given[1]), function.name.value)
    return found


def _resolvers(ctx: FileContext) -> dict[str, str]:
    """By what they return for None, the functions of the module that give back any other device they are given."""
    found: dict[str, str] = {}
    for function in ctx.module.body:
        if isinstance(function, cst.FunctionDef) and _only_parameter(ctx, function) == _GIVEN:
            test, *others = _body(function)
            if isinstance(test, cst.If) and test.orelse is None and ctx.text_of(test.test) == f"{_GIVEN} is None":
                default, given = (_returned(ctx, one) for one in (statements(test.body), others))
                if default is not None and given == _GIVEN:
                    found.setdefault(_named_by(ctx, default) or _plain(default), function.name.value)
    return found


def _named_by(ctx: FileContext, text: str) -> str | None:
    """What ``get_device().type`` stands for where the module has such a function."""
    name = text.removesuffix("().type")
    return next((of for of, one in _names_given(ctx) if one == name), None) if name != text else None


def _names_given(ctx: FileContext) -> list[tuple[str, str]]:
    """The texts of devices that functions of the module give, without ``torch.device``, each with the function."""
    found = []
    for (expression, given), name in ctx.fact(_givers).items():
        owner, _, argument = expression.removesuffix(")").partition("(")
        if not given and owner.endswith(".device"):
            found.append((argument, name))
    return found


def _blank_lines_at(ctx: FileContext, offset: int) -> int:
    """How many empty lines, of two that should, follow a place; the end of the file needs none."""
    if not line_edits.blank_line_at(ctx, offset):
        return 0
    return 1 + line_edits.blank_line_at(ctx, line_edits.line_end(ctx.source.text, offset))


def _gives(ctx: FileContext, function: cst.FunctionDef) -> tuple[str, str] | None:
    """What a function returns and its parameter, of which it has one at most, where that is all it does."""
    returned, parameter = _returned(ctx, _body(function)), _only_parameter(ctx, function)
    return (returned, parameter) if returned is not None and parameter is not None else None


def _body(function: cst.FunctionDef) -> list[cst.CSTNode]:
    """The statements of a function without its docstring."""
    return [one for one in statements(function.body) if not is_docstring(one)]


def _returned(ctx: FileContext, body: Sequence[cst.CSTNode]) -> str | None:
    """What statements return, where that is all they do."""
    small = body[0].body[0] if len(body) == 1 and isinstance(body[0], cst.SimpleStatementLine) else None
    return ctx.text_of(small.value) if isinstance(small, cst.Return) and small.value is not None else None


def _only_parameter(ctx: FileContext, function: cst.FunctionDef) -> str | None:
    """The parameter of a function, or nothing where it has none; None where it has more, a default or a decorator."""
    every = [one for one in ctx.tree.below(function.params) if isinstance(one, cst.Param)]
    plain = [one for one in every if one in function.params.params and one.default is None]
    if len(every) > 1 or plain != every or function.decorators or function.asynchronous is not None:
        return None
    return every[0].name.value if every else ""


def _last_import(ctx: FileContext) -> cst.CSTNode | None:
    """The last of the imports that a module begins with, if torch is one of them and nothing else imports it.

    What is imported under a condition, or below constants and calls, is one of them, and so is what stands together
    with one, ``sys.path.pop(0)``. Torch may come with all that another module has.
    """
    last = None
    module = scopes(ctx).module
    bound = {id(one.node) for found in module.bindings.values() for one in found if one.origin == "torch"}
    by_star = not bound and "torch" not in module.bindings
    torch = False
    for statement in ctx.module.body:
        if not is_import(statement) and not is_docstring(statement) and not _is_between_imports(statement):
            break
        if imports_only(statement):
            last = statement
        if is_import(statement):
            below = list(ctx.tree.below(statement))
            star = by_star and any(isinstance(node, cst.ImportStar) for node in below)
            last, torch = statement, torch or star or any(id(node) in bound for node in below)
    return end_of_import(ctx, last) if torch and last is not None else None


def _is_between_imports(statement: cst.CSTNode) -> bool:
    """Whether a statement imports under a condition, gives names to values, or calls something.

    Or several on one line: ``import sys; sys.path.append(".")``.
    """
    small = statement.body if isinstance(statement, cst.SimpleStatementLine) else ()
    return imports_only(statement) or (bool(small) and all(isinstance(one, _ONE_LINE) for one in small))


@fact_of
def _is_free(ctx: FileContext, name: str) -> bool:
    """Whether a name means nothing in the file yet, and may be new to all others."""
    if reads_named(ctx, name) or any(name in one.bindings for one in scopes(ctx).every()):
        return False
    return may_be_new(ctx, name)


def function_with_uses(ctx: FileContext, at: cst.CSTNode) -> cst.FunctionDef | None:
    """The outermost function around ``at``; of one that returns another with all uses, as decorators do, that one."""
    functions = [one for one in ctx.tree.ancestors(at) if isinstance(one, cst.FunctionDef)]
    found = outermost_function(ctx, at)
    for inner in reversed(functions[: functions.index(found)] if found in functions else []):
        uses = cuda_mention_ids(ctx) & {id(one) for one in ctx.tree.below(found or inner)}
        returned = (one.value for one in ctx.tree.below(found or inner) if isinstance(one, cst.Return))
        if not any(isinstance(one, cst.Name) and one.value == inner.name.value for one in returned):
            break
        if not uses <= {id(one) for one in ctx.tree.below(inner)}:
            break
        found = inner
    return found


def is_sole_placement(ctx: FileContext, at: cst.CSTNode) -> bool:
    """Whether a call, or the one given ``at``, places something once, and nothing else in its function uses CUDA."""
    function = outermost_function(ctx, at)
    calls = (at, *takewhile(lambda one: not isinstance(one, cst.BaseSmallStatement), ctx.tree.ancestors(at)))
    placed = _placing(ctx)
    if function is None or not any(id(one) in placed for one in calls):
        return False
    repeats = (cst.For, cst.While, cst.BaseComp, cst.Lambda, cst.FunctionDef)
    around = list(takewhile(lambda one: one is not function, ctx.tree.ancestors(at)))
    uses = cuda_mention_ids(ctx)
    inside = sum(id(one) in uses for one in ctx.tree.below(function))
    return inside == 1 and not any(isinstance(one, repeats) for one in around)


@fact
def _placing(ctx: FileContext) -> frozenset[int]:
    """The identities of the calls that place something, also by a legacy type of tensor."""
    return placement_ids(ctx).union(id(one.owner) for one in placed_types(ctx))
