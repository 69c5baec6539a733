"""A step of learning to act from made-up dreams, and a batch of memories (weipu-zhang/STORM)."""

import numpy
import torch
from made_up import stand_in

stand_in("yacs", "tensorboard", "gymnasium", "gym", "cv2")
import agents  # noqa: E402
import replay_buffer  # noqa: E402

agent = agents.ActorCriticAgent(8, 2, 16, 3, 0.9, 0.9, 1e-3)
agent.cuda() if torch.cuda.is_available() else None
device = next(agent.parameters()).device
seen, action = torch.rand(4, 9, 8, device=device), torch.zeros(4, 8, device=device)
reward = torch.rand(4, 8, device=device)
agent.update(seen, action, reward, reward, reward, torch.zeros(4, 8, device=device))
agent.sample_as_env_action(seen)
memory = replay_buffer.ReplayBuffer((4, 4, 3), 1, max_length=8, warmup_length=2)
for _ in range(4):
    memory.append(numpy.zeros((1, 4, 4, 3), "uint8"), *(numpy.zeros(1, "float32") for _ in range(3)))
memory.sample(2, 0, 2)
