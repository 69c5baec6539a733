"""Code that TorchScript compiles: it may use parameters and attributes, but no module variables and no CUDA queries."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.classes import class_of, is_module, method_of
from devlint.analysis.names.resolution import bindings
from devlint.core.lazy_regex import regex
from devlint.syntax.file_context import FileContext, fact

_WORDS = regex(r"jit\.(?:script|export|unused|ignore)|script_method|is_scripting|jit import [^\n]*script")


@fact
def mentions_torchscript(ctx: FileContext) -> bool:
    """Whether a file mentions TorchScript."""
    return _WORDS.search(ctx.source.text) is not None


def is_compiled(ctx: FileContext, at: cst.CSTNode) -> bool:
    """Whether TorchScript compiles what holds ``at``: by a decorator, or as an argument of ``torch.jit.script``."""
    if not mentions_torchscript(ctx):
        return False
    given = ctx.fact(_given_to_script)
    for one in ctx.tree.ancestors(at):
        if isinstance(one, cst.FunctionDef):
            names = [dotted_name(decorator.decorator) or "" for decorator in one.decorators]
            if any(".script" in f".{name}" or name.endswith("jit.export") for name in names):
                return True
            if one.name.value == "__init__":
                return False
        if isinstance(one, (cst.FunctionDef, cst.ClassDef)) and one.name.value in given:
            return True
    return False


def may_be_compiled(ctx: FileContext, at: cst.CSTNode) -> bool:
    """Whether ``at`` stands in a method of an nn.Module, in a file that mentions TorchScript."""
    method, owner = method_of(ctx, at), class_of(ctx, at)
    if method is None or owner is None or method.name.value == "__init__" or not mentions_torchscript(ctx):
        return False
    return is_module(ctx, owner)


def _given_to_script(ctx: FileContext) -> frozenset[str]:
    """The names of functions and classes in ``torch.jit.script(function)``, ``script(Net())`` and ``script(net)``."""
    found: set[str] = set()
    for call in ctx.tree.of_type(cst.Call):
        if f".{dotted_name(call.func)}".endswith(".script") and call.args:
            for one in ctx.tree.below(call.args[0].value):
                if isinstance(one, cst.Name):
                    found |= {one.value, *_made_by(ctx, one)}
    return frozenset(found)


def _made_by(ctx: FileContext, name: cst.Name) -> set[str]:
    """What is called to make the value of a name."""
    _, found = bindings(ctx, name.value, name)
    calls = [one.value.func for one in found if isinstance(one.value, cst.Call)]
    return {one.value for one in calls if isinstance(one, cst.Name)}
