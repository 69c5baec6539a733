"""Which files are looked at as they were before the run, since another file has got meanwhile what they wrote again.

In the first round no file knows what the others will get. So an heir may have defined a device that its base class has
now, and a file may have written the same function as one that it imports. Each file is looked at so once, after those
that it asks about, and the new text counts only where it defines less.
"""

from __future__ import annotations

from devlint.core.lazy_regex import regex
from devlint.core.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from devlint.analysis.project.project import Index
    from devlint.engine.report import FileReport

_DEFINITION = regex(r"(?m)^[ \t]*(?:def \w*device\w*\(.*|(?:\w+\.)?\w*device\w* = .+)$")


class Earlier(Record):
    """What the run has made of a file so far."""

    text: str
    remaining: int
    """How many findings are left."""

    def is_worse_than(self, report: FileReport) -> bool:
        """Whether a fresh look makes a better text: one that defines less, and fixes as much.

        It has the functions that are gone from another file, or uses an instance's device instead of them.
        """
        after = report.after_text
        if report.failures or not report.changed or len(report.diagnostics) > self.remaining:
            return False
        defined, left = _definitions(self.text), _definitions(after)
        gone = [
            one.removeprefix("def ").partition("(")[0] for one in defined if one not in left and one.startswith("def ")
        ]
        has_others = all(f"{name}(" in after for name in gone) or _of_instance(after) > _of_instance(self.text)
        return len(left) < len(defined) and has_others


class FreshLooks:
    """Chooses the files that are looked at anew."""

    def __init__(self) -> None:
        self._earlier: dict[str, Earlier] = {}
        self._written: dict[str, frozenset[str]] = {}
        """The lines that the run has added to files, and that define a device."""
        self._read: dict[str, dict[str, None]] = {}
        """What files have asked about in any round, in order."""
        self._done: set[str] = set()
        self._index: Index | None = None
        self._known: dict[tuple[str, str], bool] = {}
        """Which files import which others now, as far as that has been asked."""

    def see(self, path: str, report: FileReport) -> None:
        """Take note of what the run makes of a file."""
        after = _definitions(report.after_text)
        self._earlier[path] = Earlier(report.after_text, len(report.diagnostics))
        added = frozenset(after).difference(_definitions(report.before_text))
        self._written[path] = self._written.get(path, frozenset()) | added

    def chosen(self, asks: Mapping[str, Collection[str]], contents: Mapping[str, bytes]) -> dict[str, Earlier]:
        """The files to look at anew, with what has been made of them so far.

        ``asks`` says what files ask about others, ``contents`` what changed ones hold.
        """
        known = dict.fromkeys((*self._read, *asks))
        left = [path for path in known if path.endswith(".py") and path not in self._done]
        writers = [path for path in left if self._written.get(path)]
        if not writers:
            return {}
        from devlint.analysis.project.changed_files import ChangedDisk
        from devlint.analysis.project.disk import READ
        from devlint.analysis.project.project import Index

        self._index, self._known = Index(ChangedDisk(contents)), {}
        keys = {f"{READ}:{path}": path for path, written in self._written.items() if written}
        read = {path: self._read.setdefault(path, {}) for path in writers}
        for path in writers:
            read[path].update((keys[one], None) for one in asks.get(path, ()) if keys.get(one, path) != path)
        waiting = {
            path
            for path in writers
            if any(self._is_again(path, one) and self._imports(path, one) for one in read[path])
        }
        found = {path for path in waiting if not any(one in waiting and self._imports(path, one) for one in read[path])}
        self._done |= found
        return {path: self._earlier[path] for path in found}

    def _imports(self, path: str, other: str) -> bool:
        """Whether a file surely imports another one, and that one not it, by whatever way."""
        from devlint.analysis.project.exports import imports_back
        from devlint.analysis.project.project import Project

        if (path, other) not in self._known:
            assert self._index is not None
            own, theirs = self._index.module(path), self._index.module(other)
            self._known[path, other] = (
                own is not None
                and theirs is not None
                and imports_back(Project(other, self._index), own)
                and not imports_back(Project(path, self._index), theirs)
            )
        return self._known[path, other]

    def _is_again(self, path: str, other: str) -> bool:
        """Whether a file has got what another one has got, which it asked about: a function, or a device."""
        own, theirs = self._written[path], self._written[other]
        if any(one.startswith("def ") for one in own & theirs):
            return True
        return any(one.startswith("self.device = ") for one in theirs) and not all(
            one.startswith("self.") for one in own
        )


def _definitions(text: str) -> list[str]:
    """The lines that define a device, without the differences of quotes."""
    return [one.strip().replace("'", '"') for one in _DEFINITION.findall(text)]


def _of_instance(text: str) -> int:
    """How often a text uses the device of an instance."""
    return text.count("self.device")
