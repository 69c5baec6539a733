"""A made-up knowledge graph embedded in hyperbolic space, two epochs (HazyResearch/KGEmb at fd33c2a)."""

import collections
import os
import pickle

import numpy
from made_up import script

os.environ.update(DATA_PATH="made", LOG_DIR="logs")
os.makedirs("made/WN18RR", exist_ok=True)
triples = numpy.array([(head, head % 2, (head + 3) % 12) for head in range(12)])
known: dict[str, dict[tuple[int, int], list[int]]] = {side: collections.defaultdict(list) for side in ("lhs", "rhs")}
for head, relation, tail in triples.tolist():
    known["rhs"][head, relation].append(tail)
    known["lhs"][tail, relation + 2].append(head)
for name, what in {**dict.fromkeys(("train", "valid", "test"), triples), "to_skip": known}.items():
    with open(f"made/WN18RR/{name}.pickle", "wb") as file:
        pickle.dump(what, file)
options = {"model": "RotH", "rank": 8, "max_epochs": 2, "valid": 1, "batch_size": 6, "neg_sample_size": 3}
script("run.py", "--multi_c", *(str(part) for name, value in options.items() for part in (f"--{name}", value)))
