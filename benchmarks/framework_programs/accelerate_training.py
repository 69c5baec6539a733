"""accelerate: a training loop, and modules that are dispatched to a device."""

import torch
from accelerate import Accelerator, cpu_offload, dispatch_model
from accelerate.utils import set_seed

set_seed(0)
accelerator = Accelerator()
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data = torch.utils.data.DataLoader(torch.arange(32.0).view(8, 4), batch_size=2)
model, optimizer, data = accelerator.prepare(model, optimizer, data)
total = torch.zeros(1).cuda()
for x in data:
    target = torch.ones(2, 1, device="cuda")
    loss = torch.nn.functional.mse_loss(model(x / 32), target)
    accelerator.backward(loss)
    optimizer.step()
    optimizer.zero_grad()
    total += loss.detach()
torch.cuda.synchronize()
assert total.item() > 0
offloaded = cpu_offload(torch.nn.Linear(4, 2), "cuda:0")
assert offloaded(torch.ones(1, 4).cuda()).shape == (1, 2)
dispatched = dispatch_model(torch.nn.Linear(4, 2), device_map={"": "cuda:0"})
assert dispatched(torch.ones(1, 4, device="cuda")).shape == (1, 2)
