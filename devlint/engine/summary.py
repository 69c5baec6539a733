"""The summary of a run: counts of findings and fixes, the last lines of the output, and the exit code."""

from __future__ import annotations

from devlint.engine.report import Mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from devlint.engine.report import FileReport


class Summary:
    """Counts over the files of a run."""

    def __init__(self, mode: Mode = Mode.CHECK, dropped: int = 0, only_fixes: bool = False) -> None:
        self.mode = mode
        self.only_fixes = only_fixes
        """Whether what remains does not count."""
        self.dropped = dropped
        """Fixes that were not made because the program does something else with them."""
        self.files = 0
        self.failures = 0
        self.changed = 0
        """Files that fixes changed, or would change."""
        self.found: dict[str, int] = {}
        """Findings that remain, by code."""
        self.fixed: dict[str, int] = {}
        self.new = 0
        """Findings that remain and were not there before the fixes."""
        self.fixable: dict[str, int] = {}
        """Findings that ``devlint fix`` would fix as it is configured."""
        self.baselined = 0
        """Findings that are in the baseline."""
        self.hidden = 0
        """Findings with an unsafe fix, where unsafe fixes are off."""

    def add(self, report: FileReport) -> None:
        """Count one file."""
        self.files += not report.skipped
        self.failures += len(report.failures)
        self.changed += report.changed
        self.baselined += report.baselined
        if report.applied:
            for code, count in report.fixed.items():
                _add(self.fixed, code, count)
            self.new += sum(report.new.values())
        for diagnostic in report.diagnostics:
            _add(self.found, diagnostic.code)
            if diagnostic.fix is not None:
                if report.unsafe_fixes or diagnostic.fix.is_safe:
                    _add(self.fixable, diagnostic.code)
                else:
                    self.hidden += 1

    def exit_code(self, exit_zero: bool = False, exit_non_zero_on_fix: bool = False) -> int:
        """0: clean; 1: findings, or with a diff changes; 2: devlint could not do its work on some file."""
        if self.failures:
            return 2
        if exit_zero:
            return 0
        if self.mode is Mode.DIFF:
            return int(self.changed > 0)
        left = self.found and not self.only_fixes
        return int(bool(left or self.dropped) or (exit_non_zero_on_fix and bool(self.fixed or self.changed)))

    def lines(self) -> list[str]:
        """The last lines of the output."""
        known = [f"{count_of(self.baselined, 'error')} known to the baseline."] if self.baselined else []
        dropped = [f"{count_of(self.dropped, 'fix')} dropped."] if self.dropped else []
        return [*self._outcome(), *dropped, *known]

    def _outcome(self) -> list[str]:
        """What was found and fixed, and what could be."""
        found, fixed = sum(self.found.values()), sum(self.fixed.values())
        if self.mode is Mode.DIFF:
            said = f"Would fix {count_of(fixed, 'error')}" if fixed or self.changed else "No errors would be fixed"
            return [_with_hidden(said, self.hidden)]
        if self.only_fixes:
            return [f"Fixed {count_of(fixed, 'error')}."] if fixed or not self.failures else []
        if not found and not fixed:
            return [] if self.failures or self.dropped else ["All checks passed!"]
        new = f", {self.new} of them new" if self.new else ""
        outcome = f" ({fixed} fixed, {found} remaining{new})" if fixed else ""
        lines = [f"Found {count_of(found + fixed - self.new, 'error')}{outcome}."]
        fixable = sum(self.fixable.values())
        if fixable and self.mode is Mode.CHECK:
            lines.append(_with_hidden(f"[*] {fixable} fixable with `devlint fix`", self.hidden))
        elif self.hidden:
            lines.append(_with_hidden("No fixes available", self.hidden))
        return lines


def _add(counts: dict[str, int], code: str, count: int = 1) -> None:
    """Add to a count, without ``collections.Counter``, which a clean file does without."""
    counts[code] = counts.get(code, 0) + count


def count_of(number: int, noun: str) -> str:
    """Put a number of things into words: ``1 error``, ``2 errors``, ``3 fixes``."""
    return f"{number} {noun}{'' if number == 1 else 'es' if noun.endswith('x') else 's'}"


def _with_hidden(sentence: str, hidden: int) -> str:
    """The sentence, with what unsafe fixes would add, and its full stop."""
    if not hidden:
        return sentence + "."
    return f"{sentence} ({count_of(hidden, 'hidden fix')} can be enabled with `--unsafe-fixes`)."
