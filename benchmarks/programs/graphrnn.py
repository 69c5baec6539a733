"""A step of training and the generation of a row of a graph (snap-stanford/GraphRNN at 1ef475d)."""

import torch
from model import GRU_plain, MLP_plain, binary_cross_entropy_weight, sample_sigmoid

rnn = GRU_plain(input_size=4, embedding_size=8, hidden_size=8, num_layers=2)
output = MLP_plain(h_size=8, embedding_size=8, y_size=4)
rnn.hidden = rnn.init_hidden(batch_size=3)
x, y = torch.rand(3, 5, 4), torch.ones(3, 5, 4)
predicted = torch.sigmoid(output(rnn(x, pack=True, input_len=[5, 5, 4])))
binary_cross_entropy_weight(predicted, y, has_weight=True, weight_length=2).backward()
rnn.hidden = rnn.init_hidden(batch_size=3)
sample_sigmoid(output(rnn(torch.ones(3, 1, 4))), sample=True, sample_time=2)
