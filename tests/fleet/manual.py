"""What docs/audits.md holds: its Python and its questions."""

from __future__ import annotations

import re
from typing import Any

from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "audits.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
VIEWS, *QUERIES = re.findall(r"^```sql\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
QUESTIONS = re.findall(r"^### (\d+)\. (.*)$", PAGE, re.MULTILINE)


def functions() -> dict[str, Any]:
    """What the last example of the page defines."""
    names: dict[str, Any] = {}
    exec(compile(PYTHON[-1], "audits.md", "exec"), names)
    return names
