"""What a made-up network says of a state when it is trained (YeWR/EfficientZero)."""

import torch
from core.model import BaseNet
from torch import nn


class Network(BaseNet):
    """One layer for each question."""

    def __init__(self):
        super().__init__(lambda x: x, lambda x: x, 4)
        self.seen, self.value, self.act = nn.Linear(6, 5), nn.Linear(5, 1), nn.Linear(5, 2)
        self.reward = nn.LSTM(6, 4)

    def representation(self, obs_history):
        """The state."""
        return self.seen(obs_history)

    def prediction(self, state):
        """What to do, and how good it is."""
        return self.act(state), self.value(state)

    def dynamics(self, state, reward_hidden, action):
        """What comes next."""
        told, hidden = self.reward(torch.cat([state, action], 1)[None], reward_hidden)
        return state + 1, hidden, told


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
network = Network().to(device)
out = network.initial_inference(torch.rand(2, 6, device=device))
again = network.recurrent_inference(out.hidden_state, out.reward_hidden, torch.rand(2, 1, device=device))
again.value.sum().backward()
