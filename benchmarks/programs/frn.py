"""Few shots of made-up classes, one epoch and its test (Tsingularity/FRN at 64e43f3)."""

import os

import torch
from made_up import batches, script, stand_in

stand_in("torchvision", "tensorboardX", "PIL")
from datasets import dataloaders  # noqa: E402

pictures = batches(2, torch.rand(3 * (1 + 2), 3, 84, 84), torch.zeros(9))
dataloaders.meta_train_dataloader = dataloaders.meta_test_dataloader = lambda **_: pictures
os.chdir("experiments/CUB_fewshot_cropped/FRN/Conv-4")
options = "--opt sgd --lr 0.1 --epoch 1 --stage 1 --weight_decay 5e-4 --val_epoch 1 --train_way 3 --test_way 3"
shots = "--train_shot 1 --test_shot 1 --train_query_shot 2 --test_query_shot 2 --train_transform_type 0"
script("train.py", *options.split(), *shots.split())
