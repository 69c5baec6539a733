"""Made-up digits coded, the codes made better step by step, and a test (harvardnlp/sa-vae at e5187a2)."""

import torch
from made_up import old_scalars, script

old_scalars()
torch.nn.utils.clip_grad_norm = torch.nn.utils.clip_grad_norm_
torch.save([torch.rand(2, 1, 28, 28) for _ in range(3)], "made.pt")
sizes = "--data_file made.pt --num_epochs 1 --svi_steps 2 --gpu 0 --batch_size 2 --latent_dim 4 --print_every 1"
for kind in ("savae", "svi"):
    script("train_img.py", *sizes.split(), "--model", kind)
