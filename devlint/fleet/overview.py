"""What a run says about all repositories, as plain values: counted partition by partition from its tables."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

import pyarrow.parquet as pq

from devlint.core.catalogue import RULES
from devlint.core.record import Record
from devlint.fleet.audit import read_run
from devlint.fleet.inputs.partition import Partition
from devlint.fleet.partitions import finished
from devlint.report.tally import Portability, Remedy, Tally, total

_WORST = (Remedy.HAND, Remedy.UNSAFE, Remedy.SAFE)
_AS_PORTABLE = {
    Remedy.SAFE: Portability.SAFE,
    Remedy.UNSAFE: Portability.UNSAFE,
    Remedy.HAND: Portability.HAND,
}
Change = Counter[tuple[str, str, str, str]]
"""Findings by repository, path, code and message: one that only moves to another row is the same."""


class AuditedRepository(Record):
    """One repository."""

    name: str
    tally: Tally
    """Its files; in place of lines, files again: shares are those of files."""
    rules: Counter[str]
    """Findings by code."""
    new: int = 0
    """Findings that an earlier run did not have."""
    gone: int = 0
    """Findings that only an earlier run had."""

    @property
    def portability(self) -> Portability:
        """What the hardest of its files needs."""
        order = (
            Portability.HAND,
            Portability.UNSAFE,
            Portability.SAFE,
            Portability.UNKNOWN,
            Portability.PORTABLE,
        )
        return next((kind for kind in order if self.tally.files.get(kind)), Portability.NO_TORCH)

    @property
    def rank(self) -> tuple[int, ...]:
        """Where it stands among the others: those with most work first."""
        found = self.tally.findings
        return tuple(-found.get(remedy, 0) for remedy in _WORST)


class Overview(Record):
    """All repositories of a run."""

    repositories: tuple[AuditedRepository, ...]
    """Those with most work first."""
    rules: tuple[tuple[str, str, int, int], ...]
    """Code, name, findings and repositories; the most frequent first."""
    errors: tuple[tuple[str, int, str], ...]
    """Why files were not checked, how many, and one of them."""
    undone: int
    """Partitions that are not done."""
    added: tuple[str, ...] = ()
    """Repositories that the earlier run did not have."""
    removed: tuple[str, ...] = ()
    """Repositories that only the earlier run had."""

    @property
    def tally(self) -> Tally:
        """The counts over all files."""
        return total(one.tally for one in self.repositories)


def overview(output: str, since: str | None = None) -> Overview:
    """What the run in a folder says, compared with an earlier one; raises DevlintError where there is none."""
    read = _Reader()
    read.run(output)
    earlier = _Reader() if since is not None else None
    if earlier is not None and since is not None:
        earlier.run(since)
    both = read.files.keys() & earlier.files.keys() if earlier is not None else set()
    new = _by_repo(read.findings - earlier.findings if earlier is not None else Counter(), both)
    gone = _by_repo(earlier.findings - read.findings if earlier is not None else Counter(), both)
    repositories = [
        AuditedRepository(name, _tally(kinds, read.remedies[name]), read.rules[name], new[name], gone[name])
        for name, kinds in read.files.items()
    ]
    names = {rule.code: rule.name for rule in RULES}
    counts = sum(read.rules.values(), Counter())
    rules = [
        (code, names.get(code, ""), count, sum(code in found for found in read.rules.values()))
        for code, count in counts.items()
    ]
    return Overview(
        tuple(sorted(repositories, key=lambda one: (one.rank, one.name))),
        tuple(sorted(rules, key=lambda one: (-one[2], one[0]))),
        tuple(sorted(((why, *found) for why, found in read.errors.items()), key=lambda one: (-one[1], one[0]))),
        read.undone,
        tuple(sorted(read.files.keys() - earlier.files.keys())) if earlier is not None else (),
        tuple(sorted(earlier.files.keys() - read.files.keys())) if earlier is not None else (),
    )


def _by_repo(findings: Change, names: set[str]) -> Counter[str]:
    found: Counter[str] = Counter()
    for (repo, *_), count in findings.items():
        if repo in names:
            found[repo] += count
    return found


def _tally(kinds: Counter[Portability], remedies: Counter[Remedy]) -> Tally:
    return Tally(kinds, kinds, {remedy: remedies[remedy] for remedy in Remedy})


class _Reader:
    """Reads the tables of a run, a partition at a time."""

    def __init__(self) -> None:
        self.files: dict[str, Counter[Portability]] = {}
        """How many files of each kind a repository has."""
        self.rules: dict[str, Counter[str]] = defaultdict(Counter)
        self.remedies: dict[str, Counter[Remedy]] = defaultdict(Counter)
        self.findings: Change = Counter()
        self.errors: dict[str, tuple[int, str]] = {}
        self.undone = 0

    def run(self, output: str) -> None:
        """Count everything."""
        for number, _ in enumerate(read_run(output)["partitions"]):
            partition = Partition(number, ())
            if finished(output, partition) is None:
                self.undone += 1
            else:
                self._partition(os.path.join(output, partition.name))

    def _partition(self, folder: str) -> None:
        worst: dict[tuple[str, str], Remedy] = {}
        for row in _rows(folder, "findings", ["repo", "path", "code", "message", "applicability"]):
            repo, path = row["repo"] or "", row["path"] or ""
            remedy = Remedy(row["applicability"] or "hand")
            self.rules[repo][row["code"]] += 1
            self.remedies[repo][remedy] += 1
            self.findings[repo, path, row["code"], row["message"]] += 1
            held = worst.get((repo, path), remedy)
            worst[repo, path] = min(held, remedy, key=_WORST.index)
        for row in _rows(folder, "files", ["repo", "path", "parsed", "error"]):
            repo, path = row["repo"] or "", row["path"] or ""
            kind = _kind(row, worst.get((repo, path)))
            self.files.setdefault(repo, Counter())[kind] += 1
            if row["error"]:
                count, example = self.errors.get(row["error"], (0, f"{repo}/{path}"))
                self.errors[row["error"]] = count + 1, example


def _kind(row: dict[str, Any], worst: Remedy | None) -> Portability:
    """How portable a file is."""
    if row["parsed"] is False:
        return Portability.UNKNOWN
    if worst is not None:
        return _AS_PORTABLE[worst]
    return Portability.NO_TORCH if row["parsed"] is None else Portability.PORTABLE


def _rows(folder: str, table: str, columns: list[str]) -> Iterator[dict[str, Any]]:
    with pq.ParquetFile(os.path.join(folder, f"{table}.parquet")) as file:
        for batch in file.iter_batches(columns=columns, use_threads=False):
            yield from batch.to_pylist()
