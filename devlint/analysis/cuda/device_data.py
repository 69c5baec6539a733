"""Where a device is only data: printed, expected by a test, or asked for its type."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.resolution import origin, uses_of
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.scripts import is_script
from devlint.analysis.names.test_code import holds_tests, is_test
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.calls import calls_elsewhere
from devlint.analysis.project.default_devices import is_named_as_test
from devlint.analysis.slots.device_arguments import slot_owner
from devlint.analysis.slots.project_slots import project_slot
from devlint.core.lazy_regex import regex
from devlint.syntax.file_context import FileContext, fact_of

_EXPECTS_CUDA = regex(rb"\bassert[^\n]*[\"']cuda")
_READS = frozenset("print str repr format hash type isinstance debug info warning error exception critical".split())
_QUESTIONS = frozenset({"type", "index"})


def is_expectation(statement: cst.CSTNode) -> bool:
    """Whether an assignment is to a name such as ``EXPECTED``."""
    if not isinstance(statement, cst.Assign):
        return False
    return any("expect" in (dotted_name(one.target) or "").lower() for one in statement.targets)


def is_named_as_data(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether a device gets a name, or is a parameter's default, that places nothing here and is only data.

    It is a key of a dictionary, ``first = torch.device("cuda:0")`` in ``free = {first: 10_000}``: two cards that become
    the CPU are one key. Or all that is done with it is to compare it with devices, look it up or print it.
    """
    uses = _uses_of_name(ctx, node) or _uses_of_parameter(ctx, node)
    if any(_is_key(ctx, one) for one in uses) and not any(slot_owner(ctx, one) is not None for one in uses):
        return True
    is_seen = (
        scopes(ctx).function_of(node) is not None or is_script(ctx) or isinstance(ctx.tree.parent(node), cst.Param)
    )
    return is_seen and bool(uses) and all(_is_data(ctx, one) for one in uses)


def _uses_of_parameter(ctx: FileContext, node: cst.CSTNode) -> list[cst.Name]:
    """The reads of a parameter of which a value is the default."""
    param = ctx.tree.parent(node)
    ups = ctx.tree.ancestors(param) if isinstance(param, cst.Param) else ()
    function = next((one for one in ups if isinstance(one, (cst.FunctionDef, cst.Lambda))), None)
    if function is None or not isinstance(param, cst.Param) or not isinstance(function, cst.FunctionDef):
        return []
    uses = uses_of(ctx, scopes(ctx).opened_by(function), param.name.value)
    return [one for one in uses if one is not param.name]


def _is_data(ctx: FileContext, use: cst.CSTNode) -> bool:
    """Whether a use of a device looks it up, prints it, or compares it where that decides about printing at most."""
    child, parent = next(ctx.tree.path_up(use))
    if isinstance(parent, cst.Attribute) and parent.attr.value in _QUESTIONS:
        child, parent = next(ctx.tree.path_up(parent))
    if isinstance(parent, cst.Element) and isinstance(ctx.tree.parent(parent), (cst.Tuple, cst.List)):
        child, parent = next(ctx.tree.path_up(ctx.tree.parent(parent) or parent))
    if isinstance(parent, (cst.Comparison, cst.ComparisonTarget)):
        decided = (above for below, above in ctx.tree.path_up(child) if below is getattr(above, "test", None))
        return all(_only_prints(ctx, one) for one in decided)
    if isinstance(parent, cst.FormattedStringExpression):
        return f"{{{ctx.text_of(use)}}}:" not in ctx.text_of(ctx.tree.parent(parent) or parent)
    if isinstance(parent, cst.Element):
        return isinstance(ctx.tree.parent(parent), cst.Set)
    if isinstance(parent, cst.Arg):
        call = ctx.tree.parent(parent)
        return isinstance(call, cst.Call) and (dotted_name(call.func) or "").rpartition(".")[2] in _READS
    return isinstance(parent, cst.Index) or _is_key(ctx, child)


def _only_prints(ctx: FileContext, choice: cst.CSTNode) -> bool:
    """Whether the branches that a test decides about only print; an assertion and a filter decide about none."""
    if isinstance(choice, (cst.Assert, cst.CompIf)):
        return True
    branches = [getattr(choice, name, None) for name in ("body", "orelse")]
    below = [one for branch in branches if branch is not None for one in ctx.tree.below(branch)]
    if any(isinstance(one, (cst.Return, cst.Raise, cst.Continue, cst.Break, cst.Assign)) for one in below):
        return False
    calls = [one for one in below if isinstance(one, cst.Call)]
    return bool(calls) and all((dotted_name(one.func) or "").rpartition(".")[2] in _READS for one in calls)


def handed_on_by_test(ctx: FileContext, node: cst.CSTNode) -> str | None:
    """Why a test wants just the device that it names, or that a function gives it; None where nothing says so."""
    if _is_handed_on_by_test(ctx, node):
        return "a test that hands a device on may want just this one"
    return "a test of the project expects CUDA of this function" if _is_expected_by_tests(ctx, node) else None


