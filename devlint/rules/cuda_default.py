"""DEV104: a default that is CUDA."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.apis.asked_at_import import asks_at_import
from devlint.analysis.cuda.guarded_defaults import is_replaced_without_cuda
from devlint.analysis.cuda.literal_roles import LiteralRole, LiteralUse, literal_uses
from devlint.analysis.guards.guards import runs_guarded
from devlint.analysis.names.scripts import is_script
from devlint.analysis.slots.changeable_defaults import hands_to_init, is_never_left_out, may_become_none
from devlint.core.diagnostic import Fix
from devlint.fixes.chosen_tensor_type import tensor_type_fix, tensor_type_options
from devlint.fixes.conditional_device import conditional_device
from devlint.fixes.device.default_fix import default_fix, unless_another_way
from devlint.fixes.device.shared_default import shared_default
from devlint.fixes.lazy_defaults import none_default_edits
from devlint.fixes.required_option import required_option_fix, required_options
from devlint.rules.base import Rule
from devlint.rules.triggers.devices import DeviceString, TorchDevice
from devlint.rules.triggers.guards import stops_without
from devlint.rules.triggers.names import Call
from devlint.rules.triggers.places import is_default
from devlint.rules.triggers.torch_names import LegacyType
from devlint.syntax import edits

NONE_DEFAULT = "the default becomes None, and the function chooses"
FOR_NOBODY = "every call in the project names the device"
MAKER = "a class method gives instances a default of its own, which stays CUDA"


class CudaDefault(Rule):
    """A default value that is CUDA.

    What it does
    ------------
    Finds ``"cuda"``, ``"cuda:0"`` and ``torch.device("cuda")`` as the default of a parameter that is named like a
    device, of a field of a dataclass, pydantic model, attrs class or NamedTuple, of a command-line option
    (argparse, click, typer, absl) that is named like one or that the file gives to torch as one, and of what looks
    a device up: ``os.environ.get("DEVICE", "cuda")``, ``getattr(args, "device", "cuda")``,
    ``config.get("device", "cuda")``. Choices, help texts, members of an Enum and parameters with other names are
    not reported, nor is a default that the program itself replaces without CUDA, in whatever file:
    ``args.device if torch.cuda.is_available() else "cpu"``, nor that of a private function which the file uses only
    where there is CUDA, such as in tests that are skipped elsewhere. Finds ``--cuda`` that is on by default, too,
    and a choice of ``cpu`` and ``cuda``, where the program then stops without CUDA:
    ``assert not args.cuda or torch.cuda.is_available()``; and ``default="torch.cuda.FloatTensor"``, where it casts
    to that.

    Why is this bad?
    ----------------
    Whoever calls the function or starts the program without naming a device gets an error on a machine without CUDA.

    Example
    -------
    ```python
    import argparse

    import torch

    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cuda")


    def noise(n, device="cuda"):
        return torch.randn(n, device=device)
    ```

    Use instead:
    ```python
    import argparse

    import torch

    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")


    def noise(n, device=None):
        if device is None:
            device = "cuda" if torch.cuda.is_available() else "cpu"
        return torch.randn(n, device=device)
    ```

    Fix safety
    ----------
    Safe for options, fields and the functions of a script: with CUDA the default is the same, whoever asks for CUDA
    still gets it or an error. Several functions of a script share a ``DEFAULT_DEVICE``, or the type of the device that
    the script has at its top. The same holds for the functions of a module that asks for CUDA anyway when it is
    imported. Unsafe for them if the test for CUDA would run when another library module is imported, or before the
    program sets ``CUDA_VISIBLE_DEVICES``; an option that the same function parses, and only compares until then, is the
    CPU's below that. Also unsafe where a file asks for it without CUDA and skips. Otherwise the default of a parameter
    becomes ``None`` and the body begins with the choice; for several functions of a file one function makes it,
    ``resolve_device``. That is safe if the function, method or class puts something there, never asks for ``None``,
    takes the text for nothing but a device (to open a file by it would be unsafe), and no call in the project may pass
    ``None``; not where all calls name the device, nor where a class method that makes the instances keeps the same
    default, and hands it on. It is unsafe for other parameters, since callers, subclasses and introspection may see the
    ``None``. There is no fix for lambdas, overloads, protocols and abstract methods.
    """

    code = "DEV104"
    name = "cuda-default"
    advice = "Let the default be None, and choose the device where it is used"
    gains_with_kernels = False
    trigger = (DeviceString() | TorchDevice() | LegacyType()).where(is_default) | Call(
        "torch.cuda", "is_available"
    ).where(stops_without)

    def visit_Module(self, node: cst.Module) -> None:
        found: list[tuple[LiteralUse, cst.Param, Fix | None]] = []
        for use in literal_uses(self.ctx, LiteralRole.PARAMETER):
            if is_replaced_without_cuda(self.ctx, use) or self._is_for_gated_code(use):
                continue
            assert isinstance(use.owner, cst.Param)
            found.append((use, use.owner, unless_another_way(self.ctx, use, self._of_parameter(use, use.owner))))
        kept = [param for _, param, fix in found if fix is None or not fix.is_safe]
        for use, param, fix in found:
            if fix is not None and fix.is_safe and any(hands_to_init(self.ctx, one, param) for one in kept):
                fix = fix.made_unsafe(MAKER)
            self.report(use.node, f"`{param.name.value}` is CUDA unless the caller says otherwise", fix)
        for use in literal_uses(self.ctx, LiteralRole.FIELD, LiteralRole.OPTION):
            if is_replaced_without_cuda(self.ctx, use):
                continue
            what = "option" if use.role is LiteralRole.OPTION else "field"
            fix = unless_another_way(self.ctx, use, default_fix(self.ctx, use))
            self.report(use.node, f"The {what} is CUDA unless the user says otherwise", fix)
        for option in required_options(self.ctx):
            said = "The program stops without CUDA unless the user says that it is not wanted"
            self.report(option.call, said, required_option_fix(self.ctx, option))
        for option in tensor_type_options(self.ctx):
            self.report(
                option.call, "Tensors are CUDA's unless the user says otherwise", tensor_type_fix(self.ctx, option)
            )

    def _is_for_gated_code(self, use: LiteralUse) -> bool:
        """Whether the file uses a function only where there is CUDA, such as in tests that are skipped elsewhere."""
        return self.ctx.target.kind == "cuda" and runs_guarded(self.ctx, use.owner)

    def _of_parameter(self, use: LiteralUse, param: cst.Param) -> Fix | None:
        """The choice in the signature where the file asks for CUDA anyway, as a script may, else in the body."""
        made, unused = none_default_edits(self.ctx, param, use.literal), is_never_left_out(self.ctx, param)
        if made is None:
            return None
        is_asked = not unused and (is_script(self.ctx) or asks_at_import(self.ctx))
        here = conditional_device(self.ctx, use.literal) if is_asked else None
        if here is not None and here.caveat is None:
            shared = shared_default(self.ctx, use)
            return edits.as_fix("Fall back to the CPU where there is no CUDA", shared or here.edits)
        caveat = FOR_NOBODY if unused else None if may_become_none(self.ctx, param) else NONE_DEFAULT
        return edits.as_fix(f"Let the function choose `{param.name.value}`", made, caveat)
