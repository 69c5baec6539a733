"""Whether a name may be that of a tensor, told from the text of a program, where ``tensors`` asks its tree.

A name may be one unless all that stands behind it, wherever it stands, is plainly something else: an attribute that
other objects have, too, the end of an argument, an annotation or a value that is no tensor.
"""

from __future__ import annotations

from devlint.core.lazy_regex import regex
from devlint.core.regex_fragments import any_of, brackets
from devlint.torch_api.tensor_functions import FACTORIES, KEPT, MADE, NEW, ONLY_TENSORS, PARAMETERS, PARTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_NAMES, _MOST_PLACES, _LONGEST = 16, 2_000, 200
"""So many names are looked for in a text, and at so many places in all; after that any name may be one."""
_PARTS = frozenset(name.encode() for name in PARTS | PARAMETERS)
"""Attributes that may be tensors, whatever they are given."""
_MAKERS = frozenset(one.rpartition(".")[2].encode() for one in FACTORIES | NEW | MADE | {"next"})
_KEPT = frozenset(one.encode() for one in KEPT) - _MAKERS
"""Methods of a tensor that give a tensor, and are no functions that do."""
_RECEIVER = regex(rb"(?<![\w\x80-\xff])([a-zA-Z_]\w*+)\.\Z")
_WORD = regex(rb"[\w\x80-\xff]")
_NO_TENSOR = rb"(?![^\n]{0,300}?(?:Tensor|Parameter|Variable))"
_TYPE = _NO_TENSOR + rb"[\w.\"' |]++(?:\[(?:[^\[\]\n]|\[[^\[\]\n]*+\])*+\][\w. |]*+)*+"
_NO_ROW = rb"(?=(?:[^\n=\\]|[!=<>]=){0,300}+\n)(?![\w\s.,*\[\]]{0,300}+(?:(?:\)[ \t]*+)++|(?<=\])|(?<=\] ))=(?!=))"
"""What follows no element of a tuple that is given a value."""
_METHOD = rb"\)*+\s*+(?:\.\s*+" + any_of(ONLY_TENSORS).encode() + rb"|in\b)"
_LOOP = rb"in\b(?![^\n]{0,300}?(?:parameters|buffers))(?=[^\n]{0,300}+(?<=:)\n)"
_ELSE = regex(
    rb"\.(?!%(method)s)[a-zA-Z_]|[(\[\"'}`]|[ \t]++(?!in\b)[a-zA-Z_{]|[ \t]++%(loop)s|[ \t]*+(?:[-+*/%%<>&|]|[!=]=)"
    rb"|[,)\]](?!%(methods)s)%(row)s|\r?\n(?!\s*+[.=,:)\]])"
    rb"|:[ \t]*+(?:%(type)s(?:[,)]|\r?\n(?!\s*+[|.\[]))|\r?\n%(no)s)"
    rb"|(?::[ \t]*+%(type)s)?[ \t]*+=(?!=)[ \t]*+(?:None|True|False|[\d.]++|\"[^\"\\\n]*+\"|'[^'\\\n]*+'"
    rb"|(?P<value>[a-zA-Z_]\w*+(?:\.\w++)*+)(?P<called>(?=\()%(pair)s)?)[ \t]*+(?:[,;)\r\n]|if\b)"
    % {
        b"loop": _LOOP,
        b"method": any_of(ONLY_TENSORS).encode(),
        b"methods": _METHOD,
        b"row": _NO_ROW,
        b"type": _TYPE,
        b"no": _NO_TENSOR,
        b"pair": brackets().encode(),
    }
)
"""What shows that a name, at this place, is not that of a tensor, and is not given one."""
_BRACKETS = regex(rb"\w\([^()\"'#]*+\Z")
_MODULES = frozenset({b"functional", b"special"})
_FUNCTIONS = tuple(regex(module + rb"[\s\\]++import\b") for module in _MODULES)
"""Imports of functions that make tensors, whatever their names are."""


class TensorNames:
    """The names that were asked for in one text."""

    def __init__(self) -> None:
        self._text = b""

    def may_be_before(self, text: bytes, start: int) -> bool:
        """Whether the method that stands there may be a tensor's, by the name of what it is a method of."""
        receiver = _RECEIVER.search(text, max(start - _LONGEST, 0), start)
        if receiver is None:
            return True
        if text is not self._text:
            self._read(text)
        names = [receiver[1]]
        for name in names:  # which grow meanwhile
            if name not in self._values:
                self._values[name] = self._values_of(name)
            values = self._values[name]
            if values is None or len(self._values) > _MOST_NAMES:
                return True
            names += (one for one in values if one not in names)
        return False

    def _read(self, text: bytes) -> None:
        """What holds of all names in a text."""
        self._text = text
        self._left = _MOST_PLACES
        self._values: dict[bytes, set[bytes] | None] = {}
        """The names whose values each is given; None for one that may be a tensor."""

    def _values_of(self, name: bytes) -> set[bytes] | None:
        """The names whose values a name is given; None where it may be a tensor for another reason."""
        found: set[bytes] = set()
        for start, end in self._places(name):
            self._left -= 1
            after = _ELSE.match(self._text, end)
            if after is None and self._text.startswith(b",", end) and self._is_argument(start):
                continue
            if after is None or self._left < 0 or self._words_before(start)[-1:] == [b"def"]:
                return None
            if self._text.startswith(b",", after.end() - 1) and self._ends_row(start, end):
                return None
            if after["value"]:
                *owner, last = after["value"].split(b".")
                if not after["called"]:
                    found.add(last)
                elif owner and last in _KEPT:
                    found.add(owner[-1])
                elif last in _MAKERS or self._may_be_renamed(owner, last):
                    return None
        return None if name in _PARTS else found

    def _places(self, name: bytes) -> Iterator[tuple[int, int]]:
        """Where a name stands as a whole."""
        start = self._text.find(name)
        while start >= 0:
            end = start + len(name)
            if not (_WORD.match(self._text, end) or (start and _WORD.match(self._text, start - 1))):
                yield start, end
            start = self._text.find(name, end)

    def _is_argument(self, start: int) -> bool:
        """Whether a name stands in the brackets of a call or of a definition."""
        return _BRACKETS.search(self._text, max(start - _LONGEST, 0), start) is not None

    def _ends_row(self, start: int, end: int) -> bool:
        """Whether a name with a value is the last of several that are given one each."""
        before = self._text[max(start - _LONGEST, 0) : start].rstrip(b" \t\\(")
        return before.endswith(b",") and not self._text.startswith(b",", end) and not self._is_argument(start)

    def _may_be_renamed(self, owner: list[bytes], function: bytes) -> bool:
        """Whether a function may be one that makes tensors, by a module of such functions or by another name."""
        if not _MODULES.isdisjoint(owner):
            return True
        before = [self._words_before(start) for start, _ in self._places(owner[0] if owner else function)]
        renamed = [words[:-1] for words in before if words[-1:] == [b"as"]]
        if owner:
            return any(words[-1:] and words[-1].rpartition(b".")[2] in _MODULES for words in renamed)
        return bool(renamed) or any(one.search(self._text) for one in _FUNCTIONS)

    def _words_before(self, start: int) -> list[bytes]:
        """The last words before a place."""
        return self._text[max(start - _LONGEST, 0) : start].replace(b"\\", b" ").split()
