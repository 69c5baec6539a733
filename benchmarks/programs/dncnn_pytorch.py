"""One epoch of the removal of noise from made-up images (SaoYan/DnCNN-PyTorch at 6b08049)."""

import torch
from made_up import MadeUp, script, stand_in

stand_in("torchvision", "cv2", "h5py", "skimage", "tensorboardX")
import dataset  # noqa: E402
import skimage.measure  # noqa: E402

skimage.measure.compare_psnr = skimage.measure.simple_metrics = lambda *_, **__: 1.0


class Images(MadeUp):
    """Images without labels."""

    def __getitem__(self, index):
        if index >= self.size:
            raise IndexError
        return torch.rand(1, 8, 8)


dataset.Dataset = Images
script("train.py", "--epochs", "1", "--batchSize", "2", "--num_of_layers", "3")
