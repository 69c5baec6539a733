"""Tests opened to any accelerator: a gate, and all that it keeps from other devices, change together or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from devlint.analysis.guards.availability_flow import AVAILABLE
from devlint.analysis.guards.cuda_only_code import uses_cuda_code
from devlint.analysis.guards.guards import guards_of
from devlint.analysis.guards.test_marks import Holder
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.control_flow import statements
from devlint.analysis.names.resolution import origin
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.string_literals import string_value
from devlint.analysis.names.test_code import code_run_by
from devlint.analysis.transfers.cuda_method_calls import cuda_move, move_edits
from devlint.core.diagnostic import Edit
from devlint.core.lazy_regex import regex
from devlint.fixes.apis.cuda_dependents import Dependent, cuda_dependents, on_accelerator
from devlint.fixes.configured_calls import configured_call, configured_call_edits
from devlint.fixes.device.gate_device import GateDevice, gate_device
from devlint.fixes.opened_literals import opened_literal, whole_literal
from devlint.fixes.torch_import import torch_name
from devlint.syntax.edits import replace_expression
from devlint.syntax.file_context import FileContext, fact
from devlint.torch_api.cuda_members import OnCpu, cuda_member

OTHERS_RUN = "the tests will run on other accelerators too"
_CUDA_ONLY = regex(
    r"(?i)nccl|nvtx|cuda_?graph|tensorrt|xformers|flash_attn|\bapex\b|nvidia|capability|is_sm_|triton|deep_?gemm"
    r"|kernels?(?!_size)"
)
"""What is in the name of things that only CUDA has."""
_TESTED = (cst.If, cst.IfExp, cst.UnaryOperation, cst.BooleanOperation)


def opened(ctx: FileContext, holder: Holder, gates: Sequence[cst.CSTNode]) -> tuple[Edit, ...] | None:
    """The edits by which what ``holder`` has in it runs on any accelerator; None where something in it needs CUDA.

    ``gates`` are the tests for CUDA that are opened at the same time.
    """
    gates = (*gates, *_labels(ctx))
    if _uses_cuda_only(ctx, holder) or _is_gated_further(ctx, holder, gates):
        return None
    device = gate_device(ctx, holder.body[-1] if isinstance(holder, cst.Module) else holder)
    if device is None:
        return None
    code: list[cst.CSTNode] = [holder]
    if not isinstance(holder, cst.Module):
        code += [one for one in code_run_by(ctx, holder) if not _is_below(ctx, one, holder)]
        if any(True for value in _values_read(ctx, code) for _ in _changes(ctx, value, gates, device)):
            return None
    made: list[Edit] = []
    for one in code:
        for change in _changes(ctx, one, gates, device):
            if change is None:
                return None
            made += change
    return (*made, *device.edits) if made else ()


@fact
def _labels(ctx: FileContext) -> list[cst.CSTNode]:
    """Marks without an argument, such as ``pytest.mark.single_gpu``: by themselves they skip nothing."""
    named = (one.decorator for one in ctx.tree.of_type(cst.Decorator))
    return [one for one in named if (dotted_name(one) or "").startswith("pytest.mark.")]


def _uses_cuda_only(ctx: FileContext, holder: Holder) -> bool:
    """Whether tests use, by its name, what only CUDA has."""
    names = (one.value for one in ctx.tree.below(holder) if isinstance(one, cst.Name))
    if any(_CUDA_ONLY.search(one) for one in names):
        return True
    return isinstance(holder, cst.FunctionDef) and uses_cuda_code(ctx, holder)


def _values_read(ctx: FileContext, code: Sequence[cst.CSTNode]) -> list[cst.CSTNode]:
    """The values of the module's variables that code reads, and of those that these are made of."""
    found: dict[int, cst.CSTNode] = {}
    waiting = list(code)
    while waiting:
        for one in ctx.tree.below(waiting.pop()):
            bound = scopes(ctx).module.bindings.get(one.value, ()) if isinstance(one, cst.Name) else ()
            for value in (each.value for each in bound):
                if value is not None and id(value) not in found:
                    found[id(value)] = value
                    waiting.append(value)
    return list(found.values())


def _is_gated_further(ctx: FileContext, holder: Holder, gates: Sequence[cst.CSTNode]) -> bool:
    """Whether another test for CUDA, which stays, keeps what is in ``holder`` from running."""
    body = holder.body if isinstance(holder, cst.Module) else statements(holder.body)
    if not body:
        return False
    inside = {id(one) for line in body for one in ctx.tree.below(line)}
    return any(id(one.owner) not in inside and not _is_one_of(one.test, gates) for one in guards_of(ctx, body[-1]))


