"""PyTorch Geometric: graph convolution and attention in training."""

from common import DEVICE, torch, train
from torch_geometric.data import Batch, Data
from torch_geometric.nn import GATConv, GCNConv, global_mean_pool

graphs = [Data(x=torch.randn(6, 4), edge_index=torch.randint(6, (2, 12))) for _ in range(3)]
batch = Batch.from_data_list(graphs).to(DEVICE)
layers = torch.nn.ModuleList([GCNConv(4, 8), GATConv(8, 2, heads=2)]).to(DEVICE)
labels = torch.tensor([0, 1, 2], device=DEVICE)


def loss():
    """The loss of the batch."""
    hidden = layers[0](batch.x, batch.edge_index).relu()
    pooled = global_mean_pool(layers[1](hidden, batch.edge_index), batch.batch)
    return torch.nn.functional.cross_entropy(pooled, labels)


train(layers.parameters(), loss)
