"""The concise format: one line a finding, as editors and ``grep`` understand it."""

from __future__ import annotations

from devlint.diagnostic import Applicability, Diagnostic
from devlint.output.style import Style, visible


def render(diagnostic: Diagnostic, style: Style, unsafe_fixes: bool = False) -> str:
    """One finding, ending in a newline."""
    return headline(diagnostic, style, unsafe_fixes) + "\n"


def headline(diagnostic: Diagnostic, style: Style, unsafe_fixes: bool) -> str:
    """``path:line:column: CODE [*] message``, with the star where ``devlint fix`` would fix it."""
    place = f"{diagnostic.location.row}:{diagnostic.location.column}"
    star = f" [{style('*', 'cyan')}]" if will_be_fixed(diagnostic, unsafe_fixes) else ""
    code = style(diagnostic.code, "bold", "red")
    return f"{style(visible(diagnostic.path), 'bold')}:{place}: {code}{star} {visible(diagnostic.message)}"


def will_be_fixed(diagnostic: Diagnostic, unsafe_fixes: bool) -> bool:
    """Whether ``devlint fix`` applies the fix, with unsafe ones allowed or not."""
    fix = diagnostic.fix
    return fix is not None and (unsafe_fixes or fix.applicability is Applicability.SAFE)
