"""Reads the JUnit file that pytest writes."""

from __future__ import annotations

import os
from xml.etree import ElementTree

Tests = dict[str, str]
"""The outcome of each test by its name: passed, failed or skipped."""

JUNIT = "junit.xml"


def read_tests(folder: str) -> Tests | None:
    """The results of the tests, or None if pytest wrote none."""
    path = os.path.join(folder, JUNIT)
    if not os.path.isfile(path):
        return None
    try:
        cases = ElementTree.parse(path).iter("testcase")
    except ElementTree.ParseError:
        return None
    return {f"{case.get('classname')}::{case.get('name')}": _outcome(case) for case in cases}


def _outcome(case: ElementTree.Element) -> str:
    tags = {child.tag for child in case}
    if tags & {"failure", "error"}:
        return "failed"
    return "skipped" if "skipped" in tags else "passed"
