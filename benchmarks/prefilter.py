"""Show on real code that the prefilter and the blanking of functions change no finding and no fix.

    python -m benchmarks.prefilter                  every pinned package, and the fixtures
    python -m benchmarks.prefilter timm vissl       some of the packages

Each is checked as always, and with the whole of every file parsed that holds a word of a rule; with the default rules,
and with all of them, for blanking leaves what the rules at work look for. The exit code is 1 where the two differ, 2
where nothing was found, for then nothing was shown.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.corpus_packages import CorpusError, pinned, projects
from devlint.config.finder import ConfigFinder
from devlint.core.diagnostic import Diagnostic
from devlint.engine.runner import Runner
from devlint.rules.prefilter.rule_filter import Prefilter, RuleCandidates

FIXTURES = Path(__file__).parents[1] / "fixtures"
RULES: dict[str, dict[str, object]] = {"default rules": {}, "all rules": {"select": ["ALL"]}}


def main(names: Sequence[str]) -> int:
    """Check the packages both ways, and print what only one of them found."""
    found = lost = 0
    try:
        for name, folder in [*projects(names or pinned()), *([] if names else [("fixtures", FIXTURES)])]:
            for rules, options in RULES.items():
                fast, whole = _findings(folder, options), _findings(folder, options, by_words_alone=True)
                found += len(whole)
                lost += len(fast ^ whole)
                print(f"{name:30} {rules:13} {len(whole):6} findings {len(fast ^ whole):4} not the same", flush=True)
                for one in sorted(fast ^ whole, key=lambda diagnostic: diagnostic.sort_key):
                    print(
                        f"  {one.path}:{one.location}: {one.code} so only {'fast' if one in fast else 'by words alone'}"
                    )
    except CorpusError as error:
        print(f"prefilter: {error}", file=sys.stderr)
        return 2
    print(f"{found} findings, {lost} not the same")
    return int(lost > 0) if found else 2


def _findings(folder: Path, options: Mapping[str, object], by_words_alone: bool = False) -> set[Diagnostic]:
    """All that is found below a folder, with its fixes; by words alone, no file is parsed in part."""
    candidates = Prefilter.candidates
    if by_words_alone:
        Prefilter.candidates = lambda self, data, can=bool: RuleCandidates([*filter(can, self.by_words(data))])  # type: ignore[method-assign]
    try:
        reports = Runner(ConfigFinder(options, isolated=True)).run([str(folder)])
        return {diagnostic for report in reports for diagnostic in report.diagnostics}
    finally:
        Prefilter.candidates = candidates  # type: ignore[method-assign]


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
