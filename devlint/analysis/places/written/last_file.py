"""The file that was asked of last: what was parsed of it is kept until another is asked of."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from devlint.analysis.places.written.definitions import TornError
from devlint.analysis.places.written.file_definitions import FileDefinitions

Found = TypeVar("Found")


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


def found_in(text: str, find: Callable[[FileDefinitions], Iterable[Found]]) -> tuple[Found, ...]:
    """What is found in a text, of which first only some functions are parsed, and all where they do not stand alone.

    Nothing is found in what is nested too deep.
    """
    for is_whole in (False, True):
        try:
            return tuple(find(LAST_FILE.definitions(text, is_whole)))
        except TornError:
            continue
        except RecursionError:
            break
    return ()
