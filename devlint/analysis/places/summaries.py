"""What the functions and classes of one file do with places, each worked out when it is first asked for."""

from __future__ import annotations

import ast

from devlint.analysis.places.answers import Answers, Known
from devlint.analysis.places.function_summary import FunctionSummary
from devlint.analysis.places.interpreter import Interpreter
from devlint.analysis.places.meetings import MeetingRecorder
from devlint.analysis.places.objects_on_devices.kept_values import (
    kept,
    may_be_set_by_name,
    moves_by_name,
    settled,
    stays,
)
from devlint.analysis.places.outside import from_outside, value_from_outside
from devlint.analysis.places.parameters import annotated_class, parameter_values
from devlint.analysis.places.values import (
    AT_MODULE,
    MODULE,
    PLAIN,
    UNKNOWN,
    Device,
    Module,
    Names,
    Site,
    Tensor,
    UnknownArgument,
)
from devlint.analysis.places.written.definitions import ClassDefinition, FunctionDefinition
from devlint.analysis.places.written.file_definitions import Definition, FileDefinitions
from devlint.syntax.python_tree.nodes import last_name
from devlint.torch_api.tensor_places import COMPONENT, NOT_MODULES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from devlint.analysis.places.other_files import OtherFiles

MOVE_THEMSELVES = frozenset("to cuda cpu _apply type float half".split())
"""Methods that a module defines if it moves more than its parameters and buffers."""
_DEEPEST = 60
"""Functions that call one another, each evaluated for the one before."""


