"""What keeps a test from running without CUDA: marks, decorators, set-up methods and fixtures."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import takewhile

import libcst as cst

from devlint.analysis.guards.early_exits import early_exits
from devlint.analysis.guards.own_answers import skips_without_cuda
from devlint.analysis.guards.questions import Guard, Question
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.classes import bases, classes_named
from devlint.analysis.names.control_flow import statements
from devlint.analysis.names.resolution import origin, sole_value
from devlint.analysis.names.string_literals import string_value
from devlint.analysis.project.ask import project_around
from devlint.core.lazy_regex import regex
from devlint.core.target import ConfiguredGate
from devlint.syntax.call_arguments import keyword_argument
from devlint.syntax.file_context import FileContext, fact_of
from devlint.torch_api.cuda_functions import CARD_QUESTIONS

_SETUPS = frozenset({"setUp", "setUpClass", "asyncSetUp", "setup_method", "setup_class"})
_BRANCHES = (cst.BooleanOperation, cst.IfExp, cst.Lambda)
_SKIPS = regex(r"skip|mock|monkeypatch")
_NOT_ASKED = frozenset({"0", "False", "None", '""', "''"})


def gates_beside(ctx: FileContext, child: cst.CSTNode, block: cst.CSTNode, question: Question) -> Iterator[Guard]:
    """``pytestmark`` and ``setUp`` beside a test or a class of tests, and what its class inherits."""
    yield from _setup_gates(ctx, child, block, question)
    owner = ctx.tree.parent(block)
    if isinstance(owner, cst.ClassDef):
        for base in classes_named(ctx, bases(ctx, owner)):
            yield from _setup_gates(ctx, child, base.body, question)
            yield from _decorators(ctx, base, question)


def gates_of(ctx: FileContext, definition: cst.FunctionDef | cst.ClassDef, question: Question) -> Iterator[Guard]:
    """The decorators of a test or of a class of tests, and the fixtures that a test asks for."""
    yield from _decorators(ctx, definition, question)
    if isinstance(definition, cst.FunctionDef) and (
        definition.name.value.startswith("test") or _fixture_mark(definition) is not None
    ):
        for parameter in definition.params.params:
            if _is_fixture_gate(ctx, parameter.name.value, question):
                yield Guard(definition, parameter.name, True)


def gates_of_case(ctx: FileContext, value: cst.Arg, case: cst.Call, question: Question) -> Iterator[Guard]:
    """The marks of ``pytest.param(torch.device("cuda"), marks=pytest.mark.skipif(…))`` for its values."""
    marks = keyword_argument(case, "marks") if _last_name(case) == "param" else None
    for one in several_marks(marks.value) if marks is not None and marks is not value else ():
        yield from _skips(ctx, case, one, question)


def _decorators(ctx: FileContext, definition: cst.FunctionDef | cst.ClassDef, question: Question) -> Iterator[Guard]:
    for decorator in definition.decorators:
        yield from _skips(ctx, decorator, decorator.decorator, question)


@fact_of
def _setups(ctx: FileContext, block: cst.CSTNode) -> list[cst.FunctionDef | cst.Assign]:
    """Each ``setUp``, fixture for all tests and ``pytestmark = …`` of a block."""
    found: list[cst.FunctionDef | cst.Assign] = []
    for one in statements(block):
        small = one.body[0] if isinstance(one, cst.SimpleStatementLine) else None
        if isinstance(one, cst.FunctionDef):
            if one.name.value in _SETUPS or any(_is_for_all(mark.decorator) for mark in one.decorators):
                found.append(one)
        elif isinstance(small, cst.Assign) and dotted_name(small.targets[0].target) == "pytestmark":
            found.append(small)
    return found


def _is_for_all(mark: cst.BaseExpression) -> bool:
    """Whether a decorator is ``@pytest.fixture(autouse=True)``."""
    told = keyword_argument(mark, "autouse") if isinstance(mark, cst.Call) else None
    return told is not None and dotted_name(told.value) == "True"


def _setup_gates(ctx: FileContext, child: cst.CSTNode, block: cst.CSTNode, question: Question) -> Iterator[Guard]:
    for one in _setups(ctx, block):
        if isinstance(one, cst.FunctionDef):
            if one is not child:
                yield from early_exits(ctx, None, one.body, question)
        else:
            for mark in several_marks(one.value):
                yield from _skips(ctx, one, mark, question)


def several_marks(value: cst.BaseExpression) -> list[cst.BaseExpression]:
    """The elements of a list or tuple; anything else alone."""
    return [one.value for one in value.elements] if isinstance(value, (cst.List, cst.Tuple)) else [value]


def _skips(ctx: FileContext, owner: cst.CSTNode, mark: cst.BaseExpression, question: Question) -> Iterator[Guard]:
    """``@unittest.skipIf(not torch.cuda.is_available(), …)``, ``@pytest.mark.skipif(…)`` and ``@require_cuda``."""
    named = sole_value(ctx, mark) if isinstance(mark, cst.Name) else None
    for one in (named, mark):
        if isinstance(one, cst.Call) and one.args and _last_name(one).startswith("skip"):
            test, holds = one.args[0].value, _last_name(one) == "skipunless"
            if question.implies(ctx, test, holds) or _asks_a_card(ctx, test):
                yield Guard(owner, test, holds)
                return
    name = _last_name(mark)
    if question.decorators is not None and configured_gate(ctx, mark) is not None:
        yield Guard(owner, mark, True)
    elif question.decorators is not None and question.decorators.search(name) and not _only_moves(ctx, name):
        yield Guard(owner, mark, True)
    elif isinstance(mark, cst.Call) and _asks(ctx, mark, name, question):
        yield Guard(owner, mark, True)
    elif skips_without_cuda(ctx, mark):
        yield Guard(owner, mark, True)


def _asks_a_card(ctx: FileContext, test: cst.BaseExpression) -> bool:
    """Whether a test cannot be answered without CUDA: ``torch.cuda.get_device_capability() < (8, 0)``."""
    asked = (sole_value(ctx, test) if isinstance(test, cst.Name) else None) or test
    for one in ctx.tree.below(asked):
        if isinstance(one, cst.Call) and origin(ctx, one.func) in CARD_QUESTIONS:
            around = takewhile(lambda pair: pair[0] is not asked, ctx.tree.path_up(one))
            if not any(isinstance(parent, _BRANCHES) and child is not _first(parent) for child, parent in around):
                return True
    return False


def _first(choice: cst.CSTNode) -> cst.CSTNode:
    """What of ``and``, ``or`` and a conditional expression is looked at in any case."""
    return choice.test if isinstance(choice, cst.IfExp) else getattr(choice, "left", choice)


def configured_gate(ctx: FileContext, mark: cst.BaseExpression) -> ConfiguredGate | None:
    """The project's own gate that a decorator or mark is."""
    if not ctx.target.gates:
        return None
    called = mark.func if isinstance(mark, cst.Call) else mark
    names = (dotted_name(called), origin(ctx, called))
    return next((one for one in ctx.target.gates if any(map(one.is_called, names))), None)


