"""Functions of a file that fail without CUDA whatever they are given, what calls them, and what only they call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from devlint.analysis.apis.call_places import own_methods
from devlint.analysis.cuda.failing.failures_beside import Tests, does_no_harm, init_before, may_return_before
from devlint.analysis.names.classes import bases, class_of, is_overridden, method_of, methods_named
from devlint.analysis.names.control_flow import is_run_later, tests_around
from devlint.analysis.names.resolution import attributes_named, bindings, origin, sole_value, uses_of
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.scripts import exported_names, is_script
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.mentions import is_taken_elsewhere
from devlint.core.record import Record
from devlint.syntax.file_context import FileContext

_DEPTH = 20
"""How many callers are followed."""


class LeftPlace(Record, eq=False):
    """A place that fails without CUDA, or calls what does."""

    row: int
    tests: Tests
    makes_stream: bool
    """Whether it makes a stream or an event, or is a method of one."""
    place: cst.CSTNode
    lasts: bool = True
    """Whether no other round can mend it: what has no fix yet may get one from a device that is defined first."""


class FailingCode:
    """The places of a file's functions that fail without CUDA, also by what they call."""

    def __init__(self, ctx: FileContext, failures: dict[int, list[LeftPlace]]) -> None:
        self._ctx = ctx
        self._found = failures
        self._only_called: dict[int, LeftPlace | None] = {}
        self._depth = 0
        if failures:
            self._follow_calls()

    def beside(self, at: cst.CSTNode, but_streams: bool = False) -> LeftPlace | None:
        """The first failure that a place gains nothing beside: of its function, or of all that call this."""
        function = scopes(self._ctx).function_of(at)
        own = self._found.get(id(function), ())
        around = tests_around(self._ctx, at) if own else frozenset()
        there = (one for one in own if one.tests <= around and not (but_streams and one.makes_stream))
        found = next((one for one in there if not may_return_before(self._ctx, at, one.place)), None)
        if found is not None or not self._found or not isinstance(function, cst.FunctionDef):
            return found
        if id(function) not in self._only_called and self._depth < _DEPTH:
            self._only_called[id(function)] = None  # while it is asked: a function that calls itself
            self._depth += 1
            self._only_called[id(function)] = self._of_callers(function)
            self._depth -= 1
        found = self._only_called.get(id(function))
        return None if found is not None and but_streams and found.makes_stream else found

    def _of_callers(self, function: cst.FunctionDef) -> LeftPlace | None:
        """The failure beside all that mentions a function, or its class if it is a method."""
        ctx, owner = self._ctx, class_of(self._ctx, function)
        if owner is not None and method_of(ctx, function) is None:
            init = init_before(ctx, function.body)
            failure = self._always(init) if init and not is_overridden(ctx, owner, "__init__") else None
            return failure or self._beside_uses(function) or self._beside_uses(owner)
        return self._beside_uses(function)

    def _beside_uses(self, definition: cst.FunctionDef | cst.ClassDef) -> LeftPlace | None:
        uses = [one for one in _uses(self._ctx, definition) if not self._ctx.tree.is_around(definition, one)]
        found = [self.beside(one) for one in uses]
        return found[0] if found and all(one is not None and one.lasts for one in found) else None

    def _follow_calls(self) -> None:
        """Each call of a function that fails whatever it is given fails as well, until nothing is new."""
        functions = {id(one): one for one in self._ctx.tree.of_type(cst.FunctionDef)}
        waiting = [functions[key] for key in self._found if key in functions]
        done: set[int] = set()
        while waiting:
            function = waiting.pop()
            failure = self._always(function) if id(function) not in done else None
            if failure is None:
                continue
            done.add(id(function))
            for call in _calls_of(self._ctx, function):
                if does_no_harm(self._ctx, call):
                    continue
                around = scopes(self._ctx).function_of(call)
                if around is None and scopes(self._ctx).scope_of(call) is not scopes(self._ctx).module:
                    continue
                self._add(around, LeftPlace(failure.row, tests_around(self._ctx, call), failure.makes_stream, call))
                if isinstance(around, cst.FunctionDef):
                    waiting.append(around)

    def _add(self, function: cst.CSTNode | None, new: LeftPlace) -> None:
        """Adds a failure to those of a function, unless one is there wherever this is."""
        own = self._found.setdefault(id(function), [])
        if not any(one.tests <= new.tests and one.makes_stream <= new.makes_stream for one in own):
            own.append(new)

    def _always(self, function: cst.FunctionDef) -> LeftPlace | None:
        """The first failure that a function comes to whatever it is given."""
        for one in self._found.get(id(function), ()):
            if not one.tests and not may_return_before(self._ctx, None, one.place):
                return one
        return None


