"""Whether a file is a script or a library module, and which of its classes are nn.Modules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.control_flow import is_main_guard
from devlint.analysis.names.demo_main import only_tries_out
from devlint.analysis.names.resolution import origin
from devlint.analysis.names.scopes import bound_values, scopes
from devlint.analysis.names.string_literals import string_value
from devlint.syntax.file_context import FileContext
from devlint.syntax.tree import children
from devlint.torch_api.device_naming import HAVE_DEVICE

_WORK = frozenset({"cuda", "to", "backward", "parse_args", "parse_known_args", "train", "eval", "step"})
_MOST_BASES = 200
"""Classes whose bases are followed; nobody writes a longer line of ancestors, and none is worth the time."""
_PLAIN_BASES = frozenset({"object", "torch.nn.Module", "abc.ABC", "typing.Generic", "torch.autograd.Function"})
"""Bases that give an instance no device, and set none."""


def is_script(ctx: FileContext) -> bool:
    """Whether running the file does something: a main part, or torch work among the top-level statements."""
    return ctx.fact(_is_script)


def _is_script(ctx: FileContext) -> bool:
    if ctx.source.path.replace("\\", "/").rpartition("/")[2] == "__init__.py":
        return False
    return ctx.source.is_run or any(_works(ctx, one) for one in ctx.module.body)


def _works(ctx: FileContext, statement: cst.CSTNode) -> bool:
    """Whether running a top-level statement trains, moves, makes tensors on CUDA, parses arguments or prints."""
    if isinstance(statement, cst.If) and is_main_guard(statement):
        return not only_tries_out(ctx, statement)
    if isinstance(statement, (cst.FunctionDef, cst.ClassDef)):
        return any(_is_work(node) for node in run_at_once(statement))
    if isinstance(statement, cst.SimpleStatementLine):
        first = statement.body[0]
        called = (
            dotted_name(first.value.func) if isinstance(first, cst.Expr) and isinstance(first.value, cst.Call) else None
        )
        if called == "print" or _is_own_function(ctx, called):
            return True
    return any(_is_work(node) or _makes_on_cuda(node) for node in run_at_once(statement))


def _is_own_function(ctx: FileContext, name: str | None) -> bool:
    """Whether a name is a function of the file: ``main()`` at the end of a script."""
    return name in ctx.fact(_own_functions)


def _own_functions(ctx: FileContext) -> frozenset[str]:
    return frozenset(one.name.value for one in ctx.module.body if isinstance(one, cst.FunctionDef))


def _is_work(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value in _WORK


def _makes_on_cuda(node: cst.CSTNode) -> bool:
    """Whether a call is given ``device="cuda"``."""
    if not isinstance(node, cst.Call):
        return False
    slots = [arg.value for arg in node.args if arg.keyword is not None and arg.keyword.value == "device"]
    return any(isinstance(one, cst.SimpleString) and one.value[1:5] == "cuda" for one in slots)


def exported_names(ctx: FileContext) -> frozenset[str | None]:
    """The names that ``__all__`` holds."""
    return ctx.fact(_exported_names)


def _exported_names(ctx: FileContext) -> frozenset[str | None]:
    values = bound_values(ctx, "__all__", ctx.module)
    values += [one.value for one in ctx.tree.of_type(cst.AugAssign) if dotted_name(one.target) == "__all__"]
    return frozenset(string_value(node) for value in values for node in ctx.tree.below(value))


def run_at_once(statement: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The nodes that run when a statement runs: bodies of functions do not, those of classes do."""
    stack: list[cst.CSTNode] = [statement]
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, cst.FunctionDef):
            stack += [*node.decorators, node.params]
        elif not isinstance(node, cst.Lambda):
            stack += children(node)[::-1]


def class_of(ctx: FileContext, node: cst.CSTNode) -> cst.ClassDef | None:
    """The class whose method (or a function inside it) holds ``node``."""
    scope = scopes(ctx).scope_of(node)
    while scope.parent is not None:
        if isinstance(scope.node, cst.ClassDef):
            return scope.node
        scope = scope.parent
    return None


def method_of(ctx: FileContext, node: cst.CSTNode) -> cst.FunctionDef | None:
    """The method that holds ``node``: the outermost function inside the innermost class."""
    found = None
    scope = scopes(ctx).scope_of(node)
    while scope.parent is not None:
        if isinstance(scope.node, cst.ClassDef):
            return found
        if isinstance(scope.node, cst.FunctionDef):
            found = scope.node
        scope = scope.parent
    return None


