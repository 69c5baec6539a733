"""Comments that are meant as suppressions and are none: what devlint says, and what it makes of them."""

from __future__ import annotations

from pathlib import Path

import pytest

import devlint
from devlint.engine.fixpoint import splice
from devlint.sources.source import Source
from devlint.sources.suppressions.unknown_suppressions import unknown_suppressions

MENDED = [
    ("# devlint: ignroe[DEV101]", "# devlint: ignore[DEV101]"),
    ("# devlint: ignor[DEV101] why", "# devlint: ignore[DEV101] why"),
    ("# devlint: ignore-fil[DEV101]", "# devlint: ignore-file[DEV101]"),
    ("# devlint: ignored", "# devlint: ignore"),
    ("# devlint: ignore[DEV1O1]", "# devlint: ignore[DEV101]"),
    ("# devlint: ignore[E501, cuda-metod]", "# devlint: ignore[E501, cuda-method]"),
    ("# devlint: ignore(DEV102)", "# devlint: ignore[DEV102]"),
    ("# devlint: ignore (DEV102, cuda-method) why", "# devlint: ignore[DEV102, cuda-method] why"),
    ("# devlint: ignore: DEV102", "# devlint: ignore[DEV102]"),
    ("# devlint: ignore=DEV102", "# devlint: ignore[DEV102]"),
    ("# devlint: ignore DEV102 why", "# devlint: ignore[DEV102] why"),
    ("# devlint: ignore cuda-method", "# devlint: ignore[cuda-method]"),
    ("# devlint: ignore[DEV102", "# devlint: ignore[DEV102]"),
    ("# devlint ignore[DEV102]", "# devlint: ignore[DEV102]"),
    ("# devlint: disable DEV101", "# devlint: disable=DEV101"),
    ("# devlint: disable=DEV1O1", "# devlint: disable=DEV101"),
    ("# devlint: disabel=DEV101 why", "# devlint: disable=DEV101 why"),
    ("# devlint: enable=E501, cuda-metod", "# devlint: enable=E501, cuda-method"),
    ("# devlint disable=DEV101", "# devlint: disable=DEV101"),
    ("# noqa: DEV1O1", "# noqa: DEV101"),
    ("# noqa: E501, DEV1O1 why", "# noqa: E501, DEV101 why"),
    ("# noqa: cuda-metod", "# noqa: cuda-method"),
    ("# type: ignore  # noqa: dev1o1", "# type: ignore  # noqa: DEV101"),
]
"""Before and after the fix."""
NAMED = [
    ("# devlint: ignore[DEV998]", "No rule is called `DEV998`"),
    ("# devlint: ignore[cuda-methods-of-mine]", "(did you mean 'cuda-method'?)"),
    ("# devlint: ignore[E501]", "No rule is called `E501`"),
    ("# devlint: ignore[]", "`ignore[]` names no rule"),
    ("# devlint: ignore(because)", "Codes and names stand in square brackets"),
    ("# devlint: suppress[DEV101]", "`suppress` is no word of devlint's: write `ignore`"),
    ("# devlint: disable", "`disable` names no rule: write `disable=CODES`"),
    ("# noqa: DEV998", "No rule is called `DEV998`"),
]
"""Without a fix."""
RIGHT = [
    "# devlint: ignore",
    "# devlint: ignore why",
    "# devlint: ignore - the kernel exists for CUDA only",
    "# devlint: ignore: the kernel exists for CUDA only",
    "# devlint: ignore[DEV101, DEV2, cuda-argument] why",
    "# devlint: ignore-file[cuda-method]",
    "# devlint: see the documentation",
    "# devlint finds this",
    "# devlint ignores this",
    "# noqa",
    "# noqa: E501",
    "# noqa: see-above",
    "# noqa: E501 because DEV9999",
    "# noqa: DEV101, cuda-argument",
    "# noqa: DEVICE",
]


def _unknown(comment: str, noqa: bool = True) -> list[tuple[str, str]]:
    """What is said, and the comment after the fix."""
    source = Source.from_text("a.py", f"x = 1  {comment}\n")
    found = unknown_suppressions(source, noqa)
    return [(one.message, splice(source.text, [one.edit] if one.edit else [])[7:-1]) for one in found]


@pytest.mark.parametrize(("before", "after"), MENDED)
def test_one_can_be_meant(before: str, after: str) -> None:
    assert after in [mended for _, mended in _unknown(before)]


@pytest.mark.parametrize(("comment", "message"), NAMED)
def test_several_can_be_meant(comment: str, message: str) -> None:
    ((said, after),) = _unknown(comment)
    assert message in said
    assert after == comment


@pytest.mark.parametrize("comment", RIGHT)
def test_nothing_is_wrong(comment: str) -> None:
    assert _unknown(comment) == []


def test_noqa_may_be_left_to_others() -> None:
    assert _unknown("# noqa: DEV1O1", noqa=False) == []


def test_no_fix_changes_the_line_until_the_suppression_is_right(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    text = (
        "import torch\n\nx = torch.zeros(2)\ny = x.cuda()  # devlint: ignore{} a kernel\nz = x.cuda()  # noqa: DEV998\n"
    )
    path.write_text(text.format("[DEV1O1]"))
    found = [(one.code, one.location.row, one.fix is not None) for one in devlint.check(path).diagnostics]
    assert found == [("DEV101", 4, False), ("DEV004", 4, True), ("DEV101", 5, False), ("DEV004", 5, False)]
    assert devlint.fix(path).text == text.format("[DEV101]")


def test_a_name_is_used_and_unused_as_a_code_is(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("x = 1  # noqa: E501, cuda-method\n")
    assert [one.code for one in devlint.check(path).diagnostics] == ["DEV002"]
    assert devlint.fix(path).text == "x = 1  # noqa: E501\n"
