"""The functions and classes of a file, each with what its own text says of it."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from devlint.analysis.places.written.made_in_text import INITIALIZERS
from devlint.core.lazy_regex import regex
from devlint.syntax.python_tree.ast_names import parameters_of
from devlint.syntax.python_tree.nodes import last_name, nodes_below
from devlint.syntax.python_tree.python_ast import syntax_tree
from devlint.torch_api.device_naming import EXECUTION_DEVICE
from devlint.torch_api.tensor_places import AUTOGRAD_FUNCTIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from devlint.analysis.places.written.file_definitions import FileDefinitions

_STORED = regex(
    r"self\.\w+(?:[ \t]*(?::[^=\n]+)?(?:[-+*/@|&^%]|//|\*\*|>>|<<)?=(?!=)|[ \t]*,[\w. \t,*]*\)? = )",
)
"""An assignment to an attribute, or to several."""
_BRACKET_OR_LINE = regex(r"[()\[\]{}\n]")
_MOVES = regex(r"\.(?:to|cuda|cpu|type|type_as)\(|\b(?:Parameter|Buffer)\(")
"""What puts a value on another device; as a parameter it follows the module."""
_ATTRIBUTE = regex(r"\bself\.(\w+)(?!\.)\b")
_CALLED = regex(r"\.(\w+)\(")
_TOLD = frozenset((ast.Attribute, ast.Call, ast.keyword, ast.Subscript, ast.Yield, ast.YieldFrom))
"""Nodes that say something of how names are used."""
_COUNT = frozenset("range arange linspace randperm eye".split())
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


class TornError(Exception):
    """A piece of the file does not parse alone: a string in it has lines that look like statements."""


class FunctionDefinition:
    """A function, or a method with the class it stands in."""

    def __init__(
        self,
        node: FunctionNode,
        owner: ClassDefinition | None = None,
        text: str | None = None,
        home: FileDefinitions | None = None,
    ) -> None:
        self.node = node
        self._text = text
        self.owner = owner
        self.home = home if owner is None else owner.home
        """The file that it stands in; None for a function inside of another."""
        arguments = node.args
        self.positional = [*arguments.posonlyargs, *arguments.args]
        self.parameters = [*self.positional, *arguments.kwonlyargs]
        self.decorators = {last_name(getattr(each, "func", each)) for each in node.decorator_list}
        self.is_method = owner is not None and "staticmethod" not in self.decorators

    @property
    def instance(self) -> str:
        """The name of its first parameter, where it is a method; empty where it is none."""
        is_of_class = "classmethod" in self.decorators
        return self.positional[0].arg if self.is_method and self.positional and not is_of_class else ""

    @property
    def is_triton_kernel(self) -> bool:
        """Whether it is a kernel of Triton, which takes tensors of one device only: ``kernel[grid](x, y)``."""
        made = [one.func if isinstance(one, ast.Call) else one for one in self.node.decorator_list]
        return self.home is not None and any((self.home.dotted(one) or "").startswith("triton.") for one in made)

    @cached_property
    def uses(self) -> Uses:
        """How it uses its names."""
        return Uses(self.node)

    @property
    def is_generator(self) -> bool:
        """Whether it yields."""
        return (self._text is None or "yield" in self._text) and self.uses.has_yield

    @cached_property
    def is_initializer(self) -> bool:
        """Whether it runs before the module is moved: ``__init__`` and what only that calls."""
        name = self.node.name
        return name in INITIALIZERS or (self.owner is not None and name in self.owner.start_methods)


def names_word(text: str, word: str) -> bool:
    """Whether a word stands in a text, and not only as the start of a longer one."""
    at = text.find(word)
    while at >= 0:
        after = text[at + len(word) : at + len(word) + 1]
        if not after.isalnum() and after != "_":
            return True
        at = text.find(word, at + 1)
    return False


def calls_method(text: str, name: str) -> bool:
    """Whether a text calls a method of some instance each time that it names it, and not in a lambda that is kept."""
    lines = [line for line in text.splitlines() if names_word(line, f".{name}")]
    return bool(lines) and all(f".{name}(" in line and "lambda" not in line for line in lines)


class WrittenMethod(NamedTuple):
    """A method as it is written; it is parsed when it is asked for."""

    text: str
    row: int
    """Where it begins, with its decorators."""
    node: FunctionNode | None = None
    """What was parsed already."""


class ClassDefinition:
    """A class with its methods."""

    def __init__(self, node: ast.ClassDef, members: dict[str, WrittenMethod], home: FileDefinitions) -> None:
        self.node = node
        self.members = members
        self.home = home
        """The file that it stands in."""
        self._methods: dict[str, FunctionDefinition] = {}

    def method(self, name: str) -> FunctionDefinition:
        """A method of the class itself."""
        if name not in self._methods:
            member = self.members[name]
            self._methods[name] = FunctionDefinition(member.node or _parsed_method(member), self, member.text)
        return self._methods[name]

    def forget(self) -> None:
        """Forget the methods, which refer to their class."""
        self._methods = {}

    @property
    def is_autograd(self) -> bool:
        """Whether it is a function of torch.autograd."""
        return any(isinstance(one, str) and one in AUTOGRAD_FUNCTIONS for one in self.home.order(self))

    @cached_property
    def start_methods(self) -> tuple[str, ...]:
        """The methods that only ``__init__`` calls, or such a method, to make its instances ready."""
        found: dict[str, None] = {"__init__": None}
        waiting = ["__init__"] if "__init__" in self.members else []
        while waiting:
            for name in dict.fromkeys(_CALLED.findall(self.members[waiting.pop()].text)):
                if name in self.members and name not in found and name != "forward" and self._is_called_in(name, found):
                    found[name] = None
                    waiting.append(name)
        return tuple(found)[1:]

    def _is_called_in(self, name: str, methods: Collection[str]) -> bool:
        """Whether only some methods of the class name a method, and these call it at once."""
        named = [one for one, member in self.members.items() if names_word(member.text, f".{name}")]
        return all(one in methods and calls_method(self.members[one].text, name) for one in named)

    @cached_property
    def stored_later(self) -> frozenset[str]:
        """The attributes of its instances to which other methods than ``__init__`` give a value of another device."""
        return self._stored(self.members.keys() - {"__init__"})

    @cached_property
    def stored_after_start(self) -> frozenset[str]:
        """Those of them that a method gives a value that is called when the instance is ready."""
        return self._stored(self.members.keys() - {"__init__", *self.start_methods})

    def _stored(self, methods: Iterable[str]) -> frozenset[str]:
        """The attributes to which some methods give a value of another device."""
        texts = [text for one in methods if "self." in (text := self.members[one].text)]
        return frozenset(
            attribute
            for text in texts
            for stored in _STORED.finditer(text)
            for attribute in _ATTRIBUTE.findall(stored[0])
            if not _stays(text, stored, attribute)
        )


def _stays(text: str, stored: re.Match[str], attribute: str) -> bool:
    """Whether an attribute is given a value that is computed from its own, where that is: all operands are there."""
    is_alone = stored[0].count("self.") == 1 and "," not in stored[0]
    value = text[stored.end() : _end_of_statement(text, stored.end())]
    is_of_itself = stored[0].rstrip("=")[-1:] in "+-*/@|&^%" or names_word(value, f"self.{attribute}")
    return is_alone and is_of_itself and _MOVES.search(value) is None


def _end_of_statement(text: str, start: int) -> int:
    """Where the line ends that a place is in, or the last of those that its brackets hold together."""
    depth = 0
    for one in _BRACKET_OR_LINE.finditer(text, start):
        if one[0] == "\n" and depth <= 0:
            return one.start()
        depth += (one[0] in "([{") - (one[0] in ")]}")
    return len(text)


def _parsed_method(member: WrittenMethod) -> FunctionNode:
    # The newlines keep the rows of what is parsed those of the file.
    tree = syntax_tree("\n" * (member.row - 2) + "class _:\n" + member.text)
    found = tree.body[0].body[0] if tree is not None and isinstance(tree.body[0], ast.ClassDef) else None
    if not isinstance(found, (ast.FunctionDef, ast.AsyncFunctionDef)):
        raise TornError
    return found


class Uses:
    """How a function uses its names, whatever their values."""

    def __init__(self, node: FunctionNode) -> None:
        self.attributes: dict[str, set[str]] = {}
        """What is asked of each name."""
        self.subscripted: set[str] = set()
        """Names that are indexed as only tensors and arrays are: ``x[:, 0]``."""
        self.calls: list[ast.Call] = []
        self.knows_devices = any(one.arg == "device" for one in parameters_of(node.args))
        """Whether it says ``device`` in any way."""
        self.has_yield = False
        self.leaves_device = False  # whether it takes something to the CPU
        self.converted: set[str] = set()
        """Names of which tensors are made, so that they are perhaps none themselves."""
        self.moved: set[str] = set()
        """Names of what the function puts on a device itself: ``x.cuda()``, ``x.to(device)``."""
        self.numbers: set[str] = set()
        """Names that say how many numbers there are: ``range(n)``, ``torch.arange(0, n * m)``."""
        for one in nodes_below(node):
            kind = one.__class__
            if kind not in _TOLD:
                continue
            if isinstance(one, ast.Attribute):
                self.knows_devices |= one.attr in ("device", EXECUTION_DEVICE)
                self.leaves_device |= one.attr in ("cpu", "numpy", "tolist")
                if isinstance(one.value, ast.Name):
                    self.attributes.setdefault(one.value.id, set()).add(one.attr)
            elif isinstance(one, ast.Call):
                self.calls.append(one)
                if one.args and last_name(one.func) in ("tensor", "from_numpy"):
                    self.converted.add(getattr(one.args[0], "id", ""))
                elif isinstance(one.func, ast.Attribute) and isinstance(one.func.value, ast.Name) and _moves(one):
                    self.moved.add(one.func.value.id)
                elif last_name(one.func) in _COUNT:
                    self.numbers.update(_names_computed(one.args))
            elif isinstance(one, ast.keyword):
                self.knows_devices |= one.arg == "device"
            elif isinstance(one, ast.Subscript) and isinstance(one.value, ast.Name) and _is_of_tensor(one.slice):
                self.subscripted.add(one.value.id)
            elif isinstance(one, (ast.Yield, ast.YieldFrom)):
                self.has_yield = True

    def of(self, name: str) -> set[str]:
        """The attributes that are asked of a name."""
        return self.attributes.get(name, set())


def _moves(call: ast.Call) -> bool:
    """Whether a method puts something on a device: ``cuda()``, or ``to`` with what is called one."""
    name = last_name(call.func)
    given = (*call.args, *(one.value for one in call.keywords))
    return name == "cuda" or (name == "to" and any(last_name(one).endswith("device") for one in given))


def _names_computed(expressions: Iterable[ast.expr]) -> Iterator[str]:
    """The names that some expressions are, or compute a number of."""
    for one in expressions:
        if isinstance(one, ast.Name):
            yield one.id
        elif isinstance(one, ast.BinOp):
            yield from _names_computed((one.left, one.right))


def _is_of_tensor(index: ast.expr) -> bool:
    """Whether an index is one that lists do not take."""
    return isinstance(index, ast.Tuple) and any(
        isinstance(one, ast.Slice) or (isinstance(one, ast.Constant) and one.value in (None, Ellipsis))
        for one in index.elts
    )
