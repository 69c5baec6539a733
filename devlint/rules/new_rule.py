"""Writes the three files of a new rule: the rule, its test, and a line of the changelog."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from devlint.core.errors import DevlintError

if TYPE_CHECKING:
    from collections.abc import Collection

_RULE = '''\
"""{code}: calls of ``.{method}()``."""

from __future__ import annotations

import libcst as cst

from devlint.rules.base import Rule
from devlint.rules.triggers.names import Method


class {classname}(Rule):
    """A call of ``.{method}()``.

    What it does
    ------------
    Finds ``x.{method}()``.

    Why is this bad?
    ----------------
    It needs CUDA.

    Example
    -------
    ```python
    x.{method}()
    ```

    Use instead:
    ```python
    x.to(device)
    ```

    Fix safety
    ----------
    There is no fix.
    """

    code = "{code}"
    name = "{name}"
    advice = "Write `x.to(device)`"
    trigger = Method("{method}")

    def check(self, node: cst.Call) -> None:
        self.report(node, "`.{method}()` needs CUDA")
'''

_TEST = """\
from __future__ import annotations

import pytest

from tests.support.rule_cases import found

CODE = "{code}"

SILENT = [
    "x.to(device)",
    "{method}()",
]


@pytest.mark.parametrize("text", SILENT)
def test_silent(text: str) -> None:
    assert found(CODE, f"{{text}}\\n") == ()


FOUND = [
    "x.{method}()",
    "y = x.{method}(1)",
]


@pytest.mark.parametrize("text", FOUND)
def test_found(text: str) -> None:
    (finding,) = found(CODE, f"{{text}}\\n")
    assert finding.message == "`.{method}()` needs CUDA"


PROGRAMS = [f"{{text}}\\n" for text in FOUND]
"""

_LINE = "- {code} (`{name}`): calls of `.{method}()`.\n"


def write(root: Path, name: str, code: str, taken: Collection[tuple[str, str]]) -> list[Path]:
    """Write the files of the rule ``name``; ``code`` is its code or its group, ``taken`` the codes and names in use."""
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)+", name):
        raise DevlintError(f"'{name}' is no name for a rule: write it as cuda-method")
    for other, known in taken:
        if known == name:
            raise DevlintError(f"there is a rule '{name}' already: {other}")
    words = name.replace("-", "_")
    values = {
        "code": _free_code(code, {other for other, _ in taken}),
        "name": name,
        "method": words,
        "classname": words.title().replace("_", ""),
    }
    rule, test = root / "devlint" / "rules" / f"{words}.py", root / "tests" / "rules" / f"test_{words}.py"
    changelog = root / "CHANGELOG.md"
    for path, should_exist in ((rule, False), (test, False), (changelog, True)):
        if path.exists() is not should_exist:
            raise DevlintError(f"{path.relative_to(root)} {'does not exist' if should_exist else 'exists already'}")
    rule.write_text(_RULE.format(**values), encoding="utf-8")
    test.write_text(_TEST.format(**values), encoding="utf-8")
    changelog.write_text(changelog.read_text(encoding="utf-8") + _LINE.format(**values), encoding="utf-8")
    return [rule, test, changelog]


def _free_code(wanted: str, taken: Collection[str]) -> str:
    """A code as it is wanted, or the next one of a group such as ``DEV6``."""
    if re.fullmatch(r"DEV\d{3}", wanted):
        if wanted in taken:
            raise DevlintError(f"there is a rule {wanted} already")
        return wanted
    if not re.fullmatch(r"DEV\d", wanted):
        raise DevlintError(f"'{wanted}' is neither a code such as DEV607 nor a group such as DEV6")
    used = [int(code[3:]) for code in taken if code.startswith(wanted)]
    return f"DEV{max(used, default=int(wanted[3:]) * 100) + 1}"
