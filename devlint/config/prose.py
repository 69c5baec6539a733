"""Which torch and which Python a text in plain words asks for, such as a README: ``Requirements: PyTorch 0.3.1``."""

from __future__ import annotations

import re

from devlint.core.lazy_regex import regex
from devlint.core.record import Record
from devlint.core.target import release_below, torch_version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Version = tuple[int, ...]

_LONGEST = 2_000
"""Characters of a line that are looked at; prose has no longer ones."""
_WHEEL = regex(r"\btorch-(\d\.\d+(?:\.\d+)?)[\w.+%]{0,40}(?:-cp(\d)(\d+))?[\w.+%-]{0,60}\.whl", re.IGNORECASE)
_BADGE = regex(
    r"\bbadge/(?:made[-_]with[-_])?((?:py)?torch|python)[-_ ](?:version[-_ ])?([^\s\"'()/-]{1,60})", re.IGNORECASE
)
_LINK = regex(r"!?\[([^\[\]]{0,300})\]\(([^()\s]{0,400})[^()]{0,100}\)")
_OTHER_TREE = regex(r"/(?:tree|releases?|tags?|blob|commits?)/")
_TAG = regex(r"</?[A-Za-z][^<>]{0,400}>")
_CELL = regex(r"\|(?= *v?\d+\.\d+\.\d+)")
_MARKUP = regex(r"[`*\\\"“”]|(?<!\d)_|_(?![A-Za-z])")
_SPACES = regex(r"\s+")
_CODED = {
    "%3E": ">",
    "%3C": "<",
    "%3D": "=",
    "%2B": "+",
    "%20": " ",
    "&gt;": ">",
    "&lt;": "<",
    "&ge;": ">=",
    "&le;": "<=",
}
_SENTENCE = regex(r"(?<=[.!?;])\s+(?=[^\W\d_a-z]|\W)|(?<=;) |(?<=[。；])")
_NUMBER = r"(\d)\.(\d{1,2})(?:\.(\d+))?(?:\.\d+)*(?:\.x\b)?(?:\.?(?:post|a|b|rc|dev)\d+)*"
_UNIT = r" ?(?:s|secs?|seconds|ms|min|minutes|h|hours|fps|[kmg]b?|mib|gib|x|times|±|epochs?|ap|map|psnr|ssim)\b"
_FOLDER = r"/(?! ?v?\d| ?[A-Za-z]+[ :=-]{0,2}v?\d| \w)"
_END = rf"(?![\w%]|{_FOLDER}|{_UNIT}|\.\d|\.(?:pth?|pkl|tar|t?gz|zip|py|ipynb|git|h5|png|txt|md)\b)"
_GAP = (
    r"(?: ?(?:[:=(\[~^–—-]|['’]s\b|,(?= ?v)|\b(?:(?:tested|developed|built|implemented) (?:with|on|under|in)"
    r"|versions?|ver|v(?=[ .]?\d)|release|framework|library|stable|(?:with|of)(?= v)|at least|minimum|is|cpu|gpu"
    r"|currently|tested|recommended|installed|required|requires?|needs?|should be|must be)\b\.?|版本)){0,6} ?"
)
_COMPARED = r"(>=|=>|<=|=<|≥|≤|>|<|===?|~=|\^|=)? ?v?\.? ?"
_TORCH = regex(
    rf"(?<![\w./@#+])(?<!\w-)(?:pytorch/)?(?:py ?-?torch|torch){_GAP}{_COMPARED}{_NUMBER}{_END}", re.IGNORECASE
)
_OF_TORCH = regex(
    rf"\bversions? ?:? ?v?()?{_NUMBER}{_END} (?:of|for) (?:the )?(?:py)?torch\b(?! ?-?[a-z]+[ =]*\d)", re.IGNORECASE
)
_PYTHON = regex(rf"(?<![\w./@#])(?<!\w-)python{_GAP}{_COMPARED}(?:{_NUMBER}|(2)(?!\.?\d)(?:\.x)?){_END}", re.IGNORECASE)
_MORE = regex(
    rf" ?(?:,|/|&|、|->|→|-|–|~|\bor\b|\band\b|\bto\b) ?(?:or |and )?v?{_NUMBER}{_END}"
    r"(?= ?(?:$|[^\w ]|(?:or|and|are|is|should|works?|with|on|for|in|to|under|both|as|were|was|has|have|but)\b))",
    re.IGNORECASE,
)
_OPEN = regex(
    r" ?\+(?!\w)| ?[,(]? ?(?:or|and|&|/)? ?(?:any |a |the )?(?:above|higher|later|newer|up\b|upwards?|greater"
    r"|more recent|onwards?|beyond|latest|及?以上)",
    re.IGNORECASE,
)
_BELOW = regex(rf" ?[,(]? ?(?:and|&)? ?(<=?) ?v?{_NUMBER}", re.IGNORECASE)
_TAIL = (
    r"(?:(?!\b(?:needs?|requires?|uses?|using|tested|written|implemented|and|runs?|works?|install|developed|to|into)\b)"
    r"[^,;:()]){0,25}$"
)
_HAPPENED = (
    r"\b(?:ported|port|migrat\w*|upgrad\w*|updat\w*|convert\w*|mov\w*|switch\w*|chang\w*|adapt\w*|differ\w*"
    r"|fork\w*|cop(?:y|ied)|taken|derived|borrowed)\b"
)
_LEFT = regex(
    r"(?:(?:\bnot\b|n['’]t\b|\bno longer\b|\bcannot\b|\bnever\b)[^,;:()]{0,20}"
    r"\b(?:support\w*|compatib\w*|work\w*|run|tested|requires?|need)\b[^,;:()]{0,15}$"
    rf"|\b(?:drop\w*|remov\w*|deprecat\w*|break\w*|incompatib\w*|fails?)\b{_TAIL}"
    rf"|{_HAPPENED}[^,;:()]{{0,30}}\bfrom\b{_TAIL}"
    r"|\b(?:instead of|rather than|other than|unlike|than|since|until|as of|prior to|before|after|early)"
    r"(?: the| version)* $"
    r"|\b(?:if|when|in case)\b(?:(?!n['’]t\b|\bnot\b)[^,;:()]){0,20}"
    r"\b(?:us(?:e|ed|ing)|with|have|on|prefer|want|looking for)\b[^,;:()]{0,12}$"
    rf"|\bmov(?:e|ed|ing)\b[^,;:()]{{0,20}}\bcodes?\b{_TAIL}"
    rf"|\bfor (?:users? of |older |old ){_TAIL}"
    r"|\b(?:bug|issue|problem|error)s? (?:in|with|of|on|under) $)",
    re.IGNORECASE,
)
_SWITCHED = regex(rf"{_HAPPENED}[^,;:()]{{0,40}}$", re.IGNORECASE)
_NOW = regex(
    r"(?:\b(?:updated?|upgraded?|migrated?|ported|converted|adapted|rewritten|refactored)\b[^;,]{0,40}\b(?:to|for)\b"
    r"|\bnow\b[^;,]{0,30}\b(?:requires?|needs?|uses?)\b)[^;,]{0,25}$|\bnow $",
    re.IGNORECASE,
)
_OF_NOW = regex(r"[ )]{0,3}(?:is|are) (?:now )?(?:required|needed) (?:for|by) the current\b", re.IGNORECASE)
_REFUSED = regex(
    r"[ )]{0,3}(?:,? ?(?:which|that|it) )?(?:(?:is|are|was|has|have|does|do|did|will|may|might|should|can|could)"
    r"(?: not|n['’]t|not)|won['’]t|cannot|(?:is |are )?no longer|not)"
    r" (?:(?:be|been|yet|currently|fully|officially|longer) )*"
    r"(?:support\w*|work\w*|compatib\w*|recommended|tested|guaranteed|needed|required)\b"
    r"(?! ?(?:with|on|for|in|under|by|from) (?!this|the code|our|my))",
    re.IGNORECASE,
)
_BREAKS = regex(r"[ )]{0,3}(?:(?:will|would|may|might|can) )?(?:breaks?|fails?|crash(?:es)?)\b", re.IGNORECASE)
_ELSEWHERE = regex(
    r"(?<!-)\bbranch(?:es)?\b|\b(?:in|see|use|under|by|to) (?:the )?(?:\S+ )?tags?\b|\bcheckout\b|\blegacy\b"
    r"|\b(?:old(?:er)?|previous|earlier) (?:versions?|codes?|releases?|implementations?)"
    r"(?! ?(?:of )?(?:the )?\(?(?:py)?torch)",
    re.IGNORECASE,
)
_HERE = regex(r"\b(?:master|main|this|current|default) branch\b", re.IGNORECASE)
_TYPED = ("0", "1", "2", "3", "4", "5", "10", "11", "12", "20", "30", "31", "40", "41")
"""The second numbers of old releases of torch, and what is typed for 0.3.1."""


