"""Code that TorchScript compiles: it may use parameters and attributes, but no module variables and no CUDA queries."""

from __future__ import annotations

import re

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.classes import class_of, is_module, method_of
from devlint.analysis.names.resolution import bindings, origin, reads
from devlint.analysis.names.scopes import scopes
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.mentions import IMPORTERS, SCRIPTED
from devlint.analysis.project.searches import search
from devlint.core.lazy_regex import regex
from devlint.syntax.file_context import FileContext, fact

_DEFINED = regex(rb"^[ \t]*(?:class|def)[ \t]+(\w+)", re.MULTILINE)
_NAMES = regex(rb"\w+")
_WORDS = regex(r"jit\.(?:script|export|unused|ignore)|script_method|is_scripting|jit import [^\n]*script")


@fact
def mentions_torchscript(ctx: FileContext) -> bool:
    """Whether a file mentions TorchScript, or one that imports it gives something of it to ``torch.jit.script``."""
    return _mentions_itself(ctx) or bool(_scripted_elsewhere(ctx))


@fact
def _mentions_itself(ctx: FileContext) -> bool:
    return _WORDS.search(ctx.source.text) is not None


@fact
def _scripted_elsewhere(ctx: FileContext) -> frozenset[str]:
    """The functions and classes of a file that files which import it give to ``torch.jit.script``, by their names.

    What is compiled may use all of this file that its own file names.
    """
    project, bound = project_around(ctx), scopes(ctx).module.bindings
    kinds = (cst.FunctionDef, cst.ClassDef)
    own = {name for name, found in bound.items() if any(isinstance(one.node, kinds) for one in found)}
    scripted = search(project, SCRIPTED, "") if own else None
    named: dict[str, set[str]] = {}
    for one in scripted or ():
        if one.name in own:
            named.setdefault(one.path, set()).add(one.name)
    importers = {one.path for one in search(project, IMPORTERS, project.path) or ()} if scripted else set()
    for path in importers:
        text = project.index.disk.read(path) or b""
        if {one.name.encode() for one in scripted or ()} & set(_DEFINED.findall(text)):
            named.setdefault(path, set()).update(own & {one.decode() for one in _NAMES.findall(text)})
    return frozenset(name for path, names in named.items() if path in importers for name in names)


def is_compiled(ctx: FileContext, at: cst.CSTNode) -> bool:
    """Whether TorchScript compiles what holds ``at``: by a decorator, or as an argument of ``torch.jit.script``."""
    if not mentions_torchscript(ctx):
        return False
    compiled = _compiled_names(ctx)
    for one in ctx.tree.ancestors(at):
        if isinstance(one, cst.FunctionDef):
            if _is_decorated(ctx, one):
                return True
            if one.name.value == "__init__":
                return False
        if isinstance(one, (cst.FunctionDef, cst.ClassDef)) and one.name.value in compiled:
            return True
    return False


@fact
def _compiled_names(ctx: FileContext) -> frozenset[str]:
    """The functions and classes of a file that TorchScript compiles, with all that they name, by their names."""
    found = set(ctx.fact(_given_to_script) | _scripted_elsewhere(ctx))
    functions = ctx.tree.of_type(cst.FunctionDef)
    definitions: list[cst.FunctionDef | cst.ClassDef] = [*functions, *ctx.tree.of_type(cst.ClassDef)]
    defined = {one.name.value: one for one in definitions}
    waiting = [defined[one] for one in found if one in defined]
    waiting += [one for one in functions if _is_decorated(ctx, one)]
    looked_up = {id(one) for one in reads(ctx)} if waiting else set()
    while waiting:
        below = (one for one in ctx.tree.below(waiting.pop()) if isinstance(one, cst.Name) and id(one) in looked_up)
        new = {one.value for one in below} & defined.keys() - found
        found |= new
        waiting += [defined[one] for one in new]
    return frozenset(found)


def _is_decorated(ctx: FileContext, function: cst.FunctionDef) -> bool:
    names = [_full_name(ctx, decorator.decorator) for decorator in function.decorators]
    return any(".script" in f".{name}" or name.endswith("jit.export") for name in names)


def may_be_compiled(ctx: FileContext, at: cst.CSTNode) -> bool:
    """Whether ``at`` stands in a method of an nn.Module, in a file that mentions TorchScript."""
    method, owner = method_of(ctx, at), class_of(ctx, at)
    if method is None or owner is None or method.name.value == "__init__" or not _mentions_itself(ctx):
        return False
    return is_module(ctx, owner)


def _full_name(ctx: FileContext, node: cst.BaseExpression) -> str:
    """``torch.jit.script``, also where it is imported by another name."""
    return origin(ctx, node) or dotted_name(node) or ""


def _given_to_script(ctx: FileContext) -> frozenset[str]:
    """The names of functions and classes in ``torch.jit.script(function)``, ``script(Net())`` and ``script(net)``."""
    found: set[str] = set()
    for call in ctx.tree.of_type(cst.Call):
        if f".{_full_name(ctx, call.func)}".endswith(".script") and call.args:
            for one in ctx.tree.below(call.args[0].value):
                if isinstance(one, cst.Name):
                    found |= {one.value, *_made_by(ctx, one)}
    return frozenset(found)


def _made_by(ctx: FileContext, name: cst.Name) -> set[str]:
    """What is called to make the value of a name."""
    _, found = bindings(ctx, name.value, name)
    calls = [one.value.func for one in found if isinstance(one.value, cst.Call)]
    return {one.value for one in calls if isinstance(one, cst.Name)}
