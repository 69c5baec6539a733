"""The file that was asked of last: what was parsed of it is kept until another is asked of."""

from __future__ import annotations

from devlint.analysis.places.written.file_definitions import FileDefinitions


class LastFile:
    """What is known of the functions and classes of one text."""

    def __init__(self) -> None:
        self._key = ("", False)
        self._known: FileDefinitions | None = None

    def definitions(self, text: str, is_whole: bool) -> FileDefinitions:
        """Those of a text, which several rules ask of one after the other."""
        if self._known is None or self._key != (text, is_whole):
            if self._known is not None:
                self._known.forget()
            self._known = None
            self._known, self._key = FileDefinitions(text, is_whole), (text, is_whole)
        return self._known


LAST_FILE = LastFile()
