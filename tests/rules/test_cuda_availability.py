from __future__ import annotations

import pytest

from devlint.core.target import Target
from tests.support.rule_cases import check, fixed, found, places

CODE = "DEV508"
NEW = Target("accelerator", torch_min_version=(2, 13))
OLD = Target("accelerator", torch_min_version=(2, 6))
ACC = "torch.accelerator.current_accelerator()"
IS = "torch.accelerator.is_available()"
CUDA = "torch.cuda.is_available()"

SILENT = [
    f"print({CUDA})",
    f'print(f"CUDA: {{{CUDA}}}")',
    f"x = {IS}",
    "cuda.is_available()",
    "torch.backends.mps.is_available()",
    f"if {CUDA}:\n    torch.cuda.manual_seed_all(0)",
    f'def f(device):\n    if device.type == "cuda" and not {CUDA}:\n        raise RuntimeError("no CUDA")\n    g(device)',
    f'def f(device):\n    if device.type == "cuda":\n        assert {CUDA}\n    g(device)',
    f'def f(device):\n    if device == "cuda" and not ({CUDA} and g()):\n        device = "cpu"\n    return device',
    f"if allow and {CUDA}:\n    torch.backends.cuda.matmul.allow_tf32 = True",
    f"use_cuda = {CUDA}\nif use_cuda:\n    torch.backends.cudnn.benchmark = True\nnet.step()",
]


@pytest.mark.parametrize("text", SILENT)
def test_silent(text: str) -> None:
    assert found(CODE, f"import torch\n{text}\n", NEW) == ()


def test_other_targets_ask_as_they_do() -> None:
    text = f'import torch\ndevice = "cuda" if {CUDA} else "cpu"\n'
    assert [found(CODE, text, target) for target in (NEW, OLD)] != [(), ()]


CHANGED = [
    (
        f'device = "cuda" if {CUDA} else "cpu"\nif cfg.cudagraphs:\n    step = CudaGraphModule(step)',
        f'device = {ACC}.type if {IS} else "cpu"\nif cfg.cudagraphs:\n    step = CudaGraphModule(step)',
    ),
    (f'device = torch.device("cuda" if {CUDA} else "cpu")', f'device = {ACC} if {IS} else torch.device("cpu")'),
    (f"d = f(torch.device('cuda' if {CUDA} else 'cpu'))", f'd = f({ACC} if {IS} else torch.device("cpu"))'),
    (
        f'device = torch.device("cuda") if {CUDA} else torch.device("cpu")',
        f'device = {ACC} if {IS} else torch.device("cpu")',
    ),
    (
        f'kind = torch.device("cuda" if {CUDA} else "cpu").type',
        f'kind = torch.device({ACC}.type if {IS} else "cpu").type',
    ),
    (f'device = "cuda" if {CUDA} else "cpu"', f'device = {ACC}.type if {IS} else "cpu"'),
    (f'device = "cuda:0" if {CUDA} else "cpu"', f'device = f"{{{ACC}.type}}:0" if {IS} else "cpu"'),
    (
        f'device = torch.device("cuda", i) if {CUDA} else "cpu"',
        f'device = torch.device({ACC}.type, i) if {IS} else "cpu"',
    ),
    (f'device = f"cuda:{{i}}" if {CUDA} else "cpu"', f'device = f"{{{ACC}.type}}:{{i}}" if {IS} else "cpu"'),
    (
        f'd = e if e else torch.device("cuda" if {CUDA} else "cpu")',
        f'd = e if e else ({ACC} if {IS} else torch.device("cpu"))',
    ),
    (f'device = "cpu" if not {CUDA} else "cuda"', f'device = "cpu" if not {IS} else {ACC}.type'),
    (f"where = None if {CUDA} else 'cpu'", f"where = None if {IS} else 'cpu'"),
    (f"n = 4 if {CUDA} else 0", f"n = 4 if {IS} else 0"),
    (f'if {CUDA}:\n    x = x.to("cuda")', f"if {IS}:\n    x = x.to({ACC})"),
    (f"if {CUDA}: torch.cuda.synchronize()", f"if {IS}: torch.accelerator.synchronize()"),
    (f"{CUDA} and torch.cuda.synchronize()", f"{IS} and torch.accelerator.synchronize()"),
    (
        f'def f():\n    if not {CUDA}:\n        return\n    g(torch.device("cuda"))',
        f"def f():\n    if not {IS}:\n        return\n    g({ACC})",
    ),
    (
        f'use_cuda = flag and {CUDA}\ndevice = torch.device("cuda" if use_cuda else "cpu")\nk = {{"a": 1}} if use_cuda else {{}}',
        f'use_cuda = flag and {IS}\ndevice = {ACC} if use_cuda else torch.device("cpu")\nk = {{"a": 1}} if use_cuda else {{}}',
    ),
    (
        f'args.cuda = not args.no_cuda and {CUDA}\nif args.cuda:\n    device = torch.device("cuda")',
        f"args.cuda = not args.no_cuda and {IS}\nif args.cuda:\n    device = {ACC}",
    ),
    (
        f'has = True if {CUDA} else False\nif has:\n    y = x.to("cuda")',
        f"has = True if {IS} else False\nif has:\n    y = x.to({ACC})",
    ),
    (
        f'if (ok := {CUDA}):\n    y = x.to("cuda")',
        f"if (ok := {IS}):\n    y = x.to({ACC})",
    ),
    (
        f'device = torch.device(\n    "cuda"\n    if {CUDA}\n    else "cpu"\n)',
        f'device = (\n    {ACC}\n    if {IS}\n    else torch.device("cpu")\n)',
    ),
]


