"""Guards against what LibCST's native parser cannot take: it crashes, or takes minutes and gigabytes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from devlint.core.lazy_regex import regex
from devlint.syntax.python_tree.python_ast import excess

MAX_BRACKET_DEPTH = 200
"""CPython's own limit; LibCST's parser overflows the C stack (SIGSEGV) at some thousands."""
MAX_INDENT_DEPTH = 100
"""CPython's own limit."""
MAX_LEVELS = 400_000
"""Blocks around each line, of all lines: where they are deep the parser takes 0.8 KB for each."""
MAX_CHAIN = 500
"""Links of one operator or attribute chain; the parser is quadratic in them and code generation recursive."""
MAX_STRINGS = 2_500
"""Strings in a row; they take the parser less time than other chains."""
MAX_CHAIN_WORK = 5_000_000
"""Squares of the lengths of long chains in all: up to 0.5 µs of the parser's time each, and 50 bytes."""
MAX_LINES = 50_000
"""Lines of code: the tree of the shortest statement takes 8 KB."""
MAX_ELIFS = 500
"""Branches of one ``if``, for they are nested; code generation gives up at about as many."""
MAX_LAMBDAS = 150
"""Functions without a name in one another: twice as many overflow the C stack."""
MAX_PATTERN_DEPTH = 7
"""Of brackets in one ``case`` or ``del``: time grows up to fourfold with each, and is 0.1 s at eight."""
MAX_WORK = 600_000
"""Brackets, each times the levels in it: the parser copies each level some times, which takes 15 µs and 3 KB."""
MAX_ITEMS = 100_000
"""Commas, colons, brackets, ``=`` and dots that are in no number: what stands before one takes up to 8 KB as a tree."""
MAX_MENTIONS = 5_000
"""Of CUDA outside comments: a finding, with its fix and what is asked for it, takes up to 70 KB and a millisecond."""

_STRINGS = regex(
    r"""\"\"\"[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*\"\"\"|'''[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*'''"""
    r"""|"[^"\\\n]*(?:\\.[^"\\\n]*)*"|'[^'\\\n]*(?:\\.[^'\\\n]*)*'|\#[^\n]*""",
    re.DOTALL,
)
_CLASSES = {
    "([{": "(",
    ")]}": ")",
    ",;": ",",
    "=": "=",
    ":": ":",
    "+-&|^<>!": "+",
    ".*/%@~": ".",
    "\"'": '"',
    "\n": "\n",
    "$": "$",
}
_CLASS_OF = bytes.maketrans(
    *("".join(part).encode() for part in zip(*((one, made) for ones, made in _CLASSES.items() for one in ones)))
)
_REST = bytes(byte for byte in range(256) if byte not in "".join(_CLASSES).encode())
_GROUP = regex(rb"\([^()]*\)")
_LONG = 64
"""Links that are worth a look."""
_LONG_GROUP = regex(rb"\([^()]{%d,}\)" % _LONG)
_LONG_LINE = regex(rb"[^\n]{%d,}" % _LONG)
_SEPARATOR = regex(rb"[,:=()]")
_ITEM = regex(r"[,:=(\[{]|\.(?!\d)")
_CODE_LINE = regex(r"^[ \t\f]*[^\s#]", re.MULTILINE)
_FIELD = regex(rf"\{{([^{{}}]{{{MAX_CHAIN},}})\}}")
_LONG_F_STRING = regex(r"[fF][rR]?(?:\"\"\"|'''|\"[^\"\n]{500}|'[^'\n]{500})")
_NESTED_LAMBDAS = regex(rb"(?:\$[,=.+\"]*:?[.+\"]*){%d}" % (MAX_LAMBDAS + 1))
_LINK_WORDS = {"and": "+", "for": "+", "or": "+", "not": "+", "else": "++", "await": ".", "lambda": "$"}
_PATTERN = regex(r"\n[ \t\f]*(?:case|del)\b|[;:][ \t]*del\b")
_BRACKET_OR_END = regex(r"(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<end>\n)")
_ELIF = regex(r"^([ \t]*)(elif\b|else\b|if\b)?", re.MULTILINE)


