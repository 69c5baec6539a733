"""Flags that are constants or options of the command line: whether anybody asks for CUDA before taking their word."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.apis.unasked_programs import is_program_that_never_asks
from devlint.analysis.guards.configured_flags import is_true_by_base, is_true_elsewhere
from devlint.analysis.guards.implications import flag_polarity
from devlint.analysis.guards.switched_flags import is_switched_by_cuda
from devlint.analysis.names.bindings import Binding, How, dotted_name
from devlint.analysis.names.classes import class_of, method_of
from devlint.analysis.names.program_options import program_option, program_options
from devlint.analysis.names.resolution import bindings, import_origin
from devlint.analysis.names.scopes import bound_values, scopes
from devlint.analysis.project.ask import own_module, project_around
from devlint.analysis.project.calls import calls_elsewhere
from devlint.analysis.project.options import is_option_that_never_asks
from devlint.analysis.project.project import Project
from devlint.analysis.slots.argument_devices import is_always_given
from devlint.syntax.file_context import FileContext, fact
from devlint.torch_api.cuda_naming import IS_CUDA
from devlint.torch_api.device_naming import holds_options

_LIBRARIES = frozenset({"torch", "argparse", "os", "sys", "click", "typer", "absl", "yaml", "json"})
_Known = dict[tuple[str, int], bool]
"""The answers so far; of a flag that is just being asked for, what others get of it tells nothing."""


def set_without_asking(ctx: FileContext, dotted: str, at: cst.CSTNode) -> bool:
    """Whether a flag gets its value, as a constant or an option, and nobody asks whether there is CUDA.

    A parameter is the caller's business, unless it is True by default, or all its callers are seen, or it is in a
    program in which nobody asks that at all.
    """
    return _never_asks(ctx) or _is_unasked_flag(ctx, dotted, at, {})


@fact
def _never_asks(ctx: FileContext) -> bool:
    return is_program_that_never_asks(project_around(ctx), own_module(ctx), ctx.source.text)


def _is_unasked_flag(ctx: FileContext, dotted: str, at: cst.CSTNode, known: _Known) -> bool:
    owner = class_of(ctx, at) if "." in dotted else scopes(ctx).binder(dotted, at)
    key = (dotted, id(owner))
    if key not in known:
        known[key] = True
        known[key] = _gets_unasked(ctx, dotted, at, known)
    return known[key]


def _gets_unasked(ctx: FileContext, dotted: str, at: cst.CSTNode, known: _Known) -> bool:
    values = bound_values(ctx, dotted, at)
    if any(_asks(ctx, one) for one in values) or is_switched_by_cuda(ctx, dotted, at):
        return False
    copied = [one for one in values if isinstance(one, (cst.Name, cst.Attribute, cst.Subscript))]
    if not all(_is_unasked(ctx, one, known) for one in copied):
        return False
    if "." in dotted:
        return bool(values) or _is_unasked_option(ctx, dotted, at) or is_true_by_base(ctx, dotted, at)
    _, found = bindings(ctx, dotted, at)
    return bool(found) and all(one.how is How.ASSIGN or _is_set_by_callers(ctx, one, known) for one in found)


def _asks(ctx: FileContext, value: cst.BaseExpression) -> bool:
    """Whether a value asks torch whether there is CUDA, or whether something is there: ``is_cuda(model)``."""
    asks_model = isinstance(value, cst.Call) and (dotted_name(value.func) or "").rpartition(".")[2] == IS_CUDA
    return asks_model or "is_available" in ctx.text_of(value)


def _is_unasked(ctx: FileContext, value: cst.BaseExpression, known: _Known) -> bool:
    """Whether a value is a constant, or the value of a flag that is set without asking."""
    dotted = dotted_name(value)
    if is_constant(value) or is_true_elsewhere(ctx, value):
        return True
    return dotted is not None and _is_unasked_flag(ctx, dotted, value, known)


def _is_set_by_callers(ctx: FileContext, binding: Binding, known: _Known) -> bool:
    """Whether a parameter asks for CUDA by default, is an option of a command, or always given what never asks."""
    param = binding.node
    if binding.how is not How.PARAMETER or not isinstance(param, cst.Param):
        return False
    wanted = "False" if flag_polarity(param.name) is False else "True"
    if isinstance(binding.value, cst.Name) and binding.value.value == wanted:
        return True
    if _is_unasked_parameter(ctx, param):
        return True
    if is_always_given(ctx, param, lambda one: _is_unasked(ctx, one, known), constructors=True):
        return True
    return _is_set_by_other_files(ctx, param)


def is_constant(node: cst.CSTNode) -> bool:
    """Whether a name is True, False or None."""
    return isinstance(node, cst.Name) and node.value in ("True", "False", "None")


def _is_unasked_option(ctx: FileContext, dotted: str, at: cst.CSTNode) -> bool:
    """Whether ``args.cuda`` is an option, of this file or of one that ``args`` comes from, that never asks for CUDA."""
    owner, _, name = dotted.rpartition(".")
    own = [one for one in program_options(ctx) if one.of_parser and one.destination == name]
    if own:
        return not any("is_available" in ctx.text_of(one.call) for one in own)
    imported = list(imported_paths(ctx, owner.partition(".")[0], at))
    return is_option_that_never_asks(project_around(ctx), name, imported)


def _is_unasked_parameter(ctx: FileContext, param: cst.CSTNode) -> bool:
    """Whether a parameter is an option of a click or typer command that does not ask for CUDA."""
    if not isinstance(param, cst.Param):
        return False
    function = next((up for up in ctx.tree.ancestors(param) if isinstance(up, cst.FunctionDef)), None)
    calls = [one.decorator for one in function.decorators] if function is not None else []
    own = [program_option(one) for one in calls if isinstance(one, cst.Call)]
    found = [one for one in own if one is not None and one.destination == param.name.value]
    if isinstance(param.default, cst.Call):
        default = program_option(param.default)
        found += [default] if default is not None else []
    return bool(found) and not any("is_available" in ctx.text_of(one.call) for one in found)


def _is_set_by_other_files(ctx: FileContext, param: cst.CSTNode) -> bool:
    """Whether a call in another file of the project gives an option that never asks for CUDA to a parameter."""
    project = project_around(ctx)
    return any(_is_option(project, one) for one in arguments_elsewhere(ctx, param) or () if one is not None)


def arguments_elsewhere(ctx: FileContext, param: cst.CSTNode) -> list[str | None] | None:
    """What calls in other files give a parameter, as it is written, or None for its default; None if nobody knows.

    A star stands for what stars may hide.
    """
    parameters = ctx.tree.parent(param)
    function = ctx.tree.parent(parameters) if parameters is not None else None
    if not isinstance(param, cst.Param) or not isinstance(function, cst.FunctionDef):
        return None
    definition = class_of(ctx, function)
    is_method = definition is not None and method_of(ctx, param) is function
    is_init = is_method and function.name.value == "__init__"
    name = (definition if definition is not None and is_init else function).name.value
    positional = [*function.params.posonly_params, *function.params.params]
    position = next((at - is_method for at, one in enumerate(positional) if one is param), None)
    calls = calls_elsewhere(project_around(ctx), name)
    if calls is None:
        return None
    given = [(one.argument(param.name.value, position), one.has_stars) for one in calls]
    return [text if text is not None or not has_stars else "*" for text, has_stars in given]


def _is_option(project: Project, text: str) -> bool:
    """Whether an expression of another file is an option that never asks for CUDA, or True."""
    owner, _, name = text.rpartition(".")
    is_attribute = bool(owner) and text.replace(".", "").isidentifier() and holds_options(owner.rpartition(".")[2])
    return text == "True" or (is_attribute and is_option_that_never_asks(project, name))


def imported_paths(ctx: FileContext, name: str, at: cst.CSTNode) -> Iterator[str]:
    """The project's files that a name is imported from, or that its value is made with."""
    _, found = bindings(ctx, name, at)
    made = [one.value for one in found if one.value is not None]
    names = [node for value in made for node in ctx.tree.below(value) if isinstance(node, cst.Name)]
    origins = [import_origin(ctx, name, at), *(import_origin(ctx, one.value, one) for one in names)]
    for origin in dict.fromkeys(origins):
        if origin is None or origin.partition(".")[0] in _LIBRARIES:
            continue
        for name in (origin, origin.rpartition(".")[0]):
            module = project_around(ctx).module(name)
            if module is not None:
                yield module.path
