"""One epoch of the detection of anomalies in made-up series, and the test (thuml/Anomaly-Transformer at b0ee470)."""

import os

import numpy
from made_up import script

numpy.Inf = numpy.inf  # the program was written for an older numpy
os.mkdir("made")
for name in ("train", "test"):
    numpy.save(f"made/MSL_{name}.npy", numpy.random.rand(24, 3))
numpy.save("made/MSL_test_label.npy", numpy.arange(24) % 5 == 0)
sizes = ["--win_size", "8", "--input_c", "3", "--output_c", "3", "--batch_size", "4", "--num_epochs", "1"]
for mode in ("train", "test"):
    script("main.py", "--dataset", "MSL", "--data_path", "made", "--mode", mode, *sizes)
