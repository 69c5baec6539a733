"""A word-level language model with truncated back-propagation and repackaged states."""

import torch
import torch.nn as nn

torch.manual_seed(2)
torch.cuda.manual_seed(2)
corpus = torch.randint(0, 20, (400,))
data = corpus.narrow(0, 0, 400).view(4, -1).t().contiguous().cuda()


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.drop = nn.Embedding(20, 12), nn.Dropout(0.2)
        self.rnn, self.decoder = nn.LSTM(12, 16, 2, dropout=0.2), nn.Linear(16, 20)

    def forward(self, x, hidden):
        output, hidden = self.rnn(self.drop(self.encoder(x)), hidden)
        return self.decoder(self.drop(output)), hidden

    def init_hidden(self, size):
        weight = next(self.parameters())
        return weight.new_zeros(2, size, 16), weight.new_zeros(2, size, 16)


def repackage(h):
    return h.detach() if isinstance(h, torch.Tensor) else tuple(repackage(v) for v in h)


model = Model().cuda()
criterion = nn.CrossEntropyLoss().cuda()
hidden = model.init_hidden(4)
for i in range(0, 60, 10):
    x, y = data[i : i + 10], data[i + 1 : i + 11].view(-1)
    hidden = repackage(hidden)
    model.zero_grad()
    output, hidden = model(x, hidden)
    loss = criterion(output.view(-1, 20), y)
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 0.25)
    for p in model.parameters():
        p.data.add_(p.grad.data, alpha=-0.5)
    print(i, loss.item(), float(norm))
