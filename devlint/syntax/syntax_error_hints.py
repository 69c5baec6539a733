"""Hints for syntax errors on lines that were pasted from a web page, a shell or a merge conflict."""

from __future__ import annotations

from devlint.core.lazy_regex import regex

_URL = regex(r"\bhttps?://\S+")
_QUOTED = regex(r"'[^'\n]*'|\"[^\"\n]*\"|#.*")
_QUOTES = "‘’“”‛„`´"
_FULL_WIDTH = "（）［］｛｝，：；＝．！＋－＊／＜＞“”"
_PROMPT = regex(r"\s*(?:>>>|\.\.\.)(?:\s|$)|\s*(?:In|Out)\s*\[\d*\]\s*:|\s*\$ ")
_CONFLICT = regex(r"(?:<<<<<<<|=======|>>>>>>>|\|\|\|\|\|\|\|)(?:\s|$)")
_NUMBER = regex(r"\s*\d+\s*\Z")
_CODE_AFTER_NUMBER = regex(r"\s*\d+\s+[A-Za-z_@#]")
_PYTHON_2 = regex(r"\s*except\s+[\w.]+\s*,\s*\w+\s*:|\s*raise\s+[\w.]+\s*,")


def syntax_error_hint(lines: list[str], row: int) -> str | None:
    """A hint about the line ``row`` (from 1); None if there is none."""
    line = lines[row - 1] if 0 < row <= len(lines) else ""
    bare = _QUOTED.sub("", line)
    if _CONFLICT.match(line):
        return "a merge that was not finished"
    if _URL.search(bare):
        return "a web address in the middle of the code, put there by the page it was copied from"
    if _PROMPT.match(line):
        return "a prompt, copied with the code"
    if line.strip() == "?" or (_CODE_AFTER_NUMBER.match(line) and _is_numbered(lines, row)):
        return "line numbers or a `?`, copied from a page with the code"
    if any(character in bare for character in _QUOTES):
        return "typographic quotes, where Python wants ' or \""
    if any(character in bare for character in _FULL_WIDTH):
        return "full-width punctuation, which Python does not read"
    return "this looks like Python 2" if _PYTHON_2.match(line) else None


def _is_numbered(lines: list[str], row: int) -> bool:
    """Whether a neighbour of a line begins with a number too."""
    beside = lines[max(row - 2, 0) : row - 1] + lines[row : row + 1]
    return any(_NUMBER.match(one) or _CODE_AFTER_NUMBER.match(one) for one in beside)
