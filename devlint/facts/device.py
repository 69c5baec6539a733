"""Where the device comes from: the resolver that every fix uses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

import libcst as cst

from devlint.context import FileContext
from devlint.diagnostic import Edit


@dataclass(frozen=True)
class DeviceChoice:
    """An expression that stands for the device at one place of a program."""

    expression: str
    """A name, an attribute or a whole conditional expression (``needs_parentheses``)."""
    edits: tuple[Edit, ...] = ()
    """What else must be written for it: a definition, an import. Equal edits of several fixes merge."""
    is_string: Optional[bool] = False
    """Whether it is a string and not a torch.device; None where nobody knows."""
    condition: Optional[str] = None
    """The test that decides whether it is a GPU, as source text, where that is known."""
    caveat: Optional[str] = None
    """Why a fix with it may change the program; None if it may not."""

    @property
    def needs_parentheses(self) -> bool:
        """Whether it must be put in parentheses before an attribute of it is asked."""
        return " " in self.expression


def resolve(ctx: FileContext, at: cst.CSTNode, index: Optional[str] = None) -> Optional[DeviceChoice]:
    """The device for a tensor or module that the program puts on a GPU at ``at``; None where there is no place for one.

    ``index`` is the card where the program named one ("0").
    """
    raise NotImplementedError