@pytest.mark.parametrize(("before", "after"), CHANGED)
def test_the_test_and_what_it_governs(before: str, after: str) -> None:
    main = '\nif __name__ == "__main__":\n    train()\n'
    check(CODE, f"import torch\n{before}\n{main}", f"import torch\n{after}\n{main}", "unsafe", target=NEW)


GATES = [
    (
        f'@unittest.skipIf(not {CUDA}, "needs CUDA")\ndef test():\n    x = torch.ones(1, device="cuda").cuda()\n    assert x.is_cuda',
        f'@unittest.skipIf(not {IS}, "needs accelerator")\ndef test():\n    x = torch.ones(1, device=device).to(device)\n    assert x.device.type == device.type',
    ),
    (
        f'@pytest.mark.skipif(not {CUDA}, reason="CUDA 12 only")\ndef test():\n    assert f("cpu", device="cuda").device.type == "cuda"',
        f'@pytest.mark.skipif(not {IS}, reason="CUDA 12 only")\ndef test():\n    assert f("cpu", device=device.type).device.type == device.type',
    ),
    (
        f'@pytest.mark.skipif(not {CUDA}, reason="CUDA is missing")\ndef test():\n    x = f(torch.device("cuda:0"))\n    assert x.device == torch.device("cuda:0")',
        f'@pytest.mark.skipif(not {IS}, reason="Accelerator is missing")\ndef test():\n    x = f(torch.device(device.type, 0))\n    assert x.device == torch.device(device.type, 0)',
    ),
    (
        f'@unittest.skipUnless({CUDA}, "x")\nclass Tests:\n    def helper(self, where):\n        return f(where)\n    def test(self):\n        with torch.autocast("cuda"), torch.device("cuda"):\n            torch.cuda.synchronize()\n            self.assertEqual(f().device.type, "cuda")',
        f'@unittest.skipUnless({IS}, "x")\nclass Tests:\n    def helper(self, where):\n        return f(where)\n    def test(self):\n        with torch.autocast(device.type), device:\n            torch.accelerator.synchronize()\n            self.assertEqual(f().device.type, device.type)',
    ),
    (
        f'pytestmark = [slow, pytest.mark.skipif(not {CUDA}, reason="x")]\n@pytest.mark.parametrize("device", ["cuda"])\ndef test(device):\n    f(device, device="cuda")',
        f'pytestmark = [slow, pytest.mark.skipif(not {IS}, reason="x")]\n@pytest.mark.parametrize("device", [torch_device.type])\ndef test(device):\n    f(device, device=torch_device.type)',
    ),
    (
        f'@unittest.skipIf(not {CUDA}, "x")\ndef test():\n    check(device="cuda")\ndef check(device="cuda"):\n    assert device == "cuda"',
        f'@unittest.skipIf(not {IS}, "x")\ndef test():\n    check(device=torch_device.type)\ndef check(device=torch_device.type):\n    assert device == torch_device.type',
    ),
    (
        f'def put(x, device):\n    return x.to(device)\n@unittest.skipIf(not {CUDA}, "x")\ndef test():\n    put(f(), "cuda")\n    if {CUDA}:\n        torch.cuda.get_device_properties(0)',
        f'def put(x, device):\n    return x.to(device)\n@unittest.skipIf(not {IS}, "x")\ndef test():\n    put(f(), torch_device)\n    if {CUDA}:\n        torch.cuda.get_device_properties(0)',
    ),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), GATES)
