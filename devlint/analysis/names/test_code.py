"""The code that a test runs, as far as its own file shows: helpers, fixtures and set-up methods."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.classes import class_of, methods, methods_named
from devlint.analysis.names.resolution import reads_named
from devlint.syntax.file_context import FileContext, fact
from devlint.syntax.literals import literal_value

Definition = cst.FunctionDef | cst.ClassDef
SETUPS = frozenset("setUp setUpClass asyncSetUp setup_method setup_class setup tearDown teardown_method".split())


_PYTEST = frozenset("capfd caplog capsys monkeypatch recwarn request subtests tmp_path tmp_path_factory tmpdir".split())
_UNITTEST = ("assert", "fail", "skipTest", "subTest", "addCleanup", "id", "__")


def is_test(ctx: FileContext, function: cst.FunctionDef) -> bool:
    """Whether pytest or unittest runs a function: by its name, at the top of a module or of a class.

    Neither runs what its file gives arguments, ``test(model, loader)``, nor the methods of a class that a program makes
    with an ``__init__`` of its own.
    """
    name = function.name.value
    if not name.startswith("test"):
        return False
    outer = ctx.tree.parent(function)
    holder = ctx.tree.parent(outer) if isinstance(outer, cst.IndentedBlock) else outer
    if isinstance(holder, cst.ClassDef):
        return bool(holder.bases) or not methods_named(ctx, holder, "__init__")
    calls = (ctx.tree.parent(one) for one in reads_named(ctx, name))
    given = any(isinstance(one, cst.Call) and dotted_name(one.func) == name and one.args for one in calls)
    return isinstance(holder, cst.Module) and (bool(function.decorators) or not given)


@fact
def holds_tests(ctx: FileContext) -> bool:
    """Whether a file has tests."""
    return any(is_test(ctx, one) for one in ctx.tree.of_type(cst.FunctionDef))


def code_run_by(ctx: FileContext, test: Definition) -> list[Definition]:
    """A test or a class of tests, and every function and class of the file that it, or what it uses, may run."""
    found: list[Definition] = []
    waiting: list[Definition] = [test, *(one for one in _sibling_methods(ctx, test) if one.name.value in SETUPS)]
    while waiting:
        node = waiting.pop()
        if any(node is one for one in found):
            continue
        found.append(node)
        waiting += _definitions_used(ctx, node)
    return found


def uses_unseen_code(ctx: FileContext, test: cst.FunctionDef) -> bool:
    """Whether a test uses fixtures, or methods of its class, that another file defines."""
    definition = class_of(ctx, test)
    own = {one.name.value for one in ctx.tree.of_type(cst.FunctionDef)}
    strings = (
        literal_value(one)
        for mark in test.decorators
        for one in ctx.tree.below(mark)
        if isinstance(one, cst.SimpleString)
    )
    own |= {word for one in strings if isinstance(one, str) for word in one.replace(",", " ").split()}
    fixtures = [one.name.value for one in test.params.params if one.default is None]
    fixtures = fixtures[1:] if definition is not None else fixtures
    if any(name not in own and name not in _PYTEST for name in fixtures):
        return True
    for call in ctx.tree.below(test.body):
        name = dotted_name(call.func) if isinstance(call, cst.Call) else None
        root, _, rest = (name or "").partition(".")
        if root in ("self", "cls") and "." not in rest and rest not in own and not rest.startswith(_UNITTEST):
            return True
    return False


def _sibling_methods(ctx: FileContext, node: cst.CSTNode) -> list[cst.FunctionDef]:
    """The methods of the class around ``node``."""
    definition = class_of(ctx, node)
    return methods(definition) if definition is not None else []


def _definitions_used(ctx: FileContext, node: Definition) -> Iterator[Definition]:
    """Definitions of the file whose names (of variables, parameters, attributes) stand in ``node``."""
    names = {one.value for one in ctx.tree.below(node) if isinstance(one, cst.Name)}
    for one in (*ctx.module.body, *_sibling_methods(ctx, node)):
        if isinstance(one, (cst.FunctionDef, cst.ClassDef)) and one is not node and one.name.value in names:
            yield one
