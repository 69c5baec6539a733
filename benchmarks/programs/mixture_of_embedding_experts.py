"""Films and words that are alike, an epoch and its test (antoine77340/Mixture-of-Embedding-Experts at a53979f)."""

import os

import numpy
from made_up import old_loaders, script

old_loaders()
os.makedirs("data/data", exist_ok=True)
made = numpy.random.default_rng(0)
words = {"w2v_LSMDC": (4, 5, 300), "w2v_LSMDC_retrieval": (3, 5, 300)}
sounds = {"X_audio_train": (4, 2, 128), "X_audio_retrieval.npy.tensor": (3, 2, 128)}
films = {"X_resnet": (4, 2048), "X_flow": (4, 1024), "X_face": (4, 128), "no_face_ind_retrieval": (3,)}
films |= {"resnet152-retrieval.npy.tensor": (3, 2048), "flow-retrieval.npy.tensor": (3, 1024)}
films |= {"face-retrieval.npy.tensor": (3, 128)}
for name, shape in {**words, **sounds, **films}.items():
    numpy.save(f"data/data/{name}.npy", numpy.zeros(3) if len(shape) == 1 else made.random(shape))
script("train.py", "--epochs", "1", "--batch_size", "2", "--text_cluster_size", "2", "--n_display", "1")
