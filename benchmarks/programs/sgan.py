"""A step of generator and discriminator on made-up paths (agrimgupta92/sgan at 691231e)."""

import argparse
import sys
import types

import torch
from made_up import script

package = types.ModuleType("sgan")  # this file has the name of the program's package
package.__path__ = ["sgan"]
sys.modules["sgan"] = package
train = script("scripts/train.py", name="made")
sizes = {"embedding_dim": 4, "mlp_dim": 8}
generator = train["TrajectoryGenerator"](
    4, 3, encoder_h_dim=4, decoder_h_dim=8, noise_dim=(4,), pooling_type="pool_net", bottleneck_dim=8, **sizes
)
discriminator = train["TrajectoryDiscriminator"](4, 3, h_dim=4, **sizes)
args = argparse.Namespace(obs_len=4, best_k=2, l2_loss_weight=1.0, clipping_threshold_g=1.0, clipping_threshold_d=1.0)
paths, ends = torch.rand(7, 5, 2), torch.tensor([[0, 2], [2, 5]])
batch = [paths[:4], paths[4:], paths[:4], paths[4:], torch.rand(5), torch.ones(5, 7), ends]
for step, loss, learned in (("discriminator", "gan_d_loss", discriminator), ("generator", "gan_g_loss", generator)):
    optimizer = torch.optim.Adam(learned.parameters())
    train[f"{step}_step"](args, batch, generator, discriminator, train[loss], optimizer)
