"""Which blocks run where torch says that there is no CUDA, by what tests ask of a device."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import cached_property

from devlint.analysis.guards.conditions import NEGATIVE, TorchSaysCuda
from devlint.analysis.guards.own_answers import ModuleNames
from devlint.analysis.project.module import ProjectModule
from devlint.analysis.project.project import Index
from devlint.core.record import Record
from devlint.syntax.python_tree.nodes import dotted_text, last_name, nodes_below
from devlint.syntax.python_tree.python_terms import python_term
from devlint.syntax.terms import And, Attribute, Call, Collection, Compare, Constant, Name, Not, Or, String, Term
from devlint.torch_api.libraries import TELLING

_DEPTH = 3
_TOLD = TELLING | {"write"}
_ASKS = frozenset({"is_available", "device_count"})
_STOPS = frozenset("exit quit _exit abort error fail".split())
_OPPOSITE = {True: False, False: True, None: None}
_BLOCKS = ("body", "orelse", "finalbody")
_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def is_device_of(term: Term, names: frozenset[str] | set[str]) -> bool:
    """Whether an expression is a device of one of some names, its type or its text."""
    match term:
        case Call(function, (argument, *_)) if function.last_name in ("device", "str"):
            return is_device_of(argument, names)
        case Call(Attribute(value, "lower" | "strip"), _) | Attribute(value, "type"):
            return is_device_of(value, names)
    return term.last_name in names


class _Answer(Record):
    """How a test comes out without CUDA where the device is CUDA, and where it is the CPU; None where nobody knows."""

    cuda: bool | None = None
    cpu: bool | None = None
    of_device: bool = False
    of_torch: bool = False


class Way(Record):
    """Whether a block may be reached without CUDA, of either device, and what has been asked before."""

    cuda: bool = True
    cpu: bool = True
    of_device: bool = False
    of_torch: bool = False

    def after(self, answer: _Answer, holds: bool) -> Way:
        """The way that goes on where a test comes out so."""
        asked = (self.of_device or answer.of_device, self.of_torch or answer.of_torch)
        return Way(self.cuda and answer.cuda is not (not holds), self.cpu and answer.cpu is not (not holds), *asked)

    @property
    def is_apart(self) -> bool:
        """Whether only one of the two devices leads here, by what torch says."""
        return self.of_device and self.of_torch and self.cuda is not self.cpu


class Ways:
    """The ways of a module without CUDA."""

    def __init__(self, index: Index, module: ProjectModule, names: frozenset[str]) -> None:
        self._index, self._module, self._names = index, module, names
        self._torch = TorchSaysCuda(ModuleNames(module))

    @cached_property
    def _flags(self) -> dict[str, list[ast.expr]]:
        """What each name, or attribute of one, is given by statements that assign to it alone."""
        found: dict[str, list[ast.expr]] = {}
        for node in self._module.fact(assignments_and_calls)[0]:
            if len(node.targets) == 1:
                found.setdefault(dotted_text(node.targets[0]), []).append(node.value)
        return found

    def differ(self, block: Sequence[ast.stmt], way: Way) -> bool:
        """Whether a block does something else for one device than for the other."""
        for index, one in enumerate(block):
            if isinstance(one, ast.If):
                answer = self._answer(python_term(one.test), _DEPTH)
                if self._branches_differ(one, answer, way, block[index + 1 :]):
                    return True
                if isinstance(one.body[-1], _LEAVES) and not one.orelse:
                    way = way.after(answer, False)
            elif isinstance(one, (*_FUNCTIONS, ast.ClassDef)):
                if self.differ(one.body, Way()):
                    return True
            elif any(self.differ(inner, way) for inner in _inner_blocks(one)):
                return True
        return False

    def _branches_differ(self, node: ast.If, answer: _Answer, way: Way, below: Sequence[ast.stmt]) -> bool:
        branches = [(node.body, way.after(answer, True)), (node.orelse, way.after(answer, False))]
        for_cuda = [block for block, one in branches if one.is_apart and one.cuda]
        for_cpu = [block for block, one in branches if one.is_apart and one.cpu]
        if any(_fails(one or below[:1]) for one in for_cuda):
            return False
        if any(for_cpu) or not all(map(_only_tells, for_cuda)):
            return True
        if any(one.cuda and not one.cpu and self._takes_another(block) for block, one in branches):
            return True
        return any(self.differ(block, one) for block, one in branches if one.cuda or one.cpu)

    def _takes_another(self, block: Sequence[ast.stmt]) -> bool:
        """Whether a block gives the device what a function of the project says that asks torch for cards."""
        for one in block:
            if not isinstance(one, ast.Assign) or not isinstance(one.value, ast.Call):
                continue
            is_device_of = any(last_name(target) in self._names for target in one.targets)
            found = self._index.resolve(self._module, dotted_text(one.value.func)) if is_device_of else None
            if found is not None and any(last_name(node) in _ASKS for node in nodes_below(found.node)):
                return True
        return False

    def _answer(self, term: Term, depth: int) -> _Answer:
        """How a test comes out without CUDA."""
        match term:
            case Not(operand):
                found = self._answer(operand, depth)
                return found.replace(cuda=_OPPOSITE[found.cuda], cpu=_OPPOSITE[found.cpu])
            case And(parts) | Or(parts):
                answers = [self._answer(one, depth) for one in parts]
                ends = isinstance(term, Or)
                asked = (any(one.of_device for one in answers), any(one.of_torch for one in answers))
                joined = (_joined([one.cuda for one in answers], ends), _joined([one.cpu for one in answers], ends))
                return _Answer(*joined, *asked)
            case Constant(value) if isinstance(value, bool):
                return _Answer(value, value)
            case Name() | Attribute():
                values = self._flags.get(term.dotted, [])
                if len(values) == 1 and depth > 0 and term.last_name not in self._names:
                    return self._answer(python_term(values[0]), depth - 1)
        asked_device = self._asked_of_device(term)
        if asked_device is not None:
            return asked_device
        for holds in (True, False):
            if self._torch.follows(term, holds):
                return _Answer(not holds, not holds, of_torch=True)
        return _Answer()

    def _asked_of_device(self, term: Term) -> _Answer | None:
        """What a comparison of the device with a text says of CUDA and the CPU."""
        match term:
            case Call(Attribute(value, "startswith"), (String(text),)) if is_device_of(value, self._names):
                return _Answer("cuda".startswith(text), "cpu".startswith(text), of_device=True)
            case Compare(String(text), "in" | "not in" as operator, right) if is_device_of(right, self._names):
                return _compared(operator, [text in one for one in ("cuda", "cpu")])
            case Compare(left, operator, right) if is_device_of(right, self._names):
                left, right = right, left
            case Compare(left, operator, right) if is_device_of(left, self._names):
                pass
            case _:
                return None
        words = _words(right)
        if words is None or operator not in ("==", "!=", "in", "not in", "is", "is not"):
            return None
        return _compared(operator, [one in words for one in ("cuda", "cpu")])


def assignments_and_calls(scope: ast.AST) -> tuple[list[ast.Assign], list[ast.Call]]:
    """The statements of a file or function that assign something, and its calls."""
    nodes = nodes_below(scope)
    return [one for one in nodes if one.__class__ is ast.Assign], [one for one in nodes if one.__class__ is ast.Call]


def _compared(operator: str, holds: list[bool]) -> _Answer:
    cuda, cpu = (one is not (operator in NEGATIVE) for one in holds)
    return _Answer(cuda, cpu, of_device=True)


def _words(term: Term) -> list[str] | None:
    """The kinds of devices that a text, a device or a collection of texts names."""
    match term:
        case String(text):
            return [text.partition(":")[0]]
        case Collection(items) if all(isinstance(one, String) for one in items):
            return [word for one in items for word in _words(one) or ()]
        case Call(function, (String(text), *_)) if function.last_name == "device":
            return [text.partition(":")[0]]
    return None


def _joined(answers: list[bool | None], ends: bool) -> bool | None:
    """What ``or`` (``ends`` is True) or ``and`` gives."""
    if ends in answers:
        return ends
    return None if None in answers else not ends


def _inner_blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    yield from (getattr(statement, name, []) for name in _BLOCKS)
    for inner in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield inner.body


def _called(statement: ast.stmt) -> str:
    """The last name of what a statement calls."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    return last_name(call.func) if isinstance(call, ast.Call) else ""


def _fails(block: Sequence[ast.stmt]) -> bool:
    """Whether a block ends with an error, and not because all is well: ``raise SkipTest`` and ``exit(0)`` are none."""
    last = block[-1] if block else None
    if isinstance(last, ast.Assert):
        return True
    if isinstance(last, ast.Raise):
        named = last.exc.func if isinstance(last.exc, ast.Call) else last.exc
        return named is None or "skip" not in dotted_text(named).lower()
    if last is None or _called(last) not in _STOPS or not isinstance(last, ast.Expr):
        return False
    call = last.value
    given = call.args[0] if isinstance(call, ast.Call) and call.args else None
    plain = given.value if isinstance(given, ast.Constant) else given
    return _called(last) in ("abort", "error", "fail") or (plain is not None and plain != 0)


def _only_tells(block: Sequence[ast.stmt]) -> bool:
    """Whether a block does nothing but tell people something, so that the program goes on, and fails as before."""
    return all(isinstance(one, ast.Pass) or _called(one) in _TOLD for one in block)
