"""A step of learning to behave from made-up plans (jayLEE0301/vq_bet_official)."""

import torch
from made_up import stand_in

stand_in("torchvision")
from vq_behavior_transformer.bet import BehaviorTransformer  # noqa: E402
from vq_behavior_transformer.gpt import GPT, GPTConfig  # noqa: E402
from vqvae.vqvae import VqVae  # noqa: E402

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
codes = VqVae(input_dim_h=2, input_dim_w=2, n_latent_dims=8, vqvae_n_embed=4, vqvae_groups=2)
codes.vq_layer.eval()
gpt = GPT(GPTConfig(block_size=8, input_dim=3, output_dim=8, n_layer=1, n_head=2, n_embd=8))
network = BehaviorTransformer(3, 2, 0, gpt, codes, obs_window_size=4, act_window_size=2).to(device)
actions = torch.rand(2, 5, 2, device=device)
_, loss, _ = network(torch.rand(2, 4, 3, device=device), None, actions)
loss.backward()
