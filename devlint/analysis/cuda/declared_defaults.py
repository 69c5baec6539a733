"""Defaults other than those of parameters: of fields of dataclasses and models, and of command line options."""

from __future__ import annotations

import re

import libcst as cst

from devlint.analysis.devices.parsed_options import are_parsed_options
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.classes import bases
from devlint.analysis.names.control_flow import is_below_test
from devlint.analysis.names.program_options import ProgramOption, program_option
from devlint.analysis.names.resolution import attributes_named
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.string_literals import string_value
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.mentions import is_unknown_elsewhere
from devlint.analysis.slots.placed_settings import places_unasked
from devlint.core.lazy_regex import regex
from devlint.syntax.file_context import FileContext
from devlint.torch_api.device_naming import ACCELERATORS, FIELD_CALLS, looks_like_device

_FIELD_DECORATORS = frozenset("dataclass define frozen mutable s attrs attrib dataclasses_json".split())
_FIELD_BASES = frozenset("BaseModel BaseSettings NamedTuple Struct BaseConfig PretrainedConfig Tap SQLModel".split())
_WORDS = ACCELERATORS | {"cpu", "auto", "none", ""}
"""What an option for a device may be compared with."""
_METHODS = {"get": 0, "pop": 0, "getenv": 0}
_FUNCTIONS = {"getattr": 1, "getenv": 0}
"""What looks something up and takes a default after the key, by the position of the key."""
_OPTION_NAME = regex(r"(?:-+|.*[-_])?(?:device|dev|cuda|gpu|gpus|map[-_]location)\Z", re.IGNORECASE)


def is_field(ctx: FileContext, statement: cst.CSTNode) -> bool:
    """Whether an annotated assignment is a field of a dataclass, an attrs class, a pydantic model or a NamedTuple."""
    definition = class_body(ctx, statement)
    return isinstance(statement, cst.AnnAssign) and definition is not None and has_fields(ctx, definition)


def is_enum_member(ctx: FileContext, statement: cst.CSTNode) -> bool:
    """Whether an assignment makes a member of an Enum."""
    definition = class_body(ctx, statement)
    return definition is not None and any("Enum" in name for name in bases(ctx, definition))


def class_body(ctx: FileContext, statement: cst.CSTNode) -> cst.ClassDef | None:
    """The class whose own body, and not a method, holds a statement."""
    scope = scopes(ctx).scope_of(statement).node
    return scope if isinstance(scope, cst.ClassDef) else None


def has_fields(ctx: FileContext, definition: cst.ClassDef) -> bool:
    """Whether the annotated names of a class are the parameters of its instances."""
    for decorator in definition.decorators:
        call = decorator.decorator
        name = dotted_name(call.func if isinstance(call, cst.Call) else call) or ""
        if name.rpartition(".")[2] in _FIELD_DECORATORS:
            return True
    return any(name.rpartition(".")[2] in _FIELD_BASES for name in bases(ctx, definition))


def is_field_default(ctx: FileContext, call: cst.Call, arg: cst.Arg) -> bool:
    """Whether ``arg`` is the default in ``device: str = field(default="cuda")`` or ``Field("cuda", ...)``."""
    name = (dotted_name(call.func) or "").rpartition(".")[2]
    is_default = arg.keyword.value == "default" if arg.keyword else name == "Field" and call.args[0] is arg
    if name not in FIELD_CALLS or not is_default:
        return False
    statement = ctx.tree.parent(call)
    if isinstance(statement, cst.AnnAssign):
        target: cst.CSTNode = statement.target
    elif isinstance(statement, cst.Assign) and len(statement.targets) == 1:
        target = statement.targets[0].target
    else:
        return False
    return isinstance(target, cst.Name) and looks_like_device(target.value)


def is_option_default(ctx: FileContext, call: cst.Call, arg: cst.Arg) -> bool:
    """Whether ``arg`` is the default of a command line option that is about the device."""
    if isinstance(call.func, cst.Attribute) and call.func.attr.value == "set_defaults":
        return arg.keyword is not None and looks_like_device(arg.keyword.value)
    option = program_option(call)
    if option is None or option.default is not arg or _is_only_compared(ctx, option):
        return False
    names = (*option.names, option.destination or "")
    named = any(_OPTION_NAME.match(name) for name in names) or _holder_is_device(ctx, call)
    return named or _is_told_to_torch(ctx, option)


def _is_only_compared(ctx: FileContext, option: ProgramOption) -> bool:
    """Whether an option names no device, whatever its name: it is only asked whether it is another word.

    ``args.buffer_device == "numpy"`` is all that the project does with it.
    """
    name = option.destination or ""
    reads = [one for one in attributes_named(ctx, name) if not isinstance(ctx.tree.parent(one), cst.AssignTarget)]
    tests = [ctx.tree.parent(one) for one in reads]
    words = [
        string_value(one.comparator) for test in tests if isinstance(test, cst.Comparison) for one in test.comparisons
    ]
    is_other = any(word is not None and word.lower().partition(":")[0] not in _WORDS for word in words)
    return is_other and len(words) == len(reads) and is_unknown_elsewhere(project_around(ctx), name)


def _is_told_to_torch(ctx: FileContext, option: ProgramOption) -> bool:
    """Whether the file takes an option for a device, whatever its name: ``torch.device(args.where)``."""
    if not option.of_parser or option.destination is None:
        return False
    reads = (one for one in attributes_named(ctx, option.destination) if places_unasked(ctx, one))
    return any(not is_below_test(ctx, one) and are_parsed_options(ctx, one.value) for one in reads)


def is_looked_up_default(ctx: FileContext, call: cst.Call, arg: cst.Arg) -> bool:
    """Whether ``arg`` is what a look-up of a device gives where there is none: ``os.environ.get("DEVICE", "cuda")``.

    Also of ``getattr(args, "device", "cuda")`` and ``config.get("device", "cuda")``, unless that is only compared.
    """
    if isinstance(ctx.tree.parent(call), (cst.Comparison, cst.ComparisonTarget)) or any(one.star for one in call.args):
        return False
    is_method = isinstance(call.func, cst.Attribute)
    name = call.func.attr.value if isinstance(call.func, cst.Attribute) else dotted_name(call.func) or ""
    key = (_METHODS if is_method else _FUNCTIONS).get(name)
    named = arg.keyword.value if arg.keyword is not None else None
    at = next(position for position, one in enumerate(call.args) if one is arg)
    if key is None or len(call.args) != key + 2 or at != key + 1 or named not in (None, "default"):
        return False
    return _OPTION_NAME.match(string_value(call.args[key].value) or "") is not None


def _holder_is_device(ctx: FileContext, call: cst.Call) -> bool:
    """Whether a call is the default of a parameter or name like ``device``: ``device: str = typer.Option("cuda")``."""
    holder = ctx.tree.parent(call)
    name = (
        holder.name if isinstance(holder, cst.Param) else holder.target if isinstance(holder, cst.AnnAssign) else None
    )
    return isinstance(name, cst.Name) and looks_like_device(name.value)
