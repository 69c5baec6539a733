"""A step of contrastive distillation between made-up networks (HobbitLong/RepDistiller)."""

from types import SimpleNamespace

import torch
from crd.criterion import CRDLoss

options = {"s_dim": 4, "t_dim": 6, "feat_dim": 8, "n_data": 16, "nce_k": 4, "nce_t": 0.07, "nce_m": 0.5}
criterion = CRDLoss(SimpleNamespace(**options))
criterion.cuda() if torch.cuda.is_available() else None
device = next(criterion.parameters()).device
student, teacher = torch.rand(2, 4, device=device), torch.rand(2, 6, device=device)
criterion(student, teacher, torch.tensor([1, 2], device=device)).sum().backward()
