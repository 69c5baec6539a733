"""The comments that suppress findings, as they are written for flake8, Ruff and devlint."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from devlint.core.diagnostic import Span
from devlint.core.lazy_regex import regex
from devlint.core.record import Record
from devlint.sources.comments import Comment, comments, lines_like_comments
from devlint.sources.source import Source
from devlint.sources.suppressions.suppression_codes import CODE, OURS, is_meant_for_devlint, written_code
from devlint.sources.suppressions.suppression_settings import DEFAULT_SUPPRESSIONS, SuppressionSettings
from devlint.sources.text_comments import comments_in
from devlint.sources.text_kinds import TextKind

_CODE_OR_NAME = rf"(?:{CODE.pattern}|[a-z]+(?:-[a-z0-9]+)+)\b"
_NOQA = regex(
    r"#[ \t]*(?P<file>(?:flake8|ruff)[ \t]*[:=][ \t]*)?noqa\b"
    rf"(?:[ \t]*:[ \t]*(?P<codes>{_CODE_OR_NAME}(?:[,\s]+{_CODE_OR_NAME})*)|(?![ \t]*:[ \t]*DEV\w*[0-9]))",
    re.IGNORECASE,
)
_OWN = regex(
    r"#[ \t]*devlint[ \t]*:[ \t]*ignore(?P<file>-file)?(?![\w-])"
    r"(?:[ \t]*\[(?P<codes>[^\]]*)\]|(?![ \t]*(?:[\[({<]|[:=]?[ \t]*DEV\d)))",
    re.IGNORECASE,
)
_PIECE = regex(r"[^,\s]+")
_HINT = regex(r"noqa|devlint[ \t]*:", re.IGNORECASE)


class Directive(Record):
    """One suppression in a comment."""

    span: Span
    """From its ``#`` to the next ``#`` or the end of the comment."""
    codes: tuple[tuple[str, Span], ...]
    """Empty where it covers every code."""
    rows: range | None
    """None for the whole file."""
    own: bool
    """Whether it is devlint's own, so that it is ours to judge even without a code."""
    theirs: bool
    """Whether it is the project's own, which other tools may heed too."""
    reason: str
    used: set[str]
    """The codes that it has suppressed; of one that ends others, the codes of these."""
    parts: tuple[Directive, ...] | None = None
    """Of a suppression of a block, the parts of it in which the same codes are off; None for others."""
    excepted: tuple[str, ...] = ()
    """In such a part, the codes that are not off."""
    ends: bool = False
    """Whether it switches codes on again."""

    def covers(self, code: str) -> bool:
        """Whether it switches ``code`` off."""
        named = not self.codes or any(code.startswith(prefix) for prefix, _ in self.codes)
        return named and not code.startswith(self.excepted)

    def concerns_us(self) -> bool:
        """Whether it may switch off any rule of devlint."""
        return not self.codes or any(code.startswith(OURS) for code, _ in self.codes)


def find_directives(source: Source, settings: SuppressionSettings = DEFAULT_SUPPRESSIONS) -> list[Directive]:
    """The suppressions that may concern devlint; tokens are asked for only where a line looks like one."""
    hint, patterns = _looked_for(settings)
    if not _may_hold_one(source.text, settings) or not hint.search(source.text):
        return []
    likely = [one for one in _directives(source, lines_like_comments(source, hint), patterns) if one.concerns_us()]
    if not likely:
        return []
    try:
        return [one for one in _directives(source, comments(source), patterns) if one.concerns_us()]
    except ValueError:
        return likely


def _may_hold_one(text: str, settings: SuppressionSettings) -> bool:
    """Whether a text has the words that every pattern has: to look for them without regard to case takes long."""
    if settings.pattern is not None:
        return True
    lower = text.lower()
    return "noqa" in lower or "devl" in lower  # no further: more letters than one match an "i"


def directives_in(
    source: Source, kind: TextKind, settings: SuppressionSettings = DEFAULT_SUPPRESSIONS
) -> list[Directive]:
    """The suppressions in a text that is no Python."""
    hint, patterns = _looked_for(settings)
    return [one for one in _directives(source, comments_in(source, kind, hint), patterns) if one.concerns_us()]


def _looked_for(settings: SuppressionSettings) -> tuple[re.Pattern[str], list[re.Pattern[str]]]:
    """What a line with a suppression has, and the patterns of suppressions."""
    theirs = settings.pattern
    if theirs is None:
        return _HINT, [*([_NOQA] if settings.noqa else []), _OWN]
    hint = re.compile(f"(?i:{_HINT.pattern})|{theirs.pattern}")
    return hint, [*([_NOQA] if settings.noqa else []), _OWN, theirs]


def _directives(source: Source, found: Iterable[Comment], patterns: Iterable[re.Pattern[str]]) -> Iterator[Directive]:
    """The suppressions in comments."""
    for comment in found:
        for pattern in patterns:
            for match in pattern.finditer(comment.text):
                fields = match.groupdict()
                at = comment.start + match.start("codes") if fields.get("codes") else 0
                codes = written_codes(at, match["codes"]) if at else ()
                if not codes and _names_rules(pattern, fields.get("codes"), comment.text[match.end() :]):
                    continue
                following = comment.text.find("#", match.end())
                end = len(comment.text) if following < 0 else following
                span = Span(comment.start + match.start(), comment.start + end)
                theirs = pattern not in (_NOQA, _OWN)
                rows = None if fields.get("file") else _with_next(source, comment) if theirs else comment.rows
                yield Directive(span, codes, rows, pattern is _OWN, theirs, comment.text[match.end() : end], set())


def _with_next(source: Source, comment: Comment) -> range:
    """The rows of a comment and, where it stands alone, those down to the next one that is no comment."""
    stop = comment.rows.stop
    if comment.alone:
        while source.line(stop).lstrip().startswith("#"):
            stop += 1
        stop += 1
    return range(comment.rows.start, stop)


def written_codes(start: int, text: str) -> tuple[tuple[str, Span], ...]:
    """The codes in ``text``, with their places when it begins at ``start``; what is neither code nor name is none."""
    found = (
        (written_code(piece.group()), Span(start + piece.start(), start + piece.end()))
        for piece in _PIECE.finditer(text)
    )
    return tuple((code, span) for code, span in found if code is not None)


def _names_rules(pattern: re.Pattern[str], named: str | None, rest: str) -> bool:
    """Whether a suppression without known codes names rules all the same, so that it is not one of all rules."""
    if pattern is _NOQA:
        return named is not None and is_meant_for_devlint(named.replace(",", " ").split()[0])
    following = _PIECE.search(rest.lstrip(" \t:=")) if pattern is _OWN else None
    return named is not None or (following is not None and written_code(following.group()) is not None)
