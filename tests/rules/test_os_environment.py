from __future__ import annotations

import pytest

from tests.support.rule_cases import check, found

CODE = "DEV304"

SILENT = [
    'import os\nos.environ["A"] = "0"',
    'os.environment["A"] = "0"',
    'from x import os\nos.environment["A"] = "0"',
    'import os\nscenario.environment["A"] = "0"',
    'import os\nself.os.environment["A"] = "0"',
    'def f(os):\n    return os.environment["A"]',
    "import os\nos.environment = os.environ",
    'import os\nx = os.name + ".environment["',
]


@pytest.mark.parametrize("text", SILENT)
def test_silent(text: str) -> None:
    assert found(CODE, f"{text}\n") == ()


FIXED = [
    ('os.environment["A"] = "0"', 'os.environ["A"] = "0"'),
    ('x = os.environment.get("A")', 'x = os.environ.get("A")'),
    ('x = os.env["A"]', 'x = os.environ["A"]'),
    ('x = os.env.get("A")', 'x = os.environ.get("A")'),
    ('os . enviorn ["A"] = "0"', 'os . environ ["A"] = "0"'),
    ("x = {**os.environment}", "x = {**os.environ}"),
]


@pytest.mark.parametrize(("before", "after"), FIXED)
def test_fixed(before: str, after: str) -> None:
    check(CODE, f"import os\n{before}\n", f"import os\n{after}\n", "safe")


def test_alias() -> None:
    check(CODE, 'import os as o\no.environment["A"]\n', 'import os as o\no.environ["A"]\n', "safe")


PROGRAMS = [f"import os\n{before}" for before, _ in FIXED]
