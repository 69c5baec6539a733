"""A rule's docstring is its manual: as Markdown, and as plain text for a terminal."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator

from devlint.core.lazy_regex import regex

_TITLE = regex(r"^(\S.*)\n-{3,}$", re.MULTILINE)
_DOUBLE = regex(r"(?<!`)``(?!`)")


def markdown(docstring: str) -> str:
    """Underlined titles as headings, double backquotes as single ones."""
    return plain(docstring, lambda title: f"#### {title}")


def plain(docstring: str, heading: Callable[[str], str] = str, width: int | None = None) -> str:
    """The same for a terminal of some width, each title as ``heading`` gives it."""
    text = _DOUBLE.sub("`", inspect.cleandoc(docstring))
    if width is not None:
        text = "\n".join(_in_width(text.splitlines(), width))
    return _TITLE.sub(lambda title: heading(title[1]), text)


def _in_width(lines: Iterable[str], width: int) -> Iterator[str]:
    """The lines of a manual, with its paragraphs in lines of a width; titles and code stay as they are."""
    paragraph: list[str] = []
    in_code = False
    for line in (*lines, ""):
        is_fence = line.startswith("```")
        is_title = bool(line) and not line.strip("-")
        if not (in_code or is_fence or is_title) and line and not line.startswith((" ", "- ")):
            paragraph.append(line)
            continue
        if paragraph:
            yield from paragraph if is_title else refilled("\n".join(paragraph), width).splitlines()
        paragraph = []
        yield line
        in_code = in_code is not is_fence


def refilled(text: str, width: int | None) -> str:
    """A paragraph in lines of a width, if one is longer."""
    if width is None or max(map(len, text.splitlines()), default=0) <= width:
        return text
    return textwrap.fill(" ".join(text.split()), width, break_long_words=False, break_on_hyphens=False)
