"""What is said of an option that is no GPU by default."""

from __future__ import annotations

import pytest

from devlint.analysis.devices.option_devices import option_caveat
from devlint.sources.source import Source
from devlint.syntax.file_context import FileContext

OPTION = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--device'{})\nargs = p.parse_args()\n{}"
SAID = "`args.device` is not a GPU by default"
CASES = [
    (", default='cpu'", "", SAID),
    (", default='cuda'", "", None),
    (", default='cuda:1'", "", None),
    ("", "", SAID),
    (", default=None", "", SAID),
    (", default='cpu'", "args.device = 'cuda'", None),
    (", default='cpu'", "args.other = 'cuda'", SAID),
]


@pytest.mark.parametrize(("default", "more", "expected"), CASES)
def test_option_caveat(default: str, more: str, expected: str | None) -> None:
    ctx = FileContext(Source.from_text("case.py", OPTION.format(default, more)))
    assert option_caveat(ctx, "args.device") == expected
    assert option_caveat(ctx, "args.size") is None