class FileSummaries:
    """The summaries of one file."""

    def __init__(
        self,
        program: FileDefinitions,
        keeps_tensors: bool = False,
        names_devices: bool = False,
        others: OtherFiles | None = None,
        only_bases: bool = False,
        may_guess: bool = False,
        lent: FileDefinitions | None = None,
        reads_called: bool = False,
    ) -> None:
        """``keeps_tensors`` where modules are asked for tensors that do not move with them, ``names_devices`` where
        devices are told apart by names, ``others`` where other files are asked, ``only_bases`` for base classes only,
        ``may_guess`` where what an object computes with is likely to be where the object is,
        ``lent`` for the file of which it matters what it makes on the CPU, ``reads_called`` where what is called, and
        not asked for what it gives, is read for whether it goes to the CPU.
        """
        self.program = program
        self._others = others
        self._only_bases = only_bases
        self._answers = others.answers if others is not None else Answers()
        self.keeps_tensors = keeps_tensors
        self.names_devices = names_devices
        self.may_guess = may_guess
        self.reads_called = reads_called or may_guess
        self._lent = lent
        self._summaries: dict[FunctionDefinition, Known[FunctionSummary | None]] = {}
        self._attributes: dict[ClassDefinition, Known[Names]] = {}
        self._bases: dict[ClassDefinition, Known[list[ClassDefinition]]] = {}
        self._active: set[FunctionDefinition] = set()
        self._active_classes: set[ClassDefinition] = set()

    def summary(self, function: FunctionDefinition) -> FunctionSummary | None:
        """What a call of a function does; None where it calls itself, or calls go too deep."""
        home = self._at_home(function)
        if home is not self:
            return self._answers.get(self._summaries, function, lambda: self._from_outside(function, home))
        if function not in self._summaries and (function in self._active or len(self._active) > _DEEPEST):
            self._answers.doubt()
            return None
        return self._answers.get(self._summaries, function, lambda: self._summary(function))

    def _from_outside(self, function: FunctionDefinition, home: FileSummaries) -> FunctionSummary | None:
        return from_outside(function, home.summary(function), home.program is self._lent)

    def _summary(self, function: FunctionDefinition) -> FunctionSummary:
        self._active.add(function)
        try:
            return self._run(function)
        finally:
            self._active.discard(function)

    def forget(self) -> None:
        """Forget everything: it refers to this object, so that Python would search for it to free it."""
        self._summaries, self._attributes, self._bases = {}, {}, {}

    def _at_home(self, definition: Definition) -> FileSummaries:
        """The summaries of the file that a definition stands in."""
        home = definition.home
        if home is None or home is self.program or self._others is None:
            return self
        return self._others.summaries(home)

    def imported(self, origin: str) -> Definition | None:
        """What the file imports of another file of its project, where such files are asked."""
        return None if self._only_bases else self._imported(origin)

    def written(self, origin: str) -> Definition | None:
        """The same, also where only base classes are asked: only to read it."""
        return self._imported(origin)

    def is_kernel(self, origin: str) -> bool:
        """Whether the file imports a kernel of Triton of another file of its project."""
        found = self._imported(origin)
        return isinstance(found, FunctionDefinition) and found.is_triton_kernel

    def _imported(self, origin: str) -> Definition | None:
        return self._others.definition(self.program, origin) if self._others is not None else None

    def _foreign_bases(self, cls: ClassDefinition) -> list[ClassDefinition]:
        """The base classes of a class that stand in other files."""
        if self._others is None:
            return []
        home = self._at_home(cls)
        return self._answers.get(self._bases, cls, lambda: home._imported_bases(cls))

    def _imported_bases(self, cls: ClassDefinition) -> list[ClassDefinition]:
        every = [self._imported(origin) for origin in cls.home.order(cls) if isinstance(origin, str)]
        return [one for one in every if isinstance(one, ClassDefinition) and one is not cls]

    def is_module(self, cls: ClassDefinition) -> bool:
        """Whether a class is an nn.Module."""
        return cls.home.is_module(cls) or any(map(self.is_module, self._foreign_bases(cls)))

    def method(self, cls: ClassDefinition, name: str, is_inherited: bool = False) -> FunctionDefinition | None:
        """The method that an instance of a class has; ``is_inherited`` for that of its base classes."""
        found = cls.home.method(cls, name, is_inherited)
        every = (self.method(base, name) for base in self._foreign_bases(cls)) if found is None else ()
        return found or next((one for one in every if one is not None), None)

    def made_at(self, site: Site) -> tuple[FunctionDefinition | None, Names | None]:
        """The function in which a tensor is made on the CPU, with the values of its names there."""
        for function, known in self._summaries.items():
            if known.answer is not None and site in known.answer.made and self._at_home(function) is self:
                return function, known.answer.made[site]
        return None, None

    def _run(self, function: FunctionDefinition) -> FunctionSummary:
        recorder = MeetingRecorder(self, function)
        names = parameter_values(self.program, function, recorder.is_in_module)
        names.update(self._given_modules(function, names) if self.may_guess else {})
        interpreter = Interpreter(self, recorder)
        after = interpreter.run(function.node.body, names)
        if recorder.is_in_module or function.uses.knows_devices:
            interpreter.run_uncalled()
        interpreter.together.finish()
        summary = recorder.summary
        if not function.is_generator and interpreter.result is not None:
            summary.result = interpreter.result
        if function.node.name == "device" and "property" in function.decorators:
            summary.result = Device([MODULE])
        if function.instance and after is not None:
            prefix = f"{function.instance}."
            summary.attributes = {one.removeprefix(prefix): after[one] for one in after if one.startswith(prefix)}
        return summary

    def _given_modules(self, function: FunctionDefinition, names: Names) -> Names:
        """The parameters of a function that are modules of classes of other files, as their annotations say."""
        found: Names = {}
        for one in function.parameters:
            kind = annotated_class(one.annotation) if isinstance(names.get(one.arg), UnknownArgument) else None
            origin = self.program.dotted(kind) if isinstance(kind, (ast.Name, ast.Attribute)) else None
            cls = self.imported(origin) if origin is not None else None
            if isinstance(cls, ClassDefinition) and self.is_module(cls):
                found[one.arg] = Module(cls)
        return found

    def attributes(self, cls: ClassDefinition) -> Names:
        """The attributes of instances of a class, as ``__init__`` of it and its base classes leaves them."""
        if cls in self._active_classes:
            self._answers.doubt()
            return {}
        return self._answers.get(self._attributes, cls, lambda: self._attributes_of(cls))

    def _attributes_of(self, cls: ClassDefinition) -> Names:
        home = self._at_home(cls)
        if home is not self:
            names = {"self", *cls.home.devices}
            return {name: value_from_outside(value, names) for name, value in home.attributes(cls).items()}
        self._active_classes.add(cls)
        try:
            found: Names = {}
            for base in self._foreign_bases(cls):
                found.update(self.attributes(base))
            own = [one for one in self.program.order(cls) if isinstance(one, ClassDefinition)]
            for each in reversed(own):
                self._add_own(each, found)
            later = [
                one.members[name].text for one in own for name in one.members.keys() - {"__init__", *one.start_methods}
            ]
            set_by_name = [name for name, value in found.items() if stays(value) and may_be_set_by_name(name, later)]
            return {**found, **dict.fromkeys(set_by_name, UNKNOWN)}
        finally:
            self._active_classes.discard(cls)

    def _add_own(self, cls: ClassDefinition, found: Names) -> None:
        """Add the attributes that one class of the file gives its instances."""
        start = cls.method("__init__") if "__init__" in cls.members else None
        summary = self.summary(start) if start is not None else None
        if start is not None and summary is not None:
            moved = [cls.members[one].text for one in cls.members.keys() & MOVE_THEMSELVES]
            keeps = self.keeps_tensors and all(map(moves_by_name, moved))
            devices = {
                place.name: f"{start.instance}.{name}"
                for name, value in summary.attributes.items()
                for place in (value.places if isinstance(value, Device) else ())
            }
            is_plain = not self.is_module(cls) and self._stays_where_made(cls)
            for name, value in summary.attributes.items():
                is_moved = any(f".{name}" in text for text in moved)
                found[name] = value if keeps and stays(value) and not is_moved else settled(value)
                if is_plain and found[name] is UNKNOWN and name not in self.program.stored_from_outside:
                    found[name] = kept(value, devices)
            self._add_registered(start, found)
        for method in map(cls.method, cls.start_methods):
            summary = self.summary(method)
            for name, value in summary.attributes.items() if summary is not None else ():
                found[name] = settled(value)
            self._add_registered(method, found)
        for attribute in cls.stored_after_start:
            if found.get(attribute, PLAIN) is PLAIN or isinstance(found[attribute], Tensor):
                found[attribute] = UNKNOWN

    def _stays_where_made(self, cls: ClassDefinition) -> bool:
        """Whether nothing moves what instances of a class keep: no method of its own, and none that others give it."""
        if self.program.has_foreign_base(cls):
            return False
        own = [one for one in self.program.order(cls) if isinstance(one, ClassDefinition)]
        methods = [(name, member.text) for one in own for name, member in one.members.items()]
        return not any(name in MOVE_THEMSELVES or "setattr(" in text or "__dict__" in text for name, text in methods)

    def _add_registered(self, start: FunctionDefinition, found: Names) -> None:
        """Add buffers, parameters, and the modules of a pipeline."""
        modules = {one.arg for one in start.parameters if self._is_module_type(one.annotation)}
        for call in start.uses.calls:
            name = last_name(call.func)  # or register_buffer = partial(self.register_buffer, persistent=False)
            if name in ("register_buffer", "register_parameter"):
                named = [*call.args[:1], *(one.value for one in call.keywords if one.arg == "name")]
                found.update((str(one.value), Tensor(AT_MODULE)) for one in named if isinstance(one, ast.Constant))
            elif name == "register_modules":
                for keyword in call.keywords:
                    if isinstance(keyword.value, ast.Name) and keyword.value.id in modules and keyword.arg:
                        found[keyword.arg] = Module(kind=COMPONENT)

    def _is_module_type(self, annotation: ast.expr | None) -> bool:
        """Whether an annotation is a class of another file that a pipeline may have for a module."""
        if not isinstance(annotation, ast.Name) or annotation.id not in self.program.imports:
            return False
        return annotation.id[:1].isupper() and not annotation.id.endswith(NOT_MODULES)
