"""Two tasks of a class-incremental run with EWC (GT-RIPL/Continual-Learning-Benchmark)."""

import torch
from made_up import MadeUp, stand_in

stand_in("torchvision")
import dataloaders.base  # noqa: E402
import iBatchLearn  # noqa: E402
from dataloaders.wrapper import CacheClassLabel  # noqa: E402


class Digits(MadeUp, CacheClassLabel):
    """Pictures of four classes."""

    number_classes = 4
    labels = torch.arange(16) % 4
    size = 16

    def __getitem__(self, index):
        return torch.rand(1, 32, 32), int(self.labels[index])


dataloaders.base.made = lambda *_: (Digits(), Digits())  # type: ignore[attr-defined]
words = "--dataset made --workers 0 --batch_size 4 --schedule 1 --reg_coef 1"
args = iBatchLearn.get_args(words.split())
args.agent_type, args.agent_name = "regularization", "EWC"
args.reg_coef = 1.0
iBatchLearn.run(args)
