"""torchmetrics: accuracy, F1, a confusion matrix, AUROC and a mean."""

import torchmetrics
from common import DEVICE, torch

scores, labels = torch.rand(20, 3).to(DEVICE), torch.randint(3, (20,)).to(DEVICE)
options = {"task": "multiclass", "num_classes": 3}
for kind in (torchmetrics.Accuracy, torchmetrics.F1Score, torchmetrics.ConfusionMatrix, torchmetrics.AUROC):
    metric = kind(**options).to(DEVICE)
    metric.update(scores, labels)
    metric.update(scores.flip(0), labels)
    print(kind.__name__, metric.compute().tolist())
mean = torchmetrics.MeanMetric().to(DEVICE)
mean.update(scores)
print(f"{mean.compute().item():.6f}")
