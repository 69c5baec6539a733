"""Where devlint's pages are on the web: the one address that everything else is made of."""

from __future__ import annotations

DOCUMENTATION = "https://devlint.example/"
"""The documentation site, as in ``project.urls``. Nobody owns a name under ``.example``: no release has this one."""


def rule_address(code: str) -> str:
    """The page of the rule with a code; it stays the same in later versions."""
    return f"{DOCUMENTATION}rules/{code}/"
