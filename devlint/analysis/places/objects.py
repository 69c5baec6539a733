"""The values of calls of objects and functions that a program has: methods, modules, functions inside of others."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from devlint.analysis.places.application import apply, bound_to, defaults, left_on_cpu, of_any
from devlint.analysis.places.builtin_calls import of_kept
from devlint.analysis.places.expressions import Expressions
from devlint.analysis.places.joins import joined
from devlint.analysis.places.objects_on_devices.placed import Placed
from devlint.analysis.places.objects_on_devices.placed_objects import first_given
from devlint.analysis.places.outside import is_certain, is_lent
from devlint.analysis.places.tensor_methods import Given, moved_unknown
from devlint.analysis.places.torch_calls import layer_call
from devlint.analysis.places.values import (
    AT_MODULE,
    NOWHERE_KNOWN,
    PLAIN,
    SOME,
    UNKNOWN,
    Alternatives,
    Function,
    InlineFunction,
    Instance,
    Module,
    Names,
    Tensor,
    UnknownPart,
    UnknownValue,
    Value,
)
from devlint.analysis.places.written.definitions import ClassDefinition, FunctionDefinition
from devlint.analysis.places.written.given_back import given_back
from devlint.analysis.places.written.made_in_text import keeps_made
from devlint.analysis.places.written.moves import only_converts
from devlint.analysis.places.written.ways_to_cpu import goes_to_cpu, may_leave_device
from devlint.syntax.python_tree.nodes import dotted_text
from devlint.torch_api.moves import KEEPS_MODULE, MOVES, MOVES_ANYWHERE

DEEPEST = 4
"""Functions inside of functions that are run where they are called."""


class Objects(Expressions):
    """Works out what objects and functions give that are called."""

    unused: ast.Call | None = None
    """A call whose value nobody asks for: what meets in it is found without it, unless it is given such a tensor."""

    def run_inside(self, function: FunctionDefinition, names: Names) -> Value:
        """What a function that stands inside of the present one gives when its names have these values."""
        raise NotImplementedError

    def _of_instance(self, owner: Module | Instance, function: ast.Attribute, given: Given, names: Names) -> Value:
        """A method of a module, or of an instance of a class of the file."""
        name = function.attr
        if isinstance(owner, Module) and owner.is_new:
            if self.summaries.may_guess and owner.definition is not None and name == "to":
                return self._of_placed(Placed(NOWHERE_KNOWN, owner.definition), name, given)
            moved = Module(owner.definition, owner.kind) if name in MOVES else UNKNOWN
            return owner if name in KEEPS_MODULE else moved
        if owner.definition is None:
            if name == "generate" and isinstance(owner, Module):
                return Tensor(AT_MODULE, SOME, True)
            same = owner if name in MOVES or name in KEEPS_MODULE else UNKNOWN
            return self.called(owner, given) if name == "forward" else same
        written = owner.definition.home.member(owner.definition, name)
        keeps = written is not None and keeps_made(written.text) and self._is_self(function.value)
        if self._is_ignored(given) and written and not keeps:
            return UNKNOWN
        method = self.summaries.method(owner.definition, name)
        value = UNKNOWN if method is None else self._apply(method, given, owner)
        summary = self.summaries.summary(method) if keeps and method is not None else None
        names.update(left_on_cpu(summary, self.recorder.function.instance))
        if isinstance(value, UnknownValue) and name == "get_input_embeddings" and isinstance(owner, Module):
            return Module(kind="Embedding")
        return value if method is not None else of_kept(owner, self.called(self._attribute(function, names), given))

    def _of_placed(self, owner: Placed, name: str, given: Given) -> Value:
        """A method of an object that was made on a device, or a call of it: what it computes with is there, too."""
        is_same = name in KEEPS_MODULE or (name == "to" and only_converts(given.node))
        if is_same or name == "clone":
            return owner
        if name in MOVES_ANYWHERE:
            moved = moved_unknown(self.recorder, owner, name, given)
            is_there = isinstance(moved, Tensor) and moved.is_known
            return Placed(moved.places, owner.definition) if isinstance(moved, Tensor) and is_there else UNKNOWN
        method: FunctionDefinition | None = None
        value: Value = UNKNOWN
        if (cls := owner.definition) is not None:
            named = (name,) if name else ("forward", "__call__")
            methods = (self.summaries.method(cls, one) for one in named)
            method = next((one for one in methods if one is not None), None)
            instance = Module(cls) if self.summaries.is_module(cls) else Instance(cls)
            value = self._apply(method, given, instance) if method is not None else UNKNOWN
        for one in first_given(method, given):
            self.recorder.meet(one, Tensor(owner.places), given.node, dotted_text(given.node.func) or name)
        return UnknownPart(owner.places) if isinstance(value, UnknownValue) else value

    def _is_self(self, node: ast.expr) -> bool:
        """Whether this is the instance of the method that is run, and has been made before."""
        return not (ran := self.recorder.function).is_initializer and getattr(node, "id", "") == ran.instance

    def called(self, value: Value, given: Given) -> Value:
        """What a call of a value gives."""
        if isinstance(value, Function):
            if value.names is not None:
                return self._inside(value.definition, value.names, given)
            return self._apply(value.definition, given, None)
        if isinstance(value, InlineFunction):
            return self._lambda(value, given)
        if isinstance(value, Alternatives):
            return of_any(self._called_one_by_one(value.modules, given))
        if isinstance(value, Module):
            return self._module(value, given)
        if isinstance(value, Tensor) and value.is_known and self.summaries.may_guess:
            value = Placed(value.places)  # what was moved is no tensor, but a module
        if isinstance(value, Placed):
            return self._of_placed(value, "", given)
        if isinstance(value, Instance):
            method = self.summaries.method(value.definition, "__call__")
            return self._apply(method, given, value) if method is not None else UNKNOWN
        return UNKNOWN

    def _called_one_by_one(self, modules: Iterable[Module], given: Given) -> list[Value]:
        """What each of several modules gives; what certainly meets in only some of torch's may go to another."""
        meetings, values = self.recorder.summary.meetings, []
        before, met = len(meetings), []
        for each in modules:
            start = len(meetings)
            values.append(self.called(each, given))
            if each.definition is not None or not each.kind:
                met.append({one.sites for one in meetings[start:] if one.is_evident})
        meetings[before:] = [
            one for one in meetings[before:] if not one.is_evident or all(one.sites in sites for sites in met)
        ]
        return values

    def _module(self, module: Module, given: Given) -> Value:
        """What a call of a module gives; a tensor, or something with tensors, of the module where nobody knows."""
        leaves = module.kind == "" and self.summaries.reads_called and self._leaves_device(module, given)
        if module.is_new and leaves:
            return UNKNOWN
        if module.is_new:
            is_foreign = module.definition is not None and module.definition.home is not self.program
            first = given.arguments[0] if given.arguments and self.summaries.may_guess and is_foreign else UNKNOWN
            return Tensor(first.places, SOME, True) if isinstance(first, Tensor) else UNKNOWN
        if module.definition is None:
            return UNKNOWN if leaves else layer_call(self.recorder, module.kind, given)
        forward = self.summaries.method(module.definition, "forward")
        value = self._apply(forward, given, module) if forward is not None else UNKNOWN
        if leaves:
            return value
        is_foreign = forward is not None and forward.home is not self.program
        is_unknown = forward is None and module.definition.home.has_foreign_base(module.definition)
        guess = layer_call(self.recorder, "", given) if is_foreign or is_unknown else Tensor(AT_MODULE, SOME, True)
        return guess if value is PLAIN or isinstance(value, (UnknownValue, Instance)) else value

    def _leaves_device(self, module: Module, given: Given) -> bool:
        """Whether a module may take what it is given to the CPU."""
        cls = module.definition
        return goes_to_cpu(cls) if cls is not None else self.may_leave_device(given.node.func)

    def may_leave_device(self, called: ast.expr) -> bool:
        """Whether what is called may take to the CPU what it is given, where that is read."""
        return self.summaries.reads_called and may_leave_device(self.recorder.function, called, self._defined_as)

    def _defined_as(self, name: str) -> FunctionDefinition | ClassDefinition | None:
        """The function or class of the project that has a dotted name."""
        first, dot, rest = name.partition(".")
        full = self.program.imports.get(first)
        return self.summaries.written(f"{full}{dot}{rest}") if full is not None else self.program.definition(name)

    def _lambda(self, function: InlineFunction, given: Given) -> Value:
        if self.recorder.depth >= DEEPEST:
            return UNKNOWN
        unknown = dict.fromkeys((one.arg for one in function.node.args.args), UNKNOWN)
        names = {**function.names, **unknown, **dict(zip(unknown, given.arguments)), **given.keywords}
        self.recorder.depth += 1
        value = self.value(function.node.body, names)
        self.recorder.depth -= 1
        return value

    def _inside(self, function: FunctionDefinition, names: Names, given: Given) -> Value:
        """What a call of a function that stands inside of the present one gives."""
        if self.recorder.depth >= DEEPEST or function.is_generator:
            return UNKNOWN
        positional = (one.arg for one in function.positional)
        names = {**names, **defaults(function, given), **dict(zip(positional, given.arguments)), **given.keywords}
        self.recorder.depth += 1
        value = self.run_inside(function, names)
        self.recorder.depth -= 1
        return value

    def property_of(self, module: Module | Instance, name: str, node: ast.expr) -> Value | None:
        cls = module.definition
        method = self.summaries.method(cls, name) if cls is not None and cls.home.may_be_property(cls, name) else None
        if method is None or not any(one.endswith("property") for one in method.decorators):
            return None
        return self._apply(method, Given(ast.copy_location(ast.Call(node, [], []), node), [], {}), module)

    def _apply(self, function: FunctionDefinition | ClassDefinition, given: Given, instance: Value | None) -> Value:
        """What a call of a function of the file gives, from what is known of it."""
        if self._is_ignored(given):
            return UNKNOWN
        summary = self.summaries.summary(function) if isinstance(function, FunctionDefinition) else None
        if summary is None or not isinstance(function, FunctionDefinition):
            return UNKNOWN
        value = apply(self.recorder, function, summary, given, instance)
        is_lazy = any(isinstance(one, InlineFunction) for one in given.arguments)
        if isinstance(value, UnknownValue) and (is_lazy or given.has_cpu_tensor):
            value = self._given_back(function, given, instance) or value
        is_whole = function.home in (None, self.program) or isinstance(value, Placed) or is_lent(value)
        return value if is_whole or is_certain(value) else UNKNOWN

    def _given_back(self, function: FunctionDefinition, given: Given, instance: Value | None) -> Value | None:
        """What ``default(x, lambda: y)`` gives."""
        values = bound_to(function, given, instance)
        nothing = given._replace(arguments=[], keywords={})
        found: Value | None = None
        for one in map(values.get, sorted(given_back(function))):
            found = joined(found, self._lambda(one, nothing) if isinstance(one, InlineFunction) else one)
        return found

    def _is_ignored(self, given: Given) -> bool:
        """Whether nobody asks for the value of a call, and no tensor on the CPU can meet others in it."""
        return given.node is self.unused and not self.recorder.names_devices and not given.has_cpu_tensor
