"""What options take and are by default, by LibCST's tree and by Python's alike."""

from __future__ import annotations

import ast

import libcst as cst
import pytest

from devlint.analysis.apis.option_kinds import are_ints, default_of, is_int, is_off, reads_int
from devlint.analysis.names.program_options import program_option
from devlint.syntax.python_tree.constant_values import UNKNOWN
from devlint.syntax.python_tree.python_terms import python_term

CASES = [
    ("action='store_true'", False, "off"),
    ("action='store_false'", True, ""),
    ("action='store_true', default=True", True, ""),
    ("action='store_true', default=None", None, "off"),
    ("action='store_const', const=1", None, "off"),
    ("action='store_const', const=1, default=0", 0, "off"),
    ("action='store_const', const=1, default=n", UNKNOWN, ""),
    ("action='count'", UNKNOWN, ""),
    ("action='count', default=0", UNKNOWN, ""),
    ("action=kind, default=0", UNKNOWN, ""),
    ("default=0", 0, ""),
    ("default=None", UNKNOWN, ""),
    ("default=2.5", UNKNOWN, ""),
    ("default='cuda'", "cuda", ""),
    ("type=str, default='cuda'", "cuda", ""),
    ("type=int, default='0'", UNKNOWN, "read"),
    ("type=int", UNKNOWN, "read one"),
    ("type=int, default=None", UNKNOWN, "read one"),
    ("type=int, default=-1", -1, "read one"),
    ("type=int, default=n", UNKNOWN, "read"),
    ("type=float, default=1", 1, ""),
    ("type=int, nargs='+'", UNKNOWN, "read several"),
    ("type=int, nargs='+', default=[0, 1]", [0, 1], "read several"),
    ("type=int, nargs='+', default=0", 0, "read several"),
    ("type=int, nargs='+', default=[n]", UNKNOWN, "read"),
    ("type=int, action='append'", UNKNOWN, "read"),
    ("type=np.int", UNKNOWN, ""),
    ("**given", UNKNOWN, ""),
]
"""Keywords, the default, and what is so: a switch that is off, what reads whole numbers, and is one or several."""


@pytest.mark.parametrize(("keywords", "default", "kinds"), CASES)
def test_kinds_of_options(keywords: str, default: object, kinds: str) -> None:
    text = f"add_argument('--gpu', {keywords})"
    call, other = cst.parse_expression(text), ast.parse(text, mode="eval").body
    assert isinstance(call, cst.Call)
    assert isinstance(other, ast.Call)
    option = program_option(call)
    assert option is not None
    told = {one.arg: python_term(one.value) for one in other.keywords if one.arg is not None}
    for given in (option.keywords, told):
        assert default_of(given) == default
        asked = {"off": is_off, "read": reads_int, "one": is_int, "several": are_ints}
        assert " ".join(word for word, is_so in asked.items() if is_so(given)) == kinds
