"""Programs with every way to say where something goes written in one way, for ``benchmarks.placements``.

``x.cuda()``, ``x.to(device)`` and ``x.to(device="cuda")`` all become ``put(x, "cuda")``; what decides by the answers
to a program's questions is decided, and what goes to the CPU stays as it is.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterable

from benchmarks.placement_lines import late_defaults, made_tensor, named, put, with_dtype
from benchmarks.placement_names import Scope
from benchmarks.placement_values import CUDA_TEST, Values

TYPES = {
    "FloatTensor": "float32", "DoubleTensor": "float64", "HalfTensor": "float16", "ByteTensor": "uint8",
    "CharTensor": "int8", "ShortTensor": "int16", "IntTensor": "int32", "LongTensor": "int64", "BoolTensor": "bool",
    "BFloat16Tensor": "bfloat16",
}  # fmt: skip
_TENSOR_TYPE = re.compile(r"^[\"']?\w+\.(cuda\.)?(\w+Tensor)[\"']?$")
_AMP = re.compile(r"(?:^|\.)(autocast|GradScaler)$")
_DTYPE = re.compile(r"^\w+\.(float|double|half|bfloat16|u?int|long|short|bool|complex)\w*$")
_LOADS = ("torch.load", "th.load")


class Form(ast.NodeTransformer):
    """Rewrites the code of one scope; nothing of the tree it is given changes."""

    def __init__(self, values: Values, scope: Scope, kept: set[int]) -> None:
        self._values, self._scope, self._kept = values, scope, kept

    def _inside(self, scope: Scope) -> Form:
        """The same for the code of a function in this one."""
        return Form(self._values, scope, self._kept)

    def _place(self, on_cuda: str | None) -> str:
        """Where a tensor of ``torch.cuda.FloatTensor`` is, or of ``torch.FloatTensor``."""
        return "cuda" if on_cuda else "cpu"

    def block(self, statements: Iterable[ast.stmt]) -> list[ast.stmt]:
        """Statements in their common form, without those that the other text has as well."""
        found: list[ast.stmt] = []
        for one in statements:
            new = self.visit(one) if id(one) not in self._kept else None
            found += new if isinstance(new, list) else [new] if new is not None else []
            if found and isinstance(found[-1], (ast.Return, ast.Raise, ast.Continue, ast.Break)):
                break
        return found

    def generic_visit(self, node: ast.AST) -> ast.AST:
        new = copy.copy(node)
        for name, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                setattr(new, name, self.block(value) or ([ast.Pass()] if name == "body" else []))
            elif isinstance(value, list):
                setattr(new, name, [self.visit(one) if isinstance(one, ast.AST) else one for one in value])
            elif isinstance(value, ast.AST):
                setattr(new, name, self.visit(value))
        return new

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt] | None:
        held = self._values.truth(node.test, self._scope)
        if held is not None:
            return self.block(node.body if held else node.orelse)
        new = copy.copy(node)
        new.test, new.body, new.orelse = self.visit(node.test), self.block(node.body), self.block(node.orelse)
        if not new.body and not new.orelse:
            return None
        new.body = new.body or [ast.Pass()]
        return new

    def visit_For(self, node: ast.For) -> ast.AST | None:
        return self.generic_visit(node) if self.block(node.body) or node.orelse else None

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        held = self._values.truth(node.test, self._scope)
        return self.generic_visit(node) if held is None else self.visit(node.body if held else node.orelse)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        decisive = isinstance(node.op, ast.Or)
        held = [self._values.truth(one, self._scope) for one in node.values]
        left = [self.visit(one) for one, known in zip(node.values, held) if known is not (not decisive)]
        if decisive in held or not left:
            return ast.Constant(decisive if decisive in held else not decisive)
        return left[0] if len(left) == 1 else ast.BoolOp(node.op, left)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        scope = self._scope.module.scopes[id(node)]
        new, late = copy.copy(node), late_defaults(node)
        devices = {name: self._values.default(node, name, value, scope) for name, (value, _) in late.items()}
        devices = {name: one for name, one in devices.items() if one.startswith(("cuda", "cpu"))}
        new.args, new.returns = self._arguments(node.args, devices), None
        new.decorator_list = [self.visit(one) for one in node.decorator_list]
        body = [one for one in node.body if not any(one is late[name][1] for name in devices)]
        new.body = self._inside(scope).block(body) or [ast.Pass()]
        return new

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        new = copy.copy(node)
        new.body = self._inside(self._scope.module.scopes[id(node)]).visit(node.body)
        return new

    def _arguments(self, node: ast.arguments, late: dict[str, str]) -> ast.arguments:
        """Parameters without their types, with the devices that their defaults are, or become in the function."""
        new = self.generic_visit(node)
        assert isinstance(new, ast.arguments)
        for group in (new.posonlyargs, new.args, new.kwonlyargs):
            group[:] = [ast.arg(one.arg) for one in group]
        names = [one.arg for one in (*node.posonlyargs, *node.args)][-len(node.defaults) or None :]
        new.defaults = [self._default(one, late.get(name)) for name, one in zip(names, node.defaults)]
        new.kw_defaults = [
            None if one is None else self._default(one, late.get(name.arg))
            for name, one in zip(node.kwonlyargs, node.kw_defaults)
        ]
        return new

    def _default(self, node: ast.expr, late: str | None = None) -> ast.expr:
        value = late or self._values.device(node, self._scope)
        is_device = value.startswith(("cuda", "cpu"))
        new = ast.Constant(value) if is_device and not _is_number(node) else self.visit(node)
        assert isinstance(new, ast.expr)
        return new

    def visit_Import(self, node: ast.Import) -> None:
        return None

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        return None

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        value = self.visit(node.value)
        is_nothing = isinstance(value, (ast.Name, ast.Attribute, ast.Constant, ast.Subscript))
        return None if is_nothing else ast.copy_location(ast.Expr(value), node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        if node.value is None:
            return None
        return self.visit_Assign(ast.copy_location(ast.Assign([node.target], node.value), node))

    def visit_Assign(self, node: ast.Assign) -> ast.AST | None:
        """``x = x`` is nothing."""
        value, targets = self.visit(node.value), node.targets
        if len(targets) == 1 and isinstance(targets[0], ast.Tuple) and isinstance(value, ast.Tuple):
            pairs = [(to, of) for to, of in zip(targets[0].elts, value.elts) if ast.unparse(to) != ast.unparse(of)]
            if not pairs:
                return None
            to, of = [list(one) for one in zip(*pairs)]
            targets = [to[0] if len(to) == 1 else ast.Tuple(to, ast.Store())]
            value = of[0] if len(of) == 1 else ast.Tuple(of, ast.Load())
        if len(targets) == 1 and ast.unparse(targets[0]) == ast.unparse(value):
            return None
        if isinstance(node.value, (ast.Name, ast.Attribute)) and "device" in ast.unparse(node.value):
            device = self._values.device(node.value, self._scope)
            value = value if device.startswith("?") else ast.Call(named("device"), [ast.Constant(device)], [])
        return ast.copy_location(ast.Assign(targets, value), node)

    def visit_ListComp(self, node: ast.ListComp | ast.GeneratorExp) -> ast.AST:
        """``[x for x in y]`` is ``y``."""
        new = self.generic_visit(node)
        assert isinstance(new, (ast.ListComp, ast.GeneratorExp))
        first = new.generators[0]
        is_same = len(new.generators) == 1 and not first.ifs and ast.unparse(new.elt) == ast.unparse(first.target)
        return first.iter if is_same else new

    visit_GeneratorExp = visit_ListComp

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = ast.unparse(node.func)
        if name.endswith(CUDA_TEST):
            return ast.Constant(self._values.has_cuda)
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("cuda", "to") and name != "torch.cuda":
            return self._moved(node, node.func)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "type" and len(node.args) == 1:
            made = _TENSOR_TYPE.match(self._type_name(node.args[0]))
            if made and made[2] in TYPES:
                return put(self.visit(node.func.value), self._place(made[1]), [with_dtype(TYPES[made[2]])])
        if _AMP.search(name):
            return self._mixed_precision(node, name)
        made = _TENSOR_TYPE.match(self._type_name(node.func))
        if made and made[2] in TYPES:
            return made_tensor([self.visit(one) for one in node.args], TYPES[made[2]], self._place(made[1]))
        if name.rpartition(".")[2] == "device" and node.args:
            return ast.Call(named("device"), [ast.Constant(self._values.device(node, self._scope))], [])
        return self._called(node, name)

    def _called(self, node: ast.Call, name: str) -> ast.AST:
        """Any other call: its ``device=`` as what it is, and no place where a checkpoint is loaded to."""
        keywords, device, dtype = [], "cpu", ""
        for one in node.keywords:
            if one.arg == "device":
                device = self._values.device(one.value, self._scope)
            elif one.arg == "dtype" and name in ("torch.tensor", "torch.empty"):
                dtype = ast.unparse(one.value).rpartition(".")[2]
            elif one.arg == "default":
                keywords.append(ast.keyword("default", self._default(one.value)))
            elif one.arg == "accelerator" and isinstance(one.value, ast.Constant):
                keywords.append(
                    ast.keyword(
                        "accelerator",
                        ast.Constant({"cuda": "gpu", "auto": "gpu"}.get(one.value.value, one.value.value)),
                    )
                )
            elif one.arg != "map_location":
                keywords.append(ast.keyword(one.arg, self._argument(one.value)))
        arguments = [self._argument(one) for one in node.args[: 1 if name in _LOADS else None]]
        if dtype:
            return made_tensor(arguments, dtype, device, keywords)
        if device not in ("cpu", "None"):
            keywords.append(ast.keyword("device", ast.Constant(device)))
        return ast.Call(self.visit(node.func), arguments, keywords)

    def _argument(self, node: ast.expr) -> ast.AST:
        """What another function is given: a device by any name is what it is."""
        text = ast.unparse(node)
        is_named = isinstance(node, (ast.Name, ast.Attribute)) and "dev" in text.lower()
        device = self._values.device(node, self._scope) if is_named or text.startswith("torch.device(") else "?"
        return self.visit(node) if device[0] in "?N" else ast.Constant(device)

    def _moved(self, node: ast.Call, function: ast.Attribute) -> ast.AST:
        keywords = {one.arg: one.value for one in node.keywords}
        arguments, dtype = list(node.args), keywords.pop("dtype", None)
        for one in arguments if function.attr == "to" else []:
            if _DTYPE.match(ast.unparse(one)):
                dtype = one
        arguments = [one for one in arguments if one is not dtype]
        device = keywords.pop("device", None) or (arguments.pop(0) if arguments else None)
        if arguments and function.attr == "to" and not isinstance(arguments[0], ast.Constant):
            dtype = arguments.pop(0)
        waits = keywords.pop("non_blocking", None) or keywords.pop("async", None) or (arguments or [None])[0]
        rest = [ast.keyword(name, self.visit(one)) for name, one in keywords.items()]
        rest += [ast.keyword("non_blocking", self.visit(waits))] if waits is not None else []
        rest += [with_dtype(ast.unparse(self.visit(dtype)).rpartition(".")[2])] if dtype is not None else []
        value = self.visit(function.value)
        if device is None and function.attr == "to":
            return ast.Call(ast.Attribute(value, "to", ast.Load()), [], rest)
        if isinstance(device, ast.Constant) and device.value == "cpu":
            return ast.Call(named("put_on_cpu"), [value], rest)
        place = "cuda" if device is None else self._values.device(device, self._scope)
        return put(value, "cuda" if place == "None" else place, rest)

    def _mixed_precision(self, node: ast.Call, name: str) -> ast.AST:
        """Autocast and scalers: the type of the device, whether they are on, and the rest."""
        keywords = {str(one.arg): one.value for one in node.keywords}
        arguments = list(node.args)
        device = keywords.pop("device_type", None) or keywords.pop("device", None)
        is_new = name.startswith(("torch.autocast", "torch.amp."))
        if arguments and device is None and (is_new or ast.unparse(arguments[0]).endswith(("type", "'cuda'"))):
            device = arguments.pop(0)
        enabled = keywords.pop("enabled", None) or (arguments.pop(0) if arguments else ast.Constant(True))
        kind = "cuda" if device is None else self._values.device(device, self._scope).partition(":")[0]
        tested = ast.unparse(device).removesuffix(".type") if device is not None else ""
        parts = enabled.values if isinstance(enabled, ast.BoolOp) and isinstance(enabled.op, ast.And) else [enabled]
        parts = [self.visit(one) for one in parts if not _is_no_cpu(one, tested)] or [ast.Constant(True)]
        on = parts[0] if len(parts) == 1 else ast.BoolOp(ast.And(), parts)
        if isinstance(on, ast.Constant) and not on.value:
            kind, keywords = "cuda", {}
        rest = [ast.keyword(one, self.visit(value)) for one, value in sorted(keywords.items())]
        return ast.Call(named(f"amp_{name.rpartition('.')[2]}"), [ast.Constant(kind), on], rest)

    def _type_name(self, node: ast.expr) -> str:
        """The tensor type that a name such as ``Tensor`` stands for, or the text of an expression."""
        found = [one for one in self._values.definitions(node, self._scope) if self._values.is_reached(one)]
        value, scope = (found[0].value, found[0].scope) if len(found) == 1 else (node, self._scope)
        while isinstance(value, ast.IfExp):
            held = self._values.truth(value.test, scope)
            value = None if held is None else value.body if held else value.orelse
        return ast.unparse(value if isinstance(value, ast.expr) else node)


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and not isinstance(node.value, str) and node.value is not None


def _is_no_cpu(node: ast.expr, device: str) -> bool:
    """``device.type != "cpu"`` of the device of an autocast."""
    text = ast.unparse(node)
    return bool(device) and (
        re.fullmatch(rf"({re.escape(device)})(\.type)? != 'cpu'", text) is not None
        or re.fullmatch(r"not str\(.*\)\.startswith\('cpu'\)", text) is not None
    )
