"""sentence-transformers: sentences encoded, compared and searched on a GPU."""

import tempfile

import torch
from common import saved_bert
from sentence_transformers import SentenceTransformer, util

torch.manual_seed(0)
with tempfile.TemporaryDirectory() as folder:
    saved_bert(folder)
    model = SentenceTransformer(folder, device="cuda")
    rows = model.encode(["a cat sat", "a dog ran"], convert_to_tensor=True)
    query = model.encode("a cat ran", convert_to_tensor=True, device="cuda").cuda()
    assert util.cos_sim(query, rows).shape == (1, 2)
    assert len(util.semantic_search(query, rows, top_k=2)[0]) == 2
