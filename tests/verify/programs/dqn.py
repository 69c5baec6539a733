"""Deep Q-learning with a replay memory, a target network and masks."""

import random

import torch
import torch.nn as nn
import torch.nn.functional as F

USE_CUDA = torch.cuda.is_available()
dtype = torch.cuda.FloatTensor if USE_CUDA else torch.FloatTensor
dlongtype = torch.cuda.LongTensor if USE_CUDA else torch.LongTensor
random.seed(6)
torch.manual_seed(6)


def network():
    return nn.Sequential(nn.Linear(4, 24), nn.ReLU(), nn.Linear(24, 3))


Q, target_Q = network().type(dtype), network().type(dtype)
target_Q.load_state_dict(Q.state_dict())
optimizer = torch.optim.RMSprop(Q.parameters(), lr=0.005)
memory, state = [], torch.randn(4)
for step in range(40):
    if random.random() < 0.3:
        action = random.randrange(3)
    else:
        with torch.no_grad():
            action = Q(state.type(dtype).unsqueeze(0)).data.max(1)[1].cpu()[0].item()
    following = state * 0.9 + 0.1 * torch.randn(4)
    memory.append((state, action, float(following.sum()) * 0.1, following, float(step % 10 == 9)))
    state = following
    if step >= 12 and step % 4 == 0:
        batch = random.sample(memory, 8)
        s = torch.stack([b[0] for b in batch]).type(dtype)
        a = torch.tensor([b[1] for b in batch]).type(dlongtype)
        r = torch.tensor([b[2] for b in batch]).type(dtype)
        n = torch.stack([b[3] for b in batch]).type(dtype)
        not_done = torch.tensor([1 - b[4] for b in batch]).type(dtype)
        current = Q(s).gather(1, a.unsqueeze(1)).squeeze(1)
        wanted = r + 0.9 * not_done * target_Q(n).detach().max(1)[0]
        loss = F.smooth_l1_loss(current, wanted)
        optimizer.zero_grad()
        loss.backward()
        for p in Q.parameters():
            p.grad.data.clamp_(-1, 1)
        optimizer.step()
        print(step, loss.item())
    if step % 16 == 0:
        target_Q.load_state_dict(Q.state_dict())
