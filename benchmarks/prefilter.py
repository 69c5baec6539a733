"""Show on real code that the cheap look at bytes keeps no rule from finding anything.

    python -m benchmarks.prefilter                  every pinned package
    python -m benchmarks.prefilter timm vissl       some of them

Each package is checked as always, and with every file parsed that holds a word of a rule. The exit code is 1 where the
two differ, 2 where nothing was found, for then nothing was shown.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.corpus_packages import CorpusError, pinned, projects
from devlint.config.finder import ConfigFinder
from devlint.core.diagnostic import Diagnostic
from devlint.engine.runner import Runner
from devlint.rules.prefilter.rule_filter import Prefilter, RuleCandidates


def main(names: Sequence[str]) -> int:
    """Check the packages both ways, and print what only one of them found."""
    found = lost = 0
    try:
        for name, folder in projects(names or pinned()):
            fast, plain = _findings(folder), _findings(folder, by_words_alone=True)
            found += len(plain)
            lost += len(fast ^ plain)
            print(f"{name:40} {len(plain):6} findings {len(fast ^ plain):4} not the same", flush=True)
            for one in sorted(fast ^ plain, key=lambda diagnostic: diagnostic.sort_key):
                print(
                    f"  {one.path}:{one.location}: {one.code} found only {'fast' if one in fast else 'by words alone'}"
                )
    except CorpusError as error:
        print(f"prefilter: {error}", file=sys.stderr)
        return 2
    print(f"{found} findings, {lost} not the same")
    return int(lost > 0) if found else 2


def _findings(folder: Path, by_words_alone: bool = False) -> set[Diagnostic]:
    """All that is found below a folder."""
    candidates = Prefilter.candidates
    if by_words_alone:
        Prefilter.candidates = lambda self, data, can=bool: RuleCandidates([*filter(can, self.by_words(data))])  # type: ignore[method-assign]
    try:
        reports = Runner(ConfigFinder(isolated=True)).run([str(folder)])
        return {diagnostic for report in reports for diagnostic in report.diagnostics}
    finally:
        Prefilter.candidates = candidates  # type: ignore[method-assign]


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
