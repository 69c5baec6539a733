"""A step of each recurrent classifier on made-up sentences (prakashpandey9/Text-Classification-Pytorch at 8649eec)."""

import torch
from made_up import labels
from models.LSTM import LSTMClassifier
from models.LSTM_Attn import AttentionModel
from models.RCNN import RCNN
from models.RNN import RNN
from models.selfAttention import SelfAttention

for kind in (LSTMClassifier, AttentionModel, RCNN, RNN, SelfAttention):
    model = kind(2, 3, 4, 10, 5, torch.rand(10, 5))
    sentences = torch.randint(10, (2, 6))
    for batch_size in (None, 2):
        torch.nn.functional.cross_entropy(model(sentences, batch_size), labels(2, 3)).backward()
