from __future__ import annotations

import subprocess
import sys

import pytest

from devlint.core.target import ConfiguredCall, Target
from tests.support.rule_cases import check, fixed, found, places

CODE = "DEV507"
NEW = Target("accelerator", torch_min_version=(2, 13))
OLD = Target("accelerator", torch_min_version=(2, 6))
CALLS = (
    ConfiguredCall(
        "torch.cuda.empty_cache", "backend_empty_cache(torch_device)", "from testing import backend_empty_cache"
    ),
    ConfiguredCall("torch.cuda.manual_seed", "seed_all(torch_device, {args})", "from testing import seed_all"),
    ConfiguredCall("torch.cuda.synchronize", "sync({args})", "from other import sync"),
)
OWN = Target("project", "torch_device", "from testing import torch_device", calls=CALLS)
IF = "if torch.accelerator.is_available():"

SILENT = [
    "torch.cuda.is_available()",
    "torch.cuda.synchronize()",
    "torch.cuda.is_initialized()",
    "torch.manual_seed(0)",
    'import os\nos.environ["CUDA_VISIBLE_DEVICES"] = ",".join(str(i) for i in range(torch.cuda.device_count()))',
    'env = {"CUDA_VISIBLE_DEVICES": ",".join(map(str, range(torch.cuda.device_count())))}',
    "torch.accelerator.empty_cache()",
    "np.random.seed(0)",
    "cuda.empty_cache()",
]


@pytest.mark.parametrize("text", SILENT)
def test_silent(text: str) -> None:
    assert found(CODE, f"import torch\n{text}\n", NEW) == ()


COUNTERPARTS = [
    "if HAS_CUDA:\n    torch.cuda.empty_cache()\nif HAS_XPU:\n    torch.xpu.empty_cache()",
    'if device.type == "cuda":\n    torch.cuda.empty_cache()\nif device.type == "mps":\n    torch.mps.empty_cache()',
]


@pytest.mark.parametrize("text", COUNTERPARTS)
def test_where_others_have_their_own_code(text: str) -> None:
    assert found(CODE, f"import torch\n{text}\n", NEW) == ()


AROUND = [
    "with torch.cuda.device(i):\n    torch.cuda.empty_cache()",
    'if device.type == "cuda":\n    torch.cuda.empty_cache()\n    torch.cuda.ipc_collect()',
    "if x.is_cuda:\n    print(torch.cuda.max_memory_allocated())",
]


@pytest.mark.parametrize("text", AROUND)
def test_what_is_around_changes_first(text: str) -> None:
    assert [one.fix for one in found(CODE, f"import torch\n{text}\n", NEW)] == [None]


def test_the_other_targets_have_no_such_finding() -> None:
    text = "import torch\ntorch.cuda.empty_cache()\ntorch.cuda.manual_seed(0)\n"
    assert [places(CODE, text, target) for target in (Target(), Target("project", "dev"))] == [[], []]


SEEDS = [
    "torch.manual_seed(0)\ntorch.cuda.manual_seed(0)\n",
    "torch.manual_seed(0)\ntorch.cuda.manual_seed_all(0)\n",
    "torch.cuda.manual_seed_all(0)\ntorch.manual_seed(0)\n",
    "torch.manual_seed(args.seed)\nnp.random.seed(args.seed)\ntorch.cuda.manual_seed(args.seed)\n",
    "torch.manual_seed(0)\ntorch.backends.cudnn.benchmark = False\ntorch.cuda.manual_seed(0)\n",
    "torch.manual_seed(0)\nif torch.cuda.is_available():\n    torch.cuda.manual_seed_all(0)\n",
    "torch.manual_seed(0)\nif args.cuda:\n    torch.cuda.manual_seed(0)\n    torch.cuda.manual_seed_all(0)\n",
    "g = torch.manual_seed(0)\ntorch.cuda.manual_seed(0)\n",
]


@pytest.mark.parametrize("text", SEEDS)
def test_a_seed_beside_another_goes(text: str) -> None:
    after = "".join(line for line in text.splitlines(True) if "cuda" not in line)
    check(CODE, f"import torch\n{text}", f"import torch\n{after}", *["safe"] * text.count("cuda.m"), target=NEW)


OTHER_SEEDS = [
    "torch.cuda.manual_seed(0)",
    "torch.manual_seed(0)\ntorch.cuda.manual_seed(1)",
    "torch.manual_seed(0)\nx = torch.rand(2)\ntorch.cuda.manual_seed(0)",
    "torch.manual_seed(next(it))\ntorch.cuda.manual_seed(next(it))",
    "torch.manual_seed(0)\ntorch.cuda.manual_seed(0)  # as the paper does",
    "torch.manual_seed(0); torch.cuda.manual_seed(0)",
    "torch.manual_seed(0)\nif torch.cuda.is_available():\n    torch.cuda.manual_seed(0)\nelse:\n    print()",
    "torch.manual_seed(0)\nif ask():\n    torch.cuda.manual_seed(0)",
    "if a:\n    torch.manual_seed(0)\ntorch.cuda.manual_seed(0)",
]