class Stated(Record):
    """What a text says of a program's needs."""

    lowest: Version | None = None
    """The lowest version it is said to run with."""
    is_open: bool = False
    """Whether newer ones are said to do as well: ``0.3+``."""


class _Claim(Record):
    """One statement."""

    version: Version
    is_open: bool
    is_new: bool = False
    """Whether it is said that this is what is needed by now, whatever was before."""


def stated_torch(text: str) -> Stated:
    """The lowest torch that a text asks for; the lowest of all statements, unless one says what holds by now."""
    claims = list(_claims(text, _TORCH, "torch"))
    newest = max((one.version for one in claims if one.is_new), default=None)
    if newest is not None:
        claims = [one for one in claims if one.version >= newest]
    lowest = min((one.version for one in claims), default=None)
    return (
        Stated(lowest, all(one.is_open for one in claims if one.version == lowest)) if lowest is not None else Stated()
    )


def stated_python(text: str) -> Version | None:
    """The lowest Python that a text names as what the program runs with."""
    return min((one.version for one in _claims(text, _PYTHON, "python")), default=None)


def _claims(text: str, pattern: re.Pattern[str], word: str) -> Iterator[_Claim]:
    for line in text.splitlines():
        if word in line.lower() or ".whl" in line:
            for sentence in _SENTENCE.split(_plain(line[:_LONGEST])):
                yield from _claims_in(sentence, pattern)


