"""Where made-up people go next, for every kind of action (wei-mao-2019/LearnTrajDep at b81bef9)."""

import os

import torch
from made_up import MadeUp, script, stand_in

stand_in("progress", "matplotlib", "mpl_toolkits", "six")
from utils import model, viz  # noqa: E402


class Moves(MadeUp):
    """What is known of how somebody moves, in two forms."""

    size = 8
    item = (torch.rand(48, 35), torch.rand(48, 35), torch.rand(35, 99))
    dim_used = list(range(6, 54))


viz.plot_predictions = print
path = "checkpoint/pretrained/h36m_in10_out25.pth.tar"
os.makedirs(os.path.dirname(path), exist_ok=True)
net = model.GCN(input_feature=35, hidden_feature=8, p_dropout=0.5, num_stage=1, node_n=48)
torch.save({"err": 1.0, "epoch": 1, "state_dict": net.state_dict()}, path)
made = script("demo.py", "--linear_size", "8", "--num_stage", "1", "--job", "0", name="made")
made["main"].__globals__["H36motion"] = Moves
made["main"](made["Options"]().parse())
