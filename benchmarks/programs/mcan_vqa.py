"""Made-up questions about pictures learnt to answer, one epoch (MILVLG/mcan-vqa at 6b165e9)."""

import os

import torch
from made_up import MadeUp, old_loaders, stand_in

stand_in("en_vectors_web_lg")
from cfgs.base_cfgs import Cfgs  # noqa: E402
from core import exec as execution  # noqa: E402


class Questions(MadeUp):
    """What is seen, the words of a question, and its answers."""

    item = (torch.rand(5, 2048), torch.arange(14) % 9, torch.rand(6))
    data_size, token_size, ans_size, pretrained_emb = 4, 9, 6, None
    ans_list: list[int] = []


old_loaders()
settings = Cfgs()
settings.add_args({"USE_GLOVE": False, "LAYER": 1, "HIDDEN_SIZE": 16, "MULTI_HEAD": 2, "FLAT_MLP_SIZE": 16})
settings.add_args({"FLAT_OUT_SIZE": 16, "BATCH_SIZE": 2, "MAX_EPOCH": 1, "EVAL_EVERY_EPOCH": False, "SEED": 1})
settings.proc()
for folder in (settings.CKPTS_PATH, settings.LOG_PATH):
    os.makedirs(folder, exist_ok=True)
execution.DataSet = lambda _: Questions()
execution.Execution(settings).run("train")
