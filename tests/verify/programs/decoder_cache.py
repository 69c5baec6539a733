"""A transformer decoder that generates with a cache of keys and values, greedily and by sampling."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(16)


class Attention(nn.Module):
    def __init__(self, width, heads, length):
        super().__init__()
        self.heads, self.qkv, self.out = heads, nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.register_buffer("mask", torch.tril(torch.ones(length, length)).view(1, 1, length, length))

    def forward(self, x, cache=None):
        B, T, C = x.shape
        q, k, v = (t.view(B, T, self.heads, C // self.heads).transpose(1, 2) for t in self.qkv(x).split(C, dim=2))
        if cache is not None:
            if "k" in cache:
                k, v = torch.cat([cache["k"], k], 2), torch.cat([cache["v"], v], 2)
            cache["k"], cache["v"] = k, v
        S = k.size(2)
        scores = (q @ k.transpose(-2, -1)) / math.sqrt(k.size(-1))
        scores = scores.masked_fill(self.mask[:, :, S - T : S, :S] == 0, float("-inf"))
        return self.out((F.softmax(scores, -1) @ v).transpose(1, 2).reshape(B, T, C))


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.places = nn.Embedding(15, 16), nn.Embedding(24, 16)
        self.attention, self.norm, self.head = Attention(16, 4, 24), nn.LayerNorm(16), nn.Linear(16, 15, bias=False)

    def forward(self, ids, cache=None, past=0):
        places = torch.arange(past, past + ids.size(1), dtype=torch.long, device=ids.device)
        x = self.tokens(ids) + self.places(places)
        return self.head(x + self.attention(self.norm(x), cache))


model = Decoder().cuda()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for step in range(4):
    ids = torch.randint(0, 15, (4, 12)).cuda()
    loss = F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
model.eval()
for sampled in (False, True):
    with torch.no_grad():
        ids, cache, given = torch.tensor([[1, 2]], device="cuda"), {}, 0
        while ids.size(1) < 14:
            logits = model(ids[:, given:], cache, given)[:, -1] / 0.8
            given = ids.size(1)
            following = torch.multinomial(F.softmax(logits, -1), 1) if sampled else logits.argmax(-1, keepdim=True)
            ids = torch.cat([ids, following], 1)
        print(ids.tolist())
