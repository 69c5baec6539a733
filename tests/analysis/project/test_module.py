"""What binds the names of a module of the project, and how often."""

from __future__ import annotations

import ast

import pytest

from devlint.analysis.project.module import ProjectModule

CASES = [
    ("import torch", {"torch": 1}),
    ("import torch.nn", {"torch": 1}),
    ("import torch as t", {"t": 1}),
    ("from torch import nn, cuda as c", {"c": 1, "nn": 1}),
    ("from . import a", {"a": 1}),
    ("from ..u import b", {"b": 1}),
    ("from x import *", {"*": 1}),
    ("def f():\n    a = 1", {"f": 1}),
    ("class A:\n    b = 1", {"A": 1}),
    ("async def g(): pass", {"g": 1}),
    ("x = 1", {"x": 1}),
    ("x: int = 1", {"x": 1}),
    ("x: int", {}),
    ("x += 1", {"x": 1}),
    ("x, (y, *z) = 1", {"x": 1, "y": 1, "z": 1}),
    ("for i in a:\n    j = 1\nelse:\n    k = 1", {"i": 1, "j": 1, "k": 1}),
    ("for a.b in c: pass", {}),
    ("with a as b, c as (d, e): f = 1", {"b": 1, "d": 1, "e": 1, "f": 1}),
    ("with a: pass", {}),
    ("if a:\n    b = 1\nelse:\n    c = 1", {"b": 1, "c": 1}),
    ("try:\n    a = 1\nexcept E as e:\n    b = 1\nfinally:\n    c = 1", {"a": 1, "b": 1, "c": 1}),
    ("del x", {}),
    ("x[0] = 1", {}),
    ("x.y = 1", {}),
    ("[r for r in s]", {}),
    ("def f(p=(w := 1)): pass", {"f": 1}),
    ("global x", {}),
    ("import a.b as c, d.e", {"c": 1, "d": 1}),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_bindings(text: str, expected: dict[str, int]) -> None:
    found = ProjectModule("case.py", ast.parse(text)).bindings
    assert {name: len(bound) for name, bound in found.items()} == expected


ORIGINS = [
    ("import torch", "torch.cuda", "torch.cuda"),
    ("import torch.nn", "torch.nn.Linear", "torch.nn.Linear"),
    ("import torch.nn", "torch", "torch"),
    ("import torch.nn as nn", "nn.Linear", "torch.nn.Linear"),
    ("from torch import nn", "nn.Linear", "torch.nn.Linear"),
    ("from torch.nn import Linear as L", "L", "torch.nn.Linear"),
    ("from . import a", "a.b", ".a.b"),
    ("from ..u import b", "b", "..u.b"),
    ("import torch\nimport torch.nn", "torch.nn", ""),
    ("import a\nimport a", "a.b", "a.b"),
    ("import a\na = 1", "a.b", ""),
    ("a = 1", "a.b", ""),
    ("import a", "b.c", ""),
    ("import a", "a().b", ""),
    ("import a", "1", ""),
]


@pytest.mark.parametrize(("text", "expression", "expected"), ORIGINS)
def test_origin(text: str, expression: str, expected: str) -> None:
    assert ProjectModule("case.py", ast.parse(text)).origin(ast.parse(expression, mode="eval").body) == expected


VALUES = [
    ("x = 1", "1"),
    ("x: int = 1", "1"),
    ("x: int", None),
    ("x = 1\nx = 2", None),
    ("x, y = 1", None),
    ("x += 1", None),
    ("x = 1\ndef f():\n    global x", None),
    ("x = 1\ndef f():\n    x = 2", "1"),
    ("x.y = 1", None),
    ("if a:\n    x = 1", "1"),
    ("def x(): pass", None),
    ("y = 1", None),
]


@pytest.mark.parametrize(("text", "expected"), VALUES)
def test_sole_value(text: str, expected: str | None) -> None:
    value = ProjectModule("case.py", ast.parse(text)).sole_value("x")
    assert (None if value is None else ast.unparse(value)) == expected
