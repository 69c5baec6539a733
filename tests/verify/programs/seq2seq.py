"""An encoder and a decoder with attention and teacher forcing, on packed sequences."""

import random

import torch
import torch.nn as nn
import torch.nn.functional as F

random.seed(3)
torch.manual_seed(3)
device = torch.device("cuda")


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.attn = nn.Embedding(12, 8), nn.Linear(16, 6)
        self.combine, self.gru, self.out = nn.Linear(16, 8), nn.GRU(8, 8), nn.Linear(8, 12)

    def forward(self, token, hidden, memory):
        embedded = self.embedding(token).view(1, -1, 8)
        weights = F.softmax(self.attn(torch.cat((embedded[0], hidden[0]), 1)), dim=1)
        context = torch.bmm(weights.unsqueeze(1), memory.transpose(0, 1)).transpose(0, 1)
        output, hidden = self.gru(F.relu(self.combine(torch.cat((embedded, context), 2))), hidden)
        return F.log_softmax(self.out(output[0]), dim=1), hidden


embedding, encoder, decoder = nn.Embedding(12, 8).to(device), nn.GRU(8, 8).to(device), Decoder().to(device)
parameters = [*embedding.parameters(), *encoder.parameters(), *decoder.parameters()]
optimizer = torch.optim.Adam(parameters, lr=0.01)
for step in range(4):
    source, target = torch.randint(1, 12, (6, 5), device=device), torch.randint(1, 12, (4, 5), device=device)
    lengths = torch.tensor([6, 6, 5, 3, 2])
    packed = nn.utils.rnn.pack_padded_sequence(embedding(source), lengths)
    output, hidden = encoder(packed)
    memory, _ = nn.utils.rnn.pad_packed_sequence(output)
    token, loss = torch.zeros(5, dtype=torch.long, device=device), 0
    forced = random.random() < 0.5
    for t in range(4):
        scores, hidden = decoder(token, hidden, memory)
        loss += F.nll_loss(scores, target[t])
        token = target[t] if forced else scores.topk(1)[1].squeeze(1).detach()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, forced, loss.item(), token.tolist())
