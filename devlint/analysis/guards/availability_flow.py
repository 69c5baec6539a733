"""Where the answer of ``torch.cuda.is_available()`` goes: into tests, and through flags into more tests."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.guards.guards import guards_at
from devlint.analysis.guards.questions import Question
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.control_flow import exits
from devlint.analysis.names.resolution import origin, reads
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.scripts import is_script
from devlint.syntax.comparisons import compared_values
from devlint.syntax.file_context import FileContext, fact

AVAILABLE = "torch.cuda.is_available"
_KNOWN = frozenset("argparse copy json logging os pprint random sys torch tqdm wandb yaml".split())
"""Libraries that may be shown the program's arguments."""
_SHOWS = frozenset("print repr str format info debug warning warn error write log append add_row".split())


class Answer:
    """The calls whose answers change together, and every expression that holds such an answer."""

    def __init__(self, ctx: FileContext, call: cst.Call) -> None:
        self._ctx = ctx
        self.calls: list[cst.Call] = []
        self.escape: str | None = None
        """Where the answer goes that cannot be followed, in words."""
        self._means: dict[int, bool] = {}
        """By expression: whether there is CUDA where it is true, or where it is false."""
        self._held: list[cst.BaseExpression] = []
        self._waiting: list[cst.BaseExpression] = []
        self._question = Question(lambda _, test, holds: self._means.get(id(test)) is holds)
        self._add_call(call)
        while self._waiting:
            self._follow(self._waiting.pop())

    @property
    def decides(self) -> bool:
        """Whether the answer decides anything, and is not only shown."""
        return any(self._is_asked(one) for one in self._held)

    def governs(self, node: cst.CSTNode) -> bool:
        """Whether ``node`` runs only where the answer is yes, and no closer test asks for CUDA by itself."""
        for child, parent in self._ctx.tree.path_up(node):
            if any(guards_at(self._ctx, child, parent, self._question)):
                return True
            if _asks_itself(child, parent):
                return False
        return False

    def owners(self) -> Iterator[cst.If | cst.IfExp | cst.Assert]:
        """Each ``if``, conditional expression and ``assert`` that asks for the answer."""
        for one in self._held:
            parent = self._ctx.tree.parent(one)
            if isinstance(parent, (cst.If, cst.IfExp, cst.Assert)) and parent.test is one:
                yield parent

    def _is_asked(self, node: cst.CSTNode) -> bool:
        parent = self._ctx.tree.parent(node)
        if isinstance(parent, cst.Arg):
            call = self._ctx.tree.parent(parent)
            return call is not None and isinstance(self._ctx.tree.parent(call), cst.Decorator)
        if isinstance(parent, (cst.If, cst.IfExp, cst.While)):
            return parent.test is node
        return isinstance(parent, (cst.Assert, cst.BooleanOperation))

    def _add_call(self, call: cst.Call) -> None:
        if not any(one is call for one in self.calls):
            self.calls.append(call)
            self._note(call, True)

    def _note(self, node: cst.BaseExpression, means: bool) -> None:
        if id(node) not in self._means:
            self._held.append(node)
            self._means[id(node)] = means
            self._waiting.append(node)

    def _follow(self, node: cst.BaseExpression) -> None:
        """Note what ``node`` makes true or false, one step on."""
        means, parent = self._means[id(node)], self._ctx.tree.parent(node)
        if isinstance(parent, cst.UnaryOperation):
            self._note(parent, not means)
        elif isinstance(parent, cst.BooleanOperation):
            if means is isinstance(parent.operator, cst.And):
                self._note(parent, means)
            else:
                self._escapes("a test that something else may decide")
        elif isinstance(parent, cst.IfExp):
            self._through_choice(parent, node, means)
        elif isinstance(parent, (cst.Assign, cst.AnnAssign, cst.NamedExpr)):
            self._through_assignment(parent, means)
        elif isinstance(parent, cst.Arg):
            self._through_call(parent, means)
        elif not isinstance(parent, (cst.If, cst.While, cst.Assert, cst.Expr, cst.FormattedStringExpression)):
            self._escapes("what is returned" if isinstance(parent, cst.Return) else "a value that is used elsewhere")

    def _through_choice(self, choice: cst.IfExp, node: cst.CSTNode, means: bool) -> None:
        """``True if answer else False`` is the answer again; as one of two values it is no test."""
        if node is not choice.test:
            self._escapes("a value that is used elsewhere")
            return
        branches = tuple(one.value if isinstance(one, cst.Name) else "" for one in (choice.body, choice.orelse))
        if branches in (("True", "False"), ("False", "True")):
            self._note(choice, means is (branches[0] == "True"))

    def _through_assignment(self, statement: cst.CSTNode, means: bool) -> None:
        if isinstance(statement, cst.NamedExpr):
            self._note(statement, means)
        targets: list[cst.BaseExpression] = []
        if isinstance(statement, cst.Assign):
            targets += [one.target for one in statement.targets]
        elif isinstance(statement, (cst.AnnAssign, cst.NamedExpr)):
            targets.append(statement.target)
        for target in targets:
            if isinstance(target, cst.Name):
                self._through_name(target, means)
            elif isinstance(target, cst.Attribute):
                self._through_attribute(target, means)
            else:
                self._escapes("a value that is used elsewhere")

    def _through_name(self, name: cst.Name, means: bool) -> None:
        table = scopes(self._ctx)
        scope = table.binder(name.value, name)
        if scope is None or (scope is table.module and not is_script(self._ctx) and not name.value.startswith("_")):
            self._escapes(f"`{name.value}`, which other files may import")
            return
        for binding in scope.bindings[name.value]:
            self._add_calls_below(binding.value)
        for one in reads(self._ctx):
            if one.value == name.value and table.binder(one.value, one) is scope and self._is_read(one):
                self._note(one, means)

    def _through_attribute(self, attribute: cst.Attribute, means: bool) -> None:
        """``args.cuda = …`` is read wherever an attribute of that name is, unless it is torch's or a method."""
        root = dotted_name(attribute) or ""
        if not is_script(self._ctx) or self._leaves_file(root.partition(".")[0]):
            self._escapes(f"`{root}`, which other files may read")
            return
        for assign in self._ctx.tree.of_type(cst.Assign):
            if any(_named(one.target, attribute.attr.value) for one in assign.targets):
                self._add_calls_below(assign.value)
        for one in self._ctx.tree.of_type(cst.Attribute):
            parent = self._ctx.tree.parent(one)
            if not _named(one, attribute.attr.value) or isinstance(parent, cst.Attribute) or not self._is_read(one):
                continue
            called = isinstance(parent, cst.Call) and parent.func is one
            if not called and not (origin(self._ctx, one) or "").startswith("torch."):
                self._note(one, means)

    def _leaves_file(self, name: str) -> bool:
        """Whether an object is handed to a function of another file of the project."""
        for call in self._ctx.tree.of_type(cst.Call):
            if any(isinstance(arg.value, cst.Name) and arg.value.value == name for arg in call.args):
                imported = origin(self._ctx, call.func)
                if imported is not None and imported.partition(".")[0] not in _KNOWN:
                    return True
        return False

    def _add_calls_below(self, value: cst.BaseExpression | None) -> None:
        for node in self._ctx.tree.below(value) if value is not None else ():
            if isinstance(node, cst.Call) and origin(self._ctx, node.func) == AVAILABLE:
                self._add_call(node)

    def _is_read(self, node: cst.CSTNode) -> bool:
        parent = self._ctx.tree.parent(node)
        if isinstance(parent, (cst.AnnAssign, cst.AugAssign, cst.NamedExpr)):
            return parent.target is not node
        return not isinstance(parent, (cst.AssignTarget, cst.Global, cst.Nonlocal, cst.Del))

    def _through_call(self, arg: cst.Arg, means: bool) -> None:
        call = self._ctx.tree.parent(arg)
        if not isinstance(call, cst.Call):
            return
        name = call.func.attr.value if isinstance(call.func, cst.Attribute) else dotted_name(call.func) or ""
        if name in ("bool", "int"):
            self._note(call, means)
        elif arg.keyword is not None and arg.keyword.value == "pin_memory":
            return
        elif name not in _SHOWS and not isinstance(self._ctx.tree.parent(call), cst.Decorator):
            self._escapes(f"an argument of `{name or 'a function'}`")

    def _escapes(self, where: str) -> None:
        self.escape = self.escape or where


