"""DistributedDataParallel with a process a device, or a process a core where there is none."""

import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP


def work(rank, size, store, results):
    cuda = torch.cuda.is_available()
    dist.init_process_group("nccl" if cuda else "gloo", init_method="file://" + store, rank=rank, world_size=size)
    torch.set_num_threads(1)
    if cuda:
        torch.cuda.set_device(rank)
    device = torch.device("cuda" if cuda else "cpu")
    torch.manual_seed(18)
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)).to(device)
    model = DDP(net, device_ids=[rank] if cuda else None)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    data = torch.randn(8, 4)
    for _ in range(3):
        x = data[rank::size].to(device)
        loss = model(x).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total = loss.detach().clone()
        dist.all_reduce(total)
    if rank == 0:
        torch.save((total.item(), [p.detach().cpu().tolist() for p in model.parameters()]), results)
    dist.destroy_process_group()


if __name__ == "__main__":
    folder = tempfile.mkdtemp()
    store, results = os.path.join(folder, "store"), os.path.join(folder, "results")
    mp.spawn(work, args=(2, store, results), nprocs=2)
    print(torch.load(results))
