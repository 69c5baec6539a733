"""Both stages of training on made-up series (mims-harvard/TFC-pretraining at 9667582)."""

import importlib
import os
import sys

import torch
from made_up import labels, script

os.chdir("code/TFC")
sys.path[:0] = [".", ".."]
for name in ("utils", "model", "dataloader"):
    sys.modules.pop(name, None)
for name in ("SleepEEG", "Epilepsy"):
    os.makedirs(f"../../datasets/{name}", exist_ok=True)
    for part in ("train", "val", "test"):
        torch.save({"samples": torch.rand(12, 1, 178), "labels": labels(12, 2)}, f"../../datasets/{name}/{part}.pt")
settings = importlib.import_module("config_files.SleepEEG_Configs")
made = settings.Config.__init__


def small(self):
    """Few epochs of small batches."""
    made(self)
    self.num_epoch, self.batch_size, self.target_batch_size = 1, 4, 4


settings.Config.__init__ = small
for stage in ("pre_train", "fine_tune_test"):
    script("main.py", f"--training_mode={stage}", "--logs_save_dir=made")
