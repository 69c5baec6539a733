"""A GAN that chooses its tensor type once, as those of 2018 do."""

import numpy as np
import torch
import torch.nn as nn
from torch.autograd import Variable

cuda = True if torch.cuda.is_available() else False  # noqa: SIM210
Tensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor
np.random.seed(0)
torch.manual_seed(0)

generator = nn.Sequential(nn.Linear(8, 32), nn.BatchNorm1d(32, 0.8), nn.LeakyReLU(0.2), nn.Linear(32, 16), nn.Tanh())
discriminator = nn.Sequential(nn.Linear(16, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1), nn.Sigmoid())
adversarial_loss = nn.BCELoss()
if cuda:
    generator.cuda()
    discriminator.cuda()
    adversarial_loss.cuda()
optimizer_G = torch.optim.Adam(generator.parameters(), lr=2e-3, betas=(0.5, 0.999))
optimizer_D = torch.optim.Adam(discriminator.parameters(), lr=2e-3, betas=(0.5, 0.999))
for i in range(6):
    imgs = torch.randn(20, 16)
    valid = Variable(Tensor(imgs.size(0), 1).fill_(1.0), requires_grad=False)
    fake = Variable(Tensor(imgs.size(0), 1).fill_(0.0), requires_grad=False)
    real_imgs = Variable(imgs.type(Tensor))
    optimizer_G.zero_grad()
    z = Variable(Tensor(np.random.normal(0, 1, (imgs.shape[0], 8))))
    gen_imgs = generator(z)
    g_loss = adversarial_loss(discriminator(gen_imgs), valid)
    g_loss.backward()
    optimizer_G.step()
    optimizer_D.zero_grad()
    d_loss = (
        adversarial_loss(discriminator(real_imgs), valid) + adversarial_loss(discriminator(gen_imgs.detach()), fake)
    ) / 2
    d_loss.backward()
    optimizer_D.step()
    print("batch", i, d_loss.item(), g_loss.item())