def _plain(line: str) -> str:
    """A line without markup; what wheels and badges stand for is said in words behind it."""
    said = [
        f"torch {one[1]}; python {one[2]}.{one[3]}" if one[2] else f"torch {one[1]}" for one in _WHEEL.finditer(line)
    ]
    for coded, sign in _CODED.items():
        line = line.replace(coded, sign)
    said += [f"{one[1]} {one[2]}" for one in _BADGE.finditer(line)]
    line = _LINK.sub(lambda found: found[1] + " (branch)" * bool(_OTHER_TREE.search(found[2])), line)
    return _SPACES.sub(" ", _CELL.sub(" ", _MARKUP.sub(" ", _TAG.sub(" ", "; ".join([line, *said])))))


def _claims_in(sentence: str, pattern: re.Pattern[str]) -> Iterator[_Claim]:
    if _ELSEWHERE.search(sentence) is not None and _HERE.search(sentence) is None:
        return
    patterns = [pattern, _OF_TORCH] if pattern is _TORCH else [pattern]
    for found in (one for each in patterns for one in each.finditer(sentence)):
        versions, end, arrow = _listed(sentence, found)
        before, after = sentence[max(found.start() - 120, 0) : found.start()], sentence[end : end + 120]
        if not versions or _LEFT.search(before) is not None or _is_refused(after):
            continue
        if arrow in ("->", "→") or (arrow == "to" and _SWITCHED.search(before) is not None):
            yield _Claim(versions[-1], False, True)
        else:
            is_new = _NOW.search(before) is not None or _OF_NOW.match(after) is not None
            yield from _judged(found[1] or "", versions, after, is_new)


def _is_refused(after: str) -> bool:
    return _REFUSED.match(after) is not None or _BREAKS.match(after) is not None


def _listed(sentence: str, found: re.Match[str]) -> tuple[list[Version], int, str]:
    """The versions in a row, ``0.3, 0.4 or 1.0``, where they end, and the last arrow or "to" among them."""
    versions, end, arrow = [_version(found)], found.end(), ""
    while (more := _MORE.match(sentence, end)) is not None:
        between = more[0].split()
        arrow = next((one for one in ("->", "→") if one in more[0]), "to" if "to" in between else arrow)
        versions.append(_version(more))
        end = more.end()
    return [one for one in versions if one is not None], end, arrow


def _version(found: re.Match[str]) -> Version | None:
    """The version in a match; ``0.31`` is meant for 0.3.1, and ``0.75`` is none."""
    numbers = [one for one in found.groups() if one and one.isdigit()]
    major, minor, patch = (*numbers, "0", "0")[:3]
    if major == "0":
        return torch_version(major, minor[0], minor[1:] or patch) if minor in _TYPED else None
    return (int(major), int(minor)) if int(major) <= 3 else None


def _judged(sign: str, versions: list[Version], after: str, is_new: bool) -> Iterator[_Claim]:
    """What versions behind a sign of comparison, and what follows them, say."""
    below = _BELOW.match(after)
    if sign in ("<", "<=", "=<", "≤"):
        yield _Claim(_last(sign, versions[0]), False)
    elif below is not None:
        yield _Claim(min(versions[0], _last(below[1], torch_version(below[2], below[3], below[4]))), False)
    else:
        is_open = sign in (">=", "=>", "≥", ">", "^") or _OPEN.match(after) is not None
        yield _Claim(min(versions), is_open, is_new)


def _last(sign: str, version: Version) -> Version:
    """The newest release that an upper bound leaves, as far as that matters here."""
    return release_below(version) if sign == "<" else version
