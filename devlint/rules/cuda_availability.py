"""DEV508: a test for CUDA where any accelerator would do."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.devices.vendor_chains import beside_other_accelerator, in_vendor_chain
from devlint.analysis.guards.availability_flow import Answer, answers, has_own_test, insists, spoken_parts
from devlint.analysis.guards.test_marks import available_gates, is_in_skipped_test
from devlint.fixes.apis.changed_availability import availability_fix
from devlint.fixes.apis.cuda_dependents import (
    cuda_dependents,
    cuda_settings,
    is_asked_for,
    on_accelerator,
    speaks_of_cuda,
)
from devlint.fixes.apis.tested_calls import tested_calls
from devlint.fixes.available_gates import opened_gate
from devlint.fixes.torch_import import torch_name
from devlint.rules.base import Rule
from devlint.rules.triggers.names import Name
from devlint.syntax.file_context import FileContext

_MESSAGE = "Only CUDA is asked for, and other accelerators stay unused"


class CudaAvailability(Rule):
    """A test for CUDA where any accelerator would do.

    What it does
    ------------
    With ``target = "accelerator"``, finds ``torch.cuda.is_available()`` where it decides something. Its result is
    followed through flags (``use_cuda``, ``args.cuda``) to everything that depends on it: ``"cuda"`` and
    ``torch.device("cuda")``, calls of ``torch.cuda``. The test and everything that depends on it change together. What
    is asked of a device that is CUDA by its name is right as it is: ``device == "cuda" and not
    torch.cuda.is_available()``.

    Why is this bad?
    ----------------
    The program stays on the CPU of a machine with another accelerator. Changing only the test is worse: then the
    program uses CUDA where there is none.

    Example
    -------
    ```python
    import torch

    use_cuda = torch.cuda.is_available()
    device = torch.device("cuda" if use_cuda else "cpu")
    if use_cuda:
        torch.cuda.synchronize()
    ```

    Use instead:
    ```python
    import torch

    use_cuda = torch.accelerator.is_available()
    device = torch.accelerator.current_accelerator() if use_cuda else torch.device("cpu")
    if use_cuda:
        torch.accelerator.synchronize()
    ```

    Fix safety
    ----------
    Unsafe: with CUDA, and without any accelerator, the program does the same, but it now uses other accelerators, even
    if an option such as ``--no-mps`` used to prevent that. All tests of a file change or none: there is no fix if
    something in the file only works on CUDA, or if a result cannot be followed. A mark that skips tests without CUDA
    (``skipIf``, ``pytest.mark.skipif``, ``pytestmark``) changes by itself, together with the tests, if nothing in them
    only works on CUDA, and so does a test that guards nothing but calls which ``torch.accelerator`` has. A test
    that only guards settings and seeds of CUDA (``torch.backends.cuda``, ``torch.cuda.manual_seed``) is not reported.
    """

    code = "DEV508"
    name = "cuda-availability"
    advice = "Test `torch.accelerator.is_available()`, and change with it all that depends on the test"
    targets = ("accelerator",)
    trigger = Name("is_available")

    def visit_Module(self, node: cst.Module) -> None:
        asked = [one for one in answers(self.ctx) if _matters(self.ctx, one)]
        gates = {id(one.call): one for one in available_gates(self.ctx)}
        for answer in asked:
            gate = gates.get(id(answer.calls[0]))
            if gate is not None:
                fix = opened_gate(self.ctx, gate)
                why = "" if fix is not None else ", and its tests need CUDA"
                self.report(gate.call, f"{_MESSAGE}{why}", fix)
        asked = [one for one in asked if id(one.calls[0]) not in gates]
        tested = tested_calls(self.ctx)
        obstacle = _obstacle(self.ctx, asked)
        for answer in asked:
            fix = availability_fix(self.ctx, answer) if obstacle is None else None
            why = f", and {obstacle}" if obstacle is not None else ""
            for call in answer.calls:
                own = tested.get(id(call)) if fix is None else None
                self.report(call, f"{_MESSAGE}{why if own is None else ''}", own or fix)


def _matters(ctx: FileContext, answer: Answer) -> bool:
    """Whether the answer decides something, and not only over settings and harmless calls of CUDA's own."""
    if (not answer.decides and answer.escape is None) or any(in_vendor_chain(ctx, one) for one in answer.calls):
        return False
    if any(answer.governs(one.node) for one in cuda_dependents(ctx)):
        return True
    return not any(answer.governs(one) for one in cuda_settings(ctx))


def _obstacle(ctx: FileContext, asked: list[Answer]) -> str | None:
    """Why the tests of a file cannot change, in words; None where they can."""
    escape = next((one.escape for one in asked if one.escape is not None), None)
    if escape is not None:
        return f"the answer goes into {escape}"
    torch = torch_name(ctx, asked[0].calls[0]) if asked else None
    for dependent in cuda_dependents(ctx):
        governed = any(one.governs(dependent.node) for one in asked)
        if governed and torch is not None and on_accelerator(ctx, dependent, torch[0]) is not None:
            continue
        if not governed and (has_own_test(ctx, dependent.node) or is_asked_for(ctx, dependent)):
            continue
        if governed or not is_in_skipped_test(ctx, dependent.node):
            return f"line {_row(ctx, dependent.node)} needs CUDA"
    for answer in asked:
        governs = any(answer.governs(one.node) for one in cuda_dependents(ctx))
        for owner in answer.owners():
            if not isinstance(owner, cst.Assert) and beside_other_accelerator(ctx, owner.body):
                return f"line {_row(ctx, owner)} is beside another accelerator's"
            speaks = any(speaks_of_cuda(ctx, one) for one in spoken_parts(owner))
            if speaks and (not governs or insists(owner)):
                return f"line {_row(ctx, owner)} speaks of CUDA"
    return None


def _row(ctx: FileContext, node: cst.CSTNode) -> int:
    return ctx.source.location(ctx.span(node).start).row
