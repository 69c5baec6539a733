"""Training and validation on made-up images, with cross entropy, and of a linear classifier."""

from types import SimpleNamespace

import torch
from made_up import batches, labels, stand_in

stand_in("tensorboard_logger", "torchvision", "apex")
import main_ce  # noqa: E402
import main_linear  # noqa: E402

# Theirs was written for an older torch.
main_ce.accuracy = main_linear.accuracy = lambda output, *_, **__: (output.new_ones(1), output.new_ones(1))
options = SimpleNamespace(
    model="resnet18",
    n_cls=10,
    syncBN=False,
    warm=False,
    print_freq=1,
    learning_rate=0.1,
    momentum=0.9,
    weight_decay=0.0,
)
loader = batches(2, torch.rand(2, 3, 32, 32), labels(2, 10))
model, criterion = main_ce.set_model(options)
optimizer = main_ce.set_optimizer(options, model)
main_ce.train(loader, model, criterion, optimizer, 1, options)
main_ce.validate(loader, model, criterion, options)
classifier = torch.nn.Linear(512, 10)
optimizer = torch.optim.SGD(classifier.parameters(), lr=0.1)
main_linear.train(loader, model, classifier, criterion, optimizer, 1, options)
