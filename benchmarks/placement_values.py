"""What devices and tests of a program are on a computer with CUDA or without, for ``benchmarks.placements``.

Whether ``torch.cuda.is_available()`` is true is given. Any other test that decides is a question, such as
``args.cuda``, whose answer is assumed; what is not known is a text that begins with ``?``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from benchmarks.placement_names import FUNCTIONS, Definition, Module, Scope, returned

DEEPEST = 40
"""How many definitions are followed before a value counts as unknown."""
CUDA_TEST = "cuda.is_available"


class Values:
    """Evaluates the expressions of one file under answers to its questions, and remembers which it met."""

    def __init__(self, module: Module, answers: Mapping[str, bool], has_cuda: bool = True) -> None:
        self.module, self._answers, self.has_cuda = module, answers, has_cuda
        self.asked: set[str] = set()
        self._depth = 0
        self._calls: list[tuple[ast.AST, dict[str, tuple[ast.expr, Scope]]]] = []

    def truth(self, node: ast.expr, scope: Scope) -> bool | None:
        """Whether a test holds; None where that is not known."""
        self._depth += 1
        try:
            return self._truth(node, scope) if self._depth < DEEPEST else None
        finally:
            self._depth -= 1

    def device(self, node: ast.expr, scope: Scope) -> str:
        """The device that an expression is: ``cuda``, ``cuda:0``, ``cpu``, ``None`` or ``?`` and its text."""
        self._depth += 1
        try:
            return self._device(node, scope) if self._depth < DEEPEST else "?deep"
        finally:
            self._depth -= 1

    def _truth(self, node: ast.expr, scope: Scope) -> bool | None:
        match node:
            case ast.Constant():
                return bool(node.value)
            case ast.UnaryOp(op=ast.Not()):
                held = self.truth(node.operand, scope)
                return None if held is None else not held
            case ast.BoolOp():
                decisive = isinstance(node.op, ast.Or)
                parts = [self.truth(one, scope) for one in node.values]
                return decisive if decisive in parts else None if None in parts else not decisive
            case ast.IfExp():
                held = self.truth(node.test, scope)
                if held is not None:
                    return self.truth(node.body if held else node.orelse, scope)
                both = {self.truth(node.body, scope), self.truth(node.orelse, scope)}
                return both.pop() if len(both) == 1 else None
            case ast.Compare(ops=[_]):
                return self._comparison(node, scope)
            case ast.Call():
                return self._called_truth(node, scope)
            case ast.Attribute(attr="is_cuda") if not self.has_cuda:
                return False
            case ast.Name() | ast.Attribute():
                found, given = self.definitions(node, scope), self._given(node, scope)
                if given is not None:
                    return self.truth(*given)
                if len(found) == 1 and isinstance(found[0].value, ast.expr):
                    return self.truth(found[0].value, found[0].scope)
        return self._ask(node, scope)

    def _called_truth(self, node: ast.Call, scope: Scope) -> bool | None:
        name = ast.unparse(node.func)
        if name.endswith((CUDA_TEST, "cuda.device_count")):
            return self.has_cuda
        if name == "bool" and len(node.args) == 1:
            return self.truth(node.args[0], scope)
        entered = self._enter(node, scope)
        if entered is None:
            return self._ask(node, scope)
        try:
            return self.truth(*entered)
        finally:
            self._calls.pop()

    def _ask(self, node: ast.expr, scope: Scope) -> bool | None:
        """The assumed answer to a question; names of parameters are told apart by their function."""
        text = ast.unparse(node)
        if isinstance(node, ast.Compare) and "device" in text:
            text = f"{type(node.ops[0]).__name__} {[self.device(x, scope) for x in (node.left, *node.comparators)]}"
        elif isinstance(node, ast.Name):
            owner = self._binder(node.id, scope)
            text = f"{getattr(owner.node, 'name', '')}:{text}" if owner is not None and owner.parent else text
        self.asked.add(text)
        return self._answers.get(text)

    def _comparison(self, node: ast.Compare, scope: Scope) -> bool | None:
        """``device.type == "cuda"``, ``device is None``, ``"cuda" in str(device)``, or a question."""
        left, right, operator = node.left, node.comparators[0], node.ops[0]
        opposite = {ast.NotEq: ast.Eq, ast.IsNot: ast.Is, ast.NotIn: ast.In}.get(type(operator))
        if opposite is not None:
            held = self.truth(ast.Compare(left, [opposite()], [right]), scope)
            return None if held is None else not held
        if not self.has_cuda and isinstance(operator, (ast.Gt, ast.GtE)) and "cuda.device_count" in ast.unparse(left):
            return False
        device, wanted = left, right
        if isinstance(operator, ast.In) and isinstance(left, ast.Constant):
            device, wanted = right, left
        if isinstance(operator, (ast.Eq, ast.Is, ast.In)) and isinstance(wanted, ast.Constant):
            value = self.device(device, scope) if _may_be_device(device) else "?"
            if wanted.value is None or isinstance(wanted.value, str) and wanted.value[:3] in ("cud", "cpu"):
                if not value.startswith("?"):
                    return value.partition(":")[0] == str(wanted.value).partition(":")[0]
        return self._ask(node, scope)

    def _device(self, node: ast.expr, scope: Scope) -> str:
        match node:
            case ast.Constant(value=str() | None):
                return str(node.value)
            case ast.Constant(value=int()) if not isinstance(node.value, bool):
                return f"cuda:{node.value}"
            case ast.JoinedStr():
                return "".join(
                    self._card(one.value, scope)[1:] if isinstance(one, ast.FormattedValue) else self.device(one, scope)
                    for one in node.values
                )
            case ast.IfExp():
                held = self.truth(node.test, scope)
                if held is not None:
                    return self.device(node.body if held else node.orelse, scope)
                both = {self.device(node.body, scope), self.device(node.orelse, scope)}
                return both.pop() if len(both) == 1 else _unknown(node)
            case ast.Call():
                return self._called_device(node, scope)
            case ast.Attribute(attr="type"):
                return self.device(node.value, scope)
            case ast.Name() | ast.Attribute():
                return self._named_device(node, scope)
        return _unknown(node)

    def _called_device(self, node: ast.Call, scope: Scope) -> str:
        name = ast.unparse(node.func)
        if name == "str" and node.args:
            return self.device(node.args[0], scope)
        if name.endswith("cuda.current_device"):
            return "cuda"
        if name.rpartition(".")[2] == "device" and node.args:
            index = node.args[1] if len(node.args) > 1 else None
            return self.device(node.args[0], scope) + (self._card(index, scope) if index is not None else "")
        if name.endswith(".format") and isinstance(node.func, ast.Attribute):
            return self.device(node.func.value, scope).replace("{}", "{n}")
        entered = self._enter(node, scope)
        if entered is None:
            return _unknown(node)
        try:
            return self.device(*entered)
        finally:
            self._calls.pop()

    def _card(self, node: ast.expr, scope: Scope) -> str:
        """``:0``, or ``:{n}`` for a number that is not known."""
        device = self.device(node, scope)
        return device.removeprefix("cuda") if re.fullmatch(r"cuda:\d+", device) else ":{n}"

    def _named_device(self, node: ast.Name | ast.Attribute, scope: Scope) -> str:
        given = self._given(node, scope)
        if given is not None:
            return self.device(*given)
        values = set()
        for one in self.nearest(node, scope):
            if not isinstance(one.value, ast.expr):
                values.add("?")
            elif ast.unparse(one.value) != ast.unparse(node) and self.is_reached(one):
                values.add(self.device(one.value, one.scope))
        return values.pop() if len(values) == 1 else _unknown(node)

    def nearest(self, node: ast.expr, scope: Scope) -> list[Definition]:
        """The definitions of a name without those that a later one above the node replaces."""
        found = sorted(self.definitions(node, scope), key=lambda one: getattr(one.node, "lineno", 0))
        row = getattr(node, "lineno", 0)
        for position in range(len(found) - 1, 0, -1):
            one = found[position]
            is_plain = one.scope is scope and scope.module.parents.get(id(one.node)) is scope.node
            if is_plain and getattr(one.node, "lineno", 0) < row:
                return found[position:]
        return found

    def definitions(self, node: ast.expr, scope: Scope) -> list[Definition]:
        """All that gives a name or an attribute its value, as far as the program's files tell."""
        if isinstance(node, ast.Name):
            owner = self._binder(node.id, scope)
            if owner is None or owner.parent is None:
                return (owner or scope).module.definitions(node.id)
            return owner.defined.get(node.id, []) if node.id not in owner.parameters else []
        if not isinstance(node, ast.Attribute):
            return []
        owner_class = scope.owner_class()
        if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls") and owner_class is not None:
            return scope.module.attribute(owner_class, node.attr)
        return scope.module.attributes.get(ast.unparse(node), [])

    def _binder(self, name: str, scope: Scope) -> Scope | None:
        """The scope whose name this is."""
        found: Scope | None = scope
        while found is not None and not (name in found.parameters or found.defined.get(name)):
            found = found.parent
        return found.module.scope if found is not None and name in found.globals else found

    def is_reached(self, one: Definition) -> bool:
        """Whether a definition stands in no branch that the answers rule out."""
        child, parents = one.node, one.scope.module.parents
        while (parent := parents.get(id(child))) is not None and not isinstance(parent, FUNCTIONS):
            if isinstance(parent, ast.If) and child is not parent.test:
                held = self.truth(parent.test, one.scope)
                if held is not None and held != any(child is inner for inner in parent.body):
                    return False
            child = parent
        return True

    def _enter(self, node: ast.Call, scope: Scope) -> tuple[ast.expr, Scope] | None:
        """What a function of the program returns, whose parameters are then what the call gives."""
        found: list[Definition] = []
        if isinstance(node.func, ast.Name):
            found = self.definitions(node.func, scope)
        function = found[0].value if len(found) == 1 else None
        if not isinstance(function, FUNCTIONS) or any(function is one for one, _ in self._calls):
            return None
        value, inside = returned(function), found[0].scope.module.scopes[id(function)]
        if value is None:
            return None
        outside = inside.parent or inside
        given = {name: (default, outside) for name, default in inside.parameters.items() if default is not None}
        given.update(zip(inside.parameters, ((one, scope) for one in node.args)))
        given.update((one.arg, (one.value, scope)) for one in node.keywords if one.arg is not None)
        self._calls.append((function, given))
        return value, inside

    def default(self, function: ast.AST, name: str, value: ast.expr, scope: Scope) -> str:
        """The device that an expression of a function is where a parameter is None."""
        self._calls.append((function, {name: (ast.Constant(None), scope)}))
        try:
            return self.device(value, scope)
        finally:
            self._calls.pop()

    def _given(self, node: ast.expr, scope: Scope) -> tuple[ast.expr, Scope] | None:
        """What a call that is being followed gives a parameter."""
        owner = self._binder(node.id, scope) if isinstance(node, ast.Name) else None
        for function, given in reversed(self._calls if owner is not None else []):
            if owner is not None and function is owner.node and isinstance(node, ast.Name):
                return given.get(node.id)
        return None


def _unknown(node: ast.expr) -> str:
    return "?" + ast.unparse(node).replace("'", "").replace('"', "")


def _may_be_device(node: ast.expr) -> bool:
    text = ast.unparse(node)
    return text.endswith(".type") or any(word in text.lower() for word in ("dev", "cuda", "gpu"))


def scoped(module: Module, kept: set[int]) -> Iterator[tuple[ast.AST, Scope]]:
    """Every node of a file with the scope it is in, but for what is in the statements to leave out."""

    def below(node: ast.AST, scope: Scope) -> Iterator[tuple[ast.AST, Scope]]:
        for child in ast.iter_child_nodes(node):
            if id(child) not in kept:
                inner = module.scopes.get(id(child), scope)
                yield child, inner
                yield from below(child, inner)

    return below(module.tree, module.scope)
