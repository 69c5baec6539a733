"""Epochs on made-up facts, with a test, in both geometries (ibalazevic/multirelational-poincare at 34523a6)."""

import os

import numpy
from made_up import script

numpy.Inf = numpy.inf
os.makedirs("data/made")
for part in ("train", "valid", "test"):
    with open(f"data/made/{part}.txt", "w") as file:
        file.write("a likes b\nb likes c\nc knows a\n")
for model in ("poincare", "euclidean"):
    script(
        "main.py", "--dataset=made", f"--model={model}", "--num_iterations=5", "--dim=4", "--nneg=2", "--batch_size=2"
    )
