"""What the parameters of a function may be given, as its annotations and its use of them say."""

from __future__ import annotations

import ast
from typing import TypeGuard

from devlint.analysis.places.objects_on_devices.placed import Placed
from devlint.analysis.places.values import (
    ANY,
    ANYWHERE,
    NUMBERS,
    PLAIN,
    SOME,
    UNKNOWN,
    Device,
    Instance,
    Kind,
    Many,
    Module,
    Names,
    Tensor,
    TensorPlace,
    UnknownArgument,
    UnknownPart,
    UnknownValue,
    Value,
)
from devlint.analysis.places.written.definitions import ClassDefinition, FunctionDefinition, Uses
from devlint.analysis.places.written.file_definitions import FileDefinitions
from devlint.syntax.python_tree.nodes import nodes_below
from devlint.torch_api import tensor_places as table
from devlint.torch_api.tensor_makers import MAKERS

_TENSORS = frozenset(
    "Tensor LongTensor FloatTensor BoolTensor IntTensor ByteTensor DoubleTensor DTensor Parameter".split()
)
_NUMBERS = frozenset("int float bool str complex None dtype".split())
_OF_KERNELS = frozenset("stride shape size numel dtype device data_ptr contiguous is_contiguous".split())
_ARRAYS = frozenset("ndarray array".split())
_LISTS = frozenset("list tuple List Tuple Sequence Iterable Iterator".split())
_WRAPPERS = frozenset("Optional Union Annotated Final".split())


def parameter_values(program: FileDefinitions, function: FunctionDefinition, is_module: bool) -> Names:
    """The values of the parameters of a function when it is called."""
    names: Names = {}
    of_torch: set[str] | None = None
    of_numpy = _given_to_numpy(program, function)
    for index, parameter in enumerate(function.parameters):
        name = parameter.arg
        if index == 0 and function.is_method and function.owner is not None and function.instance:
            names[name] = Module(function.owner) if is_module else Instance(function.owner)
            continue
        value = _annotated(program, parameter, function)
        if value is None:
            of_torch = _given_to_torch(program, function) if of_torch is None else of_torch
            value = NUMBERS if name in of_numpy else _used(function, name, is_module, name in of_torch)
        names[name] = value
    for rest in (function.node.args.vararg, function.node.args.kwarg):
        if rest is not None:
            names[rest.arg] = UNKNOWN
    return names


def shown_tensors(program: FileDefinitions, function: FunctionDefinition, is_module: bool) -> frozenset[str]:
    """The parameters whose annotation says that they are tensors, or that are used as only tensors are."""
    values = parameter_values(program, function, is_module)
    every = {name: value.element if isinstance(value, Many) else value for name, value in values.items()}
    tensors = {name for name, value in every.items() if isinstance(value, Tensor) and ANYWHERE not in value.places}
    return frozenset(
        one.arg for one in function.parameters if one.arg in tensors and _is_shown(function, one, is_module)
    )


def _is_shown(function: FunctionDefinition, parameter: ast.arg, is_module: bool) -> bool:
    """Whether a parameter is certainly a tensor, and not only given to a function of torch."""
    name = parameter.arg
    if _expression(parameter.annotation) is not None:
        return is_annotated_tensor(parameter)
    asked = function.uses.of(name)
    is_first = is_module and function.node.name == "forward" and name == _first(function)
    is_used = "device" in asked or bool(asked & table.SHOW_TENSOR - table.SHARED_WITH_OTHERS)
    return is_first or is_used or name in function.uses.subscripted


def is_annotated_tensor(parameter: ast.arg) -> bool:
    """Whether an annotation says that a parameter is a tensor, or a list of some, or None."""
    annotation = _expression(parameter.annotation)
    every = _alternatives(annotation) if annotation is not None else []
    kinds = {_last(each.slice if _is_list(each) else each) for each in every}
    return bool(kinds) and kinds <= _TENSORS | {"None"}


def _is_list(annotation: ast.expr) -> TypeGuard[ast.Subscript]:
    """``list[Tensor]``."""
    return isinstance(annotation, ast.Subscript) and _last(annotation) in _LISTS


