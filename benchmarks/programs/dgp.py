"""What a classifier of unseen classes is, from a made-up graph of words, two epochs (cyvius96/DGP at b497ebb)."""

import json
import os

from made_up import script

os.makedirs("materials", exist_ok=True)
os.makedirs("save", exist_ok=True)
graph = {"wnids": list("abcd"), "edges": [[0, 1], [1, 2], [2, 3], [3, 0]], "vectors": [[0.1, 0.2, 0.3]] * 4}
graph["edges_set"] = [graph["edges"], [[one, one] for one in range(4)]]
for name in ("induced", "dense", "dense-grouped"):
    with open(f"materials/imagenet-{name}-graph.json", "w") as file:
        json.dump(graph, file)
with open("materials/fc-weights.json", "w") as file:
    json.dump([[name, [0.1, 0.2, 0.3, 0.4]] for name in "ab"], file)
for kind in ("basic", "dense", "dense_att"):
    script(f"train_gcn_{kind}.py", "--max-epoch", "2", "--save-epoch", "2", "--save-path", f"save/{kind}")