def test_a_gate_of_tests_and_what_it_governs(before: str, after: str) -> None:
    name = "torch_device" if "torch_device" in after else "device"
    definition = f'\n{name} = {ACC} if {IS} else torch.device("cpu")\n\n'
    head = "import torch\nimport pytest\n"
    assert fixed(CODE, f"{head}{before}\n", target=NEW) == f"{head}{definition}{after}\n"


CLOSED_GATES = [
    'def test():\n    f(torch.ones(1, device="cuda:1"))',
    'def test():\n    f(torch.ones(1, device="cuda"), torch.cuda.get_device_properties(0))',
    'def test():\n    f(torch.ones(1, device="cuda"), torch.cuda.max_memory_allocated(x))',
    'def test():\n    f(torch.ones(1).cuda(), "cuda")',
    "def test():\n    enable_xformers(torch.ones(1).cuda())",
    'def test():\n    assert f(torch.ones(1).cuda()).device != "cuda"',
    "def test():\n    x = f(torch.ones(1).cuda()).is_cuda",
    "def helper(x):\n    torch.cuda.nvtx.mark()\ndef test():\n    helper(torch.ones(1).cuda())",
    "def test():\n    from lib.kernels import route\n    route(torch.ones(1).cuda())",
    "@require_cuda\ndef test():\n    f(torch.ones(1).cuda())",
    "@pytest.mark.skipif(torch.cuda.device_count() < 2, reason='x')\ndef test():\n    f(torch.ones(1).cuda())",
    "def test():\n    f(fixture)",
    "@pytest.mark.parametrize('d', DEVICES)\ndef test(d):\n    f(d, torch.ones(1).cuda())\nKINDS = ['cpu', 'cuda']\nDEVICES = sorted(KINDS)",
]


@pytest.mark.parametrize("test", CLOSED_GATES)
def test_a_gate_of_tests_that_need_cuda_stays(test: str) -> None:
    helper, _, rest = test.rpartition("def test") if test.startswith("def helper") else ("", "", test)
    gate = f'@unittest.skipIf(not {CUDA}, "x")\n'
    text = f"import torch\nimport pytest\n{helper}{gate}{'def test' if helper else ''}{rest}\n"
    assert fixed(CODE, text, target=NEW) == text
    assert any(row for row, kind in places(CODE, text, NEW) if kind == "none")


TOGETHER = [
    f"if {CUDA}:\n    x = x.cuda()",
    f'device = "cuda" if {CUDA} else "cpu"\ny = x.cuda()',
    f"if {CUDA}:\n    torch.cuda.nvtx.range_push('a')",
    f"if {CUDA}:\n    s = torch.cuda.current_stream()",
    f"if {CUDA}:\n    fused_cuda_kernel(x)",
    f"group = ProcessGroupNCCL() if {CUDA} and USE_NCCL else ProcessGroupGloo()",
    f'if {CUDA}:\n    init("nccl")',
    f"device = '0' if {CUDA} else 'cpu'",
    f"if force or {CUDA}:\n    pass",
    f"if wanted and not {CUDA}:\n    sys.exit()",
    f"def f():\n    return {CUDA}",
    f"run(use={CUDA})",
    f"settings['cuda'] = {CUDA}",
    f'if {CUDA}:\n    print("You have CUDA")',
    f'assert {CUDA}, "needs CUDA"\nx = x.to("cuda")',
    f'if not {CUDA}:\n    raise RuntimeError("needs CUDA")\nx = x.to("cuda")',
    f'd = "cuda" if {CUDA} else "cpu"\nif opt.cuda:\n    x = x.to("cuda")',
    f"if {CUDA}:\n    import triton",
]


