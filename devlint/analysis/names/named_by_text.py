"""Names that a program binds by their text: ``globals()["device"] = …``, ``exec``, ``setattr(sys.modules[…], …)``.

Whatever may bind any name at all, such as ``globals().update(options)``, binds ``ANY``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

import libcst as cst

from devlint.analysis.names.bindings import Binding, How, dotted_name
from devlint.analysis.names.string_literals import string_value
from devlint.core.lazy_regex import regex
from devlint.core.regex_fragments import at_word
from devlint.syntax.python_tree.python_ast import syntax_tree
from devlint.syntax.tree import Tree

ANY = "*"
IsOfModule = Callable[[cst.CSTNode], bool]
"""Whether a node runs when the module does, and not in a function, lambda, class or comprehension."""

_CALLED = "|".join(rf"{at_word(name)}\s*\(" for name in ("globals", "locals", "vars", "exec"))
_BY_TEXT = regex(rf"{_CALLED}|{at_word('modules')}\s*\[|__main__(?<![\"']__main__)\b")
_LOCAL = frozenset({"locals", "vars"})
"""What gives the module's names at its own level only."""
_READ = frozenset({"get", "items", "keys", "values", "copy", "__getitem__", "__contains__"})
_READERS = frozenset(
    "eval exec dict len list set sorted tuple iter print str repr dir getattr hasattr id type isinstance "
    "getmembers inspect.getmembers pprint pprint.pprint".split()
)
"""Functions that bind no name of what they are given; ``exec`` is looked at by itself."""


