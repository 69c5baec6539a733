"""SARIF 2.1.0: rules with their manuals, findings with their fixes, for code scanning and for viewers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from devlint.cli.output.findings import FileFindings, RenderContext
from devlint.cli.output.fingerprint import Fingerprints
from devlint.cli.output.paths import portable, uri
from devlint.core.addresses import DOCUMENTATION, rule_address
from devlint.core.diagnostic import Applicability, Diagnostic, Failure, Location

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
Object = dict[str, Any]


def stream(files: Iterable[FileFindings], context: RenderContext) -> Iterator[str]:
    """The whole log, at the end."""
    fingerprints, results, failures = Fingerprints(), list[Object](), list[Failure]()
    for file in files:
        path = portable(file.path, context.root)
        failures += file.failures
        results += (_result(file, one, path, mark) for one, mark in fingerprints.of_findings(file, path))
    codes = sorted({result["ruleId"] for result in results})
    for result in results:
        result["ruleIndex"] = codes.index(result["ruleId"])
    about = {"name": "devlint", "semanticVersion": context.version, "informationUri": DOCUMENTATION}
    driver = {**about, "rules": [_rule(code, context) for code in codes]}
    invocation: Object = {"executionSuccessful": not failures}
    if failures:
        invocation["toolExecutionNotifications"] = [_notification(failure, context) for failure in failures]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "invocations": [invocation]}
    yield json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [{**run, "results": results}]}, indent=2) + "\n"


def _rule(code: str, context: RenderContext) -> Object:
    """What is known of a rule; its name is what its code stands for."""
    manual = context.manual(code)
    summary = {"text": manual.partition("\n")[0]}
    name = "".join(word.capitalize() for word in context.names.get(code, code).split("-"))
    help_texts = {"help": {"text": manual, "markdown": manual}, "defaultConfiguration": {"level": "error"}}
    told = {"shortDescription": summary, "fullDescription": summary, "helpUri": rule_address(code)}
    return {"id": code, "name": name, **told, **help_texts}


def _result(file: FileFindings, one: Diagnostic, path: str, fingerprint: str) -> Object:
    """One finding."""
    result: Object = {
        "ruleId": one.code,
        "level": "error",
        "message": {"text": one.message},
        "locations": [_location(path, region=_region(one.location, one.end_location))],
        "partialFingerprints": {"devlint/v1": fingerprint},
    }
    if one.fix is not None:
        place = file.location_of(one)
        kind = "safe" if one.fix.applicability is Applicability.SAFE else "unsafe"
        spans = [(_region(place(edit.span.start), place(edit.span.end)), edit.text) for edit in one.fix.edits]
        replacements = [{"deletedRegion": region, "insertedContent": {"text": text}} for region, text in spans]
        change = {"artifactLocation": {"uri": uri(path)}, "replacements": replacements}
        result["fixes"] = [{"description": {"text": f"{one.fix.message} ({kind} fix)"}, "artifactChanges": [change]}]
    return result


def _notification(failure: Failure, context: RenderContext) -> Object:
    """One thing devlint could not do."""
    locations = [_location(portable(failure.path, context.root))]
    return {"level": "error", "message": {"text": failure.message}, "locations": locations}


def _location(path: str, **region: Object) -> Object:
    return {"physicalLocation": {"artifactLocation": {"uri": uri(path)}, **region}}


def _region(start: Location, end: Location) -> Object:
    return {"startLine": start.row, "startColumn": start.column, "endLine": end.row, "endColumn": end.column}
