"""A made-up model is pruned while it learns, then unlearns some pictures (OPTML-Group/Unlearn-Sparse at 80ba55d)."""

import sys

import torch
from made_up import labels, stand_in

stand_in("torchvision")
sys.path.insert(0, ".")

loader = [(torch.rand(4, 3, 8, 8), labels(4, 10)) for _ in range(2)]


class Small(torch.nn.Module):
    """A model of two layers."""

    def __init__(self):
        """Make the layers."""
        super().__init__()
        self.conv1 = torch.nn.Conv2d(3, 4, 3)
        self.conv2 = torch.nn.Conv2d(4, 4, 3)
        self.fc = torch.nn.Linear(4 * 4 * 4, 10)

    def forward(self, pictures):
        """The classes of the pictures."""
        return self.fc(self.conv2(self.conv1(pictures)).flatten(1))


sys.argv = ["main_imp.py", "--save_dir", "made", "--epochs", "1", "--pruning_times", "2", "--rate", "0.2"]
sys.argv += ["--input_size", "8", "--print_freq", "1", "--rewind_epoch", "0", "--prune_type", "pt"]
import main_imp  # noqa: E402

main_imp.setup_model_dataset = lambda _: (Small(), loader, loader, loader, loader)
main_imp.main()
import unlearn  # noqa: E402

device = "cuda" if torch.cuda.is_available() else "cpu"
loaders = {"forget": loader, "retain": loader}
for name in ("GA", "FT"):
    sys.argv = [sys.argv[0], "--unlearn_epochs", "1", "--unlearn", name, "--input_size", "8", "--print_freq", "1"]
    options = __import__("arg_parser").parse_args()
    unlearn.get_unlearn_method(name)(loaders, Small().to(device), torch.nn.CrossEntropyLoss(), options)