def _is_expected_by_tests(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether a function returns just this device, and tests in other files call it and expect one on CUDA."""
    function = scopes(ctx).function_of(node) if isinstance(ctx.tree.parent(node), cst.Return) else None
    project = project_around(ctx)
    calls = calls_elsewhere(project, function.name.value) if isinstance(function, cst.FunctionDef) else None
    tests = sorted({one.path for one in calls or () if is_named_as_test(one.path)})
    return any(_EXPECTS_CUDA.search(project.index.disk.read(path) or b"") is not None for path in tests)


def _is_handed_on_by_test(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether a test only hands a device to functions of which nothing shows that they place, by a name or as it is.

    A planner that is told "cuda" plans for CUDA wherever the test runs.
    """
    functions = [one for one in ctx.tree.ancestors(node) if isinstance(one, cst.FunctionDef)]
    if not functions or not holds_tests(ctx):
        return False
    uses = _uses_of_name(ctx, node)
    if uses and all(_is_handed_on(ctx, one) for one in uses):
        return True
    return is_test(ctx, functions[-1]) and not _places(ctx, node) and not _has_placements(ctx, functions[-1])


def _places(ctx: FileContext, node: cst.CSTNode) -> bool:
    return slot_owner(ctx, node) is not None or project_slot(ctx, node) is not None


@fact_of
def _has_placements(ctx: FileContext, function: cst.FunctionDef) -> bool:
    """Whether a function puts something on a device itself: by a device that torch is told, or by ``.cuda()``."""
    below = list(ctx.tree.below(function.body))
    if any(isinstance(one, cst.Attribute) and one.attr.value == "cuda" and _is_called(ctx, one) for one in below):
        return True
    return any(isinstance(one, cst.Arg) and _places(ctx, one.value) for one in below)


def _is_called(ctx: FileContext, node: cst.CSTNode) -> bool:
    call = ctx.tree.parent(node)
    return isinstance(call, cst.Call) and call.func is node


def _uses_of_name(ctx: FileContext, node: cst.CSTNode) -> list[cst.Name]:
    """The reads of the name that a value is given, if it is given one and nothing else."""
    statement = ctx.tree.parent(node)
    target = statement.targets[0].target if isinstance(statement, cst.Assign) and len(statement.targets) == 1 else None
    if not isinstance(target, cst.Name):
        return []
    uses = uses_of(ctx, scopes(ctx).binder(target.value, target), target.value)
    return [one for one in uses if one is not target]


def _is_handed_on(ctx: FileContext, use: cst.CSTNode) -> bool:
    """Whether a use is an argument of a function that is none of torch's, and places nothing by what is known."""
    arg = ctx.tree.parent(use)
    call = ctx.tree.parent(arg) if isinstance(arg, cst.Arg) else None
    if not isinstance(call, cst.Call) or slot_owner(ctx, use) is not None or project_slot(ctx, use) is not None:
        return False
    return not (origin(ctx, call.func) or "").startswith("torch.")


def _is_key(ctx: FileContext, use: cst.CSTNode) -> bool:
    parent = ctx.tree.parent(use)
    return isinstance(parent, cst.DictElement) and parent.key is use


def only_reads(ctx: FileContext, call: cst.Call, arg: cst.CSTNode) -> bool:
    """Whether ``call`` puts nothing on the device it is given: it prints or compares it, or asks for its type."""
    name = (dotted_name(call.func) or "").rpartition(".")[2]
    return name in _READS or name.startswith("assert") or _asks_for_type(ctx, call, arg)


def _asks_for_type(ctx: FileContext, call: cst.Call, arg: cst.CSTNode) -> bool:
    """Whether ``call`` is of a function of this file that reads only ``.type`` or ``.index`` of its argument."""
    if not isinstance(call.func, cst.Name) or not isinstance(arg, cst.Arg) or arg.star:
        return False
    name = call.func.value
    functions = [one for one in ctx.tree.of_type(cst.FunctionDef) if one.name.value == name]
    if len(functions) != 1 or any(one.star for one in call.args):
        return False
    function = functions[0]
    names = [one.name.value for one in function.params.params]
    if arg.keyword is not None:
        parameter = arg.keyword.value
    else:
        at = next(number for number, one in enumerate(call.args) if one is arg)
        parameter = names[at] if at < len(names) else ""
    if parameter not in names:
        return False
    parents = [
        ctx.tree.parent(one)
        for one in ctx.tree.of_type(cst.Name)
        if one.value == parameter and function.body in ctx.tree.ancestors(one)
    ]
    return bool(parents) and all(isinstance(one, cst.Attribute) and one.attr.value in _QUESTIONS for one in parents)
