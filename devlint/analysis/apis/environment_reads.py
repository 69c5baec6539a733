"""Where a program names environment variables: keys of ``os.environ`` and its copies, calls, ``env={...}``."""

from __future__ import annotations

import re

import libcst as cst

from devlint.analysis.choosers.read_variables import READERS, is_read_elsewhere
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.resolution import bindings, origin, reads_named
from devlint.analysis.names.string_literals import string_or_bytes
from devlint.analysis.project.ask import project_around
from devlint.core.lazy_regex import regex
from devlint.syntax.file_context import FileContext
from devlint.syntax.literals import literal_value

_MAPPING_NAME = regex(
    r"_*(?:\w+_)?(?:env|envs|environ|environb|environment|env_?vars|env_?dict|environment_variables)(?:_\w+)?\Z",
    re.IGNORECASE,
)
_KEY_METHODS = frozenset("get pop setdefault __getitem__ __setitem__ __delitem__ __contains__".split())
_FUNCTIONS = frozenset("getenv getenvb putenv unsetenv setenv delenv get_env set_env getenv_bool".split())
_REAL = frozenset({"os.environ", "os.environb"})
_COPIES = frozenset({"copy", "deepcopy", "dict"})


def is_environment(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether an expression is ``os.environ``, a copy of it, or is called like an environment."""
    if isinstance(node, cst.SimpleString):
        return literal_value(node) == "os.environ"
    if isinstance(node, cst.Subscript):
        key = _key(node)
        return isinstance(key, cst.SimpleString) and _MAPPING_NAME.match(str(literal_value(key))) is not None
    if isinstance(node, cst.Call):
        called = (dotted_name(node.func) or "").rpartition(".")[2]
        owner = node.func.value if isinstance(node.func, cst.Attribute) else None
        of_copy = called in _COPIES and bool(node.args) and is_environment(ctx, node.args[0].value)
        return of_copy or (called == "copy" and owner is not None and is_environment(ctx, owner))
    if origin(ctx, node) in _REAL:
        return True
    name = (dotted_name(node) or "").rpartition(".")[2]
    return _MAPPING_NAME.match(name) is not None


def names_variable(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether a string, or the name of a keyword, is the name of an environment variable."""
    parent = ctx.tree.parent(node)
    if isinstance(parent, cst.Arg) and parent.keyword is node:
        return _is_mapping_call(ctx, ctx.tree.parent(parent))
    return _is_key(ctx, node) or _is_named_key(ctx, node, parent)


def surely_names_variable(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether a string names a variable of the real environment, not a key of a mapping named like one."""
    if not names_variable(ctx, node):
        return False
    owners = (cst.Subscript, cst.Call, cst.Comparison)
    owner = next((one for one in ctx.tree.ancestors(node) if isinstance(one, owners)), None)
    if owner is None:
        return False
    asks = isinstance(owner, cst.Call) and _is_environment_function(owner)
    return asks or any(origin(ctx, one) in _REAL for one in ctx.tree.below(owner))


def reads_variable(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether the program reads the variable that a string names, and does not set or delete it."""
    parent = ctx.tree.parent(node)
    if isinstance(parent, cst.Comparison):
        return True
    if isinstance(parent, cst.Arg):
        call = ctx.tree.parent(parent)
        if parent.keyword is not None or not isinstance(call, cst.Call):
            return parent.keyword is not node
        return (dotted_name(call.func) or "get").rpartition(".")[2] in READERS
    subscript = next((one for one in ctx.tree.ancestors(node) if isinstance(one, cst.Subscript)), None)
    holder = ctx.tree.parent(subscript) if isinstance(parent, cst.Index) and subscript is not None else None
    return holder is not None and not isinstance(holder, (cst.AssignTarget, cst.AnnAssign, cst.AugAssign, cst.Del))


def is_read_by_project(ctx: FileContext, name: str) -> bool:
    """Whether this file, or another of the project, reads a variable by this very name: it gets what it asks for."""
    known = ctx.fact(_known_reads)
    if name not in known:
        strings = (one for one in ctx.tree.of_type(cst.SimpleString) if name in one.value)
        named = (one for one in strings if variable_name(one) == name)
        own = any(names_variable(ctx, one) and reads_variable(ctx, one) for one in named)
        known[name] = own or is_read_elsewhere(project_around(ctx), name)
    return known[name]


def _known_reads(ctx: FileContext) -> dict[str, bool]:
    """The answers so far, by the name: a file may hold very many findings of one."""
    return {}


def _is_named_key(ctx: FileContext, node: cst.CSTNode, parent: cst.CSTNode | None) -> bool:
    """``KEY = "CUDA_VISIBLE_DEVICES"`` where ``os.environ[KEY]`` follows."""
    if not isinstance(parent, cst.Assign) or len(parent.targets) != 1:
        return False
    target = parent.targets[0].target
    if not isinstance(target, cst.Name) or len(bindings(ctx, target.value, target)[1]) != 1:
        return False
    return any(one is not target and _is_key(ctx, one) for one in reads_named(ctx, target.value))


def _is_key(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether an expression stands where the key of an environment does."""
    parent = ctx.tree.parent(node)
    above = ctx.tree.parent(parent) if parent is not None else None
    if isinstance(parent, cst.Index):
        subscript = ctx.tree.parent(above) if above is not None else None
        return isinstance(subscript, cst.Subscript) and is_environment(ctx, subscript.value)
    if isinstance(parent, cst.Comparison) and parent.left is node:
        target = parent.comparisons[0]
        return isinstance(target.operator, (cst.In, cst.NotIn)) and is_environment(ctx, target.comparator)
    if isinstance(parent, cst.DictElement) and parent.key is node:
        return isinstance(above, cst.Dict) and is_environment_dict(ctx, above)
    if isinstance(parent, cst.Arg) and isinstance(above, cst.Call):
        return _is_key_argument(ctx, parent, above)
    return False


def _is_key_argument(ctx: FileContext, arg: cst.Arg, call: cst.Call) -> bool:
    """``os.environ.get(NAME)``, ``os.getenv(NAME)``, ``monkeypatch.setenv(NAME, …)``, ``envvar=NAME``."""
    if arg.keyword is not None:
        return arg.keyword.value in ("envvar", "env_var", "key") and (
            arg.keyword.value != "key" or _is_environment_function(call)
        )
    if call.args[0] is not arg:
        return False
    return _is_environment_function(call) or (
        isinstance(call.func, cst.Attribute)
        and call.func.attr.value in _KEY_METHODS
        and is_environment(ctx, call.func.value)
    )


def _is_environment_function(call: cst.Call) -> bool:
    name = call.func.attr if isinstance(call.func, cst.Attribute) else call.func
    return isinstance(name, cst.Name) and name.value in _FUNCTIONS


def is_environment_dict(ctx: FileContext, display: cst.Dict) -> bool:
    """Whether a dict display is an environment, or becomes part of one."""
    if any(isinstance(one, cst.StarredDictElement) and is_environment(ctx, one.value) for one in display.elements):
        return True
    parent = ctx.tree.parent(display)
    if isinstance(parent, cst.Arg):
        if parent.keyword is not None:
            return _MAPPING_NAME.match(parent.keyword.value) is not None
        return _is_mapping_call(ctx, ctx.tree.parent(parent))
    if isinstance(parent, cst.Assign):
        return any(is_environment(ctx, target.target) for target in parent.targets)
    if isinstance(parent, cst.DictElement):
        key = parent.key
        return isinstance(key, cst.SimpleString) and _MAPPING_NAME.match(str(literal_value(key))) is not None
    return (
        isinstance(parent, (cst.AugAssign, cst.AnnAssign, cst.BinaryOperation))
        and is_environment(ctx, parent.target if not isinstance(parent, cst.BinaryOperation) else parent.left)
    )  # fmt: skip


def _is_mapping_call(ctx: FileContext, call: cst.CSTNode | None) -> bool:
    """``os.environ.update(…)``, ``dict(os.environ, …)``, ``mock.patch.dict(os.environ, …)``, ``env=dict(…)``."""
    if not isinstance(call, cst.Call):
        return False
    called = (dotted_name(call.func) or "").rpartition(".")[2]
    if called == "update" and isinstance(call.func, cst.Attribute):
        return is_environment(ctx, call.func.value)
    if called != "dict":
        return False
    if call.args and call.args[0].keyword is None and is_environment(ctx, call.args[0].value):
        return True
    parent = ctx.tree.parent(call)
    if isinstance(parent, cst.Arg) and parent.keyword is not None:
        return _MAPPING_NAME.match(parent.keyword.value) is not None
    return isinstance(parent, cst.Assign) and any(is_environment(ctx, one.target) for one in parent.targets)


def _key(subscript: cst.Subscript) -> cst.CSTNode | None:
    """The one key of a subscript."""
    inner = subscript.slice[0].slice if len(subscript.slice) == 1 else None
    return inner.value if isinstance(inner, cst.Index) else None


def variable_name(node: cst.CSTNode) -> str | None:
    """The text of a string that is no f-string and has no escapes; None for anything else."""
    value = string_or_bytes(node)
    return value.decode("latin-1") if isinstance(value, bytes) else value
