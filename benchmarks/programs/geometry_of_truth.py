"""Made-up statements on a map of what a model made of them (saprmarks/geometry-of-truth at 5d1c630)."""

import os

import pandas
import torch
from made_up import stand_in

stand_in("plotly")
import visualization_utils  # noqa: E402

os.makedirs("acts/made/made_up", exist_ok=True)
torch.save(torch.rand(6, 8), "acts/made/made_up/layer_1_0.pt")
pandas.DataFrame({"statement": list("abcdef"), "label": [0, 1] * 3}).to_csv("datasets/made_up.csv")
made = visualization_utils.TruthData.from_datasets(["made_up"], "made", 1)
made.plot(2, return_df=True)
made.plot(2, dim_offset=1, color="label")
