"""The codes and names of rules as they are written in suppressions."""

from __future__ import annotations

from devlint.core.catalogue import RULES
from devlint.core.lazy_regex import regex
from devlint.torch_api.spelling import is_one_edit

OURS = "DEV"
CODE = regex(r"[A-Z]+[0-9]+", 2)  # re.IGNORECASE
_OURS = regex(r"DEV\w*[0-9]\w*", 2)


def written_code(piece: str) -> str | None:
    """A code of any linter as it is written, or that of the rule with this name."""
    return piece.upper() if CODE.fullmatch(piece) else next((one.code for one in RULES if one.name == piece), None)


def is_known(piece: str) -> bool:
    """Whether a rule of devlint has this name, or a code that begins so."""
    code = written_code(piece)
    return code is not None and any(one.code.startswith(code) for one in RULES)


def is_meant_for_devlint(piece: str) -> bool:
    """Whether what no rule is called was written for one: it begins as codes of devlint do, or is nearly a name."""
    return _OURS.fullmatch(piece) is not None or bool("-" in piece and nearest(piece))


def nearest(piece: str) -> list[str]:
    """The codes and names that are one letter away."""
    return [
        *(one.code for one in RULES if is_one_edit(piece.upper(), one.code)),
        *(one.name for one in RULES if is_one_edit(piece.lower(), one.name)),
    ]
