"""Violence in made-up films, one epoch of learning and tests of it (Roc-Ng/XDVioDet at f846d8c)."""

import os

import numpy
from made_up import old_loaders, script

old_loaders()
os.makedirs("made", exist_ok=True)
numpy.save("made/gt.npy", numpy.arange(2 * 20 * 16) % 2)
for name, width in {"rgb": 1024, "audio": 128}.items():
    numpy.save(f"made/{name}.npy", numpy.random.default_rng(0).random((20, width)).astype("float32"))
    for part, count in {"": 4 if name == "rgb" else 1, "_test": 10 if name == "rgb" else 2}.items():
        with open(f"made/{name}{part}.list", "w") as file:
            file.write(f"made/{name}.npy\n" * count)
kinds = [(name, *kind) for name in ("rgb", "audio") for kind in (("", ""), ("test-", "_test"))]
lists = {f"--{kind}{name}-list": f"made/{name}{part}.list" for name, kind, part in kinds}
options = {**lists, "--gt": "made/gt.npy", "--batch-size": "2", "--max-epoch": "1"}
script("main.py", *(part for pair in options.items() for part in pair))
