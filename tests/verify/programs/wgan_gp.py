"""A Wasserstein GAN with gradient penalty: second derivatives."""

import torch
import torch.nn as nn

torch.manual_seed(1)
G = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 8)).cuda()
D = nn.Sequential(nn.Linear(8, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1)).cuda()
opt_g = torch.optim.RMSprop(G.parameters(), lr=1e-3)
opt_d = torch.optim.Adam(D.parameters(), lr=1e-3, betas=(0.0, 0.9))


def penalty(real, fake):
    alpha = torch.cuda.FloatTensor(torch.rand(real.size(0), 1).cuda())
    mixed = (alpha * real + (1 - alpha) * fake).requires_grad_(True)
    score = D(mixed)
    ones = torch.ones(score.size()).cuda()
    (grad,) = torch.autograd.grad(score, mixed, ones, create_graph=True, retain_graph=True, only_inputs=True)
    return ((grad.norm(2, dim=1) - 1) ** 2).mean()


for step in range(8):
    real = torch.randn(12, 8).cuda()
    fake = G(torch.randn(12, 4).cuda())
    opt_d.zero_grad()
    loss_d = D(fake.detach()).mean() - D(real).mean() + 10 * penalty(real, fake.detach())
    loss_d.backward()
    opt_d.step()
    if step % 2 == 0:
        opt_g.zero_grad()
        loss_g = -D(G(torch.randn(12, 4).cuda())).mean()
        loss_g.backward()
        opt_g.step()
    print(step, loss_d.item(), loss_g.item())
