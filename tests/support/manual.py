"""The examples in a rule's docstring."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass

from devlint.rules.generate import AnyRule

SECTIONS = ("What it does", "Why is this bad?", "Example", "Fix safety")
_BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)


@dataclass(frozen=True)
class Example:
    """What a rule finds, and what it should be; None where the docstring only shows the finding."""

    before: str
    after: str | None


def sections(rule: AnyRule) -> dict[str, str]:
    """The text of each section; the summary has no title."""
    parts = re.split(r"^(\S.*)\n-{3,}\n", inspect.cleandoc(rule.__doc__ or ""), flags=re.MULTILINE)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2]))}


def examples(rule: AnyRule) -> list[Example]:
    """The pairs of code blocks in the section "Example"."""
    found: list[Example] = []
    before, _, rest = sections(rule).get("Example", "").partition("Use instead:")
    blocks = _BLOCK.findall(before)
    after: list[str | None] = list(_BLOCK.findall(rest))
    after += [None] * (len(blocks) - len(after))
    found += [Example(one, other) for one, other in zip(blocks, after)]
    return found
