"""Comments that look like suppressions of devlint but are none: misspelled, or of codes that no rule has."""

from __future__ import annotations

from devlint.core.catalogue import RULES
from devlint.core.diagnostic import Edit, Span
from devlint.core.errors import did_you_mean
from devlint.core.lazy_regex import regex
from devlint.core.record import Record
from devlint.sources.comments import Comment, comments, lines_like_comments
from devlint.sources.source import Source
from devlint.sources.suppressions.suppression_codes import is_known, is_meant_for_devlint, nearest, written_code
from devlint.torch_api.spelling import is_one_edit

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator

_HINT = regex(r"#[ \t]*devlint\b|noqa[ \t]*:", 2)
_OWN = regex(r"#[ \t]*devlint(?P<colon>[ \t]*:)?[ \t]*(?P<word>[a-z][\w-]*)(?P<rest>[^#]*)", 2)
_NOQA = regex(r"#[ \t]*(?:(?:flake8|ruff)[ \t]*[:=][ \t]*)?noqa[ \t]*:[ \t]*(?P<codes>[^#]*)", 2)
_BRACKETS = regex(r"[ \t]*\[(?P<codes>[^\]]*)\]")
_OTHER_FORM = regex(r"[ \t]*[\[({<:=]?[ \t]*(?P<codes>[\w-]+(?:[ \t]*,[ \t]*[\w-]+)*)(?:[ \t]*[\])}>])?")
_PIECE = regex(r"[^,\s]+")
_WORDS = ("ignore", "ignore-file", "disable", "enable")
_BLOCK_WORDS = _WORDS[2:]
_EQUALS = regex(r"[ \t]*=[ \t]*(?P<codes>[\w-]+(?:[ \t]*,[ \t]*[\w-]+)*)")


class UnknownSuppression(Record):
    """What is wrong with one comment, and what is to be done."""

    span: Span
    message: str
    edit: Edit | None
    """Makes the suppression of it that was meant; None where that is not certain."""
    rows: range | None
    """Those it would speak for; None for the whole file."""


def unknown_suppressions(source: Source, noqa: bool) -> list[UnknownSuppression]:
    """The comments of a program that suppress nothing though they were meant to; ``noqa`` where those count, too."""
    lower = source.text.lower()
    if "devlint" not in lower and not (noqa and "noqa" in lower):
        return []
    if not any(_unknown(lines_like_comments(source, _HINT), noqa)):
        return []
    try:
        return list(_unknown(comments(source), noqa))
    except ValueError:
        return []


def _unknown(found: Iterable[Comment], noqa: bool) -> Iterator[UnknownSuppression]:
    for comment in found:
        for match in _OWN.finditer(comment.text):
            yield from _in_own(comment, match)
        for match in _NOQA.finditer(comment.text) if noqa else ():
            yield from _in_noqa(comment, match)


def _in_noqa(comment: Comment, match: re.Match[str]) -> Iterator[UnknownSuppression]:
    """What is wrong with the codes of ``# noqa: …`` that are meant for devlint."""
    for piece in _PIECE.finditer(match["codes"]):
        text = piece.group()
        if is_meant_for_devlint(text) and not is_known(text):
            yield _unknown_code(comment, match.start("codes") + piece.start(), text, comment.rows)
        elif written_code(text) is None:
            return  # a reason


def _in_own(comment: Comment, match: re.Match[str]) -> Iterator[UnknownSuppression]:
    """What is wrong with ``# devlint: ignore[…]``."""
    word, rest = match["word"].lower(), match["rest"]
    rows = None if word.endswith("file") else comment.rows
    if word not in _WORDS:
        near = next((one for one in _WORDS if is_one_edit(word, one)), None)
        if match["colon"] and (near or _BRACKETS.match(rest)):
            said = f"`{word}` is no word of devlint's: write `{near or 'ignore'}`"
            yield _wrong(comment, match.span("word"), said, near, rows)
        return
    brackets = (_EQUALS.match(rest) if word in _BLOCK_WORDS else None) or _BRACKETS.match(rest)
    if not match["colon"]:
        if brackets:
            at = match.start("word")
            start = comment.text.lower().index("devlint", match.start()) + len("devlint")
            yield _wrong(comment, (start, at), f"A colon is missing: `devlint: {word}`", ": ", rows)
    elif brackets:
        if not _PIECE.search(brackets["codes"]):
            yield _wrong(comment, match.span("word"), f"`{word}[]` names no rule", None, rows)
        for piece in _PIECE.finditer(brackets["codes"]):
            if not is_known(piece.group()) and not (word in _BLOCK_WORDS and piece.group().lower() == "all"):
                at = match.start("rest") + brackets.start("codes") + piece.start()
                yield _unknown_code(comment, at, piece.group(), rows)
    else:
        other = _OTHER_FORM.match(rest)
        codes = other["codes"].replace(",", " ").split() if other else []
        is_meant = bool(codes) and (is_known(codes[0]) or is_meant_for_devlint(codes[0]))
        if other is not None and (is_meant or rest.lstrip().startswith(tuple("[({<"))):
            right = "=" + ",".join(codes) if word in _BLOCK_WORDS else f"[{', '.join(codes)}]"
            where = "behind `=`" if word in _BLOCK_WORDS else "in square brackets"
            said = f"Codes and names stand {where}: `{word}{right}`"
            place = match.start("rest"), match.start("rest") + other.end()
            yield _wrong(comment, place, said, right if all(map(is_known, codes)) else None, rows)
        elif word == "disable":
            yield _wrong(comment, match.span("word"), "`disable` names no rule: write `disable=CODES`", None, rows)


def _unknown_code(comment: Comment, at: int, text: str, rows: range | None) -> UnknownSuppression:
    """What to say of a code or name that no rule has."""
    near = nearest(text)
    hint = f" (did you mean {near[0]!r}?)" if near else did_you_mean(text.lower(), [one.name for one in RULES])
    correction = near[0] if len(near) == 1 else None
    return _wrong(comment, (at, at + len(text)), f"No rule is called `{text}`{hint}", correction, rows)


def _wrong(
    comment: Comment, place: tuple[int, int], message: str, text: str | None, rows: range | None
) -> UnknownSuppression:
    span = Span(comment.start + place[0], comment.start + place[1])
    return UnknownSuppression(span, message, Edit(span, text) if text else None, rows)
