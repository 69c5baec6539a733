"""The texts that a file has and may get, each parsed once."""

from __future__ import annotations

from devlint.core.target import Target
from devlint.sources.source import Source
from devlint.syntax.file_context import FileContext
from devlint.syntax.parse import parse_module


class ParseCache:
    """The contexts of some texts of one file."""

    def __init__(self, target: Target, around: object = None) -> None:
        self._target = target
        self._around = around
        self._contexts: dict[str, FileContext] = {}

    def context(self, source: Source, parsed_text: str = "") -> FileContext:
        """The context of a text, of which only ``parsed_text`` is parsed; raises SourceError and TooComplexError."""
        found = self._contexts.get(source.text)
        if found is None:
            text = parsed_text or source.text
            found = FileContext(source, self._target, parse_module(text), text, self._around)
            self._contexts[source.text] = found
        return found

    def keep_only(self, *sources: Source) -> None:
        """Forget all other texts."""
        for text in self._contexts.keys() - {one.text for one in sources}:
            self._contexts.pop(text).forget()
