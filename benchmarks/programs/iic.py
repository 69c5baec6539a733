"""Edges, moved copies and answers of made-up pictures (xu-ji/IIC)."""

import builtins
import sys
from types import SimpleNamespace

import torch
from made_up import batches, stand_in
from torch import nn

builtins.xrange = range  # type: ignore[attr-defined]
stand_in("torchvision", "cv2", "PIL", "matplotlib", "sklearn")
sys.modules.pop("code", None)
from code.utils.cluster.transforms import sobel_process  # noqa: E402
from code.utils.segmentation import segmentation_eval, transforms  # noqa: E402
from code.utils.segmentation.IID_losses import IID_segmentation_loss  # noqa: E402

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
network = nn.Sequential(nn.Conv2d(2, 3, 1), nn.Softmax(1)).to(device)
pictures = torch.rand(2, 1, 8, 8, device=device)
seen = network(sobel_process(pictures, False))
moves = {"min_rot": -5.0, "max_rot": 5.0, "min_shear": -1.0, "max_shear": 1.0, "min_scale": 0.9, "max_scale": 1.1}
moved, _, back = transforms.random_affine(pictures[0], **moves)
both = torch.stack([back] * 2).view(2, 2, 3)
other = network(sobel_process(pictures, False))
masks = torch.ones(2, 8, 8, device=device)
options = {"half_T_side_dense": 1, "half_T_side_sparse_min": 0, "half_T_side_sparse_max": 0}
IID_segmentation_loss(seen, other, all_affine2_to_1=both, all_mask_img1=masks, **options)[0].backward()
config = SimpleNamespace(output_k=3, batch_sz=2, input_sz=8, num_sub_heads=1, include_rgb=False)
truth = torch.zeros(2, 8, 8, dtype=torch.int32), torch.ones(2, 8, 8, dtype=torch.bool)
loader = batches(2, torch.rand(2, 1, 8, 8), *truth)
answers = nn.Sequential(network)
answers.forward = lambda x: [network(x)]  # type: ignore[method-assign]
select = torch.Tensor.masked_select
torch.Tensor.masked_select = lambda self, mask: select(self, mask.bool())  # type: ignore[method-assign]
segmentation_eval._segmentation_get_data(config, answers, loader, sobel=True)