def _uses(ctx: FileContext, definition: cst.FunctionDef | cst.ClassDef) -> Sequence[cst.CSTNode]:
    """All that mentions a function or a class; nothing where others may."""
    name, scope = definition.name.value, scopes(ctx).scope_of(definition)
    if len(scope.bindings.get(name, ())) != 1 or (scope is scopes(ctx).module and not _is_own(ctx, name)):
        return ()
    if not scope.is_class:
        return uses_of(ctx, scope, name)
    return attributes_named(ctx, name) if name.startswith("_") and not name.startswith("__") else ()


def _is_own(ctx: FileContext, name: str) -> bool:
    """Whether only this file calls what it defines at its top."""
    if name.startswith("_") and name not in exported_names(ctx):
        return True
    return is_script(ctx) and not is_taken_elsewhere(project_around(ctx), name)


def _calls_of(ctx: FileContext, function: cst.FunctionDef) -> Iterator[cst.Call]:
    """The calls in a file that surely run a function: by its name, by ``self``, by its class."""
    if is_run_later(function):
        return
    name, scope = function.name.value, scopes(ctx).scope_of(function)
    if not scope.is_class:
        if len(scope.bindings.get(name, ())) == 1:
            yield from _calls(ctx, uses_of(ctx, scope, name))
        return
    owner = class_of(ctx, function.body)
    if owner is None:
        return
    if name == "__init__":
        yield from _making(ctx, owner)
        return
    for use in attributes_named(ctx, name):
        call = ctx.tree.parent(use)
        if not isinstance(call, cst.Call) or call.func is not use:
            continue
        if any(one is function for one in own_methods(ctx, call)):
            if not is_overridden(ctx, owner, name):
                yield call
        elif isinstance(use.value, cst.Name) and _is_instance(ctx, use.value, owner):
            yield call


def _making(ctx: FileContext, owner: cst.ClassDef) -> Iterator[cst.Call]:
    """The calls that make instances of a class by its own ``__init__``, and those that call this."""
    for one in (owner, *_inheriting(ctx, owner)):
        scope, name = scopes(ctx).scope_of(one), one.name.value
        if len(scope.bindings.get(name, ())) == 1:
            yield from _calls(ctx, uses_of(ctx, scope, name))


def _inheriting(ctx: FileContext, owner: cst.ClassDef) -> Iterator[cst.ClassDef]:
    """The classes of a file that have no other ``__init__``."""
    for one in ctx.tree.of_type(cst.ClassDef):
        if one is not owner and len(one.bases) == 1 and bases(ctx, one)[:1] == [owner.name.value]:
            if not methods_named(ctx, one, "__init__"):
                yield one


def _is_instance(ctx: FileContext, name: cst.Name, owner: cst.ClassDef) -> bool:
    """Whether a name is only ever an instance of a class of the file."""
    made = sole_value(ctx, name)
    if not isinstance(made, cst.Call) or not isinstance(made.func, cst.Name):
        return False
    _, found = bindings(ctx, made.func.value, made.func)
    return len(found) == 1 and found[0].node is owner


def _calls(ctx: FileContext, uses: list[cst.Name]) -> Iterator[cst.Call]:
    """The calls of what names stand for, also in processes that it is spawned in."""
    for use in uses:
        around = ctx.tree.parent(use)
        if isinstance(around, cst.Call) and around.func is use:
            yield around
        elif isinstance(around, cst.Arg):
            call = ctx.tree.parent(around)
            if isinstance(call, cst.Call) and call.args[0] is around:
                if origin(ctx, call.func) == "torch.multiprocessing.spawn":
                    yield call
