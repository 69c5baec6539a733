"""What the project's own functions and marks ask torch before they say yes, or let a test run: that there is CUDA.

How they are called proves nothing; they are read where they are defined, in this file or another.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from devlint.analysis.guards.conditions import Names, TorchSaysCuda
from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.classes import class_of, method_of
from devlint.analysis.names.resolution import bindings, origin, targets_named
from devlint.analysis.names.scopes import bound_values, scopes
from devlint.analysis.project.ask import own_module, project_around
from devlint.analysis.project.attributes import set_from_outside
from devlint.analysis.project.module import Definition, ProjectModule
from devlint.syntax.file_context import FileContext, fact_of
from devlint.syntax.python_tree.nodes import dotted_text
from devlint.syntax.python_tree.python_terms import python_term
from devlint.syntax.terms import Assigned, Attribute, Name, Term
from devlint.torch_api.cuda_naming import IS_CUDA
from devlint.torch_api.device_naming import holds_options

_DEPTH = 3
"""How many definitions are followed: a decorator that returns what another makes of the test."""
_LEAVE = (ast.Return, ast.Raise)


class ModuleNames(Names):
    """Names as a module of the project binds them."""

    def __init__(self, module: ProjectModule) -> None:
        self._module = module

    def may_be(self, term: Term) -> tuple[str]:
        """What a name was imported as, or else how it is written."""
        return (self._module.origin(term.node) or term.dotted,)

    def value(self, term: Name | Assigned | Attribute) -> Term | None:
        """The only value that the module ever gives a name."""
        value = self._module.sole_value(term.node.id) if isinstance(term.node, ast.Name) else None
        return python_term(value) if value is not None else None


@fact_of
def says_cuda(ctx: FileContext, called: cst.BaseExpression) -> bool:
    """Whether a function of the project answers yes only where torch has said that there is CUDA."""
    found = definition_called(ctx, called)
    return found is not None and isinstance(found.node, ast.FunctionDef) and Asked(found.module).answers(found.node)


@fact_of
def asks_tensor(ctx: FileContext, called: cst.BaseExpression) -> bool:
    """Whether a function of the project answers where a tensor is: ``return next(net.parameters()).is_cuda``."""
    found = definition_called(ctx, called)
    given = (
        [one.value for one in own_returns(found.node.body)] if found and isinstance(found.node, ast.FunctionDef) else []
    )
    return bool(given) and all(isinstance(one, ast.Attribute) and one.attr == IS_CUDA for one in given)


@fact_of
def kept_answer(ctx: FileContext, flag: cst.BaseExpression) -> cst.BaseExpression | None:
    """What torch is asked for ``self.flag``, which ``__init__`` sets and nobody else: ``torch.cuda.is_available()``."""
    dotted, definition = dotted_name(flag), class_of(ctx, flag)
    if dotted is None or definition is None or not dotted.startswith("self.") or dotted.count(".") > 1:
        return None
    values = bound_values(ctx, dotted, flag)
    asked = values[0] if len(values) == 1 and "is_available" in ctx.text_of(values[0]) else None
    method = method_of(ctx, asked) if asked is not None else None
    if asked is None or method is None or method.name.value != "__init__" or class_of(ctx, asked) is not definition:
        return None
    outside = set_from_outside(project_around(ctx), dotted.partition(".")[2])
    is_own = outside is not None and all(holds_options(one.owner.rpartition(".")[2]) for one in outside)
    return asked if is_own and len(targets_named(ctx, dotted)) == 1 else None


@fact_of
def skips_without_cuda(ctx: FileContext, mark: cst.BaseExpression) -> bool:
    """Whether a decorator of the project lets a test run only where torch has said that there is CUDA."""
    found = definition_called(ctx, mark.func if isinstance(mark, cst.Call) else mark)
    return found is not None and _lets_pass(ctx, found, _DEPTH)


def definition_called(ctx: FileContext, called: cst.BaseExpression) -> Definition | None:
    """What defines a name: a statement of another file of the project, or a function or method of this one."""
    imported = origin(ctx, called)
    if imported is not None:
        return project_around(ctx).imported(imported) if not imported.startswith("torch.") else None
    if not isinstance(called, cst.Name):
        return _method(ctx, called)
    scope, found = bindings(ctx, called.value, called)
    if scope is not scopes(ctx).module or len(found) != 1 or found[0].how is not How.FUNCTION:
        return None
    module = own_module(ctx)
    bound = module.bindings.get(called.value, []) if module is not None else []
    return Definition(module, bound[0].statement, called.value) if module is not None and len(bound) == 1 else None


def _method(ctx: FileContext, called: cst.BaseExpression) -> Definition | None:
    """The method that ``self.is_cuda`` names, if the class around has it itself, once."""
    definition, module = class_of(ctx, called), own_module(ctx)
    if (
        definition is None
        or module is None
        or not isinstance(called, cst.Attribute)
        or dotted_name(called.value) != "self"
    ):
        return None
    classes = (one for one in module.tree.body if isinstance(one, ast.ClassDef) and one.name == definition.name.value)
    found = [one for owner in classes for one in owner.body if isinstance(one, ast.FunctionDef)]
    named = [one for one in found if one.name == called.attr.value and not one.decorator_list]
    return Definition(module, named[0], named[0].name) if len(named) == 1 else None


def _lets_pass(ctx: FileContext, found: Definition, depth: int) -> bool:
    """Whether a mark, or what a decorator returns, lets nothing run without CUDA."""
    asked = Asked(found.module)
    if isinstance(found.node, (ast.Assign, ast.AnnAssign)):
        return asked.skips(found.node.value)
    if not isinstance(found.node, ast.FunctionDef) or depth == 0:
        return False
    nested = {one.name: one for one in found.node.body if isinstance(one, ast.FunctionDef)}
    returned = [one.value for one in own_returns(found.node.body)]
    return bool(returned) and all(_is_gate(ctx, found.module, nested, one, depth) for one in returned)


def _is_gate(
    ctx: FileContext,
    module: ProjectModule,
    nested: dict[str, ast.FunctionDef],
    value: ast.expr | None,
    depth: int,
) -> bool:
    """Whether what a decorator returns lets nothing run without CUDA: a mark, or a function that looks first."""
    asked = Asked(module)
    if isinstance(value, ast.Name) and value.id in nested:
        own = nested[value.id]
        return asked.looks_first(own) or _lets_pass(ctx, Definition(module, own, own.name), depth - 1)
    if not isinstance(value, ast.Call):
        return False
    if asked.skips(value) or asked.skips(value.func):
        return True
    other = project_around(ctx).index.resolve(module, dotted_text(value.func))
    return other is not None and _lets_pass(ctx, other, depth - 1)


def own_returns(body: list[ast.stmt]) -> Iterator[ast.Return]:
    """The ``return`` statements of a function, without those of functions in it."""
    for one in body:
        if isinstance(one, ast.Return):
            yield one
        for block in _blocks(one):
            yield from own_returns(block)


def _blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return
    for name in ("body", "orelse", "finalbody"):
        yield getattr(statement, name, [])
    for inner in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield inner.body


class Asked:
    """What the tests of a module of the project say."""

    def __init__(self, module: ProjectModule) -> None:
        self._implication = TorchSaysCuda(ModuleNames(module))

    def answers(self, function: ast.FunctionDef) -> bool:
        """Whether a function that may say yes does so only where there is CUDA."""
        given = [one.value for one in own_returns(function.body)]
        return any(not _is_no(one) for one in given) and self._says(function.body, False)

    def skips(self, mark: ast.AST | None) -> bool:
        """Whether a call makes a mark that skips without CUDA: ``skipif(not torch.cuda.is_available(), …)``."""
        name = dotted_text(mark.func).rpartition(".")[2].lower() if isinstance(mark, ast.Call) else ""
        if name not in ("skipif", "skipunless") or not isinstance(mark, ast.Call) or not mark.args:
            return False
        return self.follows(mark.args[0], name == "skipunless")

    def looks_first(self, function: ast.FunctionDef) -> bool:
        """Whether a function leaves, or skips, at once where there is no CUDA."""
        tests = [one for one in function.body if isinstance(one, ast.If)]
        return any(_leaves(one.body) and self.follows(one.test, False) for one in tests)

    def _says(self, body: list[ast.stmt], known: bool) -> bool:
        """Whether each yes of a block comes where there is CUDA; ``known`` where a test has said so already."""
        for one in body:
            if isinstance(one, ast.Return):
                return known or _is_no(one.value) or self.follows(one.value, True)
            if isinstance(one, ast.If):
                branches = ((one.body, True), (one.orelse, False))
                if not all(self._says(block, known or self.follows(one.test, holds)) for block, holds in branches):
                    return False
                known = known or (_leaves(one.body) and self.follows(one.test, False))
            elif not all(self._says(block, known) for block in _blocks(one)):
                return False
        return True

    def follows(self, test: ast.expr | None, holds: bool) -> bool:
        """Whether there is CUDA wherever a test is true (or, with False, false)."""
        return test is not None and self._implication.follows(python_term(test), holds)


def _is_no(value: ast.expr | None) -> bool:
    return value is None or (isinstance(value, ast.Constant) and not value.value)


def _leaves(body: list[ast.stmt]) -> bool:
    """Whether a block ends its function: by ``return``, ``raise`` or ``pytest.skip(…)``."""
    last = body[-1]
    called = dotted_text(last.value.func) if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call) else ""
    return isinstance(last, _LEAVE) or called.rpartition(".")[2].lower().startswith("skip")
