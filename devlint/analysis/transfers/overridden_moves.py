"""Classes of the project with a ``to`` of their own: ``x.to(device)`` may not do there what ``x.cuda()`` does."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from devlint.analysis.names.bindings import Binding, How, dotted_name
from devlint.analysis.names.classes import bases, class_of, method_of, methods, methods_named, self_name
from devlint.analysis.names.reaching_definitions import may_reach
from devlint.analysis.names.resolution import bindings, origin, targets_named
from devlint.analysis.names.scopes import scopes
from devlint.analysis.project.ask import own_module, project_around
from devlint.analysis.project.classes import (
    ClassFamily,
    class_family,
    class_methods,
    defined_method,
    imported_family,
    inherits,
    is_unreadable,
    sets_attribute,
)
from devlint.analysis.project.overrides import classes_with_method, copying_classes, held_classes
from devlint.analysis.tensors.tensor_values import is_tensor
from devlint.analysis.transfers.received.chosen_classes import modules_with_own_cuda, parameters_with_own_cuda
from devlint.analysis.transfers.received.received_classes import received_classes
from devlint.analysis.transfers.said_kinds import said_kinds
from devlint.syntax.file_context import FileContext, fact
from devlint.torch_api.moves import MOVES_ANYWHERE

OWN_MOVES = "`{}` has a `to` or `cuda` of its own"
"""Why a move may do something else, of a class that ``overriding_class`` gives."""
_OF_MODULES = frozenset("__init__ cuda cpu to train eval parameters forward state_dict load_state_dict size".split())
"""Methods that say nothing about a class, since modules or tensors have them, too."""
_MOVES = ("cuda", "to")
_MODULES = frozenset("train eval parameters named_parameters forward state_dict load_state_dict zero_grad".split())
"""Methods that say that something is a module."""


def overriding_class(ctx: FileContext, call: cst.CSTNode) -> str | None:
    """The class with a ``to`` of its own that the receiver of ``x.cuda()`` is, or may be, an instance of.

    Or one of parameters that a module may have, which decide by their ``cuda`` whether they are moved.
    """
    if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute) or call.func.attr.value != "cuda":
        return None
    receiver = call.func.value
    return _overriding(ctx, call, receiver) or _of_parameters(ctx, call, receiver)


def _overriding(ctx: FileContext, call: cst.Call, receiver: cst.BaseExpression) -> str | None:
    definition, method = class_of(ctx, call), method_of(ctx, call)
    if definition is not None and method is not None and dotted_name(receiver) == self_name(method):
        return _of_own_instance(ctx, definition)
    imported = _imported_maker(ctx, receiver)
    family = _family_of(ctx, imported)
    if family is not None:
        return _defining(family) or (family.classes[0].name if sets_attribute(family, "cuda") else None)
    for made in (*makers(ctx, receiver), *said_kinds(ctx, receiver)):
        if (own := _with_own_cuda(ctx, made) or _with_cuda_as_value(ctx, made)) is not None:
            return own
    dotted = dotted_name(receiver)
    is_torchs = _is_torchs(imported)
    if is_torchs and not _may_be_given(ctx, receiver):
        return None
    if dotted is None:
        return _held(ctx, receiver) or _followed(ctx, receiver)
    found = _suspected(ctx, call, dotted) or _copied(ctx, call, receiver, dotted) if not is_torchs else None
    return found or _followed(ctx, receiver) or _unknown_module(ctx, call, receiver, dotted)


def is_made_with_own_cuda(ctx: FileContext, receiver: cst.CSTNode) -> bool:
    """Whether a class of another file that makes the receiver, itself or by a method of it, has its own ``cuda``.

    What is in a file that cannot be parsed may have one.
    """
    made = _maker(ctx, receiver)
    if made is None:
        return False
    if _with_own_cuda(ctx, made) is not None:
        return True
    project, makers = project_around(ctx), [origin(ctx, made), *_bases_of(ctx, made)]
    return any(is_unreadable(project.index, project.path, one) for one in makers if one and not _is_torchs(one))


def _bases_of(ctx: FileContext, made: cst.BaseExpression) -> list[str]:
    """The bases of the class of this file that makes something."""
    found = [one.node for one in _bound(ctx, made)]
    return [name for one in found if isinstance(one, cst.ClassDef) for name in bases(ctx, one)]


def _imported_maker(ctx: FileContext, receiver: cst.CSTNode) -> str | None:
    """The full name of what is called to make the receiver, where that is certain."""
    made = _maker(ctx, receiver)
    return origin(ctx, made) if made is not None else None


def _family_of(ctx: FileContext, imported: str | None) -> ClassFamily | None:
    """The class of the project that a full name stands for, or one of whose methods it names."""
    return imported_family(project_around(ctx), imported) if imported is not None and not _is_torchs(imported) else None


def _is_torchs(imported: str | None) -> bool:
    return imported is not None and imported.startswith("torch.")


def _suspected(ctx: FileContext, call: cst.Call, receiver: str) -> str | None:
    """A class of another file with a ``cuda``, whose other methods the file calls on the receiver.

    Where it has a ``to`` as well, one of them must be called on what ``cuda()`` gives: ``to`` may give nothing.
    """
    project, called = project_around(ctx), _members_by_owner(ctx).get(receiver, set()) - _OF_MODULES
    around = ctx.tree.parent(call)
    result = {around.attr.value} - _OF_MODULES if isinstance(around, cst.Attribute) else set()
    for one in (classes_with_method(project, "cuda") or ()) if called or result else ():
        own = class_methods(project, one.name, one.path)
        if own is not None and own & (result if "to" in own else called | result):
            return one.name
    return None


def _copied(ctx: FileContext, call: cst.Call, receiver: cst.BaseExpression, dotted: str) -> str | None:
    """A class of another file whose ``cuda`` gives a copy, where nothing says that the receiver is a tensor or module.

    Batches of a project that has such a class may be instances of it, also where no ``cuda()`` is called.
    """
    if isinstance(ctx.tree.parent(call), cst.Expr) or _MODULES & _members_by_owner(ctx).get(dotted, set()):
        return None
    made = _maker(ctx, receiver)
    is_own = made is not None and any(one.how is How.CLASS for one in _bound(ctx, made))
    found = copying_classes(project_around(ctx)) if not is_own else []
    return found[0] if found and not is_tensor(ctx, receiver) else None


def _held(ctx: FileContext, receiver: cst.BaseExpression) -> str | None:
    """A class of another file with a ``cuda`` and no ``to``, where an entry of something may be an instance of it."""
    if not isinstance(receiver, cst.Subscript) or is_tensor(ctx, receiver):
        return None
    return next(iter(held_classes(project_around(ctx))), None)


def _followed(ctx: FileContext, receiver: cst.BaseExpression) -> str | None:
    """A class of the project with a ``to`` or a ``cuda`` of its own that the receiver is followed to."""
    if not ctx.fact(_some_class_moves) or is_tensor(ctx, receiver):
        return None
    for found in received_classes(ctx, receiver):
        family = class_family(project_around(ctx).index, found)
        if defined_method(family, "to") is not None or defined_method(family, "cuda") is not None:
            return found.name
    return None


def _unknown_module(ctx: FileContext, call: cst.Call, receiver: cst.BaseExpression, dotted: str) -> str | None:
    """A module of the project with a ``cuda`` of its own, where nothing says of which class the module here is.

    torch's ``to`` does not call that ``cuda``.
    """
    if not _moves_module(ctx, call, dotted):
        return None
    names = ctx.fact(_modules_with_own_cuda)
    if not names or is_tensor(ctx, receiver) or received_classes(ctx, receiver):
        return None
    is_made = _imported_maker(ctx, receiver) is not None
    return names[0] if not is_made or _may_be_given(ctx, receiver) else None


def _moves_module(ctx: FileContext, call: cst.Call, dotted: str) -> bool:
    """Whether a move is a statement, as it is of modules, or of what has another method of modules."""
    is_statement = isinstance(ctx.tree.parent(call), cst.Expr)
    return is_statement or not _MODULES.isdisjoint(_members_by_owner(ctx).get(dotted, set()))


def _of_parameters(ctx: FileContext, call: cst.Call, receiver: cst.BaseExpression) -> str | None:
    """A class of the project of parameters that stay where they are: ``def cuda(self): return self``."""
    moves = _moves_module(ctx, call, dotted_name(receiver) or "") and not is_tensor(ctx, receiver)
    return next(iter(ctx.fact(_parameters_with_own_cuda)), None) if moves else None


def _parameters_with_own_cuda(ctx: FileContext) -> list[str]:
    own = own_module(ctx)
    return [one.name for one in parameters_with_own_cuda(project_around(ctx), own)] if own is not None else []


def _modules_with_own_cuda(ctx: FileContext) -> list[str]:
    own = own_module(ctx)
    return [one.name for one in modules_with_own_cuda(project_around(ctx), own)] if own is not None else []


def _some_class_moves(ctx: FileContext) -> bool:
    """Whether a class of the project has a ``to`` or a ``cuda`` of its own."""
    project = project_around(ctx)
    own = (one.name.value for cls in ctx.tree.of_type(cst.ClassDef) for one in methods(cls))
    is_alone = project.root is None  # it only knows of other files what it imports
    return is_alone or any(one in _MOVES for one in own) or any(classes_with_method(project, one) for one in _MOVES)


def _bound(ctx: FileContext, made: cst.BaseExpression) -> list[Binding]:
    return bindings(ctx, made.value, made)[1] if isinstance(made, cst.Name) else []


@fact
def _members_by_owner(ctx: FileContext) -> dict[str, set[str]]:
    """What a file reads of each name or attribute."""
    found: dict[str, set[str]] = {}
    for one in ctx.tree.of_type(cst.Attribute):
        if (owner := dotted_name(one.value)) is not None:
            found.setdefault(owner, set()).add(one.attr.value)
    return found


def _of_own_instance(ctx: FileContext, definition: cst.ClassDef) -> str | None:
    """A base, or a class of another file that inherits from this one, that defines ``to`` or ``cuda``."""
    project = project_around(ctx)
    for name in bases(ctx, definition):
        family = imported_family(project, name)
        if family is not None and (found := _defining(family)) is not None:
            return found
        if is_unreadable(project.index, project.path, name):
            return name.rpartition(".")[2]
    if methods_named(ctx, definition, "to") and methods_named(ctx, definition, "cuda"):
        return None
    heirs = [one for name in ("to", "cuda") for one in classes_with_method(project, name) or ()]
    return next((one.name for one in heirs if inherits(project, one.name, one.path, definition.name.value)), None)


def _defining(family: ClassFamily) -> str | None:
    """The class of a family that defines ``to``."""
    return family.classes[0].name if defined_method(family, "to") is not None else None


def _with_own_cuda(ctx: FileContext, made: cst.BaseExpression) -> str | None:
    """The class of another file that is called here, if it or a base has a ``cuda`` of its own."""
    imported = origin(ctx, made)
    family = _family_of(ctx, imported)
    return family.classes[0].name if family is not None and defined_method(family, "cuda") is not None else None


def _with_cuda_as_value(ctx: FileContext, made: cst.BaseExpression) -> str | None:
    """The class of this file that is called here, if it sets ``self.cuda``, a flag: no instance has ``cuda()`` then."""
    setters = [class_of(ctx, one) for one in targets_named(ctx, "self.cuda")]
    return next((one.name for one in _bound(ctx, made) if one.node in setters), None)


def _maker(ctx: FileContext, receiver: cst.CSTNode) -> cst.BaseExpression | None:
    """The name of what is called to make the receiver, where that is certain."""
    found = makers(ctx, receiver)
    return found[0] if len({ctx.text_of(one) for one in found}) == 1 else None


def makers(ctx: FileContext, receiver: cst.CSTNode) -> list[cst.BaseExpression]:
    """The names of what is called to make the receiver, in any of its assignments."""
    if isinstance(receiver, cst.Call):
        return [receiver.func]
    return [one.func for one in _values(ctx, receiver) if isinstance(one, cst.Call) and not _moves(one)]


def _may_be_given(ctx: FileContext, receiver: cst.CSTNode) -> bool:
    """Whether the receiver may as well be what the function is given, or what has another name."""
    return any(one is None or isinstance(one, (cst.Name, cst.Attribute)) for one in _values(ctx, receiver))


def _values(ctx: FileContext, receiver: cst.CSTNode) -> list[cst.BaseExpression | None]:
    """What a name or an attribute is assigned in its scope or file; None where it gets a value otherwise."""
    if isinstance(receiver, cst.Name):
        return [one.value if one.how is How.ASSIGN else None for one in _reaching(ctx, receiver)]
    assigns = (ctx.tree.parent(one) for one in targets_named(ctx, dotted_name(receiver) or ""))
    return [one.value for one in assigns if isinstance(one, cst.Assign)] if isinstance(receiver, cst.Attribute) else []


def _reaching(ctx: FileContext, name: cst.Name) -> Sequence[Binding]:
    """The bindings that a name may have its value from: not those of a line further down."""
    scope, found = bindings(ctx, name.value, name)
    is_own = scope is not None and scope is scopes(ctx).scope_of(name)
    return may_reach(ctx, scope, found, name) if scope is not None and is_own else found


def _moves(call: cst.Call) -> bool:
    return isinstance(call.func, cst.Attribute) and call.func.attr.value in MOVES_ANYWHERE
