"""Rays traced to a made-up sphere, and the loss of what they met (lioryariv/idr at 44959e7)."""

import sys

import torch
from made_up import stand_in

stand_in("imageio", "skimage", "cv2")
sys.path.insert(0, "code")
from model.loss import IDRLoss  # noqa: E402
from model.ray_tracing import RayTracing  # noqa: E402
from utils import rend_util  # noqa: E402

pose = torch.eye(4)[None]
pose[:, 2, 3] = -2
pixels = torch.rand(1, 12, 2) * 6
directions, camera = rend_util.get_camera_params(pixels, pose, torch.tensor([[[4.0, 0, 3], [0, 4, 3], [0, 0, 1]]]))
inside = torch.ones(12).bool()
tracing = RayTracing(n_steps=8, sphere_tracing_iters=3).train()
points, met, _ = tracing(lambda at: at.norm(dim=1) - 0.5, camera, inside, directions)
colors = points.clone().requires_grad_()
outputs = {"rgb_values": colors, "sdf_output": colors[:, :1], "grad_theta": colors.reshape(1, -1, 3)}
outputs.update(network_object_mask=met, object_mask=inside)
IDRLoss(0.1, 100.0, 50.0)(outputs, {"rgb": torch.rand(1, 12, 3)})["loss"].backward()
