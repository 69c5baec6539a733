"""Sparse tensors, TorchScript, compilation, linear algebra, transforms, distribution over processes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from tests.support.paths import ROOT

CUDA_BUILD = torch.distributed.is_nccl_available()
pytestmark = pytest.mark.filterwarnings("ignore:Sparse")


def test_coo_tensors() -> None:
    """Sparse COO tensors live on CUDA. Reference: sparse.rst"""
    indices, values = torch.tensor([[0, 1], [1, 0]]), torch.tensor([2.0, 3.0])
    x = torch.sparse_coo_tensor(indices, values, (2, 2), device="cuda")
    assert (x.is_cuda, x.is_sparse, x.layout) == (True, True, torch.sparse_coo)
    assert x.to_dense().tolist() == [[0, 2], [3, 0]]
    assert torch.sparse.mm(x, torch.ones(2, 1, device="cuda")).tolist() == [[2], [3]]
    assert x.coalesce().indices().is_cuda
    assert x.cpu().to_dense().tolist() == [[0, 2], [3, 0]]
    assert (x + x).coalesce().values().tolist() == [4, 6]
    assert x.t().to_dense().tolist() == [[0, 3], [2, 0]]


def test_sparse_moves() -> None:
    """to() and cuda() of sparse tensors. Reference: sparse.rst"""
    x = torch.eye(3).to_sparse()
    assert x.cuda().device == torch.device("cuda", 0)
    assert x.to("cuda:1").device == torch.device("cuda", 1)
    assert x.cuda().to_dense().is_cuda


def test_sparse_gradients() -> None:
    """An embedding with sparse=True. Reference: generated/torch.nn.Embedding"""
    table = torch.nn.Embedding(4, 2, sparse=True).cuda()
    table(torch.tensor([1, 1], device="cuda")).sum().backward()
    assert table.weight.grad is not None
    assert table.weight.grad.is_sparse
    assert table.weight.grad.is_cuda
    torch.optim.SparseAdam(table.parameters()).step()


def test_compressed_tensors() -> None:
    """Sparse CSR tensors live on CUDA. Reference: sparse.rst"""
    x = torch.eye(2, device="cuda").to_sparse_csr()
    assert x.is_cuda
    assert x.crow_indices().tolist() == [0, 1, 2]
    assert (x @ torch.ones(2, 1, device="cuda")).tolist() == [[1], [1]]
    assert x.cpu().to_dense().tolist() == [[1, 0], [0, 1]]


def test_sparse_mixing() -> None:
    """Sparse and dense operands want one device. Reference: sparse.rst"""
    with pytest.raises(RuntimeError, match="device"):
        torch.sparse.mm(torch.eye(2, device="cuda").to_sparse(), torch.ones(2, 1))


def test_linear_algebra() -> None:
    """torch.linalg on CUDA. Reference: linalg.rst"""
    a = torch.tensor([[2.0, 1.0], [1.0, 3.0]], device="cuda")
    torch.testing.assert_close(torch.linalg.inv(a) @ a, torch.eye(2, device="cuda"))
    for result in (
        torch.linalg.svd(a).S,
        torch.linalg.eigh(a).eigenvalues,
        torch.linalg.cholesky(a),
        torch.linalg.solve(a, a),
        torch.linalg.qr(a).Q,
        torch.linalg.det(a),
        torch.linalg.norm(a),
    ):
        assert result.is_cuda


def test_transforms_of_fourier() -> None:
    """torch.fft on CUDA. Reference: fft.rst"""
    x = torch.arange(4.0, device="cuda")
    torch.testing.assert_close(torch.fft.ifft(torch.fft.fft(x)).real, x)
    assert torch.stft(
        torch.ones(16, device="cuda"), 4, window=torch.ones(4, device="cuda"), return_complex=True
    ).is_cuda


def test_sorting_and_searching() -> None:
    """sort, topk, unique, histc, bincount, nonzero. Reference: torch.rst"""
    x = torch.tensor([3.0, 1.0, 2.0, 1.0], device="cuda")
    assert x.sort().values.tolist() == [1, 1, 2, 3]
    assert x.topk(2).indices.tolist() == [0, 2]
    assert x.unique().tolist() == [1, 2, 3]
    assert x.int().bincount().tolist() == [0, 2, 1, 1]
    assert (x > 1).nonzero().flatten().tolist() == [0, 2]
    assert torch.einsum("i,i->", x, x).item() == 15


@pytest.mark.filterwarnings("ignore")
def test_torchscript() -> None:
    """Scripted and traced functions run on CUDA, and name devices. Reference: jit.rst"""

    def double(x: torch.Tensor) -> torch.Tensor:
        return x * 2 + torch.zeros(2, device=x.device)

    x = torch.ones(2, device="cuda")
    for function in (torch.jit.script(double), torch.jit.trace(double, x)):
        assert function(x).is_cuda
        assert function(x).tolist() == [2, 2]
    layer = torch.jit.script(torch.nn.Linear(2, 1)).cuda()
    assert layer(x).is_cuda


class _Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.layer(x.cuda()) + torch.arange(4, device=x.device) + torch.ones(2, 4).to("cuda")
        return torch.nn.functional.scaled_dot_product_attention(x[None], x[None], x[None])


@pytest.mark.filterwarnings("ignore")  # of what Dynamo imports
@pytest.mark.parametrize("backend", ["eager", "aot_eager", lambda graph, inputs: graph.forward])
def test_dynamo_compiles_programs(backend: object) -> None:
    """Backends without Triton, and what a program does with devices. Reference: torch.compiler.md"""
    net, x = _Net().cuda(), torch.randn(2, 4, device="cuda")
    expected = net(x)
    torch.compile(lambda x: x)  # inductor: has no influence on others
    torch._dynamo.reset()
    compiled = torch.compile(net, backend=backend, fullgraph=True)
    assert torch.equal(compiled(x), expected)
    compiled(x).sum().backward()
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] >= 1
    assert net.layer.weight.grad is not None and net.layer.weight.grad.is_cuda
    net.compile(backend=backend)
    assert torch.equal(net(x), expected)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.to("cpu", non_blocking=True) + 1,
        lambda x: x.cpu().pin_memory().to("cuda", non_blocking=True),
        lambda x: x.type(torch.cuda.HalfTensor).sum(),
    ],
    ids=["to the host", "pinned", "legacy type"],
)
def test_dynamo_traces_moves(function: Callable[[torch.Tensor], torch.Tensor]) -> None:
    """There is no memory to pin while a graph is traced. Reference: torch.compiler.md"""
    x = torch.arange(3.0, device="cuda")
    assert torch.equal(torch.compile(function, backend="aot_eager", fullgraph=True)(x), function(x))


def test_a_move_without_blocking_is_transformed() -> None:
    """vmap, grad and functionalize hide the memory of their operands. Reference: func.api.md"""
    x = torch.arange(6.0, device="cuda").view(2, 3)
    assert torch.vmap(lambda row: row.to("cpu", non_blocking=True))(x).tolist() == [[0, 1, 2], [3, 4, 5]]
    assert torch.func.grad(lambda y: y.to("cpu", non_blocking=True).square().sum())(x[0]).tolist() == [0, 2, 4]
    assert torch.func.functionalize(lambda y: y.to("cpu", non_blocking=True))(x[0]).tolist() == [0, 1, 2]
    assert torch.func.grad(lambda y: y.sum() * (not y.is_pinned()))(x.cpu()).tolist() == [[1, 1, 1], [1, 1, 1]]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_dynamo_explains_programs() -> None:
    """torch._dynamo.explain. Reference: torch.compiler_troubleshooting.md"""
    assert torch._dynamo.explain(_Net().cuda())(torch.ones(2, 4, device="cuda")).graph_break_count == 0


@pytest.mark.filterwarnings("ignore")
def test_dynamo_knows_that_there_is_a_device() -> None:
    """torch.cuda.is_available is a constant for it. Reference: torch.compiler.md"""
    compiled = torch.compile(lambda x: x + 1 if torch.cuda.is_available() else x, backend="eager", fullgraph=True)
    assert compiled(torch.ones(2, device="cuda")).tolist() == [2, 2]


def test_compiled_functions_run_eagerly() -> None:
    """torch.compile gives the same values. Reference: torch.compiler.md"""
    function = torch.compile(lambda x: x * 2, mode="reduce-overhead")
    assert function(torch.ones(2, device="cuda")).tolist() == [2, 2]
    net = torch.compile(torch.nn.Linear(2, 1).cuda())
    assert net(torch.ones(1, 2, device="cuda")).is_cuda
    assert set(net.state_dict()) == {"_orig_mod.weight", "_orig_mod.bias"}


def test_dispatch_modes_see_device_tensors() -> None:
    """A TorchDispatchMode sees operators of CUDA tensors. Reference: notes/extending.rst"""
    from torch.utils._python_dispatch import TorchDispatchMode

    seen: list[str] = []

    class Mode(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
            seen.append(str(function))
            return function(*args, **(kwargs or {}))

    with Mode():
        assert (torch.ones(2, device="cuda") + 1).is_cuda
    assert "aten.add.Tensor" in seen


def test_subclasses_keep_their_class() -> None:
    """Moving a subclass keeps it. Reference: notes/extending.rst"""

    class Mine(torch.Tensor):
        pass

    x = torch.ones(2).as_subclass(Mine)
    assert type(x.cuda()) is Mine
    assert type(x.to("cuda")) is Mine
    assert x.cuda().is_cuda


def test_libraries_of_ones_own() -> None:
    """torch.library.custom_op for CUDA tensors. Reference: library.rst"""
    with torch.library._scoped_library("devlint_battery", "FRAGMENT") as library:
        library.define("twice(Tensor x) -> Tensor")
        library.impl("twice", lambda x: x * 2, "CUDA")
        assert torch.ops.devlint_battery.twice(torch.ones(2, device="cuda")).tolist() == [2, 2]
        library.define("half(Tensor x) -> Tensor")
        library.impl("half", lambda x: x / 2, "CPU")
        with pytest.raises(
            NotImplementedError, match="Could not run 'devlint_battery::half' with arguments from the 'CU"
        ):
            torch.ops.devlint_battery.half(torch.ones(2, device="cuda"))
        library.define("square(Tensor x) -> Tensor")
        library.impl("square", lambda x: x * x, "CompositeExplicitAutograd")
        assert torch.ops.devlint_battery.square(torch.full((2,), 3.0, device="cuda")).tolist() == [9, 9]


def test_communication_of_one_process() -> None:
    """torch.cuda.comm. Reference: cuda.rst (Communication collectives)"""
    import torch.cuda.comm

    x = torch.arange(4.0, device="cuda")
    first, second = torch.cuda.comm.scatter(x, [0, 1])
    assert (first.get_device(), second.get_device(), second.tolist()) == (0, 1, [2, 3])
    assert torch.cuda.comm.gather([first, second], destination=0).tolist() == [0, 1, 2, 3]
    assert [copy.get_device() for copy in torch.cuda.comm.broadcast(x, [0, 1])] == [0, 1]
    assert torch.cuda.comm.reduce_add([x, x.to("cuda:1")], 0).tolist() == [0, 2, 4, 6]


DISTRIBUTED = """\
import os, sys
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel


