"""Calls that are told CUDA as their device, and that no rule reports: what they do with it is in no file at hand."""

from __future__ import annotations

import ast

import libcst as cst

from devlint.analysis.cuda.failing.failures_beside import does_no_harm
from devlint.analysis.cuda.literal_roles import literal_uses
from devlint.analysis.devices.cuda_literals import cuda_literal
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.mocks import is_mock
from devlint.analysis.names.resolution import origin
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.device_parameters import DeviceUses, GivenDevice, parameter_at
from devlint.analysis.project.module import Definition
from devlint.analysis.slots.framework_devices import says_device
from devlint.analysis.slots.project_slots import called_definition
from devlint.syntax.file_context import FileContext, fact
from devlint.torch_api.device_naming import FIELD_CALLS, ONLY_ASK, OPTION_CALLS, is_plainly_device

_KEEP = ONLY_ASK | FIELD_CALLS | OPTION_CALLS | {"dict", "update", "replace", "setdefault", "get", "format"}
"""What is called and puts nothing anywhere: it keeps what it is given, or only looks at it."""


@fact
def told_devices(ctx: FileContext) -> list[cst.BaseExpression]:
    """The texts of a file that are given to such calls, that no test guards, and that nothing catches."""
    texts = (one for kind in (cst.SimpleString, cst.FormattedString) for one in ctx.tree.of_type(kind))
    told = [one for one in texts if _is_told(ctx, one)]
    reported = {id(use.node) for use in literal_uses(ctx)} if told else set()
    return [one for one in told if id(one) not in reported and not says_device(ctx, one)]


def _is_told(ctx: FileContext, text: cst.BaseExpression) -> bool:
    """Whether a text is CUDA, under the name of a device, for a call that fails without it, as far as one sees."""
    arg = ctx.tree.parent(text)
    call = ctx.tree.parent(arg) if isinstance(arg, cst.Arg) else None
    if not isinstance(call, cst.Call) or not isinstance(arg, cst.Arg) or cuda_literal(ctx, text) is None:
        return False
    called = origin(ctx, call.func) or ""
    if called.startswith("torch.") or (dotted_name(call.func) or "").rpartition(".")[2] in _KEEP:
        return False
    if does_no_harm(ctx, call) or is_mock(ctx, text):
        return False
    definition = called_definition(ctx, call.func)
    name = arg.keyword.value if arg.keyword is not None else _parameter(ctx, call, arg, definition)
    return name is not None and is_plainly_device(name) and _may_place(ctx, definition, name)


def _parameter(ctx: FileContext, call: cst.Call, arg: cst.Arg, definition: Definition | None) -> str | None:
    """What a function of the project calls an argument that has no keyword."""
    position = next(at for at, one in enumerate(call.args) if one is arg)
    if definition is None or any(one.star for one in call.args[:position]):
        return None
    return parameter_at(project_around(ctx).index, definition, position)


def _may_place(ctx: FileContext, definition: Definition | None, name: str) -> bool:
    """Whether what is called may put something on a device; of the project's functions one that shows it does."""
    function = definition.node if definition is not None else None
    if definition is None or not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return True
    index = project_around(ctx).index
    uses = DeviceUses(index, definition.module, function, None, given=GivenDevice.STRING_ANYWHERE)
    return uses.slots(function.body, name) > 0
