"""What an editor shows about a place: the finding there with its fix, and the manual of the rule."""

from __future__ import annotations

from collections.abc import Iterable

from lsprotocol import types

from devlint.config.selection import catalogue
from devlint.core.addresses import rule_address
from devlint.core.diagnostic import Diagnostic
from devlint.core.lazy_regex import regex
from devlint.core.rule_info import RuleInfo
from devlint.engine.ruleset import load_rule
from devlint.integrations.server.buffers import Buffer
from devlint.integrations.server.findings import Finding
from devlint.integrations.server.positions import touches
from devlint.rules.manual import markdown, plain

_CODE = regex(r"\bDEV\d{3}\b")


def finding_at(findings: Iterable[Finding], uri: str, position: types.Position) -> Finding | None:
    """The first finding at a place."""
    place = types.Range(position, position)
    return next((one for one in findings if one.uri == uri and touches(one.range, place)), None)


def rule_named_at(buffer: Buffer, position: types.Position) -> tuple[RuleInfo, types.Range] | None:
    """The rule whose code stands at a place behind a ``#``, as in a suppression comment."""
    text, at = buffer.text, buffer.seen.offset(position)
    start = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
    if "#" not in text[start:at]:
        return None
    for found in _CODE.finditer(text, start, min(at + len("DEV000"), len(text))):
        if found.start() <= at <= found.end():
            rule = next((one for one in catalogue() if one.code == found.group()), None)
            place = types.Range(buffer.seen.position(found.start()), buffer.seen.position(found.end()))
            return (rule, place) if rule is not None else None
    return None


def hover_of_finding(finding: Finding, kind: types.MarkupKind) -> types.Hover:
    """The message of a finding, what its fix does or why it is unsafe, and the manual."""
    one = finding.diagnostic
    rule = next(rule for rule in catalogue() if rule.code == one.code)
    text = f"{one.message}\n\n{_fix(one, rule)}\n\n{manual_of(rule, kind)}"
    return types.Hover(types.MarkupContent(kind, text), finding.range)


def hover_of_rule(rule: RuleInfo, place: types.Range, kind: types.MarkupKind) -> types.Hover:
    """The manual of a rule."""
    return types.Hover(types.MarkupContent(kind, manual_of(rule, kind)), place)


def manual_of(rule: RuleInfo, kind: types.MarkupKind) -> str:
    """The page of a rule, with its name and address above."""
    manual = load_rule(rule).__doc__ or rule.summary
    if kind is types.MarkupKind.PlainText:
        return f"{rule.code} {rule.name}\n\n{plain(manual)}"
    return f"---\n\n### [{rule.code} {rule.name}]({rule_address(rule.code)})\n\n{markdown(manual)}"


def _fix(diagnostic: Diagnostic, rule: RuleInfo) -> str:
    """What the fix of a finding does, which for an unsafe one ends with what may change, or what a person would do."""
    fix = diagnostic.fix
    if fix is None:
        return f"No fix. {rule.advice}." if rule.advice else "No fix."
    return f"{'Safe fix' if fix.is_safe else 'Unsafe fix'}: {fix.message}"
