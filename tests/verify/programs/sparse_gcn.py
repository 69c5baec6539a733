"""A graph network over a sparse adjacency matrix made with a legacy constructor."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

np.random.seed(7)
torch.manual_seed(7)
pairs = np.unique(np.random.randint(0, 20, (2, 60)), axis=1)
indices = torch.from_numpy(pairs.astype(np.int64))
adjacency = torch.sparse_coo_tensor(indices, torch.ones(indices.shape[1]), (20, 20)).coalesce()
features, labels = torch.randn(20, 6), torch.randint(0, 3, (20,))
train = torch.LongTensor(range(12))


class GraphConvolution(nn.Module):
    def __init__(self, inward, outward):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(inward, outward) * 0.3)
        self.bias = nn.Parameter(torch.zeros(outward))

    def forward(self, x, adj):
        return torch.spmm(adj, torch.mm(x, self.weight)) + self.bias


class GCN(nn.Module):
    def __init__(self):
        super().__init__()
        self.gc1, self.gc2 = GraphConvolution(6, 8), GraphConvolution(8, 3)

    def forward(self, x, adj):
        x = F.dropout(F.relu(self.gc1(x, adj)), 0.5, training=self.training)
        return F.log_softmax(self.gc2(x, adj), dim=1)


model = GCN()
optimizer = torch.optim.Adam(model.parameters(), lr=0.05, weight_decay=5e-4)
model.cuda()
features, adjacency, labels, train = features.cuda(), adjacency.cuda(), labels.cuda(), train.cuda()
for epoch in range(6):
    model.train()
    optimizer.zero_grad()
    output = model(features, adjacency)
    loss = F.nll_loss(output[train], labels[train])
    loss.backward()
    optimizer.step()
    print(epoch, loss.item(), output.max(1)[1].eq(labels).sum().item())
