"""Which functions of NumPy certainly give an array, and not a number or an array without dimensions."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.bindings import dotted_name

_ALWAYS = frozenset(
    "arange linspace logspace eye identity concatenate stack vstack hstack column_stack frombuffer fromiter tile "
    "atleast_1d atleast_2d diag tri tril triu outer meshgrid loadtxt genfromtxt "
    "random.normal random.uniform random.rand random.randn random.random random.random_sample "
    "random.standard_normal random.beta random.gamma random.exponential random.laplace random.permutation "
    "random.multivariate_normal random.dirichlet".split()
)
"""Those of ``random`` give a float without a size, which no legacy constructor takes."""
_OF_A_SHAPE = frozenset("zeros ones empty full".split())
_OF_DATA = frozenset("array asarray ascontiguousarray expand_dims float32 float64".split())
_POSITION_OF_SIZE = {"random.randint": 2, "random.choice": 1}


def gives_array(call: cst.Call, name: str, of_data: bool) -> bool:
    """Whether the function ``name`` of NumPy gives an array; ``of_data``: its first argument is one, or a list."""
    if name in _ALWAYS:
        return True
    if name in _OF_A_SHAPE:
        return bool(call.args)
    if name in _OF_DATA:
        return of_data
    if name not in _POSITION_OF_SIZE:
        return False
    sizes = [arg for arg in call.args if arg.keyword is not None and arg.keyword.value == "size"]
    sizes += [arg for arg in call.args[_POSITION_OF_SIZE[name] :] if arg.keyword is None and not arg.star][:1]
    return bool(sizes) and dotted_name(sizes[0].value) != "None"
