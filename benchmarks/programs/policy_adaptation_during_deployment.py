"""Updates of an agent and its encoder (nicklashansen/policy-adaptation-during-deployment at 18c226e)."""

import sys
from unittest import mock

import numpy

sys.path.insert(0, "src")
options = "--seed 1 --work_dir made --use_rot --hidden_dim 8 --num_filters 4 --batch_size 2"
sys.argv = ["train.py", *options.split()]
import utils  # noqa: E402
from agent.agent import make_agent  # noqa: E402
from arguments import parse_args  # noqa: E402

settings = parse_args()
pictures = numpy.random.default_rng(0).integers(0, 255, (2, 9, 100, 100)).astype("uint8")
buffer = utils.ReplayBuffer((9, 100, 100), (2,), 4, settings.batch_size)
agent = make_agent((9, 84, 84), (2,), settings)
for _ in range(4):
    buffer.add(pictures[0], numpy.zeros(2), 1.0, pictures[1], False)
for step in range(2):
    agent.update(buffer, mock.Mock(), step)
agent.select_action(pictures[0, :, :84, :84])
agent.sample_action(pictures[0, :, :84, :84])