class TooComplexError(Exception):
    """A file that is Python, but nothing devlint can take apart in bounded time and memory."""


def refuse_pathological(text: str) -> None:
    """Raise TooComplexError for what would crash the parser, or take it for ever."""
    too_large = excess(text)
    if too_large:
        raise TooComplexError(too_large)
    if "\n" + " " * MAX_INDENT_DEPTH in text or "\n" + "\t" * MAX_INDENT_DEPTH in text:
        if max(_levels(text), default=0) > MAX_INDENT_DEPTH:
            raise TooComplexError(f"has blocks nested more than {MAX_INDENT_DEPTH} deep, left alone")
    if text.count("\n" + " " * 10) + text.count("\n" + "\t" * 10) > MAX_LEVELS // MAX_INDENT_DEPTH:
        if sum(_levels(text)) > MAX_LEVELS:
            raise TooComplexError(f"has lines with more than {MAX_LEVELS:,} levels of blocks in all, left alone")
    _refuse_code(text)


def _refuse_code(text: str) -> None:
    """Look at a text without its strings: roughly, and exactly where that would refuse it."""
    code = _STRINGS.sub('"', text)
    try:
        depth = _refuse_shapes(_shape(code))
    except TooComplexError:
        code = _without_comments(text)
        depth = _refuse_shapes(_shape(code, exact=True))
    if depth > MAX_PATTERN_DEPTH and _deepest_pattern(code) > MAX_PATTERN_DEPTH:
        raise TooComplexError(f"has a `case` or `del` nested more than {MAX_PATTERN_DEPTH} deep, left alone")
    if _opened(text) - _opened(code) > MAX_BRACKET_DEPTH or _LONG_F_STRING.search(text):
        _refuse_f_strings(text)
    if code.count("\n") > MAX_LINES and _count_lines(text) > MAX_LINES:
        raise TooComplexError(f"holds more than {MAX_LINES:,} lines of code: generated code, left alone")
    if sum(map(code.count, ",:=([{.")) > MAX_ITEMS and len(_ITEM.findall(code)) > MAX_ITEMS:
        raise TooComplexError(
            f"holds more than {MAX_ITEMS:,} commas, brackets and the like: generated data, left alone"
        )
    if text.count("cuda") > MAX_MENTIONS and _uncommented(text).count("cuda") > MAX_MENTIONS:
        raise TooComplexError(f"speaks of CUDA more than {MAX_MENTIONS:,} times: generated code, left alone")
    if code.count("elif") > MAX_ELIFS and _most_elifs(code) > MAX_ELIFS:
        raise TooComplexError(f"has an `if` of more than {MAX_ELIFS} branches, left alone")


def _without_comments(text: str) -> str:
    """A text with a quotation mark in the place of each string."""
    return _STRINGS.sub(lambda found: "" if found.group().startswith("#") else '"', text)


def _uncommented(text: str) -> str:
    """A text without its comments."""
    return _STRINGS.sub(lambda found: "" if found.group().startswith("#") else found.group(), text)


def _count_lines(text: str) -> int:
    """The lines of code in a text; a string has one."""
    return sum(1 for _ in _CODE_LINE.finditer(_without_comments(text)))


def _opened(text: str) -> int:
    """How many brackets a text opens."""
    return text.count("(") + text.count("[") + text.count("{")


def _refuse_f_strings(text: str) -> None:
    """Look at the expressions in long f-strings, which are parsed with all else."""
    for found in _STRINGS.finditer(text):
        start, end = found.span()
        if end - start > MAX_BRACKET_DEPTH and "f" in text[max(start - 2, 0) : start].lower():
            _refuse_shapes(_shape(found.group()).translate(None, b'.+,:="$\n'))
            for part in _FIELD.findall(found.group()):
                _links(_shape(part).replace(b"\n", b""))


