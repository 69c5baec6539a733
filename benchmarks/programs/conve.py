"""Two epochs of made-up facts by each model, and their ranks (TimDettmers/ConvE at f3c0eb2)."""

import os
import types
from unittest import mock

import torch
from made_up import script, stand_in

stand_in("spodernet")
os.makedirs("saved_models", exist_ok=True)


class Facts:
    """Batches of facts; where they are asked for, as the loader would: with the model."""

    def __init__(self, *_, **__):
        self.at_batch_prepared_observers = []
        self.state = types.SimpleNamespace()

    def subscribe_to_events(self, _):
        """Nobody is told."""

    subscribe_to_start_of_epoch_event = subscribe_to_events

    def __iter__(self):
        device = "cuda" if torch.cuda.is_available() else "cpu"
        ones = {one: torch.ones(4, 1, device=device).long() for one in ("e1", "e2", "rel", "rel_eval")}
        many = {one: torch.ones(4, 3, device=device).long() for one in ("e2_multi1", "e2_multi2")}
        yield {**ones, **many, "e2_multi1_binary": torch.ones(4, 20, device=device).long()}


made = script("main.py", name="made")
settings = made["main"].__globals__
settings["StreamBatcher"] = Facts
settings["Pipeline"] = mock.MagicMock()
words = {"e1": types.SimpleNamespace(num_token=20), "rel": types.SimpleNamespace(num_token=3)}
settings["Pipeline"].return_value.state = {"vocab": words}
settings["ranking_and_hits"].__globals__["log"] = mock.MagicMock()
drops = {"input_drop": 0.1, "hidden_drop": 0.1, "feat_drop": 0.1, "label_smoothing": 0.1, "lr": 0.1, "l2": 0.0}
sizes = {"embedding_dim": 100, "embedding_shape1": 10, "hidden_size": 32 * 18 * 8, "use_bias": True}
ways = {"data": "made", "batch_size": 4, "test_batch_size": 4, "loader_threads": 1, "preprocess": False}
for model in ("conve", "distmult", "complex"):
    for resume in (False, True):
        more = {"model": model, "resume": resume, "epochs": 2, "log_interval": 1}
        made["main"](types.SimpleNamespace(**drops, **sizes, **ways, **more), f"saved_models/{model}")
