"""The texts that a file has and may get, each parsed once while it is wanted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from devlint.core.gc_pause import no_search
from devlint.core.target import Target
from devlint.sources.source import Source
from devlint.syntax.file_context import FileContext
from devlint.syntax.parse import parse_module


class Opened:
    """The contexts of some texts of one file."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self._contexts: dict[str, FileContext] = {}

    def context(self, source: Source) -> FileContext:
        """The context of a text; raises SourceError and TooComplexError."""
        found = self._contexts.get(source.text)
        if found is None:
            found = FileContext(source, self.target, parse_module(source.text))
            self._contexts[source.text] = found
        return found

    def keep_only(self, *sources: Source) -> None:
        """Forget all other texts."""
        for text in self._contexts.keys() - {one.text for one in sources}:
            self._contexts.pop(text).forget()


@contextmanager
def opening(target: Target) -> Iterator[Opened]:
    """Open texts for a while, in which no garbage is looked for: no tree outlives it."""
    opened = Opened(target)
    with no_search():
        try:
            yield opened
        finally:
            opened.keep_only()
