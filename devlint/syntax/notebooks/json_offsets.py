"""Steps through JSON text piece by piece and knows where each piece stands, which the json module does not tell."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from devlint.core.lazy_regex import regex

_SPACE = regex(r"[ \t\r\n]*")


class JsonReader:
    """Reads JSON text; what is not asked for piece by piece is read by the json module at its own speed."""

    def __init__(self, raw: str) -> None:
        self.raw = raw
        self.at = 0
        self._decode = json.JSONDecoder().raw_decode

    def peek(self) -> str:
        """The next character that is no white space; empty at the end."""
        space = _SPACE.match(self.raw, self.at)
        self.at = space.end() if space else self.at
        return self.raw[self.at : self.at + 1]

    def value(self) -> Any:
        """The next value, whatever it is."""
        self.peek()
        found, self.at = self._decode(self.raw, self.at)
        return found

    def items(self, brackets: str) -> Iterator[int]:
        """Stop before every item of an array or object, for the caller to read it; yields their numbers from 1."""
        number = 0
        self._expect(brackets[0])
        while number or self.peek() != brackets[1]:
            number += 1
            yield number
            if self.peek() == brackets[1]:
                break
            self._expect(",")
        self.at += 1

    def members(self) -> Iterator[str]:
        """Stop before the value of every member of an object."""
        for _ in self.items("{}"):
            if self.peek() != '"':
                raise json.JSONDecodeError("Expecting property name enclosed in double quotes", self.raw, self.at)
            key = self.value()
            self._expect(":")
            yield key

    def _expect(self, character: str) -> None:
        if self.peek() != character:
            raise json.JSONDecodeError(f"Expecting {character!r}", self.raw, self.at)
        self.at += 1
