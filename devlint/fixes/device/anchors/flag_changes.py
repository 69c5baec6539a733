"""What may give a flag another value where it stands: calls that are handed the options, entries that are written."""

from __future__ import annotations

import re
from collections.abc import Iterable

import libcst as cst

from devlint.analysis.guards.cuda_mentions import cuda_mention_ids
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.control_flow import statements
from devlint.analysis.names.scopes import Scope, scopes
from devlint.analysis.names.string_literals import entry_key
from devlint.fixes.device.anchors.placement import Anchor
from devlint.syntax.file_context import FileContext, fact
from devlint.torch_api.moves import MOVES


def item_targets(ctx: FileContext, condition: str, dotted: str, scope: Scope) -> list[cst.CSTNode]:
    """The assignments that may write an entry of a dictionary that a condition asks for: ``config["cuda"] = True``.

    Of settings that have attributes for their entries, it is ``config.cuda`` as well.
    """
    owner, root = dotted.rpartition(".")[0], dotted.partition(".")[0]
    written = [one for one in items_written(ctx, condition, dotted) if dotted_name(one.value) == dotted]
    written += [one for one in _written_as_items(ctx, dotted) if _owner_of(one) == owner]
    return [one for one in written if scopes(ctx).binder(root, one) is scope]


def items_written(ctx: FileContext, condition: str, dotted: str) -> list[cst.Subscript]:
    """The same of whatever has the name that ``dotted`` ends with: ``self.config["cuda"]``, ``config["cuda"]``."""
    keys = keys_asked(condition, dotted)
    found = ctx.fact(_items_by_name).get(dotted.rpartition(".")[2], []) if keys else []
    return [one for one in found if entry_key(one) is None or entry_key(one) in keys]


def _written_as_items(ctx: FileContext, dotted: str) -> list[cst.Subscript]:
    """The entries that may be an attribute, of whatever is called like its owner: ``x["cuda"]`` of ``x.cuda``."""
    owner, _, attribute = dotted.rpartition(".")
    found = ctx.fact(_items_by_name).get(owner.rpartition(".")[2], []) if owner else []
    return [one for one in found if entry_key(one) == attribute]


def keys_asked(condition: str, dotted: str) -> set[str]:
    """The keys of the entries of a dictionary that a condition asks for."""
    return {key for _, key in re.findall(rf"(?<![\w.]){re.escape(dotted)}\[(['\"])(.*?)\1\]", condition)}


def _items_by_name(ctx: FileContext) -> dict[str, list[cst.Subscript]]:
    """The entries that assignments write, by the last name of what they are entries of."""
    found: dict[str, list[cst.Subscript]] = {}
    targets = [one.target for one in ctx.tree.of_type(cst.AssignTarget)]
    targets += [one.target for one in ctx.tree.of_type(cst.AugAssign)]
    for target in targets:
        for one in (node for node in ctx.tree.below(target) if isinstance(node, cst.Subscript)):
            owner = _owner_of(one)
            if owner is not None:
                found.setdefault(owner.rpartition(".")[2], []).append(one)
    return found


def _owner_of(item: cst.Subscript) -> str | None:
    """What an entry is of, by name; of ``vars(args)["cuda"]``, whose entries are attributes, ``args``."""
    return _with_state(item.value) or dotted_name(item.value)


def _with_state(node: cst.CSTNode) -> str | None:
    """What has the attributes that ``vars(args)`` is the dictionary of; None for anything else."""
    is_state = isinstance(node, cst.Call) and dotted_name(node.func) == "vars" and len(node.args) == 1
    return dotted_name(node.args[0].value) if isinstance(node, cst.Call) and is_state else None


def after_changes(ctx: FileContext, anchor: Anchor, root: str) -> Anchor:
    """The place after calls that may still change the options: ``cfg.merge_from_file(path)``, ``reset_config(cfg)``."""
    block = ctx.tree.parent(anchor.statement)
    following = statements(block) if block is not None else ()
    uses = cuda_mention_ids(ctx)
    seen = False
    for statement in following:
        if seen and not isinstance(statement, (cst.FunctionDef, cst.ClassDef)):
            below = list(ctx.tree.below(statement))
            is_own = _is_own_method(statement, root)
            if not is_own and any(id(node) in uses for node in below) or _calls_users_of_cuda(ctx, below):
                break
            if any(isinstance(node, cst.Expr) and may_change(node.value, root) for node in below):
                anchor = Anchor(anchor.scope, statement)
        seen = seen or statement is anchor.statement
    return anchor


def _is_own_method(statement: cst.CSTNode, root: str) -> bool:
    """Whether a line only calls a method of the options, or ``setattr``, which move nothing."""
    small = statement.body if isinstance(statement, cst.SimpleStatementLine) and len(statement.body) == 1 else ()
    call = small[0].value if small and isinstance(small[0], cst.Expr) else None
    if isinstance(call, cst.Call) and dotted_name(call.func) == "setattr" and call.args:
        return dotted_name(call.args[0].value) == root
    method = call.func if isinstance(call, cst.Call) and isinstance(call.func, cst.Attribute) else None
    return method is not None and dotted_name(method.value) == root and method.attr.value not in MOVES


def _calls_users_of_cuda(ctx: FileContext, nodes: Iterable[cst.CSTNode]) -> bool:
    """Whether one of these nodes names a function or class of the module that uses CUDA, or one that names such."""
    named = {node.value for node in nodes if isinstance(node, cst.Name)}
    return not named.isdisjoint(_users_of_cuda(ctx))


@fact
def _users_of_cuda(ctx: FileContext) -> frozenset[str]:
    """The names of the functions and classes at the module's top that use CUDA, or name another one that does."""
    definitions = [one for one in ctx.module.body if isinstance(one, (cst.FunctionDef, cst.ClassDef))]
    uses, found, before = cuda_mention_ids(ctx), set[str](), -1
    while len(found) > before:
        before = len(found)
        for one in definitions:
            below = ctx.tree.below(one.body) if one.name.value not in found else ()
            if any(id(node) in uses or (isinstance(node, cst.Name) and node.value in found) for node in below):
                found.add(one.name.value)
    return frozenset(found)


def may_change(call: cst.CSTNode, root: str) -> bool:
    """Whether a call whose value nobody uses is a method of ``root`` or is given it, and does not just print it."""
    if not isinstance(call, cst.Call):
        return False
    called = dotted_name(call.func) or ""
    if called.startswith(f"{root}.") or (isinstance(call.func, cst.Attribute) and _with_state(call.func.value) == root):
        return True
    given = [arg.value for arg in call.args]
    passed = any(_with_state(one) == root or (isinstance(one, cst.Name) and one.value == root) for one in given)
    return passed and re.search(r"print|log|info|debug|write|dump|save|main|train|test|run|eval", called) is None
