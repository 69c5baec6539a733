"""Reads the table of operators of the installed torch: which kernels each has, its arguments and results."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

import torch

_aten: Any = torch.ops.aten
_FILE = os.path.join("packaged", "ATen", "native", "native_functions.yaml")


class Operator:
    """What native_functions.yaml says of one operator."""

    def __init__(self) -> None:
        self.keys: set[str] = set()
        self.unchecked = False
        self.structured = False
        self.delegate: str | None = None

    def wrapper(self, name: str) -> str:
        """The end of the name that torchgen gives its CUDA wrapper, which is part of an error message."""
        base, _, overload = name.partition(".")
        if self.structured or self.delegate:
            return base + ("_" + overload if overload else "")
        return overload + "_" + base


def table() -> dict[str, Operator]:
    """All operators by name and overload; read line by line, since a YAML parser takes seconds."""
    import torchgen

    operators: dict[str, Operator] = {}
    operator = Operator()
    dispatching = False
    with open(os.path.join(os.path.dirname(torchgen.__file__), _FILE), encoding="utf-8") as file:
        for line in file:
            text = line.strip()
            if line.startswith("- func:"):
                operator = operators[line[7:].strip().split("(", 1)[0]] = Operator()
                dispatching = False
            elif text.startswith("dispatch:"):
                dispatching = True
            elif dispatching and line.startswith("    ") and ":" in text and not text.startswith("#"):
                operator.keys.update(key.strip() for key in text.split(":")[0].split(","))
            elif text:
                dispatching = False
                _attribute(operator, text)
    for operator in operators.values():
        if operator.delegate:
            operator.keys |= operators[operator.delegate].keys
    for name in ("add.Tensor", "add_.Tensor", "add.out"):  # these are generated from the table of ufuncs
        operators[name].keys |= {"CPU", "CUDA"}
    return operators


def _attribute(operator: Operator, text: str) -> None:
    if text.startswith("device_check: NoCheck"):
        operator.unchecked = True
    elif text.startswith("structured: True"):
        operator.structured = True
    elif text.startswith("structured_delegate:"):
        operator.delegate = text.split(":")[1].strip().split()[0]


def overload(name: str) -> Any:
    """The operator object of a name, or None where this build has none."""
    base, _, variant = name.partition(".")
    return getattr(getattr(_aten, base, None), variant or "default", None)


class Argument(NamedTuple):
    """Where a call carries an argument."""

    position: int
    name: str
    keyword_only: bool
    written: bool


class Signature:
    """What a kernel must know of an operator's schema."""

    def __init__(self, operator: Any) -> None:
        schema = operator._schema
        self.names = [argument.name for argument in schema.arguments]
        self.tensors: list[Argument] = []
        self.lists: list[Argument] = []
        self.generator: Argument | None = None
        self.device: str | None = None
        aliases: dict[str, Argument] = {}
        for position, argument in enumerate(schema.arguments):
            info = argument.alias_info
            written = info is not None and info.is_write
            entry = Argument(position, argument.name, argument.kwarg_only, written)
            self._sort(str(argument.type), entry)
            if written:
                aliases.update(dict.fromkeys(info.before_set, entry))
        self.returns = [_returned(result.alias_info, aliases) for result in schema.returns]
        self.outputs = [a.name for a in self.tensors if a.keyword_only and a.written]

    def _sort(self, kind: str, entry: Argument) -> None:
        if kind in ("Tensor", "Optional[Tensor]"):
            self.tensors.append(entry)
        elif kind in ("List[Tensor]", "List[Optional[Tensor]]", "Optional[List[Tensor]]"):
            self.lists.append(entry)
        elif kind in ("Generator", "Optional[Generator]"):
            self.generator = entry
        elif kind in ("Device", "Optional[Device]"):
            self.device = entry.name

    @property
    def leading(self) -> int:
        """How many tensors come first, where there is nothing else that names a device; else 0."""
        plain = not self.lists and self.generator is None and self.device is None and len(self.returns) == 1
        positions = [argument.position for argument in self.tensors if not argument.keyword_only]
        if not plain or len(positions) != len(self.tensors) or positions != list(range(len(positions))):
            return 0
        return len(positions)


def _returned(info: Any, aliases: dict[str, Argument]) -> Argument | None:
    """The argument that a result is, or None where it is new."""
    if info is None or not info.is_write:
        return None
    return next((aliases[name] for name in info.before_set if name in aliases), None)