def _refuse_shapes(shape: bytes) -> int:
    """Take the brackets off, innermost first, and look at what stands between them; how deep they are."""
    depth = brackets = chains = 0
    while True:
        chains += sum(_links(group.replace(b"\n", b"")) for group in _LONG_GROUP.findall(shape))
        shape, count = _GROUP.subn(b".", shape)
        if not count:
            break
        depth += 1
        brackets += depth * count
        if brackets > MAX_WORK:
            raise TooComplexError("has too many nested brackets in all: generated data, left alone")
    depth += shape.count(b"(")
    if depth > MAX_BRACKET_DEPTH:
        raise TooComplexError(f"has brackets nested more than {MAX_BRACKET_DEPTH} deep, left alone")
    if chains + sum(map(_links, _LONG_LINE.findall(shape))) > MAX_CHAIN_WORK:
        raise TooComplexError("has too many long expressions in all: generated code, left alone")
    return depth


def _shape(code: str, exact: bool = False) -> bytes:
    """Brackets, links and what separates them, a character each; names and white space are left out.

    Unless ``exact``, a comment counts as a string, and a word that holds ``or`` as an operator: that is cheaper.
    """
    code = code.replace("\\\n", "")
    if code.count("=") > MAX_CHAIN // 4:
        for sign in ("==", "!=", "<=", ">="):
            code = code.replace(sign, "+")
    for word, sign in _LINK_WORDS.items():
        if code.count(word) > MAX_LAMBDAS:
            code = re.sub(rf"\b{word}\b", sign, code) if exact else code.replace(word, sign)
    return code.encode("ascii", "ignore").translate(_CLASS_OF, _REST)


def _links(shape: bytes) -> int:
    """The work with what stands on one line, or between two brackets; refuses it if it is too long a chain."""
    if shape.count(b"$") > MAX_LAMBDAS and _NESTED_LAMBDAS.search(shape):
        raise TooComplexError(f"has more than {MAX_LAMBDAS} `lambda` in one another, left alone")
    return sum(_chain(part) for part in _SEPARATOR.split(shape) if len(part) >= _LONG)


def _chain(links: bytes) -> int:
    """The work with one chain: that of a sum is the square of its terms, and with each term the square of its links."""
    strings = links.count(b'"')
    terms = [len(term) for term in links.replace(b'"', b"").split(b"+")]
    if len(terms) - 1 + max(terms) > MAX_CHAIN:
        raise TooComplexError(f"has an expression of more than {MAX_CHAIN} links, left alone")
    if strings > MAX_STRINGS:
        raise TooComplexError(f"has more than {MAX_STRINGS:,} strings in a row, left alone")
    return len(terms) ** 2 + sum(term * term for term in terms) + strings * strings // 16


def _deepest_pattern(code: str) -> int:
    """The deepest nesting of brackets in a ``case`` or ``del``."""
    deepest = end = 0
    code = "\n" + code
    for keyword in _PATTERN.finditer(code):
        if keyword.end() < end:
            continue
        depth = 0
        for match in _BRACKET_OR_END.finditer(code, keyword.end()):
            end = match.end()
            depth += {"open": 1, "close": -1}.get(match.lastgroup or "", 0)
            deepest = max(deepest, depth)
            if depth <= 0 and match.lastgroup == "end":
                break
    return deepest


def _most_elifs(code: str) -> int:
    """How many ``elif`` follow one another, as deep in blocks as each other."""
    counts: dict[int, int] = {}
    most = 0
    for match in _ELIF.finditer(code):
        width = len(match[1])
        if match[2] == "elif":
            counts[width] = counts.get(width, 0) + 1
            most = max(most, counts[width])
        elif match[2] == "if":
            counts[width] = 0
    return most


def _levels(text: str) -> Iterator[int]:
    """For each line of code, how many distinct indentations are open at once."""
    stack = [0]
    for line in text.splitlines():
        stripped = line.lstrip()
        width = len(line) - len(stripped)
        if not stripped or stripped.startswith("#"):
            continue
        while stack[-1] > width:
            stack.pop()
        if width > stack[-1]:
            stack.append(width)
        yield len(stack) - 1