@fact
def answers(ctx: FileContext) -> list[Answer]:
    """The answers of ``torch.cuda.is_available()`` in a file, each group of calls that change together once.

    Not whether CUDA is there that somebody has named: ``device == "cuda" and not torch.cuda.is_available()``.
    """
    found: list[Answer] = []
    for call in ctx.tree.of_type(cst.Call):
        if origin(ctx, call.func) != AVAILABLE or any(one is call for made in found for one in made.calls):
            continue
        if not _insists_where_named(ctx, call):
            found.append(Answer(ctx, call))
    return found


def _insists_where_named(ctx: FileContext, call: cst.Call) -> bool:
    """Whether a question is asked of a device that is CUDA by its name, and in vain, or only stops the program."""
    for child, parent in ctx.tree.path_up(call):
        if isinstance(parent, cst.BooleanOperation) and isinstance(child, cst.UnaryOperation):
            if isinstance(parent.operator, cst.And) and _is_about_a_device(parent):
                return True
        if isinstance(parent, (cst.If, cst.Assert)):
            stops = isinstance(parent, cst.Assert) or (parent.orelse is None and exits(parent.body))
            return child is parent.test and stops and (_is_about_a_device(parent.test) or has_own_test(ctx, parent))
    return False


def has_own_test(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether ``node`` runs only where ``x.is_cuda`` or ``device.type == "cuda"`` holds."""
    return any(_asks_itself(child, parent) for child, parent in ctx.tree.path_up(node))


def _asks_itself(child: cst.CSTNode, parent: cst.CSTNode) -> bool:
    return isinstance(parent, (cst.If, cst.IfExp)) and child is parent.body and _is_about_a_device(parent.test)


def _is_about_a_device(test: cst.BaseExpression) -> bool:
    """Whether a test is ``x.is_cuda`` or ``device.type == "cuda"``."""
    if isinstance(test, cst.BooleanOperation):
        return _is_about_a_device(test.left) or _is_about_a_device(test.right)
    if isinstance(test, cst.Comparison):
        sides = compared_values(test)
        return any(isinstance(one, cst.SimpleString) and one.raw_value == "cuda" for one in sides)
    return isinstance(test, cst.Attribute) and test.attr.value == "is_cuda"


def _named(node: cst.CSTNode, name: str) -> bool:
    return isinstance(node, cst.Attribute) and node.attr.value == name


def spoken_parts(owner: cst.If | cst.IfExp | cst.Assert) -> list[cst.CSTNode]:
    """What a test decides over, or says."""
    found = [owner.msg] if isinstance(owner, cst.Assert) else [owner.body, owner.orelse]
    return [one for one in found if one is not None]


def insists(owner: cst.If | cst.IfExp | cst.Assert) -> bool:
    """Whether a test is there to stop the program without CUDA."""
    return isinstance(owner, cst.Assert) or (
        isinstance(owner, cst.If) and any(exits(one) for one in spoken_parts(owner))
    )