def of_any_caller(name: str, value: Value) -> Value:
    """The value of a parameter of a function that is called where nobody sees it."""
    if isinstance(value, Tensor):
        return Tensor([TensorPlace(Kind.ELSEWHERE, f"{name}.device")], value.rank)
    if isinstance(value, Many):
        return Many(of_any_caller(name, value.element))
    if isinstance(value, Device):
        return Device([TensorPlace(Kind.ELSEWHERE, name)])
    return UNKNOWN if isinstance(value, UnknownArgument) else value


def _argument(name: str, rank: int = SOME) -> Tensor:
    return Tensor([TensorPlace(Kind.ARGUMENT, name)], rank)


def _annotated(program: FileDefinitions, parameter: ast.arg, function: FunctionDefinition) -> Value | None:
    """What an annotation says; None where it says nothing, or is missing."""
    name, annotation = parameter.arg, _expression(parameter.annotation)
    if annotation is None:
        return Device([TensorPlace(Kind.DEVICE, name)]) if name == "device" else None
    kinds = [*_alternatives(annotation)]
    heads = {_last(each) for each in kinds}
    lists = [each for each in kinds if isinstance(each, ast.Subscript) and _last(each) in _LISTS]
    held = {_last(one) for each in lists for one in ast.walk(each.slice) if isinstance(one, ast.expr)}
    if heads & _TENSORS:
        if heads & (_NUMBERS - {"None"} | _ARRAYS):
            is_certain = function.uses.of(name) & table.SHOW_TENSOR
            return _argument(name) if is_certain else Tensor([TensorPlace(Kind.ARGUMENT, name), ANYWHERE], ANY)
        may_be_list = bool(heads & _LISTS) and not held & _TENSORS
        return Tensor([TensorPlace(Kind.ARGUMENT, name)], may_be_list=may_be_list)
    if "device" in heads:
        return Device([TensorPlace(Kind.DEVICE, name)])
    if lists:
        if held & _TENSORS:
            return Many(_argument(name))
        return NUMBERS if held & _NUMBERS else UNKNOWN
    if heads <= _NUMBERS:
        return Device([TensorPlace(Kind.DEVICE, name)]) if name == "device" else PLAIN
    return annotated_instance(program, annotation) or UnknownArgument(name)


def annotated_instance(program: FileDefinitions, annotation: ast.expr) -> Value | None:
    """An instance of a class of the file, where an annotation names one, and None at most besides."""
    kind = annotated_class(annotation)
    found = program.definition(kind.id) if isinstance(kind, ast.Name) else None
    if not isinstance(found, ClassDefinition):
        return None
    return Module(found) if program.is_module(found) else Instance(found)


def annotated_class(annotation: ast.expr | None) -> ast.expr | None:
    """The one class that an annotation names, with None at most besides."""
    read = _expression(annotation)
    kinds = [one for one in _alternatives(read) if _last(one) != "None"] if read is not None else []
    return kinds[0] if len(kinds) == 1 else None


