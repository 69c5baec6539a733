"""The programs of docs/hugging-face.md become what the page says, and its table is devlint's."""

from __future__ import annotations

import re

import pytest

import devlint
from devlint.torch_api.frameworks import LIBRARIES
from tests.support.paths import ROOT

TEXT = ROOT.joinpath("docs/hugging-face.md").read_text(encoding="utf-8")
PAIR = re.compile(r"^```python\n(.*?)^```$\n\nbecomes\n\n^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PAIRS = PAIR.findall(TEXT)


@pytest.mark.parametrize(("before", "after"), PAIRS)
def test_what_a_program_becomes(before: str, after: str) -> None:
    fixed = devlint.fix(before)
    assert (fixed.text, fixed.remaining) == (after, ())
    assert TEXT.count("```python\n") == 2 * len(PAIRS)


def findings(call: str) -> list[tuple[str, bool]]:
    """The codes for a call, and whether each has a safe fix."""
    code = f"import torch\nfrom transformers import AutoModel, TrainingArguments, pipeline\n\nx = {call}\n"
    found = devlint.check(code).diagnostics
    return [(one.code, one.fix is not None and one.fix.is_safe) for one in found]


@pytest.mark.parametrize(
    ("call", "found"),
    [
        ('AutoModel.from_pretrained("a", device_map="auto")', []),
        ('AutoModel.from_pretrained("a", device_map={"": 0, "lm_head": 1})', []),
        ('AutoModel.from_pretrained("a", device_map={"": 0})', [("DEV108", False)]),
        ('pipeline("a", device=0)', [("DEV108", False)]),
        ('TrainingArguments("a", fp16=True)', []),
    ],
)
def test_what_the_text_says_of_other_calls(call: str, found: list[tuple[str, bool]]) -> None:
    assert findings(call) == found


def test_the_table_is_the_one_that_devlint_uses() -> None:
    rows = re.findall(r"^\| \[(\w+)\]\((\S+)\) \| (\S+) \| (.*) \|$", TEXT, re.MULTILINE)
    assert len(rows) == 8
    for name, manual, version, functions in rows:
        library = LIBRARIES[name]
        told = tuple(re.findall(r"`([\w.*]+)\((\w+)=\)`", functions))
        assert (manual, version) == (library.manual, library.version)
        assert told == tuple((one.function, one.parameter) for one in library.arguments)
