"""The report as JSON, for other programs."""

from __future__ import annotations

import json
from typing import Any

from devlint.report.model import MigrationReport, ReportedFile, ReportedFinding, RowPair, SourceRow
from devlint.report.tally import Remedy, Tally

Object = dict[str, Any]
FORMAT, VERSION = "devlint-report", 1


def render(report: MigrationReport) -> str:
    """One object; its keys stay in later versions of the format."""
    rules = {one.code: one.name for one in report.rules}
    document = {
        "format": FORMAT,
        "version": VERSION,
        "devlint": report.version,
        "title": report.title,
        "paths": list(report.paths),
        "target": report.target,
        "summary": tally_object(report.tally),
        "folders": [{"name": one.name, **tally_object(one.tally)} for one in report.folders],
        "rules": [
            {"code": one.code, "name": one.name, "url": one.address, "findings": _remedies(one), "files": one.files}
            for one in report.rules
        ],
        "torch": _torch(report),
        "work": _work(report),
        "proofs": [{"run": one.title, "holds": one.holds, "details": list(one.details)} for one in report.proofs],
        "not_analyzed": [{"path": path, "message": said} for path, said in report.not_analyzed],
        "files": [_file(one, rules) for one in report.files],
    }
    return json.dumps(document, indent=1) + "\n"


def _torch(report: MigrationReport) -> Object:
    """The versions of torch that the code needs, with the first places of what needs them."""
    return {
        "now": _version(report.torch.now),
        "with_fixes": _version(report.torch.fixed),
        "required": report.torch.required or None,
        "reasons": [
            {
                "name": one.name,
                "since": _version(one.version),
                "by_fixes": one.by_fixes,
                "count": one.count,
                "first": [{"path": path, "row": row} for path, row in one.places],
            }
            for one in report.torch.reasons
        ],
    }


def _work(report: MigrationReport) -> Object:
    """The estimate of the work that is left, in minutes at best and at worst."""
    low, high = sum(one.total_low for one in report.work), sum(one.total_high for one in report.work)
    return {
        "minutes": [round(low, 1), round(high, 1)],
        "items": [
            {"kind": one.key, "count": one.count, "minutes_each": [one.low, one.high], "assumption": one.assumption}
            for one in report.work
        ],
    }


def tally_object(tally: Tally) -> Object:
    """Counts, with the shares that follow from them."""
    return {
        "files": {kind.value: number for kind, number in tally.files.items()},
        "lines": {kind.value: number for kind, number in tally.lines.items()},
        "findings": {remedy.value: number for remedy, number in tally.findings.items()},
        "blockers": tally.blockers,
        "portable": round(tally.portable_share, 4),
        "portable_after_safe_fixes": round(tally.safe_share, 4),
        "portable_after_unsafe_fixes": round(tally.unsafe_share, 4),
    }


def _remedies(one: Any) -> Object:
    return {remedy.value: one.findings.get(remedy, 0) for remedy in Remedy}


def _version(version: tuple[int, int]) -> str:
    return ".".join(map(str, version))


def _file(file: ReportedFile, rules: dict[str, str]) -> Object:
    return {
        "path": file.path,
        "name": file.name,
        "lines": file.lines,
        "portability": file.portability.value,
        "problems": list(file.problems),
        "blockers": [
            {"row": one.row, "kind": one.kind.value, "detail": one.detail, "optional": one.is_optional}
            for one in file.blockers
        ],
        "findings": [_finding(one, rules) for one in file.findings],
    }


def _finding(one: ReportedFinding, rules: dict[str, str]) -> Object:
    return {
        "code": one.code,
        "name": rules.get(one.code),
        "cell": one.cell,
        "row": one.row,
        "column": one.column,
        "message": one.message,
        "remedy": one.remedy.value,
        "fix": one.fix_message or None,
        "excerpt": [_row(row) for row in one.excerpt],
        "diff": [[_pair(pair) for pair in place] for place in one.diff],
    }


def _pair(pair: RowPair) -> Object:
    before, after = pair.before, pair.after
    return {"before": _row(before) if before else None, "after": after.text if after else None}


def _row(row: SourceRow) -> Object:
    return {"row": row.number, "text": row.text}