def _expression(annotation: ast.expr | None) -> ast.expr | None:
    """An annotation, read where it is a string."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            return ast.parse(annotation.value, mode="eval").body
        except SyntaxError:
            return None
    return annotation


def _alternatives(annotation: ast.expr) -> list[ast.expr]:
    """The types that an annotation allows: those of ``Optional``, ``Union`` and ``|``."""
    if isinstance(annotation, ast.BinOp):
        return _alternatives(annotation.left) + _alternatives(annotation.right)
    if isinstance(annotation, ast.Subscript) and _last(annotation) in _WRAPPERS:
        inner = annotation.slice.elts if isinstance(annotation.slice, ast.Tuple) else [annotation.slice]
        return [one for each in inner for one in _alternatives(each)]
    read = _expression(annotation)
    return [annotation if read is None else read]


def _last(annotation: ast.expr) -> str:
    """The last part of the name of a type."""
    if isinstance(annotation, ast.Subscript):
        return _last(annotation.value)
    if isinstance(annotation, ast.Constant):
        return str(annotation.value)
    return annotation.attr if isinstance(annotation, ast.Attribute) else getattr(annotation, "id", "")


def as_used(function: FunctionDefinition, name: str, value: Value) -> Value:
    """The value that a name is given, or a tensor, if what is asked of the name shows that it is one."""
    if not isinstance(value, UnknownValue) or isinstance(value, Placed):
        return value
    asked = function.uses.of(name)
    if isinstance(value, UnknownPart):
        if name in function.uses.moved:
            return UNKNOWN
        shows = "device" in asked or asked & table.SHOW_TENSOR - table.SHARED_WITH_OTHERS
        is_indexed = name in function.uses.subscripted and bool(asked) and asked <= table.OF_TENSORS
        return Tensor(value.places) if shows or is_indexed else value
    # Where nothing is known of it, it must be asked for its device, and for nothing that tensors lack.
    if value is UNKNOWN and "device" in asked and asked <= table.OF_TENSORS:
        if asked & table.SHOW_TENSOR - table.SHARED_WITH_MODULES:
            return Tensor([TensorPlace(Kind.ELSEWHERE, f"{name}.device")], ANY)
    return value


def shown_by(value: Value, uses: Uses) -> Value:
    """A value that is given to a kernel: a tensor, if it is an argument whose shape or strides are asked for."""
    is_shown = isinstance(value, UnknownArgument) and uses.of(value.name) & _OF_KERNELS
    return Tensor(value.places) if isinstance(value, UnknownArgument) and is_shown else value


def _used(function: FunctionDefinition, name: str, is_module: bool, is_given_to_torch: bool) -> Value:
    """What the use of a parameter without an annotation says."""
    asked = function.uses.of(name)
    is_indexed = name in function.uses.subscripted
    shows = asked & table.SHOW_TENSOR
    is_number = name in function.uses.numbers
    is_tensor = (
        (is_given_to_torch and not is_number and name not in ("size", "shape", "dim", "equation"))
        or bool(shows - table.SHARED_WITH_OTHERS)
        or "device" in asked
        or (is_indexed and (is_module or bool(asked)))
        or (is_module and bool(shows))
        or (is_module and not is_number and function.node.name == "forward" and name == _first(function))
    )
    if is_tensor and name in function.uses.converted:
        return Tensor([TensorPlace(Kind.ARGUMENT, name), ANYWHERE], ANY)  # or a list
    return _argument(name) if is_tensor else UnknownArgument(name)


def _first(function: FunctionDefinition) -> str:
    """The name of the first parameter after ``self``."""
    return function.positional[1].arg if len(function.positional) > 1 else ""


def _given_to_torch(program: FileDefinitions, function: FunctionDefinition) -> set[str]:
    """The names that are given to functions of torch where only tensors can stand."""
    found: set[str] = set()
    for call in function.uses.calls:
        called = program.dotted(call.func) if call.args else None
        if called is None or not called.startswith("torch."):
            continue
        name = called.rpartition(".")[2]
        is_maker = name in MAKERS or name.endswith("_window")
        if is_maker or name in table.INDEPENDENT_FUNCTIONS or name == "pow" or not name[:1].islower():
            continue
        for argument in call.args[: 1 if name in table.TENSOR_OR_NUMBER_FUNCTIONS else 2]:
            every = argument.elts if isinstance(argument, (ast.List, ast.Tuple)) else [argument]
            found.update(one.id for one in every if isinstance(one, ast.Name))
    return found


def _given_to_numpy(program: FileDefinitions, function: FunctionDefinition) -> set[str]:
    """The parameters that are given to functions of NumPy as they are, which take no tensor of a GPU."""
    found = {
        name
        for call in function.uses.calls
        if call.args and (program.dotted(call.func) or "").startswith("numpy.")
        for one in call.args[:1]
        if (name := getattr(one.value if isinstance(one, ast.Subscript) else one, "id", ""))
    }
    return found - stored_names(function.node) if found else found


def stored_names(node: ast.AST) -> set[str]:
    """The names that code gives a value."""
    return {one.id for one in nodes_below(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
