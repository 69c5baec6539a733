"""The rules enabled for some files, and the prefilter that says which of them may find something."""

from __future__ import annotations

from devlint.config.selection import catalogue, matches, resolve
from devlint.rules.prefilter.rule_filter import Prefilter, RuleCandidates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from devlint.config.selection import Selection
    from devlint.config.settings import Settings
    from devlint.core.rule_info import RuleInfo
    from devlint.rules.base import Rule
    from devlint.rules.prefilter.code import GivesProject

TOOL_MODULE = "devlint.rules.tool_rules"
SYNTAX_ERROR = "DEV001"
UNUSED_SUPPRESSION = "DEV002"
MISSING_REASON = "DEV003"
OBSERVED_RULE = "DEV402"
"""The code under which tensors that `devlint observe` has seen on the wrong device are reported."""
UNKNOWN_SUPPRESSION = "DEV004"


class RuleSet:
    """The enabled rules, as rows of the catalogue; a rule is imported when a file needs it."""

    def __init__(
        self,
        enabled: frozenset[str],
        rules: Sequence[RuleInfo],
        words: Iterable[str] = (),
        device: str = "",
        reports_observed: bool = True,
    ) -> None:
        """``words`` begin the project's own suppression comments, ``device`` is the name of its device."""
        self.enabled = enabled
        self.reports_observed = reports_observed
        """Whether what `devlint observe` has seen is not ignored."""
        self._rules = [rule for rule in rules if rule.code in enabled and rule.module != TOOL_MODULE]
        self._prefilter = Prefilter(self._rules, device)
        self._words = [word.encode() for word in words] if MISSING_REASON in enabled else []
        self._judges_comments = bool(enabled & {UNUSED_SUPPRESSION, MISSING_REASON, UNKNOWN_SUPPRESSION})

    def firing(
        self, data: bytes, is_code: bool = False, can: Callable[[RuleInfo], bool] = lambda _: True
    ) -> list[RuleInfo]:
        """The rules that can find something in a file with these bytes; ``is_code`` where all of it is a program.

        ``can`` is asked of those that may, for what does not stand in the file.
        """
        return self.candidates(data, can).rules if is_code else [*filter(can, self._prefilter.by_words(data))]

    def candidates(
        self, data: bytes, can: Callable[[RuleInfo], bool] = lambda _: True, gives_project: GivesProject = None
    ) -> RuleCandidates:
        """The rules that can find something in a program, and where they may; ``gives_project`` gives its project."""
        return self._prefilter.candidates(data, can, gives_project)

    def judges(self, data: bytes) -> bool:
        """Whether a file may hold a suppression that DEV002, DEV003 or DEV004 judges."""
        if any(word in data for word in self._words):
            return True
        if not self._judges_comments or not _may_suppress(data.lower()):
            return False
        from devlint.sources.suppressions.suppression_settings import may_be_unused

        return may_be_unused(data)


def _may_suppress(data: bytes) -> bool:
    """Whether small letters may hold a suppression of a devlint rule; finds out without regular expressions."""
    if b"devlint" in data:
        return True
    lines = (after.partition(b"\n")[0] for after in data.split(b"noqa")[1:])
    return any(b"dev" in line or b"-" in line for line in lines)


class RuleSets:
    """Hands out the rule set of a file, made once for all files that share settings."""

    def __init__(self) -> None:
        self._made: dict[tuple[int, tuple[str, ...]], tuple[Settings, RuleSet]] = {}

    def __reduce__(self) -> tuple[type[RuleSets], tuple[()]]:
        return RuleSets, ()  # in another process settings are other objects

    def of(self, settings: Settings, path: str) -> RuleSet:
        """The rules enabled for the absolute ``path``."""
        ignored = settings.ignored_at(path)
        key = (id(settings), ignored)
        if key not in self._made:
            self._made[key] = (settings, _rule_set(settings, ignored))
        return self._made[key][1]


def load_rule(rule: RuleInfo) -> type[Rule]:
    """The class of a rule."""
    import importlib

    module = importlib.import_module(rule.module)
    for value in vars(module).values():
        if isinstance(value, type) and value.__module__ == rule.module and vars(value).get("code") == rule.code:
            return value
    raise LookupError(f"{rule.module} has no rule {rule.code}: run `make docs`")


def _rule_set(settings: Settings, ignored: Iterable[str]) -> RuleSet:
    """The rules that settings enable, without those ignored for a file.

    A file that is no Python is always reported, unless that very rule is ignored.
    """
    rules = catalogue()
    ignored = tuple(ignored)
    chosen = resolve(settings.selections, rules) & {one.code for one in rules if settings.target.kind in one.targets}
    enabled = chosen | _unless_ignored(SYNTAX_ERROR, settings.selections)
    left = frozenset(code for code in enabled if not any(matches(one, code) for one in ignored))
    observed = _unless_ignored(OBSERVED_RULE, settings.selections)
    reports_observed = any(not any(matches(one, code) for one in ignored) for code in observed)
    return RuleSet(left, rules, settings.suppression_comments, settings.target.device_name, reports_observed)


def _unless_ignored(code: str, layers: Iterable[Selection]) -> set[str]:
    """The code, unless a layer ignores it."""
    return set() if any(matches(one, code) for layer in layers for one in layer.ignore) else {code}
