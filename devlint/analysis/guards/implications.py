"""What the tests of a program imply, by the names that its scopes bind and the values that these have."""

from __future__ import annotations

from collections.abc import Callable, Collection

import libcst as cst

from devlint.analysis.guards.accelerator_conditions import HasAccelerator
from devlint.analysis.guards.conditions import (
    HasCuda,
    Implication,
    Names,
    NeedsCuda,
    ProgramSaysCuda,
    TorchSaysCuda,
    says_nccl,
)
from devlint.analysis.guards.own_answers import asks_tensor, kept_answer, says_cuda
from devlint.analysis.guards.spread_models import says_spread
from devlint.analysis.names.bindings import How
from devlint.analysis.names.reaching_definitions import reaching_definitions
from devlint.analysis.names.resolution import origin, sole_value
from devlint.syntax.file_context import FileContext
from devlint.syntax.libcst_terms import libcst_term
from devlint.syntax.terms import Assigned, Attribute, Name, Term
from devlint.torch_api.cuda_naming import polarity


class ScopedNames(Names):
    """Names as their scopes bind them."""

    def __init__(self, ctx: FileContext) -> None:
        self._ctx = ctx

    def may_be(self, term: Term) -> Collection[str]:
        """What a name was imported as, or else how it is written."""
        return (origin(self._ctx, term.node) or term.dotted,)


class FollowedNames(ScopedNames):
    """The same, followed to the values that they stand for."""

    def value(self, term: Name | Assigned | Attribute) -> Term | None:
        """The only value that is ever assigned to a name, or to an attribute of ``self`` that asks for CUDA."""
        if isinstance(term, Assigned):
            return term.value
        if isinstance(term, Attribute):
            kept = kept_answer(self._ctx, term.node)
            return libcst_term(kept) if kept is not None else None
        value = sole_value(self._ctx, term.node) or self._narrowed(term.node)
        return libcst_term(value) if value is not None else None

    def _narrowed(self, name: cst.CSTNode) -> cst.BaseExpression | None:
        """What the line above makes of a parameter: ``timed = timed and torch.cuda.is_available()``."""
        found = reaching_definitions(self._ctx, name) if isinstance(name, cst.Name) else []
        value = found[0].value if len(found) == 1 and found[0].how is How.ASSIGN else None
        return value if isinstance(value, cst.BooleanOperation) else None

    def answers_for_cuda(self, function: Term) -> bool:
        """Whether a function of the project, as it is defined, answers yes only where there is CUDA."""
        return says_cuda(self._ctx, function.node) or asks_tensor(self._ctx, function.node)

    def says_cards(self, flag: Term) -> bool:
        """Whether the methods of the class switch an attribute on only where they spread it over cards."""
        return says_spread(self._ctx, flag.node)


def _follows(
    ctx: FileContext, implication: Callable[[FileContext], Implication], test: cst.CSTNode, holds: bool = True
) -> bool:
    """Whether something is so wherever ``test`` is true (or, with ``holds=False``, false); worked out once."""
    known, key = ctx.fact(_known), (implication, id(test), holds)
    if key not in known:
        known[key] = ctx.fact(implication).follows(libcst_term(test), holds)
    return known[key]


def _known(ctx: FileContext) -> dict[tuple[Callable[[FileContext], Implication], int, bool], bool]:
    """The answers so far, by what is asked, the test, and how it turns out."""
    return {}


def implies_accelerator(ctx: FileContext, test: cst.CSTNode, holds: bool = True) -> bool:
    """Whether there is an accelerator, CUDA or another, wherever a test is true (or false)."""
    return _follows(ctx, _has_accelerator, test, holds)


def implies_cuda(ctx: FileContext, test: cst.CSTNode, holds: bool = True) -> bool:
    """Whether a test says in its own words that there is CUDA wherever it is true (or false)."""
    return _follows(ctx, _has_cuda, test, holds)


def requires_cuda(ctx: FileContext, test: cst.CSTNode, holds: bool = True) -> bool:
    """Whether there is CUDA wherever a test is true (or false), also by what its names stand for and by NCCL."""
    return _follows(ctx, _needs_cuda, test, holds)


def torch_says_cuda(ctx: FileContext, test: cst.CSTNode, holds: bool = True) -> bool:
    """Whether torch itself has said that there is CUDA wherever a test is true (or false)."""
    return _follows(ctx, _torch_says_cuda, test, holds)


def program_says_cuda(ctx: FileContext, test: cst.CSTNode, holds: bool = True) -> bool:
    """Whether torch, or a function of the project that asks it, has said that there is CUDA wherever a test is true."""
    return _follows(ctx, _program_says_cuda, test, holds)


def means_cuda(ctx: FileContext, test: cst.CSTNode, holds: bool = True) -> bool:
    """Whether a test says that there is CUDA where it is true (or false), by its words or by what it stands for."""
    return implies_cuda(ctx, test, holds) or program_says_cuda(ctx, test, holds)


def _has_cuda(ctx: FileContext) -> Implication:
    return HasCuda(ScopedNames(ctx))


def _needs_cuda(ctx: FileContext) -> Implication:
    return NeedsCuda(FollowedNames(ctx))


def _has_accelerator(ctx: FileContext) -> Implication:
    return HasAccelerator(FollowedNames(ctx))


def _torch_says_cuda(ctx: FileContext) -> Implication:
    return TorchSaysCuda(FollowedNames(ctx))


def _program_says_cuda(ctx: FileContext) -> Implication:
    return ProgramSaysCuda(FollowedNames(ctx))


def asks_for_nccl(test: cst.CSTNode) -> bool:
    """Whether a test is whether processes talk over NCCL."""
    term = libcst_term(test)
    return says_nccl(term, True) or says_nccl(term, False)


def flag_polarity(node: cst.CSTNode) -> bool | None:
    """True for a name that means "use the GPU" (``args.cuda``), False for its opposite (``no_cuda``), else None."""
    return polarity(libcst_term(node).last_name)