@pytest.mark.parametrize("text", OTHER_SEEDS)
def test_a_seed_that_stays(text: str) -> None:
    assert [one.fix for one in found(CODE, f"import torch\n{text}\n", NEW)] == [None]


def test_a_seed_beside_settings_goes_from_its_test() -> None:
    text = "import torch\ntorch.manual_seed(0)\nif args.cuda:\n    torch.cuda.manual_seed(0)\n    warm_up()\n"
    assert fixed(CODE, text, target=NEW) == text.replace("    torch.cuda.manual_seed(0)\n", "")


CALLED = [
    ("torch.cuda.empty_cache()", f"{IF}\n    torch.accelerator.empty_cache()"),
    (
        "if torch.cuda.is_available(): torch.cuda.empty_cache()",
        "if torch.accelerator.is_available(): torch.accelerator.empty_cache()",
    ),
    (
        "if torch.cuda.is_available():\n    gc.collect()\n    torch.cuda.empty_cache()\n    torch.cuda.synchronize(d)",
        "if torch.accelerator.is_available():\n    gc.collect()\n    torch.accelerator.empty_cache()\n    torch.accelerator.synchronize(d)",
    ),
    (
        "if torch.cuda.is_available() and clean:\n    torch.cuda.reset_max_memory_allocated()\n    torch.cuda.empty_cache()",
        "if torch.accelerator.is_available() and clean:\n    torch.accelerator.reset_peak_memory_stats()\n    torch.accelerator.empty_cache()",
    ),
    ("n = torch.cuda.device_count()", "n = torch.accelerator.device_count()"),
    (
        "n = torch.cuda.memory_allocated(i)",
        "n = torch.accelerator.memory_allocated(i) if torch.accelerator.is_available() else 0",
    ),
    (
        "n = torch.cuda.max_memory_allocated(device=i) / 2",
        "n = (torch.accelerator.max_memory_allocated(i) if torch.accelerator.is_available() else 0) / 2",
    ),
    (
        "if args.cuda:\n    print(torch.cuda.memory_reserved())",
        "if args.cuda:\n    print(torch.accelerator.memory_reserved())",
    ),
    (
        "parser.add_argument('--cuda')\nif args.cuda:\n    torch.cuda.empty_cache()",
        f"parser.add_argument('--cuda')\nif args.cuda and {IF.removeprefix('if ')}\n    torch.accelerator.empty_cache()",
    ),
]


@pytest.mark.parametrize(("before", "after"), CALLED)
def test_calls(before: str, after: str) -> None:
    check(CODE, f"import torch\n{before}\n", f"import torch\n{after}\n", "safe", target=NEW)


def test_a_random_state_is_set_by_the_module_of_the_accelerator() -> None:
    text = "import torch\ntorch.cuda.set_rng_state(state)\n"
    check(CODE, text, f"import torch\n{IF}\n    torch.get_device_module().set_rng_state(state)\n", "unsafe", target=NEW)
    assert places(CODE, "import torch\nf(torch.cuda.set_rng_state)\n", NEW) == []


TESTED = [
    ("n = torch.cuda.device_count() if {} else 1", "device_count"),
    ("n = torch.cuda.max_memory_allocated() if {} else 0", "max_memory_allocated"),
    ("n = 0\nif {}:\n    n = torch.cuda.device_count()", "device_count"),
    ("if {}:\n    print(torch.cuda.memory_reserved())\nelse:\n    print('nothing')", "memory_reserved"),
]


@pytest.mark.parametrize(("text", "called"), TESTED)
def test_a_value_changes_together_with_its_test(text: str, called: str) -> None:
    before, after = (f"import torch\n{text.format(f'torch.{one}.is_available()')}\n" for one in ("cuda", "accelerator"))
    check(CODE, before, after.replace(f"cuda.{called}", f"accelerator.{called}"), "unsafe", target=NEW)


KEPT = [
    "if {}:\n    torch.cuda.empty_cache()\n    x.fill_on_cuda()",
    "if {}:\n    torch.cuda.empty_cache()\n    f(torch.cuda)",
    "if {}:\n    torch.cuda.empty_cache()\n    torch.cuda.ipc_collect()",
    "if {}:\n    print('CUDA'), torch.cuda.empty_cache()",
    "if {} and cuda_graphs:\n    torch.cuda.empty_cache()",
    "if {} or x:\n    torch.cuda.empty_cache()",
]


@pytest.mark.parametrize("text", KEPT)
def test_a_test_over_more_of_cuda_stays(text: str) -> None:
    before = f"import torch\n{text.format('torch.cuda.is_available()')}\n"
    assert "torch.cuda.is_available()" in fixed(CODE, before, target=NEW)