class TextBindings:
    """What binds names of a module by their text."""

    def __init__(self, tree: Tree, is_of_module: IsOfModule) -> None:
        self._tree, self._is_of_module = tree, is_of_module
        self.found: list[Binding] = []
        dictionaries: list[cst.CSTNode] = []
        for call in tree.of_type(cst.Call):
            name = dotted_name(call.func)
            if name == "globals" or (name in _LOCAL and not call.args and is_of_module(call)):
                dictionaries.append(call)
            elif name == "vars" and call.args and self._is_module(call.args[0].value):
                dictionaries.append(call)
        modules: list[cst.CSTNode] = [
            one for kind in (cst.Subscript, cst.Name) for one in tree.of_type(kind) if self._is_module(one)
        ]
        for one in self._with_other_names(dictionaries):
            self._follow_dictionary(one)
        for one in self._with_other_names(modules):
            self._follow_module(one)
        for call in tree.of_type(cst.Call):
            if dotted_name(call.func) == "exec":
                self._follow_exec(call, dictionaries)

    def _is_module(self, node: cst.CSTNode) -> bool:
        """Whether an expression is the module itself: ``sys.modules[__name__]``, or an imported ``__main__``."""
        if isinstance(node, cst.Name):
            parent = self._tree.parent(node)
            return node.value == "__main__" and not isinstance(parent, (cst.ImportAlias, cst.AsName))
        if not isinstance(node, cst.Subscript) or dotted_name(node.value) not in ("sys.modules", "modules"):
            return False
        key = _key(node)
        return key is not None and (dotted_name(key) == "__name__" or string_value(key) == "__main__")

    def _with_other_names(self, nodes: Sequence[cst.CSTNode]) -> Iterator[cst.CSTNode]:
        """The expressions, and the reads of names that are given to them: ``g = globals()``."""
        names: set[str] = set()
        for node in nodes:
            parent = self._tree.parent(node)
            targets = [one.target for one in parent.targets] if isinstance(parent, cst.Assign) else []
            names.update(one.value for one in targets if isinstance(one, cst.Name))
            yield node
        for name in self._tree.of_type(cst.Name) if names else ():
            if name.value in names and not isinstance(self._tree.parent(name), cst.AssignTarget):
                yield name

    def _add(self, name: str | None, node: cst.CSTNode, how: How = How.UNPACK) -> None:
        """Note what binds a name, or any; where it is no statement of its own, nobody says that it runs."""
        parent = self._tree.parent(node)
        self.found.append(Binding(name or ANY, how, parent if isinstance(parent, cst.Expr) else node))

    def _follow_dictionary(self, node: cst.CSTNode) -> None:
        parent = self._tree.parent(node)
        if isinstance(parent, cst.Subscript) and parent.value is node:
            key, holder = _key(parent), self._storing(parent)
            if holder is not None:
                is_deleted = isinstance(holder, cst.Del)
                self._add(string_value(key) if key else None, holder, How.DELETE if is_deleted else How.UNPACK)
        elif isinstance(parent, cst.Attribute) and parent.value is node:
            self._follow_method(parent)
        elif isinstance(parent, cst.Arg):
            self._follow_argument(parent)
        elif isinstance(parent, (cst.AugAssign, cst.Return, cst.Yield, cst.Element, cst.DictElement, cst.AnnAssign)):
            self._add(None, parent)
        elif isinstance(parent, cst.Assign) and not all(isinstance(one.target, cst.Name) for one in parent.targets):
            self._add(None, parent)

    def _follow_method(self, method: cst.Attribute) -> None:
        """Note what ``globals().update(...)`` and the like bind."""
        call, name = self._tree.parent(method), method.attr.value
        if name in _READ:
            return
        args = call.args if isinstance(call, cst.Call) and call.func is method else ()
        keys: list[str | None] = [None]
        if name == "update" and args:
            keys = [key for one in args for key in _keys_given(one)]
        elif name in ("setdefault", "__setitem__", "pop", "__delitem__") and args:
            keys = [string_value(args[0].value)]
        for key in keys:
            self._add(key, call or method, How.DELETE if name in ("pop", "__delitem__") else How.UNPACK)

    def _follow_argument(self, arg: cst.Arg) -> None:
        """Note that a function that is given all names may bind any."""
        call = self._tree.parent(arg)
        if isinstance(call, cst.Call) and dotted_name(call.func) not in _READERS:
            if arg.keyword is None or arg.keyword.value != "globals":
                self._add(None, call)

    def _follow_module(self, node: cst.CSTNode) -> None:
        parent = self._tree.parent(node)
        if isinstance(parent, cst.Attribute) and parent.value is node:
            holder = self._storing(parent)
            if parent.attr.value == "__dict__":
                self._follow_dictionary(parent)
            elif holder is not None:
                self._add(parent.attr.value, holder, How.DELETE if isinstance(holder, cst.Del) else How.UNPACK)
        elif isinstance(parent, cst.Arg):
            call = self._tree.parent(parent)
            name = dotted_name(call.func) if isinstance(call, cst.Call) else None
            if isinstance(call, cst.Call) and name in ("setattr", "delattr") and len(call.args) > 1:
                how = How.DELETE if name == "delattr" else How.UNPACK
                self._add(string_value(call.args[1].value), call, how)
            elif name != "vars":
                self._follow_argument(parent)

    def _follow_exec(self, call: cst.Call, dictionaries: list[cst.CSTNode]) -> None:
        """Note the names that code binds among those of the module; in a function it has names of its own."""
        own = len(call.args) == 1 and self._is_of_module(call)
        if not own and not any(arg.value is one for arg in call.args[1:2] for one in dictionaries):
            return
        text = string_value(call.args[0].value)
        code = syntax_tree(text) if text is not None else None
        for name in _names_in(code) if code is not None else (None,):
            self._add(name, call)

    def _storing(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """The statement that gives a place a value, or deletes it; None where the place is read."""
        for child, parent in self._tree.path_up(node):
            if isinstance(parent, (cst.AssignTarget, cst.Del)):
                return self._tree.parent(parent) if isinstance(parent, cst.AssignTarget) else parent
            if isinstance(parent, (cst.AugAssign, cst.AnnAssign, cst.For, cst.CompFor)):
                return parent if parent.target is child else None
            if isinstance(parent, cst.AsName):
                return self._tree.parent(parent)
            if not isinstance(parent, (cst.Tuple, cst.List, cst.Element, cst.StarredElement)):
                return None
        return None


def text_bindings(tree: Tree, text: str, is_of_module: IsOfModule) -> list[Binding]:
    """The bindings by text of a module; nearly no file has any."""
    return TextBindings(tree, is_of_module).found if _BY_TEXT.search(text) is not None else []


def _key(node: cst.Subscript) -> cst.BaseExpression | None:
    index = node.slice[0].slice if len(node.slice) == 1 else None
    return index.value if isinstance(index, cst.Index) else None


def _keys_given(arg: cst.Arg) -> Iterator[str | None]:
    """The names that one argument of ``update`` binds; None for any."""
    if arg.keyword is not None:
        yield arg.keyword.value
    elif isinstance(arg.value, cst.Dict) and not arg.star:
        yield from (string_value(one.key) if isinstance(one, cst.DictElement) else None for one in arg.value.elements)
    else:
        yield None


def _names_in(code: ast.Module) -> Iterator[str]:
    """The names that code binds, wherever in it; ``*`` for a star import."""
    for one in ast.walk(code):
        if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load):
            yield one.id
        elif isinstance(one, ast.alias):
            yield one.asname or one.name.partition(".")[0]
        elif isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield one.name
