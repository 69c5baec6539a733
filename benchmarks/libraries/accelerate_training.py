"""accelerate: a training loop with a scheduler, clipping and gathering."""

from accelerate import Accelerator
from common import DEVICE, torch
from torch.utils.data import DataLoader, TensorDataset

accelerator = Accelerator()
assert accelerator.device.type == DEVICE.type
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2)
data = DataLoader(TensorDataset(torch.randn(16, 4), torch.randint(2, (16,))), batch_size=4)
model, optimizer, data, scheduler = accelerator.prepare(model, optimizer, data, scheduler)
for inputs, labels in data:
    with accelerator.accumulate(model):
        loss = torch.nn.functional.cross_entropy(model(inputs), labels)
        accelerator.backward(loss)
        accelerator.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad()
    print(f"{accelerator.gather(loss).mean().item():.6f}")
