from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from devlint.verify.expression_place import ExpressionPlace  # noqa: E402
from devlint.verify.watch.places import UserCode  # noqa: E402

LOOP = "for a, b in (batches\n        .all):\n    print(a)\n"


def place(path: Path, node: ast.expr | ast.stmt) -> ExpressionPlace:
    assert node.end_lineno is not None and node.end_col_offset is not None
    return ExpressionPlace(str(path), node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)


@pytest.mark.parametrize("part", ["iterable", "statement"])
def test_the_next_value_of_a_loop_is_taken_by_its_statement(
    part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python 3.13 says of the instruction where the iterable is, older ones where the statement is."""
    path = tmp_path / "a.py"
    path.write_text(f"x = 1\n{LOOP}")
    (loop,) = (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.For))
    told = place(path, loop.iter if part == "iterable" else loop)
    code = UserCode([])
    monkeypatch.setattr(code, "place", lambda frame: told)
    assert code.loop(sys._getframe()) == place(path, loop)


@pytest.mark.parametrize("text", ["for x in (:\n", ""])
def test_a_program_that_has_changed_meanwhile_has_no_loops(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.py"
    path.write_text(text)
    told = ExpressionPlace(str(path), 2, 12, 3, 12)
    code = UserCode([])
    monkeypatch.setattr(code, "place", lambda frame: told)
    assert code.loop(sys._getframe()) == told
