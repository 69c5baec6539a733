"""Variables that a program puts into the environment, with their values."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.apis.environment_reads import is_environment_dict, variable_name
from devlint.analysis.names.bindings import Binding, How, dotted_name
from devlint.analysis.names.resolution import bindings, origin
from devlint.analysis.names.string_literals import string_value
from devlint.core.record import Record
from devlint.syntax.file_context import FileContext, fact
from devlint.torch_api.environment_variables import LITERALS, SETTERS, meant


class EnvironmentWrite(Record, eq=False):
    """One variable that gets a value."""

    node: cst.CSTNode
    """The assignment target, call or element that writes."""
    name: str | None
    """None where it is not a constant."""
    value: cst.BaseExpression
    key: cst.CSTNode
    own: bool = True
    """Whether it is the environment of this process, and not that of a program it starts."""
    overwrites: bool = True
    """Whether a value that is there already is lost."""


@fact
def environment_writes(ctx: FileContext) -> list[EnvironmentWrite]:
    """Every variable that gets a value in ``os.environ``, or in a copy that is handed to another program."""
    if "env" not in ctx.source.text:
        return []
    found = [one for assign in ctx.tree.of_type(cst.Assign) for one in _assigned(ctx, assign)]
    for call in ctx.tree.of_type(cst.Call):
        found += _called(ctx, call)
    for display in ctx.tree.of_type(cst.Dict):
        found += _displayed(ctx, display)
    return found


def is_os_environ(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether an expression is ``os.environ`` itself, or ``env`` of ``env = os.environ``."""
    if origin(ctx, node) == "os.environ":
        return True
    found = bindings(ctx, node.value, node)[1] if isinstance(node, cst.Name) else []
    values = [one.value for one in found if one.how is How.ASSIGN]
    return any(isinstance(one, cst.Attribute) and origin(ctx, one) == "os.environ" for one in values)


def _assigned(ctx: FileContext, assign: cst.Assign) -> Iterator[EnvironmentWrite]:
    """``os.environ["A"] = …``, and ``env["A"] = …`` where ``env`` is a copy that a program is started with."""
    for target in assign.targets:
        left = target.target
        if not isinstance(left, cst.Subscript) or len(left.slice) != 1:
            continue
        index = left.slice[0].slice
        if not isinstance(index, cst.Index):
            continue
        own = is_os_environ(ctx, left.value)
        if own or _is_handed_on(ctx, left.value):
            yield EnvironmentWrite(target, variable_name(index.value), assign.value, index.value, own)


