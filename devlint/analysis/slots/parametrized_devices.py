"""Devices that pytest gives to the parameter of a test: ``parametrize("device", ["cpu", "cuda"])``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from devlint.analysis.devices.device_values import device_value
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.classes import class_of
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.string_literals import string_value
from devlint.analysis.names.test_code import is_test
from devlint.analysis.project.ask import project_around
from devlint.syntax.file_context import FileContext


def may_be_given_another(ctx: FileContext, function: cst.FunctionDef, param: cst.Param) -> bool:
    """Whether pytest may run a test with another device than the current GPU: with the CPU, or nobody sees which.

    What such a test moves with ``.cuda()`` it wants on the GPU whatever it is given.
    """
    if not is_test(ctx, function):
        return False
    name = param.name.value
    given = list(_given(ctx, function, name))
    if any(values is None or not all(_is_current_gpu(ctx, one) for one in values) for values in given):
        return True
    return not given and any(_has_params(one) for one in _fixtures(ctx, name))


def _given(ctx: FileContext, function: cst.FunctionDef, name: str) -> Iterator[list[cst.BaseExpression] | None]:
    """What each mark around a test gives to a parameter; None where its values are not written there."""
    owner = class_of(ctx, function)
    for mark in (*function.decorators, *(owner.decorators if owner is not None else ())):
        call = mark.decorator
        if not isinstance(call, cst.Call) or len(call.args) < 2:
            continue
        if (dotted_name(call.func) or "").rpartition(".")[2] != "parametrize":
            continue
        names = [one.strip() for one in (string_value(call.args[0].value) or "").split(",")]
        if name in names:
            yield _values(call.args[1].value, names.index(name) if len(names) > 1 else None)


def _values(rows: cst.BaseExpression, index: int | None) -> list[cst.BaseExpression] | None:
    """The values of one parameter in the rows of a mark."""
    if not isinstance(rows, (cst.List, cst.Tuple)):
        return None
    found: list[cst.BaseExpression] = []
    for row in (one.value for one in rows.elements):
        if isinstance(row, cst.Call):  # pytest.param("cuda", marks=…)
            columns = [one.value for one in row.args if one.keyword is None]
        elif index is not None and isinstance(row, (cst.List, cst.Tuple)):
            columns = [one.value for one in row.elements]
        else:
            columns = [row] if index is None else []
        if len(columns) <= (index or 0):
            return None
        found.append(columns[index or 0])
    return found


def _is_current_gpu(ctx: FileContext, node: cst.BaseExpression) -> bool:
    value = device_value(ctx, node)
    return value is not None and value.cuda and value.index in (None, "0")


def _fixtures(ctx: FileContext, name: str) -> Iterator[ast.expr | cst.BaseExpression]:
    """The decorators of the fixture that gives a parameter, in this file or in a ``conftest.py``."""
    bound = scopes(ctx).module.bindings.get(name, ())
    own = [one.node for one in bound if isinstance(one.node, cst.FunctionDef)]
    for function in own:
        yield from (one.decorator for one in function.decorators)
    found = project_around(ctx).fixture(name) if not own else None
    if isinstance(found, (ast.FunctionDef, ast.AsyncFunctionDef)):
        yield from found.decorator_list


def _has_params(mark: ast.expr | cst.BaseExpression) -> bool:
    """Whether a fixture is made once for each of several values: ``@pytest.fixture(params=["cpu", "cuda"])``."""
    if isinstance(mark, ast.Call):
        return any(one.arg == "params" for one in mark.keywords)
    return isinstance(mark, cst.Call) and any(
        one.keyword is not None and one.keyword.value == "params" for one in mark.args
    )
