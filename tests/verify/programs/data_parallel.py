"""DataParallel over the devices there are, and a state dict without its prefix."""

import torch
import torch.nn as nn

torch.manual_seed(8)
torch.set_default_dtype(torch.float64)  # the devices' parts are summed in another order
model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 2))
if torch.cuda.device_count() > 1:
    model = nn.DataParallel(model)
model.cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.005)
criterion = nn.MSELoss(reduction="sum").cuda()
for step in range(5):
    x, y = torch.randn(16, 6).cuda(), torch.randn(16, 2).cuda()
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()
    optimizer.step()
    print(step, f"{loss.item():.8f}")
state = {key.replace("module.", ""): value for key, value in model.state_dict().items()}
print(sorted(state), f"{sum(value.sum().item() for value in state.values()):.8f}")
