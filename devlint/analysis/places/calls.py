"""The values of calls."""

from __future__ import annotations

import ast

from devlint.analysis.places.application import apply, bound_to, defaults, is_left_on_cpu, left_on_cpu, made_of, of_any
from devlint.analysis.places.builtin_calls import builtin_call, of_kept, of_mapping
from devlint.analysis.places.expressions import Expressions
from devlint.analysis.places.joins import element_of, joined
from devlint.analysis.places.launches import may_mix, start_kernel
from devlint.analysis.places.outside import is_certain
from devlint.analysis.places.tensor_methods import Given, given_by, method_of_tensor, moved_unknown
from devlint.analysis.places.torch_calls import einops_call, layer_call, torch_call
from devlint.analysis.places.values import (
    AT_MODULE,
    NUMBERS,
    PLAIN,
    SOME,
    UNKNOWN,
    Alternatives,
    Function,
    InlineFunction,
    Instance,
    Items,
    Many,
    Mapping,
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
from devlint.torch_api import tensor_places as table

DEEPEST = 4
"""Functions inside of functions that are run where they are called."""


class Calls(Expressions):
    """Works out the values of calls."""

    unused: ast.Call | None = None
    """A call whose value nobody asks for: what meets in it is found without it, unless it is given such a tensor."""

    def run_inside(self, function: FunctionDefinition, names: Names) -> Value:
        """What a function that stands inside of the present one gives when its names have these values."""
        raise NotImplementedError

    def call(self, node: ast.Call, names: Names) -> Value:
        given = given_by(node, lambda each: self.value(each, names))
        value = self._call(node.func, given, names)
        if isinstance(value, UnknownValue) and not (self.dotted(node.func, names) or "").startswith("torch."):
            self.together.given(given.values, node)
        takes_sizes = isinstance(node.func, ast.Attribute) and node.func.attr in table.TAKE_SIZES_METHODS
        return made_of(given) if value is UNKNOWN and not takes_sizes else value

    def _call(self, function: ast.expr, given: Given, names: Names) -> Value:
        full = self.dotted(function, names)
        if full is not None:
            return self._imported(full, given, names)
        if isinstance(function, ast.Name):
            if function.id in names:
                return self.called(names[function.id], given)
            self.missed.add(function.id)
            found = self.program.definition(function.id)
            return self._defined(found, given) if found is not None else builtin_call(function.id, given)
        if isinstance(function, ast.Attribute):
            return self._method(function, given, names)
        if isinstance(function, ast.Subscript):
            full = self.dotted(function.value, names) if may_mix(self.recorder, given) else None
            launched = self.value(function.value, names)
            is_own = isinstance(launched, Function) and launched.definition.is_triton_kernel
            if is_own or (full is not None and self.summaries.is_kernel(full)):
                start_kernel(self.recorder, given, lambda side: self.value(side, names))
        return self.called(self.value(function, names), given)

    def _defined(self, found: FunctionDefinition | ClassDefinition, given: Given) -> Value:
        """What a call of a function or a class of the project gives."""
        return self._new(found, given) if isinstance(found, ClassDefinition) else self._apply(found, given, None)

    def _new(self, cls: ClassDefinition, given: Given) -> Value:
        """What a call of a class gives; nothing is known of an instance that is told no device, or the CPU."""
        if (self._builds_layers and cls.home.has_foreign_base(cls)) or self.summaries.is_module(cls):
            return Module(cls, is_new=not self.recorder.is_silent)
        start = self.summaries.method(cls, "__init__")
        is_left = start is not None and not self.recorder.names_devices and is_left_on_cpu(start, given)
        return UNKNOWN if is_left else Instance(cls)

    @property
    def _builds_layers(self) -> bool:
        """Whether the function builds a module: what it makes of classes of other files are mostly layers."""
        return self.recorder.is_in_module and self.recorder.is_silent

    def _imported(self, full: str, given: Given, names: Names) -> Value:
        """A call of something that is imported."""
        if full == "torch.utils.checkpoint.checkpoint" and given.arguments:
            return self.called(given.arguments[0], given._replace(arguments=given.arguments[1:], is_open=True))
        if full == "torch" or full.startswith("torch."):
            value = torch_call(self.recorder, full, given)
            if isinstance(value, Tensor) and value.is_on_cpu:
                return self.made(value, names)
            return value
        if full.startswith("numpy."):
            is_number = full.removeprefix("numpy.") in table.OF_NUMPY_NUMBERS
            return PLAIN if is_number and given.values and all(one is PLAIN for one in given.values) else NUMBERS
        if full.startswith("einops.") and given.arguments:
            return einops_call(self.recorder, full, given)
        if full == table.LAUNCH:
            start_kernel(self.recorder, given, lambda side: self.value(side, names))
        foreign = self.summaries.imported(full)
        if foreign is not None:
            self.together.given(given.values, given.node)
            return self._defined(foreign, given)
        last = full.rpartition(".")[2]
        if self._builds_layers and last[:1].isupper() and not last.isupper() and not last.endswith(table.NOT_MODULES):
            return Module()
        return PLAIN if full.startswith(("math.", "itertools.")) and not full.endswith("product") else UNKNOWN

    def made(self, tensor: Tensor, names: Names) -> Tensor:
        """A tensor that a call has just made on the CPU."""
        self.recorder.made(tensor, names)
        return tensor

    def _method(self, function: ast.Attribute, given: Given, names: Names) -> Value:
        """``x.name(...)``."""
        name = function.attr
        if isinstance(function.value, ast.Call) and isinstance(function.value.func, ast.Name):
            if function.value.func.id == "super" and self.recorder.function.owner is not None:
                return self._inherited(name, given, names)
        if name in ("to", "cuda") and not only_converts(given.node):
            self.recorder.moved = function.value
        owner = self.value(function.value, names)
        if isinstance(owner, Tensor):
            return method_of_tensor(self.recorder, owner, name, given)
        if isinstance(owner, (Module, Instance)):
            return self._of_instance(owner, function, given, names)
        if isinstance(owner, Mapping):
            return of_mapping(owner, name, given)
        if isinstance(owner, (Items, Many)):
            return element_of(owner) if name == "pop" else owner if name == "copy" else UNKNOWN
        if isinstance(owner, UnknownPart) and name in table.SHOW_TENSOR - table.SHARED_WITH_OTHERS:
            return method_of_tensor(self.recorder, Tensor(owner.places), name, given)
        if isinstance(owner, UnknownPart) and name in table.PLAIN_METHODS:
            return PLAIN
        if name in ("to", "cuda", "cpu"):
            return moved_unknown(self.recorder, owner, name, given)
        if isinstance(owner, UnknownPart) and name not in table.NUMBER_METHODS:
            return UnknownPart(owner.places) if not given.values else UNKNOWN
        return NUMBERS if name == "tolist" else UNKNOWN

    def _inherited(self, name: str, given: Given, names: Names) -> Value:
        """``super().name(...)``."""
        owner = self.recorder.function.owner
        assert owner is not None
        method = self.summaries.method(owner, name, is_inherited=True)
        if method is not None:
            return self._apply(method, given, names.get(self.recorder.function.instance, UNKNOWN))
        others = [one for one in owner.home.order(owner) if isinstance(one, str)]
        kind = next((one.rpartition(".")[2] for one in others if one.startswith("torch.nn.")), "Module")
        if name == "forward" and kind != "Module":
            return layer_call(self.recorder, kind, given)
        return UNKNOWN

    def _of_instance(self, owner: Module | Instance, function: ast.Attribute, given: Given, names: Names) -> Value:
        """A method of a module, or of an instance of a class of the file."""
        name = function.attr
        if isinstance(owner, Module) and owner.is_new:
            moved = Module(owner.definition, owner.kind) if name in ("to", "cuda") else UNKNOWN
            return owner if name in table.GIVE_MODULE else moved
        if owner.definition is None:
            if name == "generate" and isinstance(owner, Module):
                return Tensor(AT_MODULE, SOME, True)
            same = owner if name in ("to", "cuda") or name in table.GIVE_MODULE else UNKNOWN
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
            return of_any(self.called(each, given) for each in value.modules)
        if isinstance(value, Module):
            return self._module(value, given)
        if isinstance(value, Instance):
            method = self.summaries.method(value.definition, "__call__")
            return self._apply(method, given, value) if method is not None else UNKNOWN
        return UNKNOWN

    def _module(self, module: Module, given: Given) -> Value:
        """What a call of a module gives; a tensor, or something with tensors, of the module where nobody knows."""
        if module.is_new:
            return UNKNOWN
        if module.definition is None:
            return layer_call(self.recorder, module.kind, given)
        forward = self.summaries.method(module.definition, "forward")
        value = self._apply(forward, given, module) if forward is not None else UNKNOWN
        is_foreign = forward is not None and forward.home is not self.program
        is_unknown = forward is None and module.definition.home.has_foreign_base(module.definition)
        guess = layer_call(self.recorder, "", given) if is_foreign or is_unknown else Tensor(AT_MODULE, SOME, True)
        return guess if value is PLAIN or isinstance(value, (UnknownValue, Instance)) else value

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
        return value if function.home in (None, self.program) or is_certain(value) else UNKNOWN

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
