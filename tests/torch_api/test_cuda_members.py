"""The table of torch.cuda, compared with the torch that is installed: what changed in a new one is in the message."""

from __future__ import annotations

import inspect
import subprocess
import sys
from contextlib import AbstractContextManager
from typing import Any

import pytest

from devlint.torch_api.accelerator_api import SINCE
from devlint.torch_api.cuda_functions import LEFT_OUT
from devlint.torch_api.cuda_members import CUDA, OUT_OF_MEMORY, OnCpu, cuda_member
from tests.support.paths import ROOT
from tests.support.torch_build import is_cuda_build

torch = pytest.importorskip("torch", reason="compares the table with torch")
pytestmark = [
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.skipif(torch.cuda.is_available(), reason="the table says what happens where there is no CUDA"),
]
INSTALLED = tuple(int(part) for part in torch.__version__.split(".")[:2])

ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "ExternalStream": (0,),
    "StreamContext": (None,),
    "caching_allocator_alloc": (10,),
    "caching_allocator_delete": (0,),
    "can_device_access_peer": (0, 1),
    "change_current_allocator": (None,),
    "check_error": (0,),
    "comm.broadcast": (torch.ones(1), [0]),
    "device": (0,),
    "device_of": (torch.ones(1),),
    "get_stream_from_external": (0,),
    "graph": (None,),
    "make_graphed_callables": (torch.nn.Linear(2, 2), (torch.ones(1, 2),)),
    "manual_seed": (1,),
    "manual_seed_all": (1,),
    "memory._dump_snapshot": ("snapshot",),
    "nccl.is_available": ([torch.ones(1)],),
    "nvtx.mark": ("a",),
    "nvtx.range": ("a",),
    "nvtx.range_push": ("a",),
    "nvtx.range_start": ("a",),
    "set_device": (0,),
    "set_per_process_memory_fraction": (0.5,),
    "set_rng_state": (torch.get_rng_state(),),
    "set_rng_state_all": ([torch.get_rng_state()],),
    "set_stream": (None,),
    "set_sync_debug_mode": (0,),
    "stream": (None,),
    "use_mem_pool": (None,),
}


EACH = """
import os, warnings
warnings.simplefilter("ignore")
from tests.torch_api.test_cuda_members import CUDA, behaviour
os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
for name in CUDA:
    if os.fork() == 0:
        print(name, behaviour("cuda", name).name, flush=True)
        os._exit(0)
    os.wait()
"""


def member(owner: str, name: str) -> Any:
    value: Any = torch
    for part in f"{owner}.{name}".split("."):
        value = getattr(value, part)
    assert callable(value)
    return value


def behaviour(owner: str, name: str) -> OnCpu:
    """What calling a member with arguments that it takes does here."""
    arguments = ARGUMENTS.get(name, ())
    try:
        value = member(owner, name)(*arguments)
    except (Exception, AssertionError):
        return OnCpu.RAISES
    if isinstance(value, AbstractContextManager):
        try:
            with value:
                pass
        except (Exception, AssertionError):
            return OnCpu.ENTERED
    return OnCpu.GIVEN if arguments == (None,) else OnCpu.HARMLESS


@pytest.fixture(scope="module")
def behaviours() -> dict[str, OnCpu]:
    """What each member does, in a process of its own, for some of them leave a CUDA build half initialised."""
    done = subprocess.run([sys.executable, "-c", EACH], cwd=ROOT, capture_output=True, text=True, check=True)
    return {name: OnCpu[answer] for name, answer in map(str.split, done.stdout.splitlines())}


@pytest.mark.parametrize("name", sorted(CUDA))
def test_cuda(name: str, behaviours: dict[str, OnCpu]) -> None:
    """A CUDA build without a GPU raises for less; it never does where the table says that nothing happens."""
    expected = {CUDA[name].on_cpu, *([OnCpu.HARMLESS] if is_cuda_build() else [])}
    assert behaviours[name] in expected, f"torch {torch.__version__}: torch.cuda.{name} has changed"


def test_every_public_member_of_torch_cuda_is_in_the_table() -> None:
    public = {name for name in torch.cuda.__all__ if not name.endswith(("Tensor", "Storage"))}
    public = {name for name in public if callable(getattr(torch.cuda, name))}
    message = f"of torch {torch.__version__}; judge it, or say in LEFT_OUT why not"
    assert public - set(CUDA) - set(LEFT_OUT) == set(), f"new in torch.cuda {message}"
    known = {name for name in {*CUDA, *LEFT_OUT} if "." not in name}
    assert known - public - {"OutOfMemoryError"} == set(), f"gone from torch.cuda {message}"


@pytest.mark.parametrize("name", sorted(name for name, one in CUDA.items() if one.counterpart))
def test_counterparts_exist(name: str) -> None:
    one = CUDA[name]
    assert one.counterpart is not None
    owner, _, rest = one.counterpart.rpartition("accelerator.")
    if owner or one.counterpart.startswith("accelerator."):
        assert SINCE[rest] == one.counterpart_since
    if one.counterpart_since <= INSTALLED:
        assert callable(member(*one.counterpart.split(".", 1)) if "." in one.counterpart else getattr(torch, rest))


def test_the_counterparts_of_devices_take_them_by_position_only() -> None:
    for name, one in CUDA.items():
        if (
            one.counterpart is None
            or not one.counterpart.startswith("accelerator.")
            or one.counterpart_since > INSTALLED
        ):
            continue
        value = member(*one.counterpart.split(".", 1))
        if inspect.isfunction(value):
            kinds = [parameter.kind for parameter in inspect.signature(value).parameters.values()]
            assert all(kind is inspect.Parameter.POSITIONAL_ONLY for kind in kinds) or name == "set_stream"


def test_the_oom_error_is_one_class() -> None:
    assert getattr(torch, OUT_OF_MEMORY[0]) is torch.cuda.OutOfMemoryError


def test_lookup() -> None:
    assert cuda_member("torch.cuda.synchronize") is CUDA["synchronize"]
    assert cuda_member("torch.cuda.memory.empty_cache") is CUDA["empty_cache"]
    assert cuda_member("torch.cuda.nvtx.range_push") is CUDA["nvtx.range_push"]
    assert cuda_member("torch.cuda.amp.autocast") is CUDA["amp.autocast"]
    assert cuda_member("torch.cuda") is cuda_member("numba.cuda.synchronize") is cuda_member(None) is None
    assert cuda_member("torch.cuda.no_such") is cuda_member("torch.cuda.memory.no_such") is None
