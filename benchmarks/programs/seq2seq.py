"""One step of translation of made-up sentences, and its evaluation (keon/seq2seq at 0e124a7)."""

from types import SimpleNamespace

import torch
from made_up import stand_in

stand_in("torchtext", "spacy")
import model  # noqa: E402
import train  # noqa: E402

words = SimpleNamespace(vocab=SimpleNamespace(stoi={"<pad>": 0}))
sentences = [SimpleNamespace(src=(torch.randint(1, 9, (5, 2)), [5, 4]), trg=(torch.randint(1, 9, (6, 2)), [6, 5]))]
net = model.Seq2Seq(model.Encoder(9, 4, 8, n_layers=2), model.Decoder(4, 8, 9, n_layers=1))
train.train(1, net, torch.optim.Adam(net.parameters()), sentences, 9, 10.0, words, words)
train.evaluate(net, sentences, 9, words, words)
