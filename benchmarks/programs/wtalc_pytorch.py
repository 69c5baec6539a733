"""Two steps of finding actions in made-up films (sujoyp/wtalc-pytorch)."""

import numpy
from made_up import script, stand_in

stand_in("tensorboard_logger")


class Films:
    """Ten films of two classes."""

    feature_size, num_class = 8, 2

    def __init__(self, *_):
        pass

    def load_data(self, **_):
        """Numbers of each film, and its classes."""
        return numpy.random.rand(10, 24, 8).astype("float32"), numpy.ones((10, 2), "float32")


import video_dataset  # noqa: E402

video_dataset.Dataset = Films
script("main.py", "--max-iter", "2")
