"""A file whose functions and classes are parsed one by one, when they are asked for."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from devlint.analysis.places.written.definitions import (
    ClassDefinition,
    FunctionDefinition,
    TornError,
    WrittenMethod,
)
from devlint.analysis.places.written.pieces import members_of, members_of_text
from devlint.core.lazy_regex import regex
from devlint.core.regex_fragments import at_word
from devlint.syntax.python_tree.nodes import dotted_text, root_name
from devlint.syntax.python_tree.python_ast import syntax_tree

_STATEMENT = regex(
    r"\n(?:(@)|(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)|(?![#)\]}\s\"']))",
)
"""A line that begins a statement of the module; those that begin with a quote may be inside of a string."""
_AWARE = 3
"""A file that says ``device`` so often as a value is written for more than one device."""
_LONG = 3_000
"""Classes with more characters are parsed method by method."""
_MODULE_CLASSES = frozenset("PreTrainedModel ModelMixin GenerationMixin LightningModule".split())
"""Classes of libraries that are modules, by the last part of their names."""
_EXAMPLE = regex(r"[ \t]*(?:>>>|\.\.\.) ")
_STORES = regex(r"\b(\w+)\.(\w+)[ \t]*=(?!=)")
Definition = FunctionDefinition | ClassDefinition


class _Piece(NamedTuple):
    """Where a function or class of the module stands."""

    start: int
    end: int
    row: int
    last_row: int


def imported_names(node: ast.Import | ast.ImportFrom) -> dict[str, str]:
    """The names that an import gives, and what each stands for, with its full name."""
    if isinstance(node, ast.ImportFrom):
        base = "." * node.level + (node.module or "")
        return {one.asname or one.name: f"{base}.{one.name}" for one in node.names}
    firsts = [one.name.partition(".")[0] for one in node.names]
    return {
        one.asname or first: one.name if one.asname else first for one, first in zip(node.names, firsts, strict=True)
    }


class FileDefinitions:
    """What the names of a file stand for outside of its functions."""

    def __init__(self, text: str, is_whole: bool = False) -> None:
        """``is_whole`` for a text that is to be parsed at once."""
        self.text = text
        self.imports: dict[str, str] = {}
        self.devices: dict[str, bool] = {}
        """The names that the module assigns, and whether each is always a torch.device that may be no CPU."""
        self._called: dict[str, bool] = {}
        self._pieces: dict[str, _Piece] = {}
        self._definitions: dict[str, Definition] = {}
        self._orders: dict[ClassDefinition, list[ClassDefinition | str]] = {}
        self._modules: dict[ClassDefinition, bool] = {}
        self.is_aware = text.count(".device") + text.count("device=") >= _AWARE
        """Whether the file shows that it is written for more than one device."""
        self.says_where = any(word in text for word in ("device", "cuda", ".to("))
        """Whether the file moves anything, or names a device."""
        self.statements = _parsed(text) if is_whole else self._skeleton()
        """Those of the module; without its functions and classes, as far as these are parsed one by one."""
        self._scan(self.statements, text)

    def _skeleton(self) -> list[ast.stmt]:
        """What is not in a function or class of the module; where those stand is noted."""
        kept = []
        starts = [(one.start(), one[2], bool(one[1])) for one in _STATEMENT.finditer(f"\n{self.text}")]
        ends = [start for start, _, _ in starts[1:]] + [len(self.text)]
        decorated: int | None = None
        at, row = 0, 1
        for (start, name, is_decorator), end in zip(starts, ends, strict=True):
            if is_decorator:
                decorated = start if decorated is None else decorated
            elif name:
                first = start if decorated is None else decorated
                row += self.text.count("\n", at, first)
                lines = self.text.count("\n", first, end)
                kept += [self.text[at:first], "\n" * lines]
                self._pieces[name] = _Piece(first, end, row, row + lines)
                at, row = end, row + lines
            if not is_decorator:
                decorated = None
        return _parsed("".join((*kept, self.text[at:])))

    def _scan(self, statements: list[ast.stmt], text: str, row: int = 1) -> None:
        """Note what statements of the module define and import; they stand in ``text``, which begins in some row."""
        for one in statements:
            if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self._definitions[one.name] = FunctionDefinition(one, None, self.text_of(one.name), self)
            elif isinstance(one, ast.ClassDef):
                self._definitions[one.name] = ClassDefinition(one, members_of(one, text, row), self)
            elif isinstance(one, (ast.Import, ast.ImportFrom)):
                self.imports.update(imported_names(one))
            elif isinstance(one, ast.Assign):
                for target in one.targets:
                    if isinstance(target, ast.Name):
                        self.devices[target.id] = self.devices.get(target.id, True) and self._is_device(one.value)
            elif isinstance(one, ast.If):
                self._scan([*one.body, *one.orelse], text, row)
            elif isinstance(one, ast.Try):
                self._scan(one.body, text, row)

    def _is_device(self, value: ast.expr) -> bool:
        """Whether a value is ``torch.device(...)`` of something else than the CPU."""
        if not isinstance(value, ast.Call):
            return False
        first, dot, rest = ast.unparse(value.func).partition(".")
        if self.imports.get(first, first) + dot + rest != "torch.device":
            return False
        return not (value.args and isinstance(value.args[0], ast.Constant) and value.args[0].value == "cpu")

    def definition(self, name: str) -> Definition | None:
        """The function or class of the module that has a name."""
        if name not in self._definitions and name in self._pieces:
            start, end, row, _ = self._pieces[name]
            # The newlines keep the rows of what is parsed those of the file.
            above, text = "\n" * (row - 1), self.text[start:end]
            members, rest = members_of_text(text, row) if end - start > _LONG else ({}, text)
            statement = _parsed(above + rest)[0]
            if members and isinstance(statement, ast.ClassDef):
                self._definitions[statement.name] = ClassDefinition(statement, members, self)
            else:
                self._scan(_parsed(above + text)[:1] if members else [statement], text, row)
            if name not in self._definitions:
                raise TornError
        return self._definitions.get(name)

    def forget(self) -> None:
        """Forget what was parsed: it refers to this object, so that Python would search for it to free it."""
        for one in self._definitions.values():
            if isinstance(one, ClassDefinition):
                one.forget()
        self._definitions, self._orders, self._modules = {}, {}, {}

    def names(self) -> list[str]:
        """The names of all functions and classes of the module."""
        return [*dict.fromkeys((*self._pieces, *self._definitions))]

    def names_between(self, rows: list[int]) -> list[str]:
        """The names of the functions and classes that hold one of some rows, as far as that is known."""
        rows = sorted(rows)
        known = []
        for name, piece in self._pieces.items():
            next_one = bisect_left(rows, piece.row)
            if next_one < len(rows) and rows[next_one] <= piece.last_row:
                known.append(name)
        return [*dict.fromkeys((*known, *(name for name in self._definitions if name not in self._pieces)))]

    def text_of(self, name: str) -> str | None:
        """The text of the function or class with a name; None where it was parsed with the rest."""
        if name not in self._pieces:
            return None
        piece = self._pieces[name]
        return self.text[piece.start : piece.end]

    @cached_property
    def stored_from_outside(self) -> frozenset[str]:
        """The attributes that the file gives a value of something else than ``self``."""
        return frozenset(one[2] for one in _STORES.finditer(self.text) if one[1] != "self")

    def is_called(self, function: FunctionDefinition) -> bool:
        """Whether the file calls a function, or a method of the same instance, or may do so."""
        owner = function.instance
        call = f"{owner}.{function.node.name}(" if owner else f"{function.node.name}("
        if call not in self._called:
            calls = self.text.count(call) - self.text.count(f"def {call}")
            word = re.escape(call)
            written = re.finditer(rf"{at_word(word)}(?<!def {word})", self.text) if calls > 0 else ()
            self._called[call] = not all(self._is_in_example(one.start()) for one in written)
        return self._called[call]

    def _is_in_example(self, place: int) -> bool:
        """Whether a place is in a line of an example of a docstring: ``>>> f(x)``."""
        line = self.text[self.text.rfind("\n", 0, place) + 1 : place]
        return _EXAMPLE.match(line) is not None

    def dotted(self, expression: ast.expr) -> str | None:
        """What an expression refers to, by the imports of the module: ``nn.Linear`` is ``torch.nn.Linear``."""
        first = root_name(expression)
        origin = self.imports.get(first)
        return None if origin is None else f"{origin}{dotted_text(expression)[len(first) :]}"

    def order(self, cls: ClassDefinition) -> list[ClassDefinition | str]:
        """A class with its base classes in the order they are asked for names; those of other files by name."""
        if cls not in self._orders:
            self._orders[cls] = [cls]
            found = dict.fromkeys([cls, *(each for base in self._bases(cls) for each in base)])
            self._orders[cls] = [*found]
        return self._orders[cls]

    def _bases(self, cls: ClassDefinition) -> Iterator[list[ClassDefinition | str]]:
        for base in cls.node.bases:
            expression = base.value if isinstance(base, ast.Subscript) else base
            found = self.definition(expression.id) if isinstance(expression, ast.Name) else None
            if isinstance(found, ClassDefinition):
                yield self.order(found)
            else:
                yield [self.dotted(expression) or ast.unparse(expression)]

    def is_module(self, cls: ClassDefinition) -> bool:
        """Whether a class is an nn.Module."""
        if cls not in self._modules:
            order = self.order(cls)
            others = [each for each in order if isinstance(each, str)]
            own = (each for each in order if isinstance(each, ClassDefinition))
            has_forward = any(_has_forward(each) for each in own) and self.has_foreign_base(cls)
            self._modules[cls] = has_forward or any(map(_is_module_name, others))
        return self._modules[cls]

    def may_be_module(self, cls: ClassDefinition) -> bool:
        """Whether a class is an nn.Module, or has a base class that may be one."""
        return self.is_module(cls) or self.has_foreign_base(cls)

    def has_foreign_base(self, cls: ClassDefinition) -> bool:
        """Whether a class has a base class of another file."""
        return any(isinstance(each, str) and each not in ("object", "ABC", "abc.ABC") for each in self.order(cls))

    def method(self, cls: ClassDefinition, name: str, is_inherited: bool = False) -> FunctionDefinition | None:
        """The method that an instance of a class has; ``is_inherited`` for that of its base classes."""
        for each in self.order(cls)[1 if is_inherited else 0 :]:
            if isinstance(each, ClassDefinition) and name in each.members:
                return each.method(name)
        return None

    def may_be_property(self, cls: ClassDefinition, name: str) -> bool:
        """Whether instances of a class may have a property of this name; those of other files may."""
        member = self.member(cls, name)
        return member is None or "property" in member.text[: member.text.find("def ")]

    def member(self, cls: ClassDefinition, name: str) -> WrittenMethod | None:
        """The method of a class, or of a base class of the file, as it is written; it is not parsed for that."""
        own = (each.members for each in self.order(cls) if isinstance(each, ClassDefinition))
        return next((members[name] for members in own if name in members), None)


def _has_forward(cls: ClassDefinition) -> bool:
    """Whether a class has a method ``forward``; that of an autograd function is static."""
    if "forward" not in cls.members:
        return False
    text = cls.members["forward"].text
    return "staticmethod" not in text[: text.find("def ")]


def _is_module_name(name: str) -> bool:
    """Whether a class of another file is a module, by its full name."""
    if name.startswith("torch.nn.functional"):
        return False
    return name.startswith("torch.nn.") or name == "nn.Module" or name.rpartition(".")[2] in _MODULE_CLASSES


def _parsed(text: str) -> list[ast.stmt]:
    tree = syntax_tree(text)
    if tree is None:
        raise TornError
    return tree.body
