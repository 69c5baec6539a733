"""Loops of an antibody are scored and generated (wengong-jin/RefineGNN at f41aa5f)."""

from argparse import Namespace

import torch
from made_up import stand_in

stand_in("matplotlib", "tqdm", "sidechainnet")

from structgen import RevisionDecoder, SeqModel  # noqa: E402

sizes = {"hidden_size": 8, "depth": 2, "dropout": 0.1, "vocab_size": 21, "k_neighbors": 3, "block_size": 2}
sizes.update(num_rbf=16, update_freq=1, context=False, augment_eps=0.1)
letters = SeqModel(Namespace(**sizes))
letters(torch.ones(2, 5).long(), torch.ones(2, 5)).backward()
letters.generate(2, 5)
decoder = RevisionDecoder(Namespace(**sizes))
decoder.generate(2, 5)
