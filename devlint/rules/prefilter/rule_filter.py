"""The cheap look at the bytes of a file that says which rules may find something in it, without LibCST."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _ast import AST, Module
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from devlint.core.rule_info import RuleInfo
    from devlint.rules.prefilter.code import GivesProject
    from devlint.rules.triggers.syntax_tree import SyntaxTree
    from devlint.rules.triggers.trigger import Trigger

_CAPITALS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ_"
_NO_CAPITALS = bytes(set(range(256)) - set(_CAPITALS))


class RuleCandidates:
    """The rules that may find something in a program, and where they may."""

    def __init__(
        self,
        rules: list[RuleInfo] | None = None,
        tree: Module | None = None,
        places: Iterable[AST] = (),
        is_parsed: bool = False,
    ) -> None:
        self.rules = rules or []
        self.tree = tree
        """Python's own tree of the program; None where rules may find something anywhere."""
        self.places = places
        """The nodes of the tree that may be what a rule looks for."""
        self.is_parsed = is_parsed
        """Whether Python's own parser took the program."""


class Prefilter:
    """Chooses among rules by what stands in a file."""

    def __init__(self, rules: Sequence[RuleInfo], device: str = "") -> None:
        """``device`` is the name by which the project has its device, if the configuration says so."""
        self._device = device
        self._rules: dict[tuple[bytes, ...], list[RuleInfo]] = {}
        """Rules that share their words are asked for them once."""
        for rule in rules:
            self._rules.setdefault(rule.words, []).append(rule)
        words = {word.decode("latin-1") for some in self._rules for word in some}
        self._words = {word.encode("latin-1"): _Word(word, words) for word in words}

    def by_words(self, data: bytes) -> list[RuleInfo]:
        """The rules one of whose words is in any file."""
        words = _Words(data, self._words)
        found = (rules for some, rules in self._rules.items() if not some or any(map(words.has, some)))
        return sorted((rule for rules in found for rule in rules), key=lambda rule: rule.code)

    def candidates(
        self, data: bytes, can: Callable[[RuleInfo], bool] = lambda _: True, gives_project: GivesProject = None
    ) -> RuleCandidates:
        """The rules that may find something in a Python program, of those that ``can``, and where.

        ``gives_project`` gives the project of the file, for what the file alone leaves open.
        """
        rules = self.by_words(data)
        if not rules:
            return RuleCandidates()
        from devlint.rules.prefilter.code import Code

        code = Code(data, gives_project)
        rules = [rule for rule in rules if trigger_of(rule).matches(code) and can(rule)]
        if not rules:
            return RuleCandidates()
        from devlint.rules.triggers.syntax_tree import parse

        tree = parse(data, self._device, gives_project)
        found = [(rule, _places(tree, trigger_of(rule))) for rule in rules]
        places = [place for _, some in found for place in some or ()]
        is_somewhere = tree is not None and all(some != [] for _, some in found)
        return RuleCandidates(
            [rule for rule, some in found if some is not None],
            tree.module if tree is not None and is_somewhere else None,
            places,
            tree is not None,
        )


def _places(tree: SyntaxTree | None, trigger: Trigger) -> list[AST] | None:
    """Where a tree has a trigger; none where there is no tree, or it is too deep to ask; None where it has none."""
    try:
        return [] if tree is None else [*trigger.find(tree)] or None
    except RecursionError:
        return []


_TRIGGERS: dict[str, Trigger] = {}


def trigger_of(rule: RuleInfo) -> Trigger:
    """The trigger of a rule, made of its source text when a file first has one of its words."""
    if rule.trigger not in _TRIGGERS:
        _TRIGGERS[rule.trigger] = eval(rule.trigger, {}, _MODULES)
    return _TRIGGERS[rule.trigger]


class _Modules(dict[str, object]):
    """The modules that the source text of a trigger names, imported when they are asked for."""

    def __missing__(self, name: str) -> object:
        try:
            found = _imported(f"devlint.rules.triggers.{name}")
        except ModuleNotFoundError:
            found = _imported(f"devlint.torch_api.{name}")
        self[name] = found
        return found


def _imported(name: str) -> object:
    """A module; without ``importlib``, which a clean file does without."""
    __import__(name)
    return sys.modules[name]


_MODULES = _Modules()


class _Word:
    """What a word must have in it to be in a file."""

    def __init__(self, word: str, words: Iterable[str]) -> None:
        # As text: that bytes are in bytes takes three times as long. The longest that is in a word is the word itself.
        parts = sorted(filter(word.__contains__, words), key=len)[:-1]
        self.parts = [one.encode("latin-1") for one in parts]
        """Other words, which are looked for anyway."""
        self.capitals = word.encode("latin-1").translate(None, _NO_CAPITALS)


class _Words:
    """The words of one file, each looked up once."""

    def __init__(self, data: bytes, words: Mapping[bytes, _Word]) -> None:
        self._data = data
        self._words = words
        self._has: dict[bytes, bool] = {}
        self._capitals = data.translate(None, _NO_CAPITALS)
        """The capitals of the file: a few bytes, and those of any word that is in the file are in them."""

    def has(self, word: bytes) -> bool:
        """Whether a word is in the file, looked up only where nothing that is part of it is missing."""
        found = self._has.get(word)
        if found is None:
            known = self._words[word]
            found = all(map(self.has, known.parts)) and known.capitals in self._capitals and word in self._data
            self._has[word] = found
        return found