def _last_name(mark: cst.BaseExpression) -> str:
    return (dotted_name(mark.func if isinstance(mark, cst.Call) else mark) or "").lower().rpartition(".")[2]


def _asks(ctx: FileContext, mark: cst.Call, name: str, question: Question) -> bool:
    """Whether a mark asks by an argument: ``RunIf(min_cuda_gpus=1)``, ``usefixtures("cuda_count_1")``.

    So does ``parametrize`` with a mark for each of its values.
    """
    if name == "usefixtures":
        return any(_is_fixture_gate(ctx, string_value(one.value) or "", question) for one in mark.args)
    if name == "parametrize":
        values = several_marks(mark.args[1].value) if len(mark.args) > 1 else []
        marks = [keyword_argument(one, "marks") if isinstance(one, cst.Call) else None for one in values]
        return bool(marks) and all(
            one is not None and any(any(_skips(ctx, mark, two, question)) for two in several_marks(one.value))
            for one in marks
        )
    words = question.decorators
    return words is not None and any(
        one.keyword is not None and words.search(one.keyword.value) and ctx.text_of(one.value) not in _NOT_ASKED
        for one in mark.args
    )


def _is_fixture_gate(ctx: FileContext, name: str, question: Question) -> bool:
    """Whether a fixture skips a test where it is not so, or is called after CUDA and pretends that there is."""
    if any(_lets_pass(ctx, one, question) for one in ctx.fact(_fixtures).get(name, ())):
        return True
    if question.decorators is None or not question.decorators.search(name.lower()):
        return False
    own = [ctx.text_of(one) for one in ctx.tree.of_type(cst.FunctionDef) if one.name.value == name]
    if not own:
        fixture = project_around(ctx).fixture(name)
        own = [ast.unparse(fixture)] if fixture is not None else []
    return any(_SKIPS.search(one) for one in own)


def _fixture_mark(function: cst.FunctionDef) -> cst.BaseExpression | None:
    """The decorator that makes a function a fixture of pytest."""
    marks = (one.decorator for one in function.decorators)
    return next((one for one in marks if _last_name(one) == "fixture"), None)


def _fixtures(ctx: FileContext) -> dict[str, list[cst.FunctionDef]]:
    """The fixtures of a file by their names."""
    found: dict[str, list[cst.FunctionDef]] = {}
    for one in ctx.tree.of_type(cst.FunctionDef) if "fixture" in ctx.source.text else ():
        if _fixture_mark(one) is not None:
            found.setdefault(one.name.value, []).append(one)
    return found


def _lets_pass(ctx: FileContext, fixture: cst.FunctionDef, question: Question) -> bool:
    """Whether a fixture, or one that it asks for, comes to its end only where it is so."""
    known, key = ctx.fact(_passed), (id(fixture), id(question))
    if key not in known:
        known[key] = False  # a fixture that asks for one of its own name
        asked = (one.name.value for one in fixture.params.params)
        known[key] = any(early_exits(ctx, None, fixture.body, question)) or any(
            _is_fixture_gate(ctx, one, question) for one in asked
        )
    return known[key]


def _passed(ctx: FileContext) -> dict[tuple[int, int], bool]:
    """The answers so far, by fixture and question."""
    return {}


def _only_moves(ctx: FileContext, decorator: str) -> bool:
    """Whether a decorator of this file neither skips nor asks: ``@on_gpu`` that moves the arguments."""
    own = [one for one in ctx.tree.of_type(cst.FunctionDef) if one.name.value.lower() == decorator]
    return bool(own) and not any(word in ctx.text_of(one).lower() for one in own for word in ("skip", "is_available"))
