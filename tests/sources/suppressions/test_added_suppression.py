"""The comments that suppress a finding, as an editor writes them."""

from __future__ import annotations

import pytest

from devlint.config.finder import ConfigFinder
from devlint.engine.runner import Runner
from devlint.sources.suppressions.added_suppression import added_suppression
from devlint.sources.suppressions.suppression_settings import SuppressionSettings


def suppressed(text: str, path: str = "a.py", word: str = "", code: str = "") -> str | None:
    """The text with its first finding suppressed, which then has none of its code in its rows any more."""
    words = {"suppression-comments": [word]} if word else {}
    runner = Runner(ConfigFinder(words, isolated=True))
    report = runner.text(path, text)
    found = [one for one in report.diagnostics if one.code == (code or one.code)]
    assert found and report.source is not None
    edit = added_suppression(report.source, found[0], SuppressionSettings(True, (word,) if word else ()), word)
    if edit is None:
        return None
    after = text[: edit.span.start] + edit.text + text[edit.span.end :]
    left = runner.text(path, after).diagnostics
    assert (
        len([one for one in left if one.code == found[0].code])
        == len([one for one in found if one.code == found[0].code]) - 1
    )
    return after


IGNORE = "  # devlint: ignore[DEV101]"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("y = x.cuda()\n", f"y = x.cuda(){IGNORE}\n"),
        ("y = x.cuda()", f"y = x.cuda(){IGNORE}"),
        ("y = x.cuda()  \r\ny = 1\r\n", f"y = x.cuda(){IGNORE}\r\ny = 1\r\n"),
        ("y = x.cuda()  # why\n", f"y = x.cuda()  # why{IGNORE}\n"),
        ("y = x.cuda()  # devlint: ignore[DEV102] why\n", "y = x.cuda()  # devlint: ignore[DEV102, DEV101] why\n"),
        ("y = x.cuda()  # noqa: E501\n", f"y = x.cuda()  # noqa: E501{IGNORE}\n"),
        ("f(\n    x.cuda(),\n    1,\n)\n", f"f(\n    x.cuda(),{IGNORE}\n    1,\n)\n"),
        ("y = \\\n    x.cuda() + \\\n    1\n", f"y = \\\n    x.cuda() + \\\n    1{IGNORE}\n"),
        ('y = f"""\n{x.cuda()}\n\n"""\nz = 1\n', f'y = f"""\n{{x.cuda()}}\n\n"""{IGNORE}\nz = 1\n'),
    ],
)
def test_the_comment_stands_where_it_counts(before: str, after: str) -> None:
    head = "import torch\nx = torch.ones(2)\n"
    assert suppressed(head + before) == head + after


def test_a_project_may_have_a_comment_of_its_own() -> None:
    assert suppressed("import torch\ntorch.ones(2).cuda()\n", word="allow-cuda", code="DEV101") == (
        "import torch\ntorch.ones(2).cuda()  # allow-cuda\n"
    )


def test_files_that_are_no_python() -> None:
    found = suppressed("export CUDA_VISIBLE_DEVICE=0\n", path="run.sh")
    assert found == "export CUDA_VISIBLE_DEVICE=0  # devlint: ignore[DEV301]\n"
    assert suppressed("RUN CUDA_VISIBLE_DEVICE=0 \\\n", path="Dockerfile") is None
