"""What a rule looks for, from which the words, the regular expressions and the places of it are derived."""

from __future__ import annotations

from devlint.core.record import lazy_attribute

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _ast import AST
    from collections.abc import Callable, Iterable

    from devlint.rules.prefilter.code import Code
    from devlint.rules.triggers.syntax_tree import SyntaxTree

    Test = Callable[[SyntaxTree, AST], bool]


class Trigger:
    """Where a rule may find something: what is said of a file is never less than what the rule finds."""

    words: tuple[bytes, ...] = ()
    """A file that has none of these bytes has no trigger."""
    nodes: tuple[str, ...] = ()
    """The LibCST nodes that ``Rule.check`` is called for; none where that is left to ``visit_`` methods."""

    def matches(self, code: Code) -> bool:
        """Whether the text of a file may have a trigger in it, by regular expressions."""
        raise NotImplementedError

    def find(self, tree: SyntaxTree) -> Iterable[AST]:
        """The places in Python's own tree that may be triggers."""
        raise NotImplementedError

    def is_at(self, node: object) -> bool:
        """Whether a LibCST node, one of ``nodes``, may be a trigger, by its name alone."""
        return True

    def __or__(self, other: Trigger) -> Trigger:
        """Either of two triggers."""
        return Either(self, other)

    def where(self, *tests: Test) -> Trigger:
        """The places for which all tests on Python's tree hold; a test says no only where it is certain."""
        return Where(self, tests)


class Either(Trigger):
    """One of two triggers."""

    def __init__(self, one: Trigger, other: Trigger) -> None:
        self._both = one, other
        self.words = tuple(dict.fromkeys((*one.words, *other.words)))
        self.nodes = tuple(dict.fromkeys((*one.nodes, *other.nodes)))

    def matches(self, code: Code) -> bool:
        return any(one.matches(code) for one in self._both)

    def find(self, tree: SyntaxTree) -> Iterable[AST]:
        return (place for one in self._both for place in one.find(tree))

    def is_at(self, node: object) -> bool:
        return any(type(node).__name__ in one.nodes and one.is_at(node) for one in self._both)


class Where(Trigger):
    """The places of a trigger for which tests hold."""

    def __init__(self, trigger: Trigger, tests: Iterable[Test]) -> None:
        self._trigger = trigger
        self._tests = tuple(tests)
        self.words, self.nodes = trigger.words, trigger.nodes

    def matches(self, code: Code) -> bool:
        return self._trigger.matches(code)

    def find(self, tree: SyntaxTree) -> Iterable[AST]:
        return (place for place in self._trigger.find(tree) if all(test(tree, place) for test in self._tests))

    def is_at(self, node: object) -> bool:
        return self._trigger.is_at(node)


class Beside(Trigger):
    """A trigger in a file that has another one, too."""

    def __init__(self, trigger: Trigger, other: Trigger) -> None:
        self._trigger = trigger
        self._other = other
        self.words = max(trigger.words, other.words, key=lambda words: min(map(len, words)))
        self.nodes = trigger.nodes

    def matches(self, code: Code) -> bool:
        return self._trigger.matches(code) and self._other.matches(code)

    def find(self, tree: SyntaxTree) -> Iterable[AST]:
        return self._trigger.find(tree) if any(True for _ in self._other.find(tree)) else ()

    def is_at(self, node: object) -> bool:
        return self._trigger.is_at(node)


class Leaf(Trigger):
    """One kind of code, with the regular expressions that say which text may hold it."""

    def patterns(self) -> Iterable[str | tuple[str, ...]]:
        """Regular expressions, one of which must match; a tuple stands for all that are in it."""
        raise NotImplementedError

    @lazy_attribute
    def _patterns(self) -> tuple[str | tuple[str, ...], ...]:
        return tuple(self.patterns())

    def matches(self, code: Code) -> bool:
        return any(map(code.holds, self._patterns))
