"""A loop over recurrent cells, step by step, with its states kept on the device."""

import torch
import torch.nn as nn

torch.manual_seed(13)
first, second, out = nn.GRUCell(1, 20).cuda(), nn.LSTMCell(20, 20).cuda(), nn.Linear(20, 1).cuda()
modules = nn.ModuleList([first, second, out])
optimizer = torch.optim.SGD(modules.parameters(), lr=0.05)
wave = torch.sin(torch.arange(0, 8, 0.25)).repeat(3, 1).cuda()
for step in range(3):
    h = torch.zeros(3, 20).cuda()
    h2, c2 = torch.zeros(3, 20).cuda(), torch.zeros(3, 20).cuda()
    outputs = []
    for x in wave[:, :-1].split(1, dim=1):
        h = first(x, h)
        h2, c2 = second(h, (h2, c2))
        outputs.append(out(h2))
    loss = nn.functional.mse_loss(torch.cat(outputs, 1), wave[:, 1:])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, f"{loss.item():.6f}", f"{first.weight_hh.grad.norm():.5f}", f"{second.weight_ih.grad.norm():.5f}")