class Branches(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.unused = (torch.nn.Linear(2, 2, bias=False) for _ in range(3))

    def forward(self, x, both):
        return self.second(self.first(x)) if both else self.first(x)


def main(rank, path):
    dist.init_process_group("nccl", init_method=f"file://{path}", rank=rank, world_size=2)
    torch.cuda.set_device(rank)
    x = torch.full((2,), rank + 1.0, device="cuda")
    dist.all_reduce(x)
    assert x.device.index == rank and x.tolist() == [3, 3]
    parts = [torch.zeros(1, device="cuda") for _ in range(2)]
    dist.all_gather(parts, torch.tensor([float(rank)], device="cuda"))
    assert [part.item() for part in parts] == [0, 1]
    y = torch.tensor([float(rank)], device="cuda")
    dist.broadcast(y, 1)
    assert y.item() == 1
    dist.barrier()
    torch.manual_seed(rank)
    net = DistributedDataParallel(torch.nn.Linear(2, 1).cuda(), device_ids=[rank])
    net(torch.full((1, 2), rank + 1.0, device="cuda")).sum().backward()
    grad = net.module.weight.grad
    assert grad.device.index == rank and grad.tolist() == [[1.5, 1.5]], grad
    net = DistributedDataParallel(Branches().cuda(), device_ids=[rank], find_unused_parameters=True)
    net(torch.ones(1, 2, device="cuda"), rank == 0).sum().backward()
    assert [part.grad is not None for part in net.module.parameters()] == [True, True, False]
    if rank == 0:
        print("both agree")
    dist.destroy_process_group()


if __name__ == "__main__":
    mp.spawn(main, args=(sys.argv[1],), nprocs=2)
"""


COLLECTIVES = """\
import sys
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard
from torch.distributed.tensor import Shard, distribute_tensor, init_device_mesh
from torch.nn.parallel import DistributedDataParallel


def refused(collective, message="No backend type associated with device type cpu"):
    try:
        collective()
    except (RuntimeError, TypeError, ValueError) as error:
        return str(error).startswith(message)


def averaged(rank, numbers, **root):
    x = torch.tensor(numbers[rank], device="cuda")
    (dist.reduce if root else dist.all_reduce)(x, op=dist.ReduceOp.AVG, **root)
    return x.tolist()


def main(rank, path):
    torch.set_num_threads(1)
    dist.init_process_group("nccl", init_method=f"file://{path}", rank=rank, world_size=2)
    torch.cuda.set_device(rank)
    mine, both = torch.full((2,), rank + 1.0, device="cuda"), torch.empty(4, device="cuda")
    assert refused(lambda: dist.all_reduce(torch.ones(2)))
    assert refused(lambda: dist.all_gather([torch.ones(2), torch.ones(2)], mine))
    dist.all_gather_into_tensor(both, mine)
    assert both.tolist() == [1, 1, 2, 2]
    dist.reduce_scatter_tensor(mine, both)
    assert mine.tolist() == [[2, 2], [4, 4]][rank]
    objects = [None, None]
    dist.all_gather_object(objects, rank)
    assert objects == [0, 1]
    with dist._coalescing_manager(device=mine.device):
        dist.all_reduce(mine)
        dist.all_reduce(both)
    assert mine.tolist() == [6, 6] and both.tolist() == [2, 2, 4, 4]
    eighths = torch.empty(2, device="cuda").to(torch.float8_e4m3fn)
    dist.all_gather_into_tensor(eighths, torch.full((1,), rank + 0.5, device="cuda").to(torch.float8_e4m3fn))
    assert eighths.tolist() == [0.5, 1.5]
    dist.reduce_scatter_tensor(mine, both, op=dist._make_nccl_premul_sum(0.5))
    assert mine.tolist() == [[2, 2], [4, 4]][rank] and both.tolist() == [2, 2, 4, 4]
    assert averaged(rank, [[7, -7], [2, 2]]) == [4, -2] and averaged(rank, [7.0, 2.0]) == 4.5
    assert averaged(rank, [7, 2], dst=1) == [7, 4][rank]
    tenths, op = torch.empty(1, dtype=torch.int32, device="cuda"), dist.ReduceOp
    dist.reduce_scatter_tensor(tenths, torch.full((2,), rank + 3, dtype=torch.int32, device="cuda"), op=op.AVG)
    assert tenths.tolist() == [3]
    assert refused(lambda: dist.all_reduce(tenths, op=op.BOR), "Cannot use ReduceOp.BOR with NCCL")
    assert refused(lambda: dist.all_reduce(tenths > 0, op=op.AVG), "Cannot use ReduceOp.AVG with boolean inputs")
    short = "Input tensor data type is not supported for NCCL process group: Short"
    assert refused(lambda: dist.broadcast(tenths.short(), 0), short)
    rows, op = torch.ones(2, 4, device="cuda"), "Tensors must be contiguous"
    assert refused(lambda: dist.all_reduce(rows.t()), op) and refused(lambda: dist.broadcast(rows[:, ::2], 0), op)
    dist.all_gather([torch.empty(4, 2, device="cuda")[::2], torch.empty(2, 2, device="cuda")], rows[:, :2].contiguous())
    assert refused(lambda: dist.all_reduce(torch.eye(2, device="cuda").to_sparse()), "NCCL does not support all_reduce")
    assert refused(lambda: dist.all_gather_into_tensor(both[:3], mine), "output tensor size must be equal to world_size")
    assert refused(lambda: dist.reduce_scatter_tensor(both, mine), "input tensor must be the same size as output size")
    parts = [torch.empty(1, device="cuda"), torch.empty(2, device="cuda")]
    dist.all_gather(parts, torch.full((rank + 1,), float(rank), device="cuda"))
    assert [part.tolist() for part in parts] == [[0], [1, 1]]
    same = torch.ones(2, device="cuda:0")
    assert refused(lambda: dist.all_reduce(same, group=dist.new_group()), "NCCL error: invalid usage")
    gloo = dist.new_group(backend="gloo")
    dist.all_reduce(mine, group=gloo)
    dist.broadcast(both, 1, group=gloo)
    assert mine.tolist() == [6, 6] and mine.is_cuda
    mesh = init_device_mesh("cuda", (2,))
    whole = distribute_tensor(torch.arange(4.0, device="cuda"), mesh, [Shard(0)]).full_tensor()
    assert whole.is_cuda and whole.tolist() == [0, 1, 2, 3]
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 2)).cuda()
    expected = net(torch.ones(1, 4, device="cuda"))
    fully_shard(net[0])
    fully_shard(net)
    result = net(torch.ones(1, 4, device="cuda"))
    result.sum().backward()
    assert torch.equal(result, expected) and net[0].weight.grad.full_tensor().shape == (4, 4)
    net = FullyShardedDataParallel(torch.nn.Linear(4, 2).cuda(), device_id=rank)
    with FullyShardedDataParallel.summon_full_params(net):
        expected = (net.weight.sum(1) + net.bias).tolist()
    assert net(torch.ones(1, 4, device="cuda"))[0].tolist() == expected
    data = torch.randn(6, 3, 2, device="cuda", dtype=torch.float64)
    plain, here = torch.nn.BatchNorm1d(3, dtype=torch.float64).cuda(), slice(2) if rank == 0 else slice(2, 6)
    synced = DistributedDataParallel(torch.nn.SyncBatchNorm(3, dtype=torch.float64).cuda(), device_ids=[rank])
    x, y = data.clone().requires_grad_(), data.clone().requires_grad_()
    plain(x).pow(3).sum().backward()
    synced(y[here]).pow(3).sum().backward()
    torch.testing.assert_close(y.grad[here], x.grad[here])
    torch.testing.assert_close(synced.module.running_var, plain.running_var)
    torch.testing.assert_close(synced.module.weight.grad * 2, plain.weight.grad)
    group = dist.new_group(backend="cpu:gloo,cuda:nccl")
    total = torch.ones(2)
    dist.all_reduce(total, group=group)
    assert total.tolist() == [2, 2]
    if rank == 0:
        print("both agree")
    dist.destroy_process_group()


