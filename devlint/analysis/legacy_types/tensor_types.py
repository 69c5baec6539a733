"""The legacy tensor types, such as ``torch.cuda.FloatTensor``: their names and what they stand for."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.guards.condition_text import condition_text
from devlint.analysis.names.resolution import origin
from devlint.analysis.names.string_literals import string_value
from devlint.core.record import Record
from devlint.syntax.file_context import FileContext, fact

DTYPES = {
    "FloatTensor": "float32",
    "DoubleTensor": "float64",
    "HalfTensor": "float16",
    "BFloat16Tensor": "bfloat16",
    "LongTensor": "int64",
    "IntTensor": "int32",
    "ShortTensor": "int16",
    "CharTensor": "int8",
    "ByteTensor": "uint8",
    "BoolTensor": "bool",
}
NAMES = tuple(name.encode() for name in DTYPES)
"""One of them is in every file that names such a type."""
_OWNERS = {
    "torch": (False, False),
    "torch.cuda": (True, False),
    "torch.sparse": (False, True),
    "torch.cuda.sparse": (True, True),
}
_CHANGE_DEFAULT_DTYPE = ("set_default_dtype", "set_default_tensor_type")


class TensorType(Record):
    """One of torch's legacy tensor types."""

    name: str
    """``FloatTensor``; ``Tensor`` for the type of the default dtype."""
    dtype: str
    """``float32``."""
    cuda: bool = False
    sparse: bool = False


class TypeChoice(Record, eq=False):
    """An expression whose value is a CUDA tensor type, always or under a condition."""

    node: cst.BaseExpression
    cuda: TensorType
    test: cst.BaseExpression | None = None
    """The test of ``torch.cuda.FloatTensor if cuda else torch.FloatTensor``."""
    holds: bool = True
    """Whether the test is true where it is the CUDA type."""
    consistent: bool = True
    """Whether both branches have the same dtype."""

    @property
    def cuda_node(self) -> cst.BaseExpression:
        """The part of the expression that names the CUDA type."""
        if not isinstance(self.node, cst.IfExp):
            return self.node
        return self.node.body if self.holds else self.node.orelse

    def condition(self, ctx: FileContext) -> str | None:
        """The source of the test under which it is the CUDA type; None where it always is."""
        return None if self.test is None else condition_text(ctx, self.test, self.holds)


def named_type(dotted: str | None) -> TensorType | None:
    """The type called ``torch.cuda.FloatTensor`` or the like."""
    if dotted is None:
        return None
    if dotted == "torch.Tensor":
        return TensorType("Tensor", "float32")
    owner, _, name = dotted.rpartition(".")
    place = _OWNERS.get(owner)
    dtype = DTYPES.get(name)
    return TensorType(name, dtype, *place) if place is not None and dtype is not None else None


def tensor_type(ctx: FileContext, node: cst.CSTNode) -> TensorType | None:
    """The type that a name or attribute stands for, through imports and their aliases."""
    if isinstance(node, cst.Attribute):
        return named_type(origin(ctx, node)) if node.attr.value in DTYPES or node.attr.value == "Tensor" else None
    return named_type(origin(ctx, node)) if isinstance(node, cst.Name) else None


def string_type(node: cst.CSTNode) -> TensorType | None:
    """The type that a string constant names, as ``Tensor.type`` understands it."""
    value = string_value(node)
    return named_type(value) if value is not None else None


def type_choice(ctx: FileContext, node: cst.BaseExpression, strings: bool = False) -> TypeChoice | None:
    """``node`` as a CUDA tensor type, or as one or its CPU namesake; with ``strings``, its name will do."""
    if not isinstance(node, cst.IfExp):
        found = _one_type(ctx, node, strings)
        return TypeChoice(node, found) if found is not None and found.cuda else None
    body, orelse = _one_type(ctx, node.body, strings), _one_type(ctx, node.orelse, strings)
    if body is None or orelse is None or body.cuda is orelse.cuda:
        return None
    cuda, cpu = (body, orelse) if body.cuda else (orelse, body)
    return TypeChoice(node, cuda, node.test, body.cuda, is_namesake(ctx, cuda, cpu))


def is_namesake(ctx: FileContext, cuda: TensorType, cpu: TensorType) -> bool:
    """Whether ``cpu`` is the same type on the other device."""
    if cpu.name == "Tensor" and changes_default_dtype(ctx):
        return False
    return (cuda.dtype, cuda.sparse) == (cpu.dtype, cpu.sparse)


@fact
def changes_default_dtype(ctx: FileContext) -> bool:
    """Whether the file may change what ``torch.Tensor`` is."""
    return any(word in ctx.source.text for word in _CHANGE_DEFAULT_DTYPE)


def _one_type(ctx: FileContext, node: cst.BaseExpression, strings: bool) -> TensorType | None:
    found = tensor_type(ctx, node)
    return string_type(node) if found is None and strings else found
