"""Which parameter the arguments of a call are for."""

import ast

import pytest

from devlint.analysis.project.calls import parameter_position


@pytest.mark.parametrize(
    ("name", "is_method", "position"),
    [
        ("self", False, 0),
        ("x", False, 1),
        ("self", True, None),
        ("x", True, 0),
        ("late", True, None),
        ("no", True, None),
    ],
)
def test_the_instance_is_given_by_no_argument(name: str, is_method: bool, position: int | None) -> None:
    function = ast.parse("def move(self, x, *, late=None): pass").body[0]
    assert isinstance(function, ast.FunctionDef)
    assert parameter_position(function, name, is_method) == position
