"""A made-up picture put into what is before and what is behind (yossigandelsman/DoubleDIP at 4f12629)."""

import sys
from unittest import mock

import numpy
import scipy.ndimage
import skimage
from made_up import stand_in

stand_in("torchvision", "skvideo")
skimage.measure.compare_psnr = skimage.metrics.peak_signal_noise_ratio
for name in ("filters", "measurements", "interpolation"):  # which a new SciPy has without these names
    setattr(scipy.ndimage, name, scipy.ndimage)
sys.modules["cv2.ximgproc"] = mock.MagicMock(guidedFilter=lambda _, mask, *__: mask)
from segmentation import Segmentation  # noqa: E402

picture, hint = numpy.random.default_rng(0).random((3, 64, 64)).astype("float32"), numpy.zeros((1, 64, 64), "float32")
hint[:, :, 32:] = 1
steps = {"first_step_iter_num": 2, "second_step_iter_num": 2, "plot_during_training": False}
Segmentation("made", picture, bg_hint=hint, fg_hint=1 - hint, **steps).optimize()
