"""Two steps of image translation, on made-up pictures (NVlabs/MUNIT at a82e222)."""

import contextlib

import torch
import torch.utils.serialization
from made_up import MadeUp, script, stand_in

stand_in("torchvision", "torchfile")
torch.utils.serialization.load_lua = None  # type: ignore[attr-defined]
import utils  # noqa: E402


class Pictures(MadeUp):
    """Pictures without labels."""

    def __getitem__(self, index):
        return torch.rand(3, 64, 64)


LOADERS = [torch.utils.data.DataLoader(Pictures()) for _ in range(4)]
NETWORK = {"dim": 4, "activ": "relu", "pad_type": "reflect"}
GENERATOR = {**NETWORK, "mlp_dim": 8, "style_dim": 4, "n_downsample": 2, "n_res": 1}
DISCRIMINATOR = {**NETWORK, "norm": "none", "n_layer": 2, "gan_type": "lsgan", "num_scales": 1}
WEIGHTS = dict.fromkeys(("gan_w", "recon_x_w", "recon_s_w", "recon_c_w", "recon_x_cyc_w"), 1)
OPTIMIZER = {"lr": 1e-4, "beta1": 0.5, "beta2": 0.9, "weight_decay": 0, "init": "kaiming", "lr_policy": "constant"}
SETTINGS = {
    **WEIGHTS,
    **OPTIMIZER,
    "vgg_w": 0,
    "gen": GENERATOR,
    "dis": DISCRIMINATOR,
    "input_dim_a": 3,
    "input_dim_b": 3,
    "max_iter": 2,
    "display_size": 2,
    "log_iter": 1,
    "image_save_iter": 2,
    "image_display_iter": 2,
    "snapshot_save_iter": 2,
}
utils.get_config = lambda _: SETTINGS
utils.get_all_data_loaders = lambda _: LOADERS
utils.write_2images = utils.write_html = lambda *_: None
with contextlib.suppress(SystemExit):
    script("train.py", "--config", "train.py", "--output_path", "made")