def _is_one_of(node: cst.CSTNode, nodes: Sequence[cst.CSTNode]) -> bool:
    return any(one is node for one in nodes)


def _is_below(ctx: FileContext, node: cst.CSTNode, other: cst.CSTNode) -> bool:
    return node is other or _is_one_of(other, list(ctx.tree.ancestors(node)))


def _changes(
    ctx: FileContext, code: cst.CSTNode, gates: Sequence[cst.CSTNode], device: GateDevice
) -> Iterator[Sequence[Edit] | None]:
    """For all in ``code`` that needs CUDA the edits by which it does not; None where there are none.

    What has a test of its own in there is left to it.
    """
    inside = {id(one) for one in ctx.tree.below(code)}
    for gate in gates:
        inside -= {id(one) for one in ctx.tree.below(gate)}
    needs = [one for one in cuda_dependents(ctx) if id(one.node) in inside]
    known = {id(one.node) for one in needs}
    needs += [Dependent(one) for one in _questions(ctx, code) if id(one) in inside and id(one) not in known]
    changing = {id(one.node) for one in needs}
    for one in needs:
        around = (guard for guard in guards_of(ctx, one.node) if not _is_one_of(guard.test, gates))
        own = (guard for guard in around if id(guard.owner) in inside)
        if all(any(id(part) in changing for part in ctx.tree.below(guard.test)) for guard in own):
            yield _change(ctx, one, device)


def _questions(ctx: FileContext, code: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """What asks whether something is on CUDA, and the calls of torch.cuda whose answer is empty elsewhere."""
    for one in ctx.tree.below(code):
        parent = ctx.tree.parent(one)
        if isinstance(one, cst.SimpleString) and isinstance(parent, (cst.Comparison, cst.ComparisonTarget)):
            if (string_value(one) or "").startswith("cuda"):
                yield one
        elif isinstance(one, cst.Attribute) and one.attr.value == "is_cuda":
            yield one
        elif isinstance(one, cst.Call) and not isinstance(parent, cst.Expr):
            member = cuda_member(origin(ctx, one.func))
            asks = origin(ctx, one.func) == AVAILABLE and isinstance(parent, _TESTED)
            if member is not None and member.on_cpu is OnCpu.HARMLESS and not asks:
                yield one.func


def _change(ctx: FileContext, needs: Dependent, device: GateDevice) -> Sequence[Edit] | None:
    node = needs.node
    literal = needs.literal or whole_literal(ctx, node)
    if literal is not None:
        return opened_literal(ctx, literal, needs.in_slot, device)
    if isinstance(node, cst.Call):
        return _moved(ctx, node, device)
    if isinstance(node, cst.Attribute) and node.attr.value == "is_cuda":
        return _is_on_device(ctx, node, device)
    return _called(ctx, needs)


def _moved(ctx: FileContext, call: cst.Call, device: GateDevice) -> Sequence[Edit] | None:
    """``x.cuda()`` to ``x.to(device)``."""
    move = cuda_move(ctx, call)
    if move is None or not move.whole:
        return None
    if move.device is not None and not (isinstance(move.device.value, cst.Integer) and move.device.value.value == "0"):
        return None
    return move_edits(ctx, move, device.expression)


def _is_on_device(ctx: FileContext, asked: cst.Attribute, device: GateDevice) -> Sequence[Edit] | None:
    """``x.is_cuda`` to ``x.device.type == device.type``, where nothing stands beside it."""
    if not isinstance(ctx.tree.parent(asked), (cst.Assert, cst.If, cst.Arg)):
        return None
    edit = replace_expression(ctx, asked, f"{ctx.text_of(asked.value)}.device.type == {device.type}")
    return None if edit is None else (edit,)


def _called(ctx: FileContext, needs: Dependent) -> Sequence[Edit] | None:
    """A function of torch.cuda as the project's own, or as torch.accelerator's."""
    call = ctx.tree.parent(needs.node)
    if not isinstance(call, cst.Call) or call.func is not needs.node:
        return None
    own = configured_call(ctx, call)
    if own is not None:
        return configured_call_edits(ctx, call, own)
    torch = torch_name(ctx, call)
    if ctx.target.kind != "accelerator" or torch is None:
        return None
    member = cuda_member(origin(ctx, needs.node))
    if member is None or member.on_cpu is not OnCpu.HARMLESS:
        return on_accelerator(ctx, needs, torch[0])
    if member.counterpart is None or member.counterpart_since > ctx.target.torch_min_version or call.args:
        return None
    edit = replace_expression(ctx, call.func, f"{torch[0]}.{member.counterpart}")
    return None if edit is None else (edit,)
