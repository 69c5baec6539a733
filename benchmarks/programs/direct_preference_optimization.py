"""A step of preferring some answers to others, by a made-up model (eric-mitchell/direct-preference-optimization)."""

from types import SimpleNamespace

import torch
from made_up import stand_in
from torch import nn

stand_in("wandb", "transformers", "datasets", "omegaconf", "hydra", "tensor_parallel", "bs4")
import trainers  # noqa: E402


class Model(nn.Module):
    """A model of one layer."""

    def __init__(self):
        super().__init__()
        self.words, self.head = nn.Embedding(16, 8), nn.Linear(8, 16)

    def forward(self, tokens, **_):
        """What comes next."""
        return SimpleNamespace(logits=self.head(self.words(tokens)))


kinds = [f"{side}_{kind}" for side in ("chosen", "rejected") for kind in ("input_ids", "labels", "attention_mask")]
batch = {kind: torch.ones(2, 5, dtype=torch.long) for kind in kinds}
loss = SimpleNamespace(name="dpo", beta=0.1, reference_free=False, label_smoothing=0)
sizes = {"batch_size": 2, "gradient_accumulation_steps": 1, "max_grad_norm": 1.0, "warmup_steps": 1, "lr": 0.1}
when = {"eval_every": 100, "do_first_eval": True, "sample_during_eval": False, "minimum_log_interval_secs": 0}
use = {"optimizer": "SGD", "debug": True, "trainer": "BasicTrainer", "wandb": SimpleNamespace(enabled=False)}
trainer = trainers.BasicTrainer.__new__(trainers.BasicTrainer)
trainer.config, trainer.seed, trainer.run_dir = SimpleNamespace(loss=loss, **sizes, **when, **use), 0, "."
trainer.rank, trainer.world_size = 0, 1
trainer.policy, trainer.reference_model = Model(), Model()
if torch.cuda.is_available():
    trainer.policy.cuda(), trainer.reference_model.cuda()
trainer.train_iterator, trainer.eval_batches = iter([batch]), [batch]
trainer.train()