def self_name(method: cst.FunctionDef) -> str | None:
    """What a method calls its instance; None for static and class methods."""
    for decorator in method.decorators:
        if dotted_name(decorator.decorator) in ("staticmethod", "classmethod"):
            return None
    parameters = [*method.params.posonly_params, *method.params.params]
    return parameters[0].name.value if parameters else None


def bases(ctx: FileContext, definition: cst.ClassDef) -> list[str]:
    """The bases of a class and of its bases in this file, as dotted names of their imports where there are any."""
    known = ctx.fact(_known_families)
    if id(definition) not in known:
        known[id(definition)] = _all_bases(ctx, definition)
    return known[id(definition)]


def _known_families(ctx: FileContext) -> dict[int, list[str]]:
    """By class, all bases found before."""
    return {}


def _all_bases(ctx: FileContext, definition: cst.ClassDef) -> list[str]:
    found: list[str] = []
    waiting = [definition]
    seen: set[int] = set()
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if len(seen) > _MOST_BASES:
            return [*found, "?"]
        names, classes = _direct_bases(ctx, one)
        found += names
        waiting += classes
    return found


def _direct_bases(ctx: FileContext, definition: cst.ClassDef) -> tuple[list[str], list[cst.ClassDef]]:
    """The names of the bases of a class, and the classes of this file that they are."""
    known = ctx.fact(_known_bases)
    if id(definition) not in known:
        names, classes = known[id(definition)] = ([], [])
        for arg in definition.bases:
            written = dotted_name(arg.value)
            if written is None:
                continue
            names.append(origin(ctx, arg.value) or written)
            scope = scopes(ctx).binder(written, definition)
            found = [one.node for one in scope.bindings[written]] if scope is not None else []
            classes += [one for one in found if isinstance(one, cst.ClassDef)]
    return known[id(definition)]


def _known_bases(ctx: FileContext) -> dict[int, tuple[list[str], list[cst.ClassDef]]]:
    """By class, the direct bases found before."""
    return {}


def classes_called(ctx: FileContext, names: Iterable[str]) -> list[cst.ClassDef]:
    """The classes of a file that have one of these names, in source order."""
    table = ctx.fact(_classes_by_name)
    found = [one for name in set(names) for one in table.get(name, ())]
    return [one for _, one in sorted(found, key=lambda one: one[0])]


def _classes_by_name(ctx: FileContext) -> dict[str, list[tuple[int, cst.ClassDef]]]:
    found: dict[str, list[tuple[int, cst.ClassDef]]] = {}
    for index, one in enumerate(ctx.tree.of_type(cst.ClassDef)):
        found.setdefault(one.name.value, []).append((index, one))
    return found


def has_unknown_base(ctx: FileContext, definition: cst.ClassDef) -> bool:
    """Whether a base of a class, or of a base of it, is neither in this file nor known to have nothing to hide."""
    own = ctx.fact(_classes_by_name)
    return any(base not in _PLAIN_BASES and base not in own for base in bases(ctx, definition))


def is_module(ctx: FileContext, definition: cst.ClassDef) -> bool:
    """Whether a class is an nn.Module as far as this file shows."""
    names = bases(ctx, definition)
    if any(name.startswith("torch.nn.") or name.endswith(("nn.Module", *HAVE_DEVICE)) for name in names):
        return True
    return bool(names) and any(not _is_static(one) for one in methods_called(ctx, definition, "forward"))


def _is_static(method: cst.FunctionDef) -> bool:
    return self_name(method) is None


def has_device_by_base(ctx: FileContext, definition: cst.ClassDef) -> bool:
    """Whether a known base gives the class a ``device`` property."""
    return any(name.rpartition(".")[2].endswith(HAVE_DEVICE) for name in bases(ctx, definition))


def methods(definition: cst.ClassDef) -> list[cst.FunctionDef]:
    """The functions defined directly in a class."""
    return [one for one in definition.body.body if isinstance(one, cst.FunctionDef)]


def methods_called(ctx: FileContext, definition: cst.ClassDef, name: str) -> list[cst.FunctionDef]:
    """Those of them that have this name."""
    known = ctx.fact(_known_methods)
    if id(definition) not in known:
        table = known[id(definition)] = {}
        for one in methods(definition):
            table.setdefault(one.name.value, []).append(one)
    return known[id(definition)].get(name, [])


def _known_methods(ctx: FileContext) -> dict[int, dict[str, list[cst.FunctionDef]]]:
    """By class, the methods found before, by name."""
    return {}
