"""Shows verdicts: as a table for people, as JSON, as JUnit."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from unicodedata import category
from xml.sax.saxutils import escape, quoteattr

from devlint.verify.comparing.verdict import Outcome, Verdict, Word

FORMATS = ("text", "json", "junit")


def line(verdict: Verdict) -> str:
    """The line of one program, followed by details and notes."""
    words = "; ".join(cell(one) for one in verdict.outcomes)
    mark = "ok" if verdict.holds else "DIFFERS" if verdict.differs else "?"
    lines = [f"{mark:8}{verdict.name}: {words}"]
    for one in verdict.outcomes:
        place = "" if one.setting == "-" else f"{one.setting}: "
        lines += [f"        {place}{said}" for said in (one.detail, *one.notes) if said]
    lines += [f"        {verdict.said_of_lines}"] if verdict.said_of_lines else []
    return "\n".join(lines)


def cell(one: Outcome) -> str:
    """One outcome, short, for a line with several."""
    return one.title if one.setting == "-" else f"{one.setting}: {one.title}"


def summary(verdicts: Sequence[Verdict]) -> str:
    """The last line: how many hold, and why the others do not."""
    holds = sum(one.holds for one in verdicts)
    differ = sum(one.differs for one in verdicts)
    unproven = sum(one.is_no_worse and not one.proven for one in verdicts)
    rest = len(verdicts) - holds - differ - unproven
    parts = [f"{holds} of {len(verdicts)} hold", f"{differ} differ" if differ else ""]
    parts.append(f"{unproven} {'is' if unproven == 1 else 'are'} not proven" if unproven else "")
    parts.append(f"{rest} cannot be compared" if rest else "")
    return ", ".join(filter(None, parts)) + "."


def as_json(verdicts: Sequence[Verdict]) -> str:
    """An array with an object for each program."""
    return json.dumps(
        [
            {
                "program": verdict.name,
                "holds": verdict.holds,
                "proven": verdict.proven,
                "changed_lines": verdict.changed,
                "lines_not_run": list(verdict.not_run),
                "seconds": verdict.seconds,
                "settings": [
                    {
                        "setting": one.setting,
                        "verdict": one.title,
                        "holds": one.word.holds,
                        "detail": one.detail,
                        "notes": list(one.notes),
                        "more_copies": one.more_copies,
                    }
                    for one in verdict.outcomes
                ],
            }
            for verdict in verdicts
        ],
        indent=2,
    )


def as_junit(verdicts: Sequence[Verdict]) -> str:
    """A test suite for each program, with a test for each setting."""
    outcomes = [one for verdict in verdicts for one in verdict.outcomes]
    errors = sum(one.word is Word.UNCOMPARED for one in outcomes)
    failures = sum(not one.word.holds for one in outcomes) - errors
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    lines.append(f'<testsuites name="devlint verify" tests="{len(outcomes)}" failures="{failures}" errors="{errors}">')
    for verdict in verdicts:
        bad = sum(not one.word.holds for one in verdict.outcomes)
        wrong = sum(one.word is Word.UNCOMPARED for one in verdict.outcomes)
        counts = f'tests="{len(verdict.outcomes)}" failures="{bad - wrong}" errors="{wrong}" time="{verdict.seconds}"'
        lines.append(f"  <testsuite name={quoteattr(_clean(verdict.name))} {counts}>")
        lines += (text for one in verdict.outcomes for text in _test(verdict.name, one))
        lines.append("  </testsuite>")
    return "\n".join([*lines, "</testsuites>"])


def _test(name: str, one: Outcome) -> Iterator[str]:
    said = _clean("\n".join(filter(None, (one.title, one.detail, *one.notes))))
    case = f"    <testcase name={quoteattr(one.setting)} classname={quoteattr(_clean(name))}"
    if one.word.holds:
        yield f"{case}><system-out>{escape(said)}</system-out></testcase>"
        return
    tag = "error" if one.word is Word.UNCOMPARED else "failure"
    message = quoteattr(_clean(one.detail or one.title))
    yield f"{case}><{tag} type={quoteattr(one.word.value)} message={message}>{escape(said)}</{tag}></testcase>"


def _clean(text: str) -> str:
    """The text without control characters and others that XML forbids."""
    bad = ("Cc", "Cf", "Cs", "Zl", "Zp")
    held = (one if one in "\t\n" or not (category(one) in bad or one in "\ufffe\uffff") else "\ufffd" for one in text)
    return "".join(held)
