"""The kernel that made a made-up picture smaller, three steps (sefibk/KernelGAN at 7218a37)."""

import numpy
import scipy.ndimage
from made_up import stand_in
from PIL import Image

stand_in("tensorflow", "ZSSRforKernelGAN")
for name in ("filters", "measurements", "interpolation"):  # which a new SciPy has without these names
    setattr(scipy.ndimage, name, scipy.ndimage)
numpy.int = int
import configs  # noqa: E402
import train  # noqa: E402
import util  # noqa: E402

util.plt.imsave = lambda *_, **__: None
Image.fromarray(numpy.random.default_rng(0).integers(0, 255, (160, 160, 3)).astype("uint8")).save("made.png")
options = "--input_image_path made.png --output_dir_path made --max_iters 3 --G_chan 8 --D_chan 8 --do_ZSSR"
train.train(configs.Config().parse(options.split()))
