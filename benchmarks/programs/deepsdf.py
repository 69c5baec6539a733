"""One epoch of shapes from made-up samples, and the reconstruction of one (facebookresearch/DeepSDF at 48c19b8)."""

import json
import os

import numpy
from made_up import script, stand_in

stand_in("plyfile", "skimage", "trimesh")
with open("examples/chairs/specs.json") as file:
    specs = json.load(file)
specs["NetworkSpecs"].update(dims=[8, 16], dropout=[0], norm_layers=[0, 1], latent_in=[1])
specs.update(
    Description="made up", CodeLength=4, NumEpochs=1, SnapshotFrequency=1, AdditionalSnapshots=[], LogFrequency=1
)
specs.update(SamplesPerScene=4, ScenesPerBatch=2, DataLoaderThreads=0)
specs.update(DataSource="made", TrainSplit="made/split.json", TestSplit="made/split.json")
os.makedirs("made/SdfSamples/a/b")
for name in "cd":
    points = numpy.random.rand(8, 4).astype("float32")
    numpy.savez(f"made/SdfSamples/a/b/{name}.npz", pos=points, neg=-points)
with open("made/split.json", "w") as file:
    json.dump({"a": {"b": ["c", "d"]}}, file)
with open("made/specs.json", "w") as file:
    json.dump(specs, file)
script("train_deep_sdf.py", "-e", "made")
import reconstruct  # noqa: E402
import torch  # noqa: E402

points = torch.rand(8, 4)
decoder = torch.nn.Linear(7, 1)
reconstruct.reconstruct(decoder, 2, 4, [points, -points], 0.01, 0.1, num_samples=4)
