"""Imports LibCST in less than a third of the time, for processes that are devlint's alone.

Most of that import is ``dataclasses`` compiling methods for LibCST's node types: those that LibCST has written itself,
and constructors of types that a run may never make. Here node types get constructors that are compiled when they are
first called, and set slots directly; whoever makes a node, asks for its fields or breaks a rule sees no difference.
Much of the rest is what LibCST imports besides nodes and visitors: tokenizers, helpers, and metadata, with
``subprocess``. Here it has only nodes and visitors, and the packages are run when they are first asked for more.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from types import FunctionType, MemberDescriptorType, ModuleType
from typing import Any

_PLAIN = dataclasses.dataclass
_MISSING = dataclasses.MISSING
_NODES = "libcst._nodes."
_PACKAGES = ("libcst", "libcst.helpers", "libcst.metadata")
_PARTS = (
    "_exceptions _flatten_sentinel _maybe_sentinel _removal_sentinel _visitors _batched_visitor "
    "_nodes.base _nodes.whitespace _nodes.op _nodes.expression _nodes.statement _nodes.module"
).split()
"""The modules whose names LibCST has from the start, each after those that it asks LibCST for."""
_OWN = (type, FunctionType)
_MOST = 4096
"""How many node texts are remembered as valid, for each type."""


def load() -> bool:
    """Import LibCST the fast way; False if it is imported already, or not as expected and left to a plain import."""
    if "libcst" in sys.modules or _PLAIN is not dataclasses.dataclass:
        return False
    before = frozenset(sys.modules)
    made: list[Any] = []
    dataclasses.dataclass = _decorator(made)
    try:
        libcst, helpers, metadata = map(_put_off, _PACKAGES)
        vars(libcst).update(helpers=helpers, metadata=metadata)
        for part in _PARTS:
            vars(libcst).update(_names_of(import_module(f"libcst.{part}")))
        from libcst import CSTNode

        if CSTNode.__dict__.get("__dataclass_params__") not in made:
            raise TypeError("LibCST's nodes are other dataclasses than they were")
        for parameters in made:
            parameters.init = parameters.repr = parameters.eq = parameters.frozen = True
        type.__setattr__(CSTNode, "__setattr__", _refuse_to_set)
        type.__setattr__(CSTNode, "__delattr__", _refuse_to_delete)
    except (AttributeError, ImportError, LookupError, NameError, SyntaxError, TypeError, ValueError):
        for name in [name for name in sys.modules if name.partition(".")[0] == "libcst" and name not in before]:
            if name != "libcst.native":  # it can only be loaded once
                del sys.modules[name]
        return False
    finally:
        dataclasses.dataclass = _PLAIN
    return True


def _put_off(name: str) -> ModuleType:
    """Register a package whose code runs only when a missing attribute is asked for; its modules can be imported."""
    spec = find_spec(name)
    if spec is None:
        raise ImportError(f"there is no {name}")
    module = sys.modules[name] = module_from_spec(spec)

    def __getattr__(asked: str) -> object:
        _run(sys.modules["libcst"])  # which the others ask for what it has by then
        _run(module)
        return getattr(module, asked)

    vars(module)["__getattr__"] = __getattr__
    vars(spec)["_initializing"] = False  # as ``import`` leaves it: LibCST's parser imports it again for each node
    return module


def _run(module: ModuleType) -> None:
    """Run the code of a package that was registered without it."""
    if vars(module).pop("__getattr__", None) is not None:
        assert module.__spec__ is not None and module.__spec__.loader is not None
        module.__spec__.loader.exec_module(module)


def _names_of(module: ModuleType) -> dict[str, object]:
    """The classes and functions that a module defines for others."""
    own = [one for one in vars(module).values() if isinstance(one, _OWN) and one.__module__ == module.__name__]
    return {one.__name__: one for one in own if not one.__name__.startswith("_")}


def _decorator(made: list[Any]) -> Any:
    """Replaces ``dataclasses.dataclass``; the parameters of node types are added to ``made``."""

    def dataclass(cls: Any = None, **options: Any) -> Any:
        return (lambda cls: decorated(cls, options)) if cls is None else decorated(cls, options)

    def decorated(cls: Any, options: dict[str, Any]) -> Any:
        if not cls.__module__.startswith(_NODES) or options != {"frozen": True}:
            return _PLAIN(cls, **options)
        if "__init__" in cls.__dict__:
            raise TypeError("a node type with a constructor of its own")
        cls.__doc__ = cls.__doc__ or cls.__name__  # else dataclasses would ask for the signature
        _PLAIN(cls, init=False, repr=False, eq=False)
        if not all(field.init and not getattr(field, "kw_only", False) for field in dataclasses.fields(cls)):
            raise TypeError("a field that is no common argument")
        made.append(cls.__dataclass_params__)
        cls.__init__ = _first_constructor()
        return cls

    return dataclass


def _first_constructor() -> Callable[..., None]:
    """A constructor that puts the real one in its place."""

    def __init__(self: Any, *values: Any, **named: Any) -> None:
        cls = next(base for base in type(self).__mro__ if base.__dict__.get("__init__") is __init__)
        real = _constructor(cls)
        type.__setattr__(cls, "__init__", real)
        real(self, *values, **named)

    return __init__


def _constructor(cls: Any) -> Callable[..., None]:
    """The constructor that ``dataclasses`` would make, but that it does not look slots up to set them."""
    known: dict[str, Any] = {"_unset": object(), "_set": object.__setattr__}
    parameters, body = ["self"], []
    for field in dataclasses.fields(cls):
        name = parameter = field.name
        if field.default is not _MISSING:
            known[f"_default_{name}"] = field.default
            parameter = f"{name}=_default_{name}"
        elif field.default_factory is not _MISSING:
            known[f"_make_{name}"] = field.default_factory
            parameter = f"{name}=_unset"
            body.append(f" if {name} is _unset: {name} = _make_{name}()")
        parameters.append(parameter)
        slot = getattr(cls, name, None)
        if isinstance(slot, MemberDescriptorType):
            known[f"_set_{name}"] = slot.__set__
            body.append(f" _set_{name}(self, {name})")
        else:
            body.append(f" _set(self, {name!r}, {name})")
    body += _validation(cls, known)
    exec(f"def __init__({', '.join(parameters)}):\n" + "\n".join(body), known)
    made: Callable[..., None] = known["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made


def _validation(cls: Any, known: dict[str, Any]) -> list[str]:
    """The lines that call ``__post_init__``, or only what it calls, where that may have something to say."""
    node = sys.modules[_NODES + "base"].CSTNode
    if cls.__post_init__ is not node.__post_init__:
        return [" self.__post_init__()"]
    known.update(_cls=cls, _validate=cls._validate, _valid=set())
    of_derived = " if self.__class__ is not _cls: self.__post_init__()"
    if cls._validate is node._validate:
        return [of_derived]
    if [field.name for field in dataclasses.fields(cls)] != ["value"]:
        return [of_derived, " else: _validate(self)"]
    return [  # what is true of a text is true of it in the next node too
        of_derived,
        " elif value.__class__ is not str or value not in _valid:",
        "  _validate(self)",
        f"  if value.__class__ is str and len(_valid) < {_MOST}: _valid.add(value)",
    ]


def _refuse_to_set(self: Any, name: str, value: object) -> None:
    if _is_frozen(self, name):
        raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
    object.__setattr__(self, name, value)


def _refuse_to_delete(self: Any, name: str) -> None:
    if _is_frozen(self, name):
        raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
    object.__delattr__(self, name)


def _is_frozen(self: Any, name: str) -> bool:
    """Whether it is a field, or anything of a node whose type nobody has derived."""
    return "__dataclass_fields__" in type(self).__dict__ or name in self.__dataclass_fields__