@pytest.mark.parametrize("text", TOGETHER)
def test_all_or_nothing(text: str) -> None:
    main = '\nif __name__ == "__main__":\n    pass\n'
    assert {one.fix for one in found(CODE, f"import torch, sys\n{text}\n{main}", NEW)} == {None}


def test_what_stands_in_the_way_is_said() -> None:
    message = found(CODE, f"import torch\nif {CUDA}:\n    x = x.cuda()\n", NEW)[0].message
    assert message == "Only CUDA is asked for, and other accelerators stay unused, and line 3 needs CUDA"


def test_a_closer_test_for_cuda_keeps_what_it_governs() -> None:
    text = f'import torch\nif {CUDA}:\n    if x.is_cuda:\n        y = y.to("cuda")\n    z = z.to("cuda")\n'
    assert fixed(CODE, text, target=NEW) == text.replace(CUDA, IS).replace('z.to("cuda")', f"z.to({ACC})")


def test_a_library_keeps_flags_that_others_may_read() -> None:
    shared = f'import torch\nuse_cuda = {CUDA}\ndef f(x):\n    return x.to("cuda") if use_cuda else x\n'
    assert places(CODE, shared, NEW) == [(2, "none")]
    assert places(CODE, shared.replace("use_cuda", "_use_cuda"), NEW) == [(2, "unsafe")]
    kept = f"import torch\nclass A:\n    def __init__(self):\n        self.use_cuda = {CUDA}\n"
    assert places(CODE, kept, NEW) == [(4, "none")]


def test_arguments_that_another_file_reads() -> None:
    text = f'import torch\nfrom mine import train\nargs.cuda = {CUDA}\nif args.cuda:\n    x.to("cuda")\ntrain(args)\nnet.step()\n'
    assert places(CODE, text, NEW) == [(3, "none")]
    assert places(CODE, text.replace("train(args)", "print(args)"), NEW) == [(3, "unsafe")]


def test_calls_that_the_oldest_torch_does_not_have() -> None:
    text = f"import torch\nif {CUDA}:\n    print(torch.cuda.mem_get_info())\n"
    assert [places(CODE, text, target) for target in (NEW, OLD)] == [[(2, "unsafe")], [(2, "none")]]


def test_a_test_that_only_calls_what_any_accelerator_has_changes_by_itself() -> None:
    text = f"import torch\nif {CUDA}:\n    torch.cuda.synchronize()\nx.to('cuda')\n"
    after = text.replace("torch.cuda", "torch.accelerator")
    assert fixed(CODE, text, target=NEW) == after
    assert places(CODE, text.replace("synchronize", "ipc_collect"), NEW) == [(2, "none")]


def test_two_tests_of_a_file_change_together() -> None:
    text = f'import torch\nuse = {CUDA}\nuse = use and {CUDA}\nif use:\n    x = x.to("cuda")\nnet.step()\n'
    assert fixed(CODE, text, target=NEW) == text.replace("cuda.is", "accelerator.is").replace('"cuda"', ACC)


def test_aliases() -> None:
    text = "import torch as th\nfrom torch.cuda import is_available\nd = 'cuda' if is_available() else 'cpu'\n"
    assert "d = th.accelerator.current_accelerator().type if th.accelerator.is_available() else 'cpu'\n" in fixed(
        CODE, text, target=NEW
    )


def test_with_the_other_rules_a_guarded_move_goes_first() -> None:
    text = f"import torch\nif {CUDA}:\n    x = x.cuda()\nnet.step()\n"
    assert places("DEV105", text, NEW) == [(3, "unsafe")]
    assert places("DEV105", text) == [(3, "safe")]
