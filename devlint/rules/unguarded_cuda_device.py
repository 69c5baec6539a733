"""DEV103: a device that is CUDA whether there is one or not."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.apis.process_groups import is_beside_nccl
from devlint.analysis.cuda.device_alternatives import has_alternative
from devlint.analysis.cuda.device_data import handed_on_by_test
from devlint.analysis.cuda.guarded_defaults import is_taken_back
from devlint.analysis.cuda.literal_roles import LiteralRole, LiteralUse, literal_uses
from devlint.analysis.cuda.ways_without_cuda import ANOTHER_WAY, goes_another_way
from devlint.analysis.guards.guards import runs_guarded
from devlint.analysis.names.resolution import reads_named
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.scripts import is_script
from devlint.analysis.names.test_code import holds_tests
from devlint.core.diagnostic import Fix
from devlint.fixes.conditional_device import conditional_device
from devlint.fixes.default_choice import default_choice_fix, default_choices
from devlint.fixes.device.device_instead import device_instead
from devlint.rules.base import Rule
from devlint.rules.triggers.devices import DeviceOfTwo, DeviceString, TorchDevice
from devlint.rules.triggers.guards import is_option, is_unguarded
from devlint.rules.triggers.places import is_named_device
from devlint.syntax import edits
from devlint.syntax.edits import replace_expression
from devlint.syntax.file_context import FileContext


class UnguardedCudaDevice(Rule):
    """A device that is always CUDA.

    What it does
    ------------
    Finds ``torch.device("cuda")``, and ``"cuda"`` or ``"cuda:0"`` assigned to a variable or attribute that is named
    like a device, or a variable that torch takes for one (``where = "cuda"`` above ``x.to(where)``), if there is no
    test for CUDA around them and the program has no other device to fall back on.
    Finds ``"cpu" if args.cpu else "cuda"``, too, also as ``if`` and ``else``, where options decide alone and are for
    CUDA by their defaults, or a parameter is (``def f(x, cuda=True)``), and ``{"device": "cuda"}`` where the file
    places by this key of the dictionary.
    Comparisons, keys, defaults of parameters and devices that are only printed or expected by a test are not reported,
    nor is ``device = "cuda"`` of a class whose base says ``device = "cpu"``, or that is read only where there is CUDA.
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
    ``torch.device(0)``, which is the first device of the current accelerator, CUDA or not, and in a test that only
    hands the device to functions of which nothing shows that they put something on it, or that puts nothing on one
    itself: a planner of devices plans for CUDA on any machine. Unsafe as well where a file of the program asks for the
    device where there is no CUDA, and then does something else than fail: it skips. There is no fix where the function
    starts NCCL in any case: it needs CUDA.
    """

    code = "DEV103"
    name = "unguarded-cuda-device"
    advice = 'Choose by what there is: `torch.device("cuda" if torch.cuda.is_available() else "cpu")`'
    gains_with_kernels = False
    trigger = (DeviceString() | TorchDevice()).where(is_named_device, is_unguarded) | DeviceOfTwo().where(is_option)

    def visit_Module(self, node: cst.Module) -> None:
        for use in literal_uses(self.ctx, LiteralRole.ASSIGNED, LiteralRole.VALUE):
            if (
                use.literal.is_first
                and not runs_guarded(self.ctx, use.node)
                and not has_alternative(self.ctx, use.node)
                and not is_taken_back(self.ctx, use.node)
                and not (self.ctx.target.kind == "cuda" and _is_read_with_cuda(self.ctx, use))
            ):
                text = self.ctx.one_line_of(use.node)
                what = "needs an accelerator" if use.literal.is_number else "is CUDA"
                self.report(use.node, f"`{text}` {what} on every machine", self._fix(use))
        for choice in default_choices(self.ctx):
            said = f"`{self.ctx.one_line_of(choice.node)}` is CUDA unless the user says otherwise"
            self.report(choice.node, said, default_choice_fix(self.ctx, choice))

    def _fix(self, use: LiteralUse) -> Fix | None:
        known = device_instead(self.ctx, use) if handed_on_by_test(self.ctx, use.node) is None else None
        if known is not None:
            edit = replace_expression(self.ctx, use.node, known.expression)
            return edits.as_fix(f"Replace by `{known.expression}`", [*known.edits, edit])
        choice = conditional_device(self.ctx, use.literal)
        if choice is None or is_beside_nccl(self.ctx, use.node):
            return None
        caveat = choice.caveat or handed_on_by_test(self.ctx, use.node)
        caveat = caveat or (ANOTHER_WAY if goes_another_way(self.ctx, use) else None)
        return edits.as_fix("Fall back to the CPU where there is no CUDA", choice.edits, caveat)


def _is_read_with_cuda(ctx: FileContext, use: LiteralUse) -> bool:
    """Whether a name of a script, or a file with tests, is read only where CUDA is: ``main`` ends elsewhere."""
    target = use.owner.targets[0].target if isinstance(use.owner, cst.Assign) else None
    if not isinstance(target, cst.Name) or scopes(ctx).scope_of(target) is not scopes(ctx).module:
        return False
    if not (holds_tests(ctx) or is_script(ctx)):
        return False
    uses = [one for one in reads_named(ctx, target.value) if one is not target]
    return bool(uses) and all(runs_guarded(ctx, one) for one in uses)
