"""A step of training and a test on made-up pictures (tjddus9597/Proxy-Anchor-CVPR2020 at 51db570)."""

import sys

import torch
from made_up import MadeUp, labels, stand_in

stand_in("pytorch_metric_learning", "tqdm")
import tqdm  # noqa: E402

tqdm.tqdm = lambda batches: batches
sys.path.insert(0, "code")
import losses  # noqa: E402
import utils  # noqa: E402

criterion = losses.Proxy_Anchor(nb_classes=3, sz_embed=4)
model = torch.nn.Linear(6, 4).to(criterion.proxies.device)
optimizer = torch.optim.AdamW([*model.parameters(), *criterion.parameters()])
criterion(model(torch.rand(6, 6).to(criterion.proxies.device)), labels(6, 3)).backward()
optimizer.step()
MadeUp.item = torch.rand(6), torch.tensor(1), torch.tensor(2)
utils.predict_batchwise(model, torch.utils.data.DataLoader(MadeUp(), batch_size=2))
