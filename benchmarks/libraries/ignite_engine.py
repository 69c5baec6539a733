"""ignite: a supervised trainer and an evaluator."""

from common import DEVICE, torch
from ignite.engine import Events, create_supervised_evaluator, create_supervised_trainer
from ignite.metrics import Accuracy, Loss

model = torch.nn.Linear(4, 2).to(DEVICE)
criterion = torch.nn.CrossEntropyLoss()
data = [(torch.randn(4, 4), torch.randint(2, (4,))) for _ in range(4)]
trainer = create_supervised_trainer(model, torch.optim.SGD(model.parameters(), lr=0.1), criterion, device=DEVICE)
metrics = {"accuracy": Accuracy(device=DEVICE), "loss": Loss(criterion, device=DEVICE)}
evaluator = create_supervised_evaluator(model, metrics=metrics, device=DEVICE)


@trainer.on(Events.EPOCH_COMPLETED)
def report(engine):
    """Print the metrics after an epoch."""
    evaluator.run(data)
    print(f"{evaluator.state.metrics['accuracy']:.4f} {evaluator.state.metrics['loss']:.6f}")


trainer.run(data, max_epochs=2)