def _is_handed_on(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether a name is a copy of ``os.environ`` that stands in ``env=`` somewhere."""
    if not isinstance(node, cst.Name):
        return False
    _, found = bindings(ctx, node.value, node)
    if len(found) != 1 or not _is_copy(ctx, found[0].value):
        return False
    return any(
        arg.keyword is not None and arg.keyword.value == "env" and dotted_name(arg.value) == node.value
        for arg in ctx.tree.of_type(cst.Arg)
    )


def _is_copy(ctx: FileContext, value: cst.CSTNode | None) -> bool:
    if not isinstance(value, cst.Call):
        return False
    if isinstance(value.func, cst.Attribute) and value.func.attr.value == "copy" and not value.args:
        return is_os_environ(ctx, value.func.value)
    called = origin(ctx, value.func) or dotted_name(value.func)
    return called in ("dict", "copy.copy", "copy.deepcopy") and any(is_os_environ(ctx, arg.value) for arg in value.args)


def _called(ctx: FileContext, call: cst.Call) -> Iterator[EnvironmentWrite]:
    """``os.environ.setdefault("A", …)``, ``os.putenv("A", …)``, ``os.environ.update(A=…)``, ``dict(os.environ, A=…)``.

    The entries of a dict display that a call is given are found with the display.
    """
    method = call.func.attr.value if isinstance(call.func, cst.Attribute) else ""
    of_environment = isinstance(call.func, cst.Attribute) and is_os_environ(ctx, call.func.value)
    if (of_environment and method in SETTERS) or origin(ctx, call.func) == "os.putenv":
        if len(call.args) == 2 and not any(arg.keyword or arg.star for arg in call.args):
            key, value = (arg.value for arg in call.args)
            yield EnvironmentWrite(call, variable_name(key), value, key, True, method != "setdefault")
        return
    copies = dotted_name(call.func) == "dict" and _is_env_argument(ctx, call)
    if (of_environment and method == "update") or copies or _patches(ctx, call):
        for arg in call.args:
            if arg.keyword is not None and not (method == "dict" and arg.keyword.value in ("values", "clear")):
                yield EnvironmentWrite(call, arg.keyword.value, arg.value, arg.keyword, not copies)


def _patches(ctx: FileContext, call: cst.Call) -> bool:
    """``mock.patch.dict(os.environ, …)``."""
    return (
        (dotted_name(call.func) or "").endswith("patch.dict")
        and bool(call.args)
        and _is_or_names_os_environ(ctx, call.args[0].value)
    )


def _is_or_names_os_environ(ctx: FileContext, node: cst.CSTNode) -> bool:
    return is_os_environ(ctx, node) or variable_name(node) == "os.environ"


def _is_env_argument(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether an expression is what a program is started with: ``env=…``, with ``os.environ`` in it."""
    arg = ctx.tree.parent(node)
    if not isinstance(arg, cst.Arg) or arg.keyword is None or arg.keyword.value != "env":
        return False
    return any(is_os_environ(ctx, one) for one in ctx.tree.below(node) if isinstance(one, cst.Attribute))


def _displayed(ctx: FileContext, display: cst.Dict) -> Iterator[EnvironmentWrite]:
    """The entries of ``os.environ.update({...})``, ``patch.dict(os.environ, {...})``, ``env={**os.environ, …}``."""
    if not is_environment_dict(ctx, display):
        return
    arg = ctx.tree.parent(display)
    call = ctx.tree.parent(arg) if isinstance(arg, cst.Arg) else None
    if not isinstance(call, cst.Call):
        return
    updates = isinstance(call.func, cst.Attribute) and is_os_environ(ctx, call.func.value)
    own = updates or _patches(ctx, call)
    if own or _is_env_argument(ctx, display):
        for element in display.elements:
            if isinstance(element, cst.DictElement):
                yield EnvironmentWrite(element, variable_name(element.key), element.value, element.key, own)


def misspelled_writes(ctx: FileContext, variable: str) -> list[cst.CSTNode]:
    """The nodes that will set a variable once its name is spelled right."""
    if "environ" not in ctx.source.text or not any(one.decode() in ctx.source.text for one in LITERALS):
        return []
    return [one.node for one in environment_writes(ctx) if one.own and one.name and meant(one.name) == variable]


def settings_of_any_name(ctx: FileContext) -> list[cst.CSTNode]:
    """``os.environ[name] = value``, of which nobody knows which variable it sets, and what stands in for torch."""
    found: list[cst.CSTNode] = []
    for one in ctx.tree.of_type(cst.AssignTarget):
        left = one.target
        if isinstance(left, cst.Subscript) and _is_environ(ctx, left.value):
            index = left.slice[0].slice
            if isinstance(index, cst.Index) and _is_any_name(ctx, index.value):
                found.append(one)
        elif isinstance(left, cst.Attribute) and origin(ctx, left) == "torch.cuda.is_available":
            found.append(one)
    if "environ" in ctx.source.text or "dotenv" in ctx.source.text:
        found += [one for one in ctx.tree.of_type(cst.Call) if _sets_any(ctx, one)]
    return found


def _is_environ(ctx: FileContext, node: cst.CSTNode) -> bool:
    return (dotted_name(node) or "").rpartition(".")[2] == "environ" or is_os_environ(ctx, node)


def _sets_any(ctx: FileContext, call: cst.Call) -> bool:
    """``os.environ.update(settings)``, and ``load_dotenv()``, which reads them from a file."""
    name = call.func.attr.value if isinstance(call.func, cst.Attribute) else dotted_name(call.func)
    if name == "load_dotenv":
        return True
    if name != "update" or not isinstance(call.func, cst.Attribute) or not _is_environ(ctx, call.func.value):
        return False
    return any(one.star == "**" or (one.keyword is None and not _is_plain(ctx, one.value)) for one in call.args)


def _is_plain(ctx: FileContext, given: cst.BaseExpression | None) -> bool:
    """Whether all keys of a dictionary are there to read."""
    if isinstance(given, cst.Name):
        found = bindings(ctx, given.value, given)[1]
        return bool(found) and all(isinstance(one.value, cst.Dict) and _is_plain(ctx, one.value) for one in found)
    elements = given.elements if isinstance(given, cst.Dict) else None
    return elements is not None and all(isinstance(getattr(one, "key", None), cst.SimpleString) for one in elements)


def _is_any_name(ctx: FileContext, key: cst.BaseExpression) -> bool:
    """Whether a key is a name, or what a call or an entry gives: ``os.environ[line[0]]``."""
    return isinstance(key, (cst.Name, cst.Attribute, cst.Call, cst.Subscript)) and not _is_known_name(ctx, key)


def _is_known_name(ctx: FileContext, key: cst.BaseExpression) -> bool:
    """Whether a name is a constant, or walks over constants: ``for name in ("A", "B"):``."""
    found = bindings(ctx, key.value, key)[1] if isinstance(key, cst.Name) else []
    return bool(found) and all(_gives_constants(ctx, one) for one in found)


def _gives_constants(ctx: FileContext, binding: Binding) -> bool:
    if binding.how is How.ASSIGN:
        return binding.value is not None and string_value(binding.value) is not None
    walked = binding.node.iter if isinstance(binding.node, (cst.For, cst.CompFor)) else None
    names = (one for one in ctx.tree.below(walked) if isinstance(one, cst.Name)) if walked is not None else ()
    is_read = (getattr(ctx.tree.parent(one), "attr", None) is not one for one in names)
    return walked is not None and not isinstance(walked, cst.Name) and not any(is_read)
