"""Other files as they will be once a run has written what it has made of them, and what they then answer otherwise."""

from __future__ import annotations

from devlint.analysis.project.disk import (
    EXISTS,
    LISTED,
    MAX_BYTES,
    READ,
    SEPARATOR,
    Disk,
    is_of_python,
    may_be_of_python,
)
from devlint.analysis.project.project import Index
from devlint.analysis.project.root import ROOT
from devlint.analysis.project.search_kinds import search_of
from devlint.analysis.project.searches import Search
from devlint.core.record import Record
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


class _Question(Record, eq=False):
    """A question that a search of a folder answers, and the files that go by the answer."""

    what: Search
    root: str
    name: str
    words: tuple[bytes, ...]
    askers: list[str]


class ChangedAnswers:
    """Which questions have another answer since some files have changed."""

    def __init__(self, before: Mapping[str, bytes], after: Mapping[str, bytes], changed: Collection[str]) -> None:
        """``changed`` are the paths at which ``after`` is not what ``before``, or else the disk, has."""
        self._indexes = Index(ChangedDisk(before)), Index(ChangedDisk(after))
        self._changed = changed

    def concerned(self, asks: Mapping[str, Collection[str]]) -> set[str]:
        """The files for which another file has changed the answer to one of their questions.

        Each changed file is asked all that is left to ask before the next one is, so that it is parsed once.
        """
        read = {f"{READ}:{path}": path for path in self._changed}
        found = {asker for asker, asked in asks.items() if {read[one] for one in asked if one in read} - {asker}}
        questions = _searches({asker: asked for asker, asked in asks.items() if asker not in found})
        for path in sorted(self._changed) if questions else ():
            self._add_concerned(found, path, questions)
        return found

    def _add_concerned(self, found: set[str], path: str, questions: Iterable[_Question]) -> None:
        """Add the files that ask something for which a search finds something else in a file."""
        if not may_be_of_python(path):
            return
        texts = [index.disk.read(path) or b"" for index in self._indexes]
        if not any(is_of_python(path, text) for text in texts):
            return  # no search looks there
        for one in questions:
            if not is_below(path, one.root) or all(asker in found or asker == path for asker in one.askers):
                continue
            held = [any(word in text for word in one.words) for text in texts]
            if any(held) and self._finds_other(one, path, held):
                found.update(asker for asker in one.askers if asker != path)

    def _finds_other(self, one: _Question, path: str, held: Iterable[bool]) -> bool:
        """Whether a search finds something else in a file, which holds one of the words or does not."""
        before, after = (
            [repr(each) for each in one.what.find(index, [path], one.name)] if is_held else []
            for index, is_held in zip(self._indexes, held)
        )
        return before != after


def _searches(asks: Mapping[str, Iterable[str]]) -> list[_Question]:
    """The questions of some files that searches answer, each once."""
    askers: dict[str, list[str]] = {}
    for asker, asked in asks.items():
        for question in asked:
            askers.setdefault(question, []).append(asker)
    found = []
    for question, files in askers.items():
        kind, _, subject = question.partition(":")
        root, _, name = subject.partition(SEPARATOR)
        what = search_of(kind)
        if what is not None:
            found.append(_Question(what, root, name, what.words(name), files))
    return found


def on_contents(asked: Iterable[str]) -> Iterable[str]:
    """The questions that the contents of other files answer, and not only which files there are."""
    return (one for one in asked if not one.startswith((f"{EXISTS}:", f"{LISTED}:", f"{ROOT}:")))
