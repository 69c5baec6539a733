"""The values of calls."""

from __future__ import annotations

import ast

from devlint.analysis.places.application import is_left_on_cpu, made_of
from devlint.analysis.places.builtin_calls import builtin_call, numpy_call, of_mapping
from devlint.analysis.places.joins import element_of
from devlint.analysis.places.launches import may_mix, start_kernel
from devlint.analysis.places.objects import Objects
from devlint.analysis.places.objects_on_devices.generators import Generator, draw, made_generator
from devlint.analysis.places.objects_on_devices.placed import Placed
from devlint.analysis.places.objects_on_devices.placed_objects import device_given, held_places, made_on_cpu
from devlint.analysis.places.tensor_methods import Given, given_by, method_of_tensor, moved_unknown
from devlint.analysis.places.torch_calls import einops_call, layer_call, torch_call
from devlint.analysis.places.values import (
    NUMBERS,
    PLAIN,
    UNKNOWN,
    Function,
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
from devlint.analysis.places.written.moves import before_conversions, only_converts
from devlint.syntax.python_tree.nodes import dotted_text
from devlint.torch_api import tensor_places as table
from devlint.torch_api.moves import MOVES_ANYWHERE


class Calls(Objects):
    """Works out the values of calls."""

    def call(self, node: ast.Call, names: Names) -> Value:
        given = given_by(node, lambda each: self.value(each, names))
        value = self._call(node.func, given, names)
        is_known = not isinstance(value, UnknownValue) and dotted_text(node.func) != "dict"
        if not is_known and not (self.dotted(node.func, names) or "").startswith("torch."):
            self.together.given(given.values, node)
        takes_sizes = isinstance(node.func, ast.Attribute) and node.func.attr in table.TAKE_SIZES_METHODS
        if value is not UNKNOWN or takes_sizes:
            return value
        guess = made_of(given)
        if self.summaries.may_guess and not given.tensors and (held := held_places(given.values)):
            guess = Placed(held)
        elif self.summaries.may_guess and given.has_cpu_tensor:
            guess = made_on_cpu(given)
        return UNKNOWN if guess is not UNKNOWN and self.may_leave_device(node.func) else guess

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
        start = self.summaries.method(cls, "__init__")
        if self.summaries.may_guess and not self.recorder.is_silent and cls.home is not self.program:
            places = device_given(start, given) or held_places(given.values)
            if places:
                return Placed(places, cls)
        if (self._builds_layers and cls.home.has_foreign_base(cls)) or self.summaries.is_module(cls):
            return Module(cls, is_new=not self.recorder.is_silent)
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
        if full == "torch.Generator":
            return made_generator(self.recorder, given)
        if full == "torch" or full.startswith("torch."):
            value = torch_call(self.recorder, full, given)
            if isinstance(value, Tensor) and value.is_on_cpu:
                value = self.made(value, names)
                draw(self.recorder, value, given)
            return value
        if full.startswith("numpy."):
            return numpy_call(full.removeprefix("numpy."), given)
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
        if name == "cuda" or (name == "to" and not only_converts(given.node)):
            self.recorder.moved = before_conversions(function.value)
        owner = self.value(function.value, names)
        if isinstance(owner, Placed):
            return self._of_placed(owner, name, given)
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
        if name in MOVES_ANYWHERE:
            return moved_unknown(self.recorder, owner, name, given)
        if isinstance(owner, UnknownPart) and name not in table.NUMBER_METHODS:
            return UnknownPart(owner.places) if not given.values else UNKNOWN
        if name == "manual_seed" and isinstance(owner, Generator):
            return owner
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