REPORTED = [
    "s = torch.cuda.memory_stats()",
    "n = torch.cuda.memory_allocated(*a)",
    "n = torch.cuda.memory_allocated(index=0)",
    "f = lambda: torch.cuda.memory_stats()['x']",
]


@pytest.mark.parametrize("text", REPORTED)
def test_reported_only(text: str) -> None:
    assert [one.fix for one in found(CODE, f"import torch\n{text}\n", NEW)] == [None]


def test_nothing_newer_than_the_oldest_torch() -> None:
    text = "import torch\ntorch.cuda.empty_cache()\nn = torch.cuda.memory_allocated()\nm = torch.cuda.device_count()\n"
    assert fixed(CODE, text, target=OLD) == text.replace("cuda.device_count", "accelerator.device_count")


def test_cards_beside_cuda_by_name() -> None:
    text = 'import torch\nn = torch.cuda.device_count()\nnet.to(f"cuda:{n - 1}")\n'
    assert places(CODE, text, NEW) == [(2, "none")]


@pytest.mark.parametrize(
    "text",
    [
        "names = [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]",
        "if torch.cuda.device_count() > 1:\n    init_process_group('nccl')",
        "@skipif(torch.cuda.device_count() < 1)\ndef test_f(nccl_group):\n    g()",
        "@skipif(torch.cuda.device_count() < 1)\nclass TestA:\n    def test_nccl(self):\n        g()",
        "with torch.cuda.device(i) if torch.cuda.is_available() else nullcontext():\n    n = torch.cuda.memory_allocated()",
        "if torch.cuda.is_available():\n    torch.cuda.empty_cache()\nif torch.backends.mps.is_available():\n    torch.mps.empty_cache()",
        "def require_gpus(test):\n    return unittest.skip('x')(test) if torch.cuda.device_count() < 2 else test",
    ],
)
def test_cards_of_cuda_are_counted_by_cuda(text: str) -> None:
    assert fixed(CODE, f"import torch\n{text}\n", target=NEW) == f"import torch\n{text}\n"


def test_a_card_named_by_cuda_is_named_by_its_number() -> None:
    for given, argument in (('"cuda:1"', "1"), ('"cuda"', ""), ('device="cuda:0"', "0"), ("device=rank", "rank")):
        before = f"import torch\nif torch.accelerator.is_available():\n    n = torch.cuda.memory_allocated({given})\n"
        after = f"n = torch.accelerator.memory_allocated({argument})"
        assert after in fixed(CODE, before, target=NEW), given
    before = 'import torch\nn = torch.cuda.memory_allocated(f"cuda:{i}")\n'
    assert places(CODE, before, NEW) == [(2, "none")]


def test_what_another_accelerator_does_beside_it_is_left_alone() -> None:
    text = "import torch\nif a:\n    torch.cuda.empty_cache()\nelif is_torch_xpu_available():\n    torch.xpu.empty_cache()\n"
    assert found(CODE, text, NEW) == ()


def test_the_projects_own() -> None:
    text = """
        import gc
        import torch
        from testing import slow

        gc.collect()
        torch.cuda.empty_cache()
        torch.cuda.manual_seed(0)
        if torch.cuda.is_available():
            torch.cuda.synchronize()
        torch.cuda.empty_cache(1)
    """
    assert fixed(CODE, text, unsafe=False, target=OWN) == (
        "import gc\nimport torch\nfrom testing import backend_empty_cache, seed_all, slow, torch_device\n"
        "from other import sync\n\ngc.collect()\nbackend_empty_cache(torch_device)\nseed_all(torch_device, 0)\n"
        "if torch.cuda.is_available():\n    sync()\ntorch.cuda.empty_cache(1)\n"
    )


def test_what_the_project_has_is_no_other_rules_finding() -> None:
    text = "import torch\ntorch.cuda.synchronize()\ntorch.cuda.ipc_collect()\n"
    assert (places(CODE, text, OWN), places("DEV501", text, OWN)) == ([(2, "safe")], [(3, "safe")])


def test_a_name_that_is_something_else() -> None:
    text = "import torch\ntorch_device = 3\ntorch.cuda.empty_cache()\n"
    assert [one.fix for one in found(CODE, text, OWN)] == [None]


@pytest.mark.slow
def test_the_same_numbers_on_the_cpu() -> None:
    pytest.importorskip("torch", reason="runs programs that use torch")
    text = (
        "import torch\ntorch.manual_seed(3)\ntorch.cuda.manual_seed_all(3)\ntorch.cuda.empty_cache()\n"
        "print(torch.rand(2).tolist(), torch.cuda.max_memory_allocated(), torch.cuda.device_count())\n"
    )
    programs = [text, fixed(CODE, text, target=NEW)]
    runs = [subprocess.run([sys.executable, "-c", one], capture_output=True, text=True) for one in programs]
    assert runs[0].stdout == runs[1].stdout != "" and "cuda" not in programs[1]
