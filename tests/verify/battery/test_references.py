"""Every program of the battery says what CUDA does and where that is written."""

from __future__ import annotations

import ast
from pathlib import Path


def test_every_program_names_its_reference() -> None:
    programs = 0
    for path in sorted(Path(__file__).parent.glob("test_*.py")):
        if path.name == Path(__file__).name:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                assert ". Reference: " in (ast.get_docstring(node) or ""), f"{path.name}: {node.name}"
                programs += 1
    assert programs >= 150
