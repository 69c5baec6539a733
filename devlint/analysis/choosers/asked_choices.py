"""What functions ask that only return a device: ``choose_device(self.opt)``."""

from __future__ import annotations

import ast

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.scopes import scopes
from devlint.analysis.project.ask import own_module, project_around
from devlint.analysis.project.exports import is_set_by_others
from devlint.analysis.project.known_devices import known_device
from devlint.analysis.project.module import ProjectModule
from devlint.syntax.file_context import FileContext
from devlint.syntax.python_tree.nodes import nodes_below


def asked_choice(ctx: FileContext, call: cst.Call) -> str | None:
    """The test by which a function chooses CUDA, in words that mean the same where it is called.

    None where it does anything else, or asks what the file does not have.
    """
    known = ctx.fact(_known)
    if id(call) not in known:
        known[id(call)] = _asked(ctx, call)
    return known[id(call)]


def _known(ctx: FileContext) -> dict[int, str | None]:
    """The answers so far, by the ``id`` of the call."""
    return {}


def _asked(ctx: FileContext, call: cst.Call) -> str | None:
    module, called = own_module(ctx), dotted_name(call.func) or ""
    root = called.partition(".")[0]
    bound = scopes(ctx).module.bindings.get(root, ())
    if module is None or len(bound) != 1 or scopes(ctx).binder(root, call) is not scopes(ctx).module:
        return None
    found = project_around(ctx).index.resolve(module, called)
    if found is None or len(found.module.bindings.get(found.name, ())) != 1:
        return None
    given = only_returned(found.module, found.node)
    asked = _test(found.module, given[0]) if given is not None else None
    if given is None or asked is None or not means_same(ctx, call, found.module, asked, given[1]):
        return None
    return _put_back(asked, given[1], call)


def only_returned(module: ProjectModule, function: ast.AST) -> tuple[ast.expr, str] | None:
    """What a function of a module returns and its only parameter, if any, where that is all it does."""
    if not isinstance(function, ast.FunctionDef) or function not in module.tree.body:
        return None
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    given, last = _only_parameter(function), body[0] if len(body) == 1 else None
    returned = last.value if isinstance(last, ast.Return) else None
    return (returned, given) if returned is not None and given is not None else None


def _only_parameter(function: ast.FunctionDef) -> str | None:
    """The parameter of a function, or nothing where it has none; None where it has more, a default or a decorator."""
    every, plain = [one for one in nodes_below(function.args) if isinstance(one, ast.arg)], function.args.args
    if len(every) > 1 or plain != every or function.args.defaults or function.decorator_list:
        return None
    return every[0].arg if every else ""


def means_same(ctx: FileContext, at: cst.CSTNode, theirs: ProjectModule, asked: ast.expr, given: str) -> bool:
    """Whether all names of an expression but a parameter mean for a module what they mean at a place of the file."""
    names = {one.id for one in (asked, *nodes_below(asked)) if isinstance(one, ast.Name)}
    return all(_is_same(ctx, at, theirs, one) for one in names - {given})


def _is_same(ctx: FileContext, at: cst.CSTNode, theirs: ProjectModule, name: str) -> bool:
    """Whether a name is the same in two modules: torch, or a value that is set once."""
    own, index = own_module(ctx), project_around(ctx).index
    if own is None or scopes(ctx).binder(name, at) not in (scopes(ctx).module, None):
        return False
    origins = [[one.origin for one in module.bindings.get(name, ())] for module in (own, theirs)]
    if origins == [["torch"], ["torch"]]:
        return True
    here, there = index.resolve(own, name), index.resolve(theirs, name)
    if here is None or there is None or (here.module.path, here.name) != (there.module.path, there.name):
        return False
    is_once = there.module.sole_value(there.name) is not None
    return is_once and is_set_by_others(project_around(ctx), there.module.path, there.name) is False


def _test(module: ProjectModule, device: ast.expr) -> ast.expr | None:
    """The test that holds where a device is CUDA, and not where it is another."""
    if isinstance(device, ast.Call) and module.origin(device.func) == "torch.device" and len(device.args) == 1:
        return _test(module, device.args[0]) if not device.keywords else None
    if not isinstance(device, ast.IfExp):
        return None
    body, other = known_device(module, device.body), known_device(module, device.orelse)
    if body is None or other is None or body.cuda is other.cuda:
        return None
    if body.cuda:
        return device.test
    test = device.test
    return test.operand if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) else None


def _put_back(asked: ast.expr, given: str, call: cst.Call) -> str | None:
    """A test in which what a call gives stands for the only parameter of the function."""
    if not given:
        return ast.unparse(asked) if not call.args else None
    told = dotted_name(call.args[0].value) if len(call.args) == 1 and not call.args[0].star else None
    if told is None:
        return None
    again = ast.parse(ast.unparse(asked), mode="eval")  # the tree of the module stays as it is
    return ast.unparse(_Told(given, ast.parse(told, mode="eval").body).visit(again))


class _Told(ast.NodeTransformer):
    """Puts something in the place of a name."""

    def __init__(self, name: str, told: ast.expr) -> None:
        self.name = name
        self.told = told

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.told if node.id == self.name else node
