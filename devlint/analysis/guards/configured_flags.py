"""Flags that another file of the project sets: ``GPU = config["gpu"]``, ``self.use_cuda`` of a base, ``USE_CUDA``."""

from __future__ import annotations

import ast

import libcst as cst

from devlint.analysis.guards.changing_flags import is_set_by_name, is_target
from devlint.analysis.names.bindings import How, binds_unknown_names, dotted_name, module_of
from devlint.analysis.names.classes import bases, class_of, method_of, self_name
from devlint.analysis.names.resolution import attributes_named, import_origin, targets_named
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.string_literals import entry_key
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.classes import imported_family, sets_true
from devlint.analysis.project.exports import is_set_by_others, starred
from devlint.analysis.project.known_devices import asked_availability
from devlint.analysis.project.module import Definition
from devlint.syntax.file_context import FileContext


def is_true_elsewhere(ctx: FileContext, value: cst.BaseExpression) -> bool:
    """Whether a value is True in another file of the project: a name of it, or an entry of a dictionary."""
    key = entry_key(value) if isinstance(value, cst.Subscript) else None
    if isinstance(value, cst.Subscript) and key is None:
        return False
    dotted = dotted_name(value.value if isinstance(value, cst.Subscript) else value)
    root, _, rest = (dotted or "").partition(".")
    origin = import_origin(ctx, root, value) if root else None
    if origin is None:
        return False
    found = project_around(ctx).imported(f"{origin}.{rest}" if rest else origin)
    bound = found.module.sole_value(found.name) if found is not None and found.name else None
    if key is not None:
        bound = _entry(bound, key)
    return isinstance(bound, ast.Constant) and bound.value is True


def begins_as_true_elsewhere(ctx: FileContext, flag: cst.BaseExpression) -> bool:
    """Whether another file of the project gives a name that it is imported by the value True, whoever changes it."""
    root, _, rest = (dotted_name(flag) or "").partition(".")
    origin = import_origin(ctx, root, flag) if root else None
    found = project_around(ctx).imported(f"{origin}.{rest}" if rest else origin) if origin is not None else None
    value = found.node.value if found is not None and isinstance(found.node, ast.Assign) else None
    is_sole = found is not None and len(found.module.bindings.get(found.name, ())) == 1
    return is_sole and isinstance(value, ast.Constant) and value.value is True


def is_true_by_base(ctx: FileContext, dotted: str, at: cst.CSTNode) -> bool:
    """Whether ``self.use_cuda`` is set to True by a base, in another file, of the class around ``at``."""
    owner, _, attribute = dotted.rpartition(".")
    definition, method = class_of(ctx, at), method_of(ctx, at)
    if definition is None or method is None or owner != self_name(method):
        return False
    families = (imported_family(project_around(ctx), name) for name in bases(ctx, definition) if "." in name)
    return any(one is not None and sets_true(one, attribute) for one in families)


def asks_elsewhere(ctx: FileContext, dotted: str, at: cst.CSTNode) -> bool:
    """Whether a flag is another file's name for ``torch.cuda.is_available()`` alone, imported by name or by a star."""
    root = dotted.partition(".")[0]
    table, key = scopes(ctx), (dotted, scopes(ctx).binder(root, at) is None)
    if not key[1] and (table.binder(root, at) is not table.module or root not in table.imported):
        return False
    known = ctx.fact(_asked_elsewhere)
    if key not in known:
        known[key] = _is_answer_elsewhere(ctx, dotted, at)
    return known[key]


def _asked_elsewhere(ctx: FileContext) -> dict[tuple[str, bool], bool]:
    """The answers so far, by the flag, and whether the file itself binds it."""
    return {}


def _is_answer_elsewhere(ctx: FileContext, dotted: str, at: cst.CSTNode) -> bool:
    root, _, rest = dotted.partition(".")
    project, origin = project_around(ctx), import_origin(ctx, root, at)
    if scopes(ctx).binder(root, at) is None and not rest:
        stars = [module_of(one) for one in ctx.tree.of_type(cst.ImportFrom) if binds_unknown_names(one)]
        found = starred(project, stars, root)
    else:
        is_sole = all(one.how is How.IMPORT for one in scopes(ctx).module.bindings.get(root, ()))
        found = project.imported(f"{origin}.{rest}" if rest else origin) if origin is not None and is_sole else None
    if found is None or not found.name or targets_named(ctx, dotted) or not _is_cuda_answer(found):
        return False
    if is_set_by_name(ctx, found.name) or any(is_target(ctx, one) for one in attributes_named(ctx, found.name)):
        return False  # the file sets the other file's name: `settings.USE_CUDA = False`
    paths = {project.path, found.module.path}
    return all(is_set_by_others(project, one, found.name) is False for one in paths)


def _is_cuda_answer(found: Definition) -> bool:
    """Whether a name of a module is torch's answer, or True below a test for it and False in its ``else``."""
    module, name = found.module, found.name
    if name in module.declared_global:
        return False
    if asked_availability(module, module.sole_value(name)) == "cuda":
        return True
    bound = [one.statement for one in module.bindings.get(name, ())]
    for one in module.tree.body:
        if isinstance(one, ast.If) and asked_availability(module, one.test) == "cuda" and len(bound) == 2:
            sides = [(bound[0], one.body, True), (bound[1], one.orelse, False)]
            return all(line in block and _gives(line, value) for line, block, value in sides)
    return False


def _gives(line: ast.stmt, value: bool) -> bool:
    """Whether a statement assigns True, or False, to one name."""
    constant = line.value if isinstance(line, ast.Assign) and len(line.targets) == 1 else None
    return isinstance(constant, ast.Constant) and constant.value is value


def _entry(table: ast.expr | None, key: str) -> ast.expr | None:
    """What a dictionary display has under a key; None where something may hide it."""
    if not isinstance(table, ast.Dict) or None in table.keys:
        return None
    found = [
        value for one, value in zip(table.keys, table.values) if isinstance(one, ast.Constant) and one.value == key
    ]
    return found[-1] if found else None