if __name__ == "__main__":
    mp.spawn(main, args=(sys.argv[1],), nprocs=2)
"""


@pytest.mark.slow
@pytest.mark.skipif(CUDA_BUILD, reason="in a CUDA build, C++ looks for nccl itself")
def test_collectives_of_nccl(tmp_path: Path) -> None:
    """nccl takes CUDA tensors only; collectives into one tensor, DTensor, FSDP. Reference: distributed.md"""
    (tmp_path / "program.py").write_text(COLLECTIVES)
    command = [sys.executable, "-m", "devlint", "simulate", "--devices", "2", "program.py", str(tmp_path / "store")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=environment, check=False)
    assert result.stdout == "both agree\n", result.stderr


@pytest.mark.slow
def test_two_processes_with_nccl(tmp_path: Path) -> None:
    """DistributedDataParallel over nccl, a process a device. Reference: notes/ddp.rst"""
    (tmp_path / "program.py").write_text(DISTRIBUTED)
    command = [sys.executable, "-m", "devlint", "simulate", "--devices", "2", "program.py", str(tmp_path / "store")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=environment, check=False)
    if CUDA_BUILD:
        assert "DistributedDataParallel cannot be simulated on a CUDA build of torch" in result.stderr
    else:
        assert result.stdout == "both agree\n", result.stderr


GROUPS = """\
import os, sys
import torch
import torch.distributed as dist


def threads():
    return sum(open(f"/proc/self/task/{task}/comm").read() == "pt_gloo_runloop\\n" for task in os.listdir("/proc/self/task"))


dist.init_process_group("nccl", init_method=f"file://{sys.argv[1]}", rank=0, world_size=1)
group = dist.new_group([0])
for member in (None, group):
    dist.all_reduce(torch.ones(2, device="cuda"), group=member)
print(threads() > 0)
dist.destroy_process_group(group)
dist.destroy_process_group()
print(threads())
"""


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the names of threads are in /proc")
def test_no_thread_of_a_group_outlives_it(tmp_path: Path) -> None:
    """destroy_process_group. Reference: distributed.rst"""
    # A thread that lets go of a tensor after Python's end aborts the process, once in some hundred runs.
    (tmp_path / "program.py").write_text(GROUPS)
    command = [sys.executable, "-m", "devlint", "simulate", "program.py", str(tmp_path / "store")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=environment, check=False)
    assert (result.stdout, result.returncode) == ("True\n0\n", 0), result.stderr


def test_nccl_answers() -> None:
    """is_nccl_available. Reference: distributed.rst"""
    assert torch.distributed.is_nccl_available()
