"""Calls that may give a flag its value first: ``self.setup(opt)``, ``BaseModel.initialize(self, opt)``."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.guards.changing_flags import is_target
from devlint.analysis.guards.cuda_mentions import cuda_mention_ids
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.classes import bases, class_of, method_of, self_name
from devlint.analysis.names.control_flow import statements
from devlint.analysis.names.resolution import attributes_named
from devlint.analysis.names.scopes import Scope, scopes
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.attributes import set_from_outside
from devlint.analysis.project.classes import imported_family, sets_attribute
from devlint.fixes.device.anchors.placement import Anchor, outermost_function, runs_before
from devlint.syntax.file_context import FileContext

_ONLY_READ = frozenset({"getattr", "hasattr", "isinstance", "len", "print", "repr", "str", "type"})
"""Builtins that give no attribute of their argument a value."""


def below_setters(ctx: FileContext, dotted: str, start: Anchor, at: cst.CSTNode) -> Anchor | None:
    """The place at the start of a function, or below the calls that may set ``self.use_cuda`` before ``at``.

    None where such a call is in the same statement as ``at``, or comes after another use of CUDA: the flag may then say
    two things, and one device cannot.
    """
    root, _, attribute = dotted.partition(".")
    function = start.scope.node
    if not isinstance(function, cst.FunctionDef) or not attribute:
        return start
    known = _is_set_by_calls(ctx, root, attribute, at)
    if not known and not set_from_outside(project_around(ctx), attribute):
        return start
    last, used, uses = None, False, cuda_mention_ids(ctx)
    for statement in statements(function.body):
        setting = [one for one in ctx.tree.below(statement) if _may_set(one, root)]
        if ctx.tree.is_around(statement, at):
            before = [one for one in setting if ctx.span(one).end <= ctx.span(at).start]
            if before and known:
                return None
            break
        below = [] if used else list(ctx.tree.below(statement))
        asks = any(dotted_name(one) == dotted for one in below if isinstance(one, cst.Attribute))
        used = used or (asks and any(id(one) in uses for one in below))
        if setting and used and known:
            return None
        if setting and used:
            break
        last = statement if setting else last
    anchor = Anchor(start.scope, last) if last is not None else start
    if ctx.span(anchor.statement).start < ctx.span(start.statement).start:
        return start
    return anchor if runs_before(ctx, anchor, at) else None


def _is_set_by_calls(ctx: FileContext, root: str, attribute: str, at: cst.CSTNode) -> bool:
    """Whether another function of the file, or of a base in another file, gives an attribute of this name a value."""
    method, definition, here = method_of(ctx, at), class_of(ctx, at), scopes(ctx).function_of(at)
    for one in attributes_named(ctx, attribute):
        setter = scopes(ctx).function_of(one) if is_target(ctx, one) else None
        if setter is not None and setter is not here and setter.name.value != "__init__":
            return True
    if method is None or definition is None or self_name(method) != root:
        return False
    families = (imported_family(project_around(ctx), name) for name in bases(ctx, definition) if "." in name)
    return any(one is not None and sets_attribute(one, attribute) for one in families)


def _may_set(node: cst.CSTNode, root: str) -> bool:
    """Whether a node calls a method of what has the flag, or of its base, or hands it on."""
    if not isinstance(node, cst.Call):
        return False
    if isinstance(node.func, cst.Name) and node.func.value in _ONLY_READ:
        return False
    owner = node.func.value if isinstance(node.func, cst.Attribute) else None
    if owner is not None and dotted_name(owner) == root:
        return True
    if isinstance(owner, cst.Call) and dotted_name(owner.func) == "super":
        return True
    return any(dotted_name(arg.value) == root for arg in node.args)


def global_setter(ctx: FileContext, root: str, nodes: list[cst.CSTNode], at: cst.CSTNode) -> Scope | None:
    """The function around ``at``, where it alone gives a variable of the module its value: ``global args``."""
    function = outermost_function(ctx, at)
    opened = scopes(ctx).opened_by(function) if function is not None and nodes else None
    is_setter = opened is not None and root in opened.declared_global
    return opened if is_setter and all(scopes(ctx).scope_of(one) is opened for one in nodes) else None
