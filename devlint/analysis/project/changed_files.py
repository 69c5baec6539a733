"""Other files as they will be once a run has written what it has made of them, and what they then answer otherwise."""

from __future__ import annotations

from devlint.analysis.project.disk import EXISTS, LISTED, MAX_BYTES, READ, SEPARATOR, Disk
from devlint.analysis.project.project import Index
from devlint.analysis.project.root import ROOT
from devlint.analysis.project.search_kinds import search_of
from devlint.sources.discovery import is_below

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping


class ChangedDisk(Disk):
    """The disk, but for some files whose contents are known from elsewhere."""

    def __init__(self, contents: Mapping[str, bytes]) -> None:
        super().__init__()
        self._contents = contents

    def _load(self, path: str) -> bytes | None:
        if path not in self._contents:
            return super()._load(path)
        return self._contents[path] if len(self._contents[path]) <= MAX_BYTES else None


class ChangedAnswers:
    """Which questions have another answer since some files have changed."""

    def __init__(self, before: Mapping[str, bytes], after: Mapping[str, bytes], changed: Collection[str]) -> None:
        """``changed`` are the paths at which ``after`` is not what ``before``, or else the disk, has."""
        self._indexes = Index(ChangedDisk(before)), Index(ChangedDisk(after))
        self._changed = changed
        self._differing: dict[str, frozenset[str]] = {}

    def concern(self, asker: str, questions: Iterable[str]) -> bool:
        """Whether another file than the one that asked has changed the answer of a question."""
        return any(not self._changed_by(one) <= {asker} for one in questions)

    def _changed_by(self, question: str) -> frozenset[str]:
        """The files that answer a question otherwise."""
        if question not in self._differing:
            kind, _, subject = question.partition(":")
            if kind == READ:
                found = frozenset({subject}.intersection(self._changed))
            else:
                found = frozenset(path for path in self._changed if self._finds_other(kind, subject, path))
            self._differing[question] = found
        return self._differing[question]

    def _finds_other(self, kind: str, subject: str, path: str) -> bool:
        """Whether a search finds something else in a file."""
        root, _, name = subject.partition(SEPARATOR)
        what = search_of(kind)
        if what is None or not is_below(path, root):
            return False
        words = what.words(name)
        found = []
        for index in self._indexes:
            data = index.disk.read(path) or b""
            is_held = any(word in data for word in words)
            found.append([repr(one) for one in what.find(index, [path], name)] if is_held else [])
        return found[0] != found[1]


def on_contents(asked: Iterable[str]) -> Iterable[str]:
    """The questions that the contents of other files answer, and not only which files there are."""
    return (one for one in asked if not one.startswith((f"{EXISTS}:", f"{LISTED}:", f"{ROOT}:")))
