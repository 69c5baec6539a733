"""A flag kept on an instance (``self.use_cuda``): the device belongs beside it, in ``__init__``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import libcst as cst

from devlint.analysis.guards.changing_flags import is_set_elsewhere, settles_none, sole_assignment
from devlint.analysis.guards.cuda_flags import Condition, as_condition
from devlint.analysis.guards.cuda_mentions import cuda_mentions
from devlint.analysis.guards.guards import guards_of
from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.classes import (
    bases,
    class_of,
    classes_named,
    is_module,
    method_of,
    methods,
    methods_named,
    self_name,
)
from devlint.analysis.names.control_flow import is_by_choice
from devlint.analysis.names.program_options import may_lack_option, program_options
from devlint.analysis.names.resolution import attributes_named, bindings, is_none, targets_named
from devlint.analysis.names.scopes import scopes
from devlint.analysis.owners.changed_since import has_changed
from devlint.analysis.owners.free_attribute import is_free, is_new
from devlint.analysis.owners.initializers import body_of_init, initialized_base
from devlint.analysis.project.ask import own_module, project_around
from devlint.analysis.project.options import may_be_defined
from devlint.analysis.project.overrides import may_have_device, may_skip_init
from devlint.analysis.project.saved_modules import may_save_instances, saves_whole_modules
from devlint.fixes.device.anchors.flag_changes import items_written
from devlint.fixes.device.anchors.placement import Anchor
from devlint.syntax.file_context import FileContext


def instance_anchor(ctx: FileContext, condition: Condition, at: cst.CSTNode, name: str = "device") -> Anchor | None:
    """The place in ``__init__`` after ``self.flag = …``, where ``self.device`` can be defined for all of a class.

    It may have another ``name`` that is a new word. None where the class or an unknown base may have a ``device`` of
    its own, or where the flag changes later, or where the program saves its instances as they are, since those that
    were saved before have no device.
    """
    definition, method = class_of(ctx, at), method_of(ctx, at)
    instance = self_name(method) if method is not None else None
    if definition is None or method is None or instance is None or len(condition.names) != 1:
        return None
    flag, options = next(iter(condition.names)), None
    if flag.count(".") == 2 and not targets_named(ctx, flag):
        flag, _, options = flag.rpartition(".")  # `self.args` decides when `self.args.cuda` is known
    if flag.count(".") != 1 or flag.partition(".")[0] != instance:
        return None
    init = _init_of(ctx, definition, flag)
    owner = class_of(ctx, init.body) if init is not None else None
    family, attribute = family_of(ctx, owner) if owner is not None else [], flag.partition(".")[2]
    if init is None or owner is None or self_name(init) != instance or not _is_free(ctx, family, name, attribute):
        return None
    if _most_asked(ctx, family, instance, condition) != condition:
        return None
    assign = sole_assignment(ctx, flag, family)
    statement = _line_in(ctx, assign, init)
    if options is not None and not _has_option(ctx, init, assign, options):
        return None
    if statement is None or assign is None or _is_entry_written(ctx, condition, flag, assign):
        return None
    settled = settles_none(ctx, assign) or statement
    if not _is_later(ctx, settled, init, method, at):
        return None
    if is_set_elsewhere(ctx, owner, attribute) or _is_saved_whole(ctx, owner):
        return None
    project, called = project_around(ctx), owner.name.value
    if may_have_device(project, called) or may_skip_init(project, called) or may_be_saved(ctx, family):
        return None
    if has_changed(ctx, condition.text, settled, at):
        return None
    return Anchor(scopes(ctx).opened_by(init), settled)


def _is_free(ctx: FileContext, family: Sequence[cst.ClassDef], name: str, attribute: str) -> bool:
    """Whether classes take a device of this name, and no other file gives their instances an attribute."""
    return is_free(ctx, family, attribute) if name == "device" else is_new(ctx, family, name, attribute)


def _has_option(ctx: FileContext, init: cst.FunctionDef, assign: cst.Assign | None, option: str) -> bool:
    """Whether the options that ``__init__`` keeps are there, and have one of that name by then."""
    if assign is None or dotted_name(assign.value) is None or _may_be_none(ctx, assign):
        return False
    return _is_there(ctx, init, option)


def _may_be_none(ctx: FileContext, assign: cst.Assign) -> bool:
    """Whether an instance keeps a parameter that is None by default: only where it is used it is known to be more."""
    name = dotted_name(assign.value) or ""
    found = bindings(ctx, name, assign)[1] if settles_none(ctx, assign) is None else []
    return any(one.how is How.PARAMETER and is_none(one.value) for one in found)


def _is_there(ctx: FileContext, init: cst.FunctionDef, option: str) -> bool:
    """Whether options have one where ``__init__`` runs: it asks for it, or the project defines it or has the word."""
    named = attributes_named(ctx, option)
    if any(ctx.tree.is_around(init.body, one) and not is_by_choice(ctx, one, init) for one in named):
        return True
    if any(isinstance(ctx.tree.parent(one), cst.AssignTarget) for one in named):
        return True
    if any(one.destination == option for one in program_options(ctx)):
        return not may_lack_option(ctx, option)
    return may_be_defined(project_around(ctx), option)


def _is_entry_written(ctx: FileContext, condition: Condition, flag: str, assign: cst.Assign) -> bool:
    """Whether something may write the entry that a condition asks for: ``self.config["cuda"] = True``."""
    attribute = flag.rpartition(".")[2]
    updated = (ctx.tree.parent(one) for one in attributes_named(ctx, "update") if _last_of(one.value) == attribute)
    if "[" in condition.text and any(isinstance(one, cst.Call) for one in updated):
        return True
    owners = [dotted_name(one.value) or "" for one in items_written(ctx, condition.text, flag)]
    return any("." in one or one == dotted_name(assign.value) for one in owners)


def _last_of(owner: cst.BaseExpression) -> str:
    return (dotted_name(owner) or "").rpartition(".")[2]


def _is_saved_whole(ctx: FileContext, owner: cst.ClassDef) -> bool:
    """Whether the program saves modules as they are: those that were saved before have no ``device``."""
    return is_module(ctx, owner) and saves_whole_modules(project_around(ctx), own_module(ctx))


def may_be_saved(ctx: FileContext, family: Iterable[cst.ClassDef]) -> bool:
    """Whether the project may pickle instances of some classes: those that it loads later have no ``device``."""
    project, module = project_around(ctx), own_module(ctx)
    return any(
        may_save_instances(
            project,
            module,
            one.name.value,
            [base.rpartition(".")[2] for base in bases(ctx, one)],
            [method.name.value for method in methods(one)],
        )
        for one in family
    )


def _most_asked(ctx: FileContext, family: Iterable[cst.ClassDef], instance: str, condition: Condition) -> Condition:
    """Of the conditions on which classes use CUDA, the one of an instance that they ask most: it has one device.

    ``condition`` itself where it is not among them.
    """
    asked = ctx.fact(_asked_in_classes)
    counted = sum((asked.get(id(one), Counter()) for one in family), Counter[Condition]())
    own = [one for one, _ in counted.most_common() if all(name.partition(".")[0] == instance for name in one.names)]
    return own[0] if condition in own else condition


def _asked_in_classes(ctx: FileContext) -> dict[int, Counter[Condition]]:
    """How often each class uses CUDA on which conditions, by the identity of the class."""
    found: dict[int, Counter[Condition]] = {}
    for node in cuda_mentions(ctx):
        definition = class_of(ctx, node)
        for guard in guards_of(ctx, node) if definition is not None else ():
            condition = as_condition(ctx, guard.test, guard.holds)
            if condition is not None:
                found.setdefault(id(definition), Counter())[condition] += 1
    return found


def _init_of(ctx: FileContext, definition: cst.ClassDef, flag: str) -> cst.FunctionDef | None:
    """The ``__init__`` of a class; that of the one base that it names, in this file, where only that sets the flag.

    So it is for a class without one, and for one whose ``__init__`` begins with that of the base.
    """
    own = next(iter(methods_named(ctx, definition, "__init__")), None)
    sets = own is not None and any(ctx.tree.is_around(own, one) for one in targets_named(ctx, flag))
    if len(definition.bases) != 1 or sets:
        return own
    owner = next(iter(classes_named(ctx, [dotted_name(definition.bases[0].value) or ""])), None)
    owner = owner if own is None else initialized_base(ctx, definition)
    inherited = next(iter(methods_named(ctx, owner, "__init__")), None) if owner is not None else None
    return inherited or own


def family_of(ctx: FileContext, definition: cst.ClassDef) -> list[cst.ClassDef]:
    """The class with its bases and subclasses in this file."""
    return [one for one in ctx.tree.of_type(cst.ClassDef) if one is definition or _is_kin(ctx, one, definition)]


def _is_kin(ctx: FileContext, one: cst.ClassDef, other: cst.ClassDef) -> bool:
    return other.name.value in bases(ctx, one) or one.name.value in bases(ctx, other)


def _line_in(ctx: FileContext, assign: cst.Assign | None, init: cst.FunctionDef) -> cst.SimpleStatementLine | None:
    """The line of an assignment, where that stands at the top level of ``__init__``."""
    line = ctx.tree.parent(assign) if assign is not None else None
    at_top = line is not None and ctx.tree.parent(line) is init.body
    return line if at_top and isinstance(line, cst.SimpleStatementLine) else None


def _is_later(
    ctx: FileContext, statement: cst.CSTNode, init: cst.FunctionDef, method: cst.FunctionDef, at: cst.CSTNode
) -> bool:
    """Whether ``at`` runs after the statement: further down in ``__init__``, or in a method not called before it."""
    if method is init:
        return ctx.span(at).start > ctx.span(statement).end
    if method.name.value == "__init__":  # which begins with that of the base
        return ctx.span(at).start > ctx.span(body_of_init(method)[0]).end
    for one in init.body.body:
        if one is statement:
            return True
        if any(isinstance(node, cst.Name) and node.value == method.name.value for node in ctx.tree.below(one)):
            return False
    return False
