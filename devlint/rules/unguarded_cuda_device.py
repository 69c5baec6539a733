"""DEV103: a device that is CUDA whether there is one or not."""

from __future__ import annotations

from collections import Counter

import libcst as cst

from devlint.analysis.cuda.device_alternatives import has_alternative
from devlint.analysis.cuda.literal_roles import LiteralRole, LiteralUse, literal_uses
from devlint.analysis.devices.cuda_literals import LiteralKind
from devlint.analysis.guards.cuda_flags import is_only_question
from devlint.analysis.guards.cuda_mentions import cuda_mention_ids, cuda_mentions
from devlint.analysis.guards.guards import runs_guarded
from devlint.analysis.names.resolution import reads_named
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.test_code import is_test
from devlint.core.diagnostic import Fix
from devlint.fixes.conditional_device import availability_caveat, conditional_device
from devlint.fixes.device.choice import DeviceChoice
from devlint.fixes.device.load_location import defined_for_placements
from devlint.fixes.device.resolver import resolve_device
from devlint.fixes.device.shared_function import shared_call
from devlint.fixes.torch_import import torch_name
from devlint.rules.base import Rule
from devlint.rules.triggers.devices import DeviceString, TorchDevice
from devlint.rules.triggers.guards import is_unguarded
from devlint.rules.triggers.places import is_named_device
from devlint.syntax import edits
from devlint.syntax.edits import replace_expression
from devlint.syntax.file_context import FileContext


class UnguardedCudaDevice(Rule):
    """A device that is always CUDA.

    What it does
    ------------
    Finds ``torch.device("cuda")``, and ``"cuda"`` or ``"cuda:0"`` assigned to a variable or attribute that is named
    like a device, if there is no test for CUDA around them and the program has no other device to fall back on.
    Comparisons, keys, defaults of parameters and devices that are only printed or expected by a test are not reported.
    DEV102 reports literals in torch calls.

    Why is this bad?
    ----------------
    Everything that is moved there later fails on a machine without CUDA, far from this line. A condition in this one
    place makes all of it portable.

    Example
    -------
    ```python
    import torch

    device = torch.device("cuda")
    ```

    Use instead:
    ```python
    import torch

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    ```

    Fix safety
    ----------
    Safe in scripts and in functions: with CUDA the device is the same, and a string stays a string. Unsafe at the top
    level of a library module or its classes, because then the test for CUDA runs on import, which takes time and
    breaks programs that fork later. Also unsafe if the program sets ``CUDA_VISIBLE_DEVICES`` later, and for
    ``torch.device(0)``, which is the first device of the current accelerator, CUDA or not.
    """

    code = "DEV103"
    name = "unguarded-cuda-device"
    advice = 'Choose by what there is: `torch.device("cuda" if torch.cuda.is_available() else "cpu")`'
    gains_with_kernels = False
    trigger = (DeviceString() | TorchDevice()).where(is_named_device, is_unguarded)

    def visit_Module(self, node: cst.Module) -> None:
        for use in literal_uses(self.ctx, LiteralRole.ASSIGNED, LiteralRole.VALUE):
            if (
                use.literal.is_first
                and not runs_guarded(self.ctx, use.node)
                and not has_alternative(self.ctx, use.node)
                and not (self.ctx.target.kind == "cuda" and _is_for_skipped_tests(self.ctx, use))
            ):
                text = self.ctx.one_line_of(use.node)
                what = "needs an accelerator" if use.literal.is_number else "is CUDA"
                self.report(use.node, f"`{text}` {what} on every machine", self._fix(use))

    def _fix(self, use: LiteralUse) -> Fix | None:
        known = _known_device(self.ctx, use) if use.role is LiteralRole.VALUE else _given_device(self.ctx, use)
        if known is not None:
            edit = replace_expression(self.ctx, use.node, known.expression)
            return edits.as_fix(f"Replace by `{known.expression}`", [*known.edits, edit])
        choice = conditional_device(self.ctx, use.literal)
        if choice is None:
            return None
        return edits.as_fix("Fall back to the CPU where there is no CUDA", choice.edits, choice.caveat)


def _is_for_skipped_tests(ctx: FileContext, use: LiteralUse) -> bool:
    """Whether a name of a file with tests is read only where CUDA is: the tests are skipped elsewhere."""
    target = use.owner.targets[0].target if isinstance(use.owner, cst.Assign) else None
    if not isinstance(target, cst.Name) or scopes(ctx).scope_of(target) is not scopes(ctx).module:
        return False
    if not any(is_test(ctx, one) for one in ctx.tree.of_type(cst.FunctionDef)):
        return False
    uses = [one for one in reads_named(ctx, target.value) if one is not target]
    return bool(uses) and all(runs_guarded(ctx, one) for one in uses)


def _known_device(ctx: FileContext, use: LiteralUse) -> DeviceChoice | None:
    """The device that the program has, or that its other places define, for a function that is given CUDA."""
    known = resolve_device(ctx, use.node, use.literal.index)
    if known is None or known.is_string is not False or known.caveat or known.needs_parentheses:
        return None
    if ctx.target.kind == "accelerator":
        is_there = not known.edits or _is_needed_again(ctx, use.node)
        return known if is_there and use.literal.index is None else None
    is_there = not known.edits or (known.expression, known.edits) in defined_for_placements(ctx)
    asks = known.condition is not None and is_only_question(ctx, known.condition, use.node)
    return known if is_there and asks and use.literal.kind is LiteralKind.DEVICE else None


def _given_device(ctx: FileContext, use: LiteralUse) -> DeviceChoice | None:
    """The call of a function of the module, which it has or other places define, for a function's own ``device``."""
    literal = use.literal
    torch = torch_name(ctx, use.node) if literal.kind is LiteralKind.DEVICE and ctx.target.kind == "cuda" else None
    if torch is None or torch[1] or not literal.is_constant or availability_caveat(ctx, use.node):
        return None
    own = id(scopes(ctx).function_of(use.node))
    if own == id(None) or len(ctx.fact(_mentions_by_function).keys() - {own, id(None)}) < 2:
        return None
    call = shared_call(ctx, use.node, ctx.target.device_expression(torch[0], index=literal.index), shared=True)
    if call is None or not all(any(one in made for _, made in defined_for_placements(ctx)) for one in call[1]):
        return None
    return DeviceChoice(*call)


def _is_needed_again(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether the same function names CUDA in another place, so that a definition serves both."""
    known = cuda_mention_ids(ctx)
    own = sum(id(one) in known for one in ctx.tree.below(node))
    return ctx.fact(_mentions_by_function)[id(scopes(ctx).function_of(node))] > own


def _mentions_by_function(ctx: FileContext) -> Counter[int]:
    """How often each function, or the module, names CUDA."""
    return Counter(id(scopes(ctx).function_of(one)) for one in cuda_mentions(ctx))
