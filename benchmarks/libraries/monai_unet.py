"""monai: a 3D UNet with Dice loss, and sliding windows."""

from common import DEVICE, torch, train
from monai.inferers import sliding_window_inference
from monai.losses import DiceLoss
from monai.networks.nets import UNet

model = UNet(spatial_dims=3, in_channels=1, out_channels=2, channels=(4, 8), strides=(2,), num_res_units=1).to(DEVICE)
image, label = torch.rand(1, 1, 8, 8, 8).to(DEVICE), torch.randint(2, (1, 1, 8, 8, 8)).to(DEVICE)
loss = DiceLoss(to_onehot_y=True, softmax=True)
train(model.parameters(), lambda: loss(model(image), label))
with torch.no_grad():
    windows = sliding_window_inference(torch.ones(1, 1, 12, 8, 8).to(DEVICE), (8, 8, 8), 1, model.eval())
    print(f"{windows.sum().item():.4f}")
