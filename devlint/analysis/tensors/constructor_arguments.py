"""What kind of argument a legacy constructor is given: ``torch.FloatTensor(x)`` takes sizes, data and tensors alike."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

import libcst as cst

from devlint.analysis.names.bindings import Binding, How, dotted_name
from devlint.analysis.names.program_options import holds_parsed_options
from devlint.analysis.names.reaching_definitions import reaching_definitions
from devlint.analysis.names.resolution import bindings, origin
from devlint.syntax.file_context import FileContext


class ArgumentKind(Enum):
    """The kinds of arguments that a legacy constructor treats differently."""

    INT = "an int"
    SIZE = "a torch.Size"
    DATA = "a list, tuple, range or an array that is no int"
    OTHER = "anything but a tensor on a GPU"
    UNKNOWN = "perhaps a tensor on a GPU"


_DEPTH = 5
_INT_CALLS = frozenset(
    "len int ord hash math.ceil math.floor math.factorial math.gcd math.comb math.isqrt random.randint "
    "random.randrange random.getrandbits os.cpu_count torch.cuda.device_count torch.numel".split()
)
_DATA_CALLS = frozenset("list tuple range sorted bytearray random.sample random.choices".split())
_OTHER_CALLS = frozenset("float str bool dict set frozenset complex bytes repr iter input".split())
_SAME_CALLS = frozenset("abs min max round".split())
_INT_METHODS = frozenset("dim numel nelement ndimension element_size get_device storage_offset".split())
_OTHER_METHODS = frozenset("numpy tolist item".split())
_ARRAY_METHODS = frozenset("astype reshape copy flatten ravel transpose clip repeat".split())
_INT_OPERATORS = (cst.Add, cst.Subtract, cst.Multiply, cst.FloorDivide, cst.Modulo, cst.LeftShift, cst.RightShift)
_LITERALS = (cst.Float, cst.Imaginary, cst.SimpleString, cst.ConcatenatedString, cst.FormattedString)
_CONTAINERS = (cst.Set, cst.Dict, cst.SetComp, cst.DictComp, cst.GeneratorExp, cst.Lambda)

_ARRAY_FUNCTIONS = frozenset(
    "arange linspace logspace eye identity concatenate stack vstack hstack column_stack frombuffer fromiter tile "
    "atleast_1d atleast_2d diag tri tril triu outer meshgrid loadtxt genfromtxt "
    "random.normal random.uniform random.rand random.randn random.random random.random_sample "
    "random.standard_normal random.beta random.gamma random.exponential random.laplace random.permutation "
    "random.multivariate_normal random.dirichlet".split()
)
"""Functions of NumPy that give an array; those of ``random`` give a float without a size, which makes no tensor."""
_OF_A_SHAPE = frozenset("zeros ones empty full".split())
_OF_DATA = frozenset("array asarray ascontiguousarray expand_dims float32 float64".split())
_POSITION_OF_SIZE = {"random.randint": 2, "random.choice": 1}


def argument_kind(ctx: FileContext, node: cst.CSTNode, depth: int = _DEPTH) -> ArgumentKind:
    """The kind of ``node``; UNKNOWN where the file does not show it."""
    if isinstance(node, cst.Integer):
        return ArgumentKind.INT
    if depth == 0:
        return ArgumentKind.UNKNOWN
    if isinstance(node, (*_LITERALS, *_CONTAINERS)):
        return ArgumentKind.OTHER
    if isinstance(node, (cst.List, cst.Tuple, cst.ListComp)):
        return ArgumentKind.DATA
    if isinstance(node, cst.UnaryOperation) and not isinstance(node.operator, cst.Not):
        return argument_kind(ctx, node.expression, depth - 1)
    if isinstance(node, cst.BinaryOperation):
        return _binary(ctx, node, depth - 1)
    if isinstance(node, cst.IfExp):
        return _merge(argument_kind(ctx, one, depth - 1) for one in (node.body, node.orelse))
    if isinstance(node, cst.BooleanOperation):
        return _merge(argument_kind(ctx, one, depth - 1) for one in (node.left, node.right))
    if isinstance(node, cst.Call):
        return _call(ctx, node, depth - 1)
    if isinstance(node, cst.Attribute):
        return _attribute(ctx, node, depth - 1)
    if isinstance(node, cst.Subscript):
        return _subscript(ctx, node)
    return _name(ctx, node, depth - 1) if isinstance(node, cst.Name) else ArgumentKind.UNKNOWN


def _merge(kinds: Iterable[ArgumentKind]) -> ArgumentKind:
    """The kind of a value that has one of several."""
    found = set(kinds)
    if len(found) == 1:
        return found.pop()
    return ArgumentKind.UNKNOWN if ArgumentKind.UNKNOWN in found or not found else ArgumentKind.OTHER


def _binary(ctx: FileContext, node: cst.BinaryOperation, depth: int) -> ArgumentKind:
    left, right = argument_kind(ctx, node.left, depth), argument_kind(ctx, node.right, depth)
    if left is right is ArgumentKind.INT:
        power = isinstance(node.operator, cst.Power) and isinstance(node.right, cst.Integer)
        return ArgumentKind.INT if power or isinstance(node.operator, _INT_OPERATORS) else ArgumentKind.OTHER
    displays = (cst.List, cst.ListComp)
    if isinstance(node.operator, (cst.Add, cst.Multiply)) and (
        isinstance(node.left, displays) or isinstance(node.right, displays)
    ):
        return ArgumentKind.DATA
    if ArgumentKind.UNKNOWN in (left, right):
        return ArgumentKind.UNKNOWN
    return (
        ArgumentKind.DATA
        if ArgumentKind.DATA in (left, right) and ArgumentKind.SIZE not in (left, right)
        else ArgumentKind.OTHER
    )


def _call(ctx: FileContext, call: cst.Call, depth: int) -> ArgumentKind:
    if isinstance(call.func, cst.Attribute) and origin(ctx, call.func) is None:
        return _method(ctx, call, call.func, depth)
    called = origin(ctx, call.func) or _builtin(ctx, call.func)
    if called is None:
        return ArgumentKind.UNKNOWN
    if called.startswith("numpy."):
        return _numpy(ctx, call, called[len("numpy.") :], depth)
    if called == "torch.Size":
        return ArgumentKind.SIZE
    if called in _INT_CALLS:
        return ArgumentKind.INT
    if called in _DATA_CALLS:
        return ArgumentKind.DATA
    if called in _SAME_CALLS and call.args and not any(arg.star or arg.keyword for arg in call.args):
        kinds = {argument_kind(ctx, arg.value, depth) for arg in call.args[: 1 if called == "round" else None]}
        return (
            ArgumentKind.INT
            if kinds == {ArgumentKind.INT} and len(call.args) != 2 * (called == "round")
            else ArgumentKind.UNKNOWN
        )
    return (
        ArgumentKind.OTHER
        if called in _OTHER_CALLS or called.startswith(("math.", "random.uni"))
        else ArgumentKind.UNKNOWN
    )


def _builtin(ctx: FileContext, func: cst.CSTNode) -> str | None:
    """The name of a builtin that nothing in the file replaces."""
    if not isinstance(func, cst.Name):
        return None
    return func.value if not bindings(ctx, func.value, func)[1] else None


def _method(ctx: FileContext, call: cst.Call, func: cst.Attribute, depth: int) -> ArgumentKind:
    name = func.attr.value
    if name == "size":
        return ArgumentKind.INT if call.args else ArgumentKind.SIZE
    if name in _INT_METHODS:
        return ArgumentKind.INT
    if name in _ARRAY_METHODS:
        kind = argument_kind(ctx, func.value, depth)
        return kind if kind in (ArgumentKind.DATA, ArgumentKind.UNKNOWN) else ArgumentKind.OTHER
    return ArgumentKind.OTHER if name in _OTHER_METHODS else ArgumentKind.UNKNOWN


def _numpy(ctx: FileContext, call: cst.Call, name: str, depth: int) -> ArgumentKind:
    """An array unless it may be a number or an array of no dimensions, which would be read as a size."""
    of_data = bool(call.args) and argument_kind(ctx, call.args[0].value, depth) is ArgumentKind.DATA
    return ArgumentKind.DATA if _gives_array(call, name, of_data) else ArgumentKind.OTHER


def _gives_array(call: cst.Call, name: str, of_data: bool) -> bool:
    """Whether the NumPy function ``name`` returns an array; ``of_data``: its first argument is one, or a list."""
    if name in _ARRAY_FUNCTIONS:
        return True
    if name in _OF_A_SHAPE:
        return bool(call.args)
    if name in _OF_DATA:
        return of_data
    if name not in _POSITION_OF_SIZE:
        return False
    sizes = [arg for arg in call.args if arg.keyword is not None and arg.keyword.value == "size"]
    sizes += [arg for arg in call.args[_POSITION_OF_SIZE[name] :] if arg.keyword is None and not arg.star][:1]
    return bool(sizes) and dotted_name(sizes[0].value) != "None"


def _attribute(ctx: FileContext, node: cst.Attribute, depth: int) -> ArgumentKind:
    name = node.attr.value
    if name == "shape":
        return ArgumentKind.OTHER  # a torch.Size, or the tuple of a NumPy array
    if name == "ndim":
        return ArgumentKind.INT
    if name == "T":
        return ArgumentKind.DATA if argument_kind(ctx, node.value, depth) is ArgumentKind.DATA else ArgumentKind.UNKNOWN
    if isinstance(node.value, cst.Name) and holds_parsed_options(ctx, node.value):
        return ArgumentKind.OTHER
    return ArgumentKind.OTHER if (origin(ctx, node) or "").startswith(("numpy.", "math.")) else ArgumentKind.UNKNOWN


def is_shape(node: cst.CSTNode) -> bool:
    """Whether ``node`` is ``x.shape`` or ``x.size()``."""
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        return node.func.attr.value == "size" and not node.args
    return isinstance(node, cst.Attribute) and node.attr.value == "shape"


def _subscript(ctx: FileContext, node: cst.Subscript) -> ArgumentKind:
    if not is_shape(node.value) or len(node.slice) != 1:
        return ArgumentKind.UNKNOWN
    if isinstance(node.slice[0].slice, cst.Index):
        return ArgumentKind.INT
    return ArgumentKind.SIZE if isinstance(node.value, cst.Call) else ArgumentKind.OTHER


def _name(ctx: FileContext, name: cst.Name, depth: int) -> ArgumentKind:
    if name.value in ("None", "True", "False"):
        return ArgumentKind.OTHER
    kind = _merge(_bound(ctx, one, depth) for one in reaching_definitions(ctx, name))
    return ArgumentKind.OTHER if kind is ArgumentKind.DATA and _is_written_to(ctx, name.value) else kind


def _bound(ctx: FileContext, binding: Binding, depth: int) -> ArgumentKind:
    node, value = binding.node, binding.value
    if binding.how is How.ASSIGN and value is not None:
        return argument_kind(ctx, value, depth)
    if binding.how is How.UNPACK and value is not None:
        return (
            ArgumentKind.INT
            if is_shape(value) or argument_kind(ctx, value, depth) is ArgumentKind.SIZE
            else ArgumentKind.UNKNOWN
        )
    if binding.how is How.AUGMENTED and isinstance(node, cst.AugAssign):
        kind = argument_kind(ctx, node.value, depth)
        stays = kind is ArgumentKind.INT and not isinstance(node.operator, cst.DivideAssign)
        return kind if stays else _merge((kind, ArgumentKind.OTHER))
    if binding.how is How.LOOP and isinstance(node, (cst.For, cst.CompFor)) and isinstance(node.target, cst.Name):
        called = _builtin(ctx, node.iter.func) if isinstance(node.iter, cst.Call) else None
        return ArgumentKind.INT if called == "range" else ArgumentKind.UNKNOWN
    if binding.how is How.PARAMETER and isinstance(node, cst.Param):
        return _parameter(ctx, node)
    return ArgumentKind.UNKNOWN


def _parameter(ctx: FileContext, param: cst.Param) -> ArgumentKind:
    """By its annotation, or by a default that is no tensor."""
    if param.star:
        return ArgumentKind.OTHER if param.star == "**" else ArgumentKind.UNKNOWN
    if param.annotation is not None:
        written = ctx.text_of(param.annotation.annotation).replace("typing.", "")
        if written in ("int", "float", "bool", "str"):
            return ArgumentKind.INT if written == "int" else ArgumentKind.OTHER
        if written.startswith(("list", "List", "tuple", "Tuple")):
            return ArgumentKind.DATA
        return ArgumentKind.OTHER if written in ("np.ndarray", "numpy.ndarray") else ArgumentKind.UNKNOWN
    return (
        ArgumentKind.OTHER
        if isinstance(param.default, (cst.Integer, cst.List, cst.Tuple, cst.Float))
        else ArgumentKind.UNKNOWN
    )


def _is_written_to(ctx: FileContext, name: str) -> bool:
    """Whether ``name[...]`` is assigned to: on a CPU, a legacy constructor shares the memory of an array."""
    for target in ctx.tree.of_type(cst.AssignTarget):
        if isinstance(target.target, cst.Subscript) and dotted_name(target.target.value) == name:
            return True
    return False
