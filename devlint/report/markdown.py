"""The report as Markdown, for an issue, a wiki or a printer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from devlint.report.estimate import time_range
from devlint.report.model import MigrationReport, ReportedFinding
from devlint.report.pages import grouped, percent
from devlint.report.tally import Portability

_MOST_FOLDERS = 60


def render(report: MigrationReport) -> str:
    """The whole report: counts and tables, then all findings by rule with their diffs."""
    blocks = [*_summary(report), *_folders(report), *_blockers(report), *_torch(report), *_work(report)]
    blocks += [*_proofs(report), *_findings(report), *_problems(report)]
    return "\n\n".join(blocks) + "\n"


def inert_markdown(text: str) -> str:
    """A text that Markdown shows as it is, but for what stands between backticks."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return _escaped(text)
    return "".join(code(one) if at % 2 else _escaped(one) for at, one in enumerate(parts))


def code(text: str) -> str:
    """A text as code within a line, also in a table."""
    fence = "`" * (max((len(one) for one in re.findall("`+", text)), default=0) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") or not text.strip() else ""
    return f"{fence}{pad}{text}{pad}{fence}".replace("|", "\\|")


def _escaped(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>#|~])", r"\\\1", text)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; columns whose heads begin with a colon are of numbers."""
    lines = [[one.lstrip(":") for one in head], ["---:" if one.startswith(":") else "---" for one in head], *rows]
    return "\n".join(f"| {' | '.join(one)} |" for one in lines)


def _summary(report: MigrationReport) -> Iterator[str]:
    tally = report.tally
    yield f"# {_escaped(report.title)}: how portable is it?"
    yield (
        f"{grouped(tally.file_count)} files, {grouped(tally.line_count)} lines of code; fixes write the target "
        f"{code(report.target)}; devlint {report.version}."
    )
    hand = tally.share(Portability.HAND, Portability.BLOCKED, Portability.UNKNOWN)
    shares = (tally.portable_share, tally.safe_share, tally.unsafe_share, hand)
    head = ("portable as it is", "after safe fixes", "after unsafe fixes, too", "by hand, blocked or unknown")
    yield _table([f":{one}" for one in head], [[percent(one) for one in shares]])
    yield (
        "A share is that of the lines in files that mention torch; a file is as portable as the hardest thing found in "
        "it: one finding without a fix makes it work by hand."
    )
    there = (kind for kind in Portability if tally.files[kind])
    rows = [[kind.label, grouped(tally.files[kind]), grouped(tally.lines[kind])] for kind in there]
    yield _table(["portability", ":files", ":lines"], rows)


def _folders(report: MigrationReport) -> Iterator[str]:
    yield "## Folders"
    folders = sorted(report.folders, key=lambda one: one.depth)[:_MOST_FOLDERS]
    head = ["folder", ":files", ":lines", ":findings", ":blockers", ":portable", ":after safe fixes"]
    rows = []
    for one in sorted(folders, key=lambda one: one.name):
        tally = one.tally
        counts = (tally.file_count, tally.line_count, tally.finding_count, tally.blockers)
        shares = (tally.portable_share, tally.safe_share) if tally.counted_lines else ()
        said = [*map(percent, shares)] or ["no torch", ""]
        rows.append([code(one.name) if one.name else "everything", *map(grouped, counts), *said])
    yield _table(head, rows)
    if len(report.folders) > len(folders):
        yield f"{len(report.folders) - len(folders)} deeper folders are not shown."


def _blockers(report: MigrationReport) -> Iterator[str]:
    if report.blockers:
        yield "## What blocks"
        rows = (
            [
                one.kind.value + " (optional)" * one.is_optional,
                inert_markdown(one.detail),
                code(f"{one.path}:{one.row}"),
            ]
            for one in report.blockers
        )
        yield _table(["kind", "what", "where"], rows)


def _torch(report: MigrationReport) -> Iterator[str]:
    torch = report.torch
    now, fixed = (".".join(map(str, one)) for one in (torch.now, torch.fixed))
    asked = f"The project asks for {torch.required}." if torch.required else "The project does not name one."
    yield "## The least torch"
    older = " or an older one" if torch.now == (2, 0) else ""
    yield f"The code as it is needs torch {now}{older}, and {fixed} once all fixes are made. {asked}"
    if torch.reasons:
        rows = (
            [".".join(map(str, one.version)), code(one.name), "fixes" if one.by_fixes else "the code", str(one.count)]
            for one in torch.reasons
        )
        yield _table(["torch", "name", "written by", ":places"], rows)


def _work(report: MigrationReport) -> Iterator[str]:
    if report.work:
        low, high = sum(one.total_low for one in report.work), sum(one.total_high for one in report.work)
        yield "## An estimate of the work"
        yield f"{time_range(low, high)}, by these assumptions; a day has eight hours."
        rows = (
            [
                one.label,
                grouped(one.count),
                f"{one.low:g} to {one.high:g} min",
                time_range(one.total_low, one.total_high),
                inert_markdown(one.assumption),
            ]
            for one in report.work
        )
        yield _table(["what", ":how many", ":each", ":together", "assumption"], rows)


def _proofs(report: MigrationReport) -> Iterator[str]:
    if report.proofs:
        yield "## What was proven"
        words = {None: "seen", True: "holds", False: "does not hold"}
        rows = ([code(one.title), words[one.holds], inert_markdown("; ".join(one.details))] for one in report.proofs)
        yield _table(["run", "result", "details"], rows)


def _findings(report: MigrationReport) -> Iterator[str]:
    yield f"## Findings ({grouped(report.tally.finding_count)})"
    rules = {one.code: one for one in report.rules}
    for key, group in groupby(report.findings, key=lambda one: one.code):
        rule = rules[key]
        yield f"### {key} {rule.name} ({grouped(rule.count)})"
        yield inert_markdown(rule.summary)
        for one in group:
            yield _finding(one, rule.advice)


def _finding(one: ReportedFinding, advice: str) -> str:
    said = f"{code(f'{one.path}:{one.place}')} ({one.remedy.label}): {inert_markdown(one.message)}"
    help_text = f"Fix: {one.fix_message}" if one.fix_message else f"What to do: {advice}" if advice else ""
    rows = [f"  {row.text}" for row in one.excerpt]
    for at, place in enumerate(one.diff):
        rows += ["@@"] if at else []
        for pair in place:
            rows += [f"  {pair.before.text}"] if pair.before and not pair.is_changed else []
            rows += [f"- {pair.before.text}"] if pair.before and pair.is_changed else []
            rows += [f"+ {pair.after.text}"] if pair.after and pair.is_changed else []
    text = "\n".join(rows)
    fence = "`" * max(max((len(run) + 1 for run in re.findall("`+", text)), default=3), 3)
    block = f"\n\n{fence}{'diff' if one.diff else 'python'}\n{text}\n{fence}" if rows else ""
    return said + (f"  \n{inert_markdown(help_text)}" if help_text else "") + block


def _problems(report: MigrationReport) -> Iterator[str]:
    if report.not_analyzed:
        yield "## Not analyzed"
        yield _table(["path", "why"], ([code(path), inert_markdown(said)] for path, said in report.not_analyzed))
