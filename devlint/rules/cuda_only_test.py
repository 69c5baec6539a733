"""DEV801: a test that is skipped without CUDA, though nothing in it needs CUDA."""

from __future__ import annotations

import re

import libcst as cst

from devlint.analysis.guards.guards import guards_of
from devlint.analysis.guards.questions import Guard
from devlint.analysis.guards.test_marks import is_replaced
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.control_flow import statements
from devlint.analysis.names.test_code import code_run_by, is_test, uses_unseen_code
from devlint.core.lazy_regex import regex
from devlint.fixes.available_gates import gates_of_project
from devlint.fixes.replaced_gates import replaced_gates
from devlint.rules.base import Rule
from devlint.rules.triggers.torch_names import FunctionNamed

_PLAIN = regex(
    r"\.cuda\(\)|torch\.cuda\.is_available\(\)|[\"']cuda(?::0)?[\"']|torch\.cuda\.(?:manual_seed\w*\(\w*\)|empty_cache\(\))"
)
_PLACES = regex(r"\.cuda\(\)|[\"']cuda(?::0)?[\"']")
_CUDA_ONLY = regex(
    r"cuda|cublas|\bcpu|\.type\b|gpu|nccl|nvtx|cudnn|tf32|triton|inductor|apex|flash|xformers|kernel|fused|tensorrt|bitsandbytes|bnb|awq|gptq|"
    r"marlin|quant|int[48]|fp[48]|float8|float16|fp16|half\(|amp\b|autocast|graph|stream|event|memory|peak|pin_|offload|"
    r"distributed|launch|subprocess|spawn|rank|world|parallel|multi|capability|compile|device_map|nvidia|rocm|hip\b",
    re.IGNORECASE,
)
_ASKS_MORE = regex(
    r"count|capab|multi|[<>\d]|version|large|flash|memory|bf16|fp|triton|half|accel|mps|xpu", re.IGNORECASE
)


class CudaOnlyTest(Rule):
    """A test that is skipped without CUDA, and uses nothing that only CUDA has.

    What it does
    ------------
    Finds tests under ``skipIf(not torch.cuda.is_available())``, ``pytest.mark.skipif``, ``@require_cuda`` and the
    like, if their code, including the helpers and fixtures in the file, uses CUDA only as the device of tensors and
    modules. If helpers are in another file, if nothing or not everything is put on CUDA, or if the test's name says
    that it is about CUDA, there is no finding.

    With another target than CUDA, it also finds the project's own marks that the setting ``gates`` names
    (``require_torch_gpu = "require_torch_accelerator"``), on tests and classes in which all that is for CUDA can be
    written for any accelerator; and ``skipIf(torch_device != "cuda")`` with the project's device. With target
    ``project`` it finds ``skipIf(not torch.cuda.is_available())`` there if the setting ``calls`` says what to call
    instead of ``torch.cuda.is_available``; with target ``accelerator``, DEV508 does.

    Why is this bad?
    ----------------
    The test is silently skipped on every other machine: in CI, on a laptop, with any other accelerator. What it tests
    is not tested there, although it could be.

    Example
    -------
    ```python
    import unittest

    import torch


    class TestLinear(unittest.TestCase):
        @unittest.skipIf(not torch.cuda.is_available(), "needs CUDA")
        def test_shape(self) -> None:
            net = torch.nn.Linear(2, 3).to("cuda")
            self.assertEqual(net(torch.ones(1, 2, device="cuda")).shape, (1, 3))
    ```

    Use instead:
    ```python
    import unittest

    import torch

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


    class TestLinear(unittest.TestCase):
        def test_shape(self) -> None:
            net = torch.nn.Linear(2, 3).to(device)
            self.assertEqual(net(torch.ones(1, 2, device=device)).shape, (1, 3))
    ```

    Fix safety
    ----------
    There is no fix: only the author knows whether the test is about CUDA after all. For the project's own gates there
    is an unsafe one: the gate, its import, and all that it governs change together. The rule is off by default.
    """

    code = "DEV801"
    name = "cuda-only-test"
    advice = "Run the test on whatever device there is; or, if it is about CUDA, suppress this"
    default = False
    trigger = FunctionNamed("test")

    def visit_Module(self, node: cst.Module) -> None:
        for use, fix in replaced_gates(self.ctx):
            name = self.ctx.one_line_of(use.mark)
            message = f"`{name}` keeps other accelerators from tests in which nothing needs CUDA"
            self.report(use.mark, message, fix)
        for test, fix in gates_of_project(self.ctx):
            message = f"`{self.ctx.text_of(test)}` keeps other accelerators from tests in which nothing needs CUDA"
            self.report(test, message, fix)

    def check(self, node: cst.FunctionDef) -> None:
        body = statements(node.body)
        if not body or not is_test(self.ctx, node):
            return
        guards = list(guards_of(self.ctx, body[-1]))
        opened = [test for test, _ in gates_of_project(self.ctx)]
        if any(is_replaced(self.ctx, one.test) or one.test in opened for one in guards):
            return
        if not guards or not all(self._asks_for_cuda_alone(guard) for guard in guards):
            return
        if not self._needs_cuda(node, [guard.owner for guard in guards]) and not uses_unseen_code(self.ctx, node):
            self.report(node.name, f"`{node.name.value}` is skipped without CUDA, but nothing in it needs CUDA")

    def _asks_for_cuda_alone(self, guard: Guard) -> bool:
        """Whether a guard is a plain question for CUDA: not for a number of cards, or for what a card can do."""
        test = (
            guard.test.args[0].value if isinstance(guard.test, cst.Call) and self._is_skip(guard.test) else guard.test
        )
        text = self.ctx.text_of(test)
        return _ASKS_MORE.search(text) is None and re.search("cuda|gpu", text, re.IGNORECASE) is not None

    def _is_skip(self, call: cst.Call) -> bool:
        return bool(call.args) and "skip" in (dotted_name(call.func) or "").lower()

    def _needs_cuda(self, test: cst.FunctionDef, guards: list[cst.CSTNode]) -> bool:
        """Whether the code that a test runs has something that only CUDA has, or may have, or the test says so."""
        others = [one for one in test.decorators if not any(one is guard for guard in guards)]
        words = [test.name.value, *(self.ctx.text_of(one) for one in others)]
        if any(_CUDA_ONLY.search(one) or "skip" in one.lower() for one in words):
            return True
        code = [self.ctx.text_of(one.body) for one in code_run_by(self.ctx, test)]
        # A test that puts nothing on CUDA is skipped for what it calls, or for its length.
        return not any(_PLACES.search(one) for one in code) or any(
            _CUDA_ONLY.search(_PLAIN.sub("", one)) for one in code
        )
