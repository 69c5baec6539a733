"""REINFORCE with a baseline on a small corridor; actions are sampled on the device."""

import torch
import torch.nn as nn
from torch.distributions import Categorical

torch.manual_seed(5)
policy = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 2)).cuda()
value = nn.Linear(6, 1).cuda()
optimizer = torch.optim.Adam([*policy.parameters(), *value.parameters()], lr=0.02)
for episode in range(5):
    position, log_probs, values, rewards = 2, [], [], []
    for _ in range(12):
        state = torch.zeros(6)
        state[position] = 1
        state = state.cuda()
        dist = Categorical(logits=policy(state))
        action = dist.sample()
        log_probs.append(dist.log_prob(action))
        values.append(value(state))
        position = max(0, min(5, position + (1 if action.item() else -1)))
        rewards.append(1.0 if position == 5 else -0.1)
    returns, total = [], 0.0
    for reward in reversed(rewards):
        total = reward + 0.95 * total
        returns.insert(0, total)
    returns = torch.tensor(returns).cuda()
    baseline = torch.cat(values)
    advantage = returns - baseline.detach()
    loss = -(torch.stack(log_probs) * advantage).sum() + 0.5 * (returns - baseline).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(episode, position, loss.item())
