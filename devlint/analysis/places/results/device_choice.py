"""The expression for a device that a function has at hand where it makes a tensor."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from devlint.analysis.places.function_summary import Meeting
from devlint.analysis.places.interpreter import Interpreter
from devlint.analysis.places.meetings import MeetingRecorder
from devlint.analysis.places.summaries import FileSummaries
from devlint.analysis.places.values import (
    AT_MODULE,
    Device,
    Kind,
    Module,
    Names,
    Places,
    Site,
    Tensor,
)
from devlint.analysis.places.written.definitions import ClassDefinition, FunctionDefinition
from devlint.analysis.places.written.file_definitions import FileDefinitions
from devlint.syntax.python_tree.nodes import parameters_with_defaults
from devlint.torch_api.device_naming import HAVE_TORCH_DEVICE
from devlint.torch_api.layers import WEIGHTS

_HAVE_DEVICE = (*HAVE_TORCH_DEVICE, "GenerationMixin")
"""Modules of libraries that have an attribute ``device``."""
_LAST_RESORT = 1
_WORDS = {
    Kind.MODULE: "where the module is",
    Kind.ELSEWHERE: "on another device",
}


def places_in_words(places: Places) -> str:
    """Places in words, as they follow "a tensor"."""
    names = sorted(one.name for one in places if one.kind is Kind.ARGUMENT)
    if names:
        return f"on the device of `{'`, `'.join(names)}`"
    devices = sorted(one.name for one in places if one.name)
    if devices:
        return f"on `{'`, `'.join(devices)}`"
    return next(_WORDS[one.kind] for one in places)


def device_at(summaries: FileSummaries, meeting: Meeting, site: Site) -> tuple[str, str]:
    """An expression for the device of what a tensor meets, where it is made, or nothing; and the name of the maker."""
    function, names = summaries.made_at(site)
    if function is None or names is None:
        return "", ""
    maker = next((one for one in function.uses.calls if _stands_at(one, site)), None)
    called = maker.func if maker is not None else None
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    return _Choice(summaries, function, names, meeting, site).best(), name


def _stands_at(call: ast.Call, site: Site) -> bool:
    return (call.lineno, call.col_offset, call.end_lineno, call.end_col_offset) == site


class _Choice:
    """Chooses among the expressions for a device that can be written at one place."""

    def __init__(
        self, summaries: FileSummaries, function: FunctionDefinition, names: Names, meeting: Meeting, site: Site
    ) -> None:
        self.function = function
        self.names = names
        self.meeting = meeting
        self.site = site
        self.summaries = summaries
        self.program: FileDefinitions = summaries.program
        self.partner = self._known_as(meeting)
        recorder = MeetingRecorder(summaries, function)
        self.is_in_module = recorder.is_in_module
        self.interpreter = Interpreter(summaries, recorder)

    def _known_as(self, meeting: Meeting) -> Places:
        """The places of the partner as the function that makes the tensor knows them."""
        if meeting.function is self.function:
            return meeting.partner
        summary = self.summaries.summary(self.function)
        conditions = [*summary.conditions, *summary.open] if summary is not None else []
        return next((partner for sites, partner in conditions if self.site in sites), frozenset())

    def best(self) -> str:
        """The expression that the author would write; empty where there is none."""
        written = Counter(self._written())
        named = {one.id for one in ast.walk(self.meeting.operation) if isinstance(one, ast.Name)}
        parameters = {one.arg for one in self.function.parameters}
        candidates = [*dict.fromkeys((*written, *self._of_tensors(), *self._of_module()))]
        fits = {text: self._fit(text) for text in candidates}
        # A name that the function has for a device counts once in what is written.
        own = {text for text in candidates if self._is_own(text) and (fits[text] > _LAST_RESORT or written[text] > 1)}

        def order(text: str) -> tuple[object, ...]:
            root = text.partition(".")[0]
            is_local = root not in parameters and root not in named
            return (
                fits[text] == _LAST_RESORT and text not in own,
                root not in named and self._may_be_none(text),
                text not in own,
                text not in written,
                -written[text],
                root == self.function.instance,
                is_local,
                -fits[text],
                candidates.index(text),
            )

        usable = [text for text in candidates if fits[text]]
        return min(usable, key=order) if usable else ""

    def _fit(self, text: str) -> int:
        """How certainly an expression is the device of the partner: 0 for not at all."""
        expression = ast.parse(text, mode="eval").body
        root = next(one.id for one in ast.walk(expression) if isinstance(one, ast.Name) and one.id != "next")
        if root not in self.names:
            return 0
        if text.startswith("next("):
            return _LAST_RESORT
        value = self.interpreter.value(expression, dict(self.names))
        if not isinstance(value, Device) or any(one.kind in (Kind.CPU, Kind.ANYWHERE) for one in value.places):
            return 0
        if value.places == self.partner:
            return 3
        is_shared = self.is_in_module and self._with_module(value.places) == self._with_module(self.partner)
        if is_shared or not self.partner:
            return 2
        is_elsewhere = any(one.kind is Kind.ELSEWHERE for one in self.partner)
        return _LAST_RESORT if self._is_own(text) and not is_elsewhere else 0

    def _is_own(self, text: str) -> bool:
        """Whether the function has a name for its device: an argument that every caller gives, or a variable."""
        if not isinstance(self.names.get(text), Device):
            return False
        defaults = {one.arg: default for one, default in parameters_with_defaults(self.function.node.args)}
        return text not in defaults or defaults[text] is None or self._is_assigned(text)

    @staticmethod
    def _with_module(places: Places) -> Places:
        """Places, where the arguments of a method of a module are taken to be where the module is."""
        return frozenset(AT_MODULE if any(one.kind is Kind.ARGUMENT for one in places) else ()) | {
            one for one in places if one.kind is not Kind.ARGUMENT
        }

    def _written(self) -> Iterator[str]:
        """The devices that the function says somewhere, and its names for devices."""
        for call in self.function.uses.calls:
            given = [one.value for one in call.keywords if one.arg == "device"]
            if isinstance(call.func, ast.Attribute) and call.func.attr == "to":
                given += call.args[:1]
            yield from (ast.unparse(one) for one in given if isinstance(one, (ast.Name, ast.Attribute)))
        for one in ast.walk(self.function.node):
            if isinstance(one, ast.Attribute) and one.attr == "device" and isinstance(one.value, ast.Name):
                if isinstance(one.ctx, ast.Load):
                    yield ast.unparse(one)
        yield from (name for name, value in self.names.items() if isinstance(value, Device))

    def _of_tensors(self) -> Iterator[str]:
        """The devices of the tensors that have names."""
        for name, value in self.names.items():
            if isinstance(value, Tensor) and value.is_known and not value.is_output:
                yield f"{name}.device"

    def _of_module(self) -> Iterator[str]:
        """The device of the module, as its class says it."""
        if not self.is_in_module or self.function.owner is None or not self.function.instance:
            return
        instance = self.function.instance
        order = self.program.order(self.function.owner)
        has_device = any(
            "device" in one.members if isinstance(one, ClassDefinition) else one.endswith(_HAVE_DEVICE) for one in order
        )
        if has_device:
            yield f"{instance}.device"
            return
        for name, value in self.summaries.attributes(self.function.owner).items():
            if isinstance(value, Tensor) and value.places == AT_MODULE:
                yield f"{instance}.{name}.device"
            elif isinstance(value, Module) and value.kind in WEIGHTS:
                yield f"{instance}.{name}.{WEIGHTS[value.kind]}.device"
        yield f"next({instance}.parameters()).device"

    def _may_be_none(self, text: str) -> bool:
        """Whether an expression asks a parameter whose default is None, and that is not given a value before."""
        name, dot, _ = text.partition(".")
        is_optional = any(
            one.arg == name and isinstance(default, ast.Constant) and default.value is None
            for one, default in parameters_with_defaults(self.function.node.args)
        )
        return bool(dot) and is_optional and not self._is_assigned(name)

    def _is_assigned(self, name: str) -> bool:
        """Whether the function gives a name a value above the place where the tensor is made."""
        names = (one for one in ast.walk(self.function.node) if isinstance(one, ast.Name) and one.id == name)
        return any(isinstance(one.ctx, ast.Store) and one.lineno < self.site.row for one in names)
