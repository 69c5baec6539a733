"""Calls that make a tensor: where it is, and how many dimensions it has."""

from __future__ import annotations

import ast

from devlint.analysis.places.device_names import noted
from devlint.analysis.places.tensor_methods import Given
from devlint.analysis.places.values import (
    ANY,
    ANYWHERE,
    NOWHERE_KNOWN,
    NUMBERS,
    PERHAPS_COPY,
    PLACEHOLDER,
    PLAIN,
    SOME,
    UNKNOWN,
    Device,
    Items,
    Kind,
    Many,
    Tensor,
    TensorPlace,
    UnknownPart,
    UnknownValue,
    Value,
    site_of,
)
from devlint.syntax.python_tree.nodes import last_name, nodes_below
from devlint.torch_api import tensor_places as table
from devlint.torch_api.tensor_makers import CPU_CONSTRUCTORS

_TIES = ("out", "like", "layout")


def made_tensor(name: str, given: Given) -> Value:
    """What ``torch.name(...)`` makes, of those functions that make tensors."""
    rank, maker = _rank(name, given), name
    if name in ("tensor", "as_tensor", "asarray"):
        data = given.arguments[0] if given.arguments else given.keywords.get("data", UNKNOWN)
        if isinstance(data, Tensor):
            if "device" not in given.keywords and (name != "tensor" or not data.is_on_cpu):
                return UNKNOWN if name == "tensor" and ANYWHERE in data.places else data
            rank = data.rank
        elif isinstance(data, UnknownValue) and name != "tensor":
            return Tensor(NOWHERE_KNOWN, rank)  # which may be a tensor, and stays where it is
        elif isinstance(data, UnknownPart) and not _has_literal(given.node):
            maker = PERHAPS_COPY
    elif name == "normal":
        like = next((one for one in given.arguments[:2] if isinstance(one, Tensor)), None)
        if like is not None:
            return like
    if "device" in given.keywords:
        device = given.keywords["device"]
        places = device.places if isinstance(device, (Device, Tensor)) else NOWHERE_KNOWN
        return Tensor(noted(places, given.node), rank, is_made=True)
    if any(each.arg in _TIES or (each.arg is None and given.is_open) for each in given.node.keywords):
        return Tensor(NOWHERE_KNOWN, rank)
    return tensor_on_cpu(given.node, rank, maker)


def _has_literal(call: ast.Call) -> bool:
    """Whether a tensor is made of a list that stands there."""
    return bool(call.args) and isinstance(call.args[0], (ast.List, ast.Tuple, ast.ListComp))


def _is_placeholder(call: ast.Call) -> bool:
    """``torch.empty(0)``, ``torch.zeros(1)``, ``torch.empty(0, 0)``, ``torch.tensor([0])``, ``torch.Tensor([])``."""
    if not call.args or not isinstance(call.func, ast.Attribute):
        return False
    if call.func.attr in CPU_CONSTRUCTORS:
        return isinstance(call.args[0], ast.List) and not call.args[0].elts
    if len(call.args) > 1:
        return call.func.attr == "empty" and all(isinstance(one, ast.Constant) and one.value == 0 for one in call.args)
    (given,) = call.args
    if call.func.attr in ("empty", "zeros", "ones"):
        return isinstance(given, ast.Constant) and given.value in (0, 1)
    is_list = call.func.attr == "tensor" and isinstance(given, ast.List) and len(given.elts) <= 1
    return is_list and all(isinstance(one, ast.Constant) for one in given.elts)  # type: ignore[attr-defined]


def tensor_on_cpu(call: ast.Call, rank: int = SOME, maker: str = "") -> Tensor:
    """A tensor that a call makes on the CPU."""
    maker = PLACEHOLDER if _is_placeholder(call) else maker
    return Tensor([TensorPlace(Kind.CPU, maker, frozenset([site_of(call)]))], rank, is_made=True)


def _rank(name: str, given: Given) -> int:
    """The number of dimensions of what a maker makes."""
    if name in table.MAKE_ONE_DIMENSION:
        return 1
    if name in table.MAKE_TWO_DIMENSIONS:
        return 2
    if name in ("tensor", "as_tensor", "asarray"):
        return _rank_of_data(given)
    if name == "normal":
        return SOME if "size" in given.keywords or len(given.arguments) > 2 else ANY
    return SOME if name == "from_numpy" else _rank_of_sizes(name, given)


def _rank_of_data(given: Given) -> int:
    """The number of dimensions of ``torch.tensor(data)``."""
    node = given.node.args[0] if given.node.args else None
    data = given.arguments[0] if given.arguments else given.keywords.get("data", UNKNOWN)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        node = node.left  # [1] + others
    if data is NUMBERS and node is not None and _may_be_number(node):
        return ANY
    if isinstance(node, (ast.List, ast.Tuple)) and node.elts and all(map(_is_computed, node.elts)):
        return 1
    if isinstance(data, (Items, Many)) or data is NUMBERS or isinstance(node, (ast.List, ast.Tuple, ast.ListComp)):
        return SOME
    return 0 if data is PLAIN else ANY


def _is_computed(node: ast.expr) -> bool:
    """Whether an element of a list is a number, or is computed as numbers are: ``a * c - b * d``."""
    if isinstance(node, (ast.BinOp, ast.UnaryOp)):
        return not any(isinstance(one, (ast.List, ast.Tuple, ast.ListComp)) for one in nodes_below(node))
    return isinstance(node, ast.Constant)


def _may_be_number(node: ast.expr) -> bool:
    """Whether an expression that NumPy computes may be one number: ``2 * np.log(x)``."""
    return any(isinstance(one, ast.Call) and last_name(one.func) in table.OF_NUMPY_NUMBERS for one in nodes_below(node))


def _rank_of_sizes(name: str, given: Given) -> int:
    """The number of dimensions of ``torch.zeros(sizes)``."""
    call = given.node
    if name == "randint":
        index = 2 if len(call.args) > 2 and isinstance(call.args[2], (ast.Tuple, ast.List)) else 1
    else:
        index = 0
    size = next((one.value for one in call.keywords if one.arg == "size"), None)
    if size is None and len(call.args) > index:
        size = call.args[index]
    if size is None and name in table.TAKE_SIZES:
        return 0
    if isinstance(size, (ast.Tuple, ast.List)):
        return SOME if any(isinstance(one, ast.Starred) for one in size.elts) else len(size.elts)
    if name in table.TAKE_SIZES and len(call.args) > 1:
        return SOME if any(isinstance(one, ast.Starred) for one in call.args) else len(call.args)
    return 1 if isinstance(size, ast.Constant) and name != "full" else SOME
