"""lightning: Trainer on as many devices as the argument says."""

import sys
import warnings

import lightning
from common import DEVICE, torch
from torch.utils.data import DataLoader, TensorDataset

warnings.simplefilter("ignore")


class Module(lightning.LightningModule):
    """A classifier."""

    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(4, 2)

    def training_step(self, batch, index):
        """The loss of a batch."""
        inputs, labels = batch
        loss = torch.nn.functional.cross_entropy(self.net(inputs), labels)
        assert loss.device.type == DEVICE.type
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        """Adam."""
        return torch.optim.Adam(self.parameters(), lr=1e-2)


if __name__ == "__main__":
    lightning.seed_everything(1, verbose=False)
    module = Module()
    data = DataLoader(TensorDataset(torch.randn(16, 4), torch.randint(2, (16,))), batch_size=4)
    quiet = {
        "logger": False,
        "enable_checkpointing": False,
        "enable_progress_bar": False,
        "enable_model_summary": False,
    }
    count = int(sys.argv[1])
    accelerator = "gpu" if DEVICE.type == "cuda" else "cpu"
    strategy = "ddp_spawn" if count > 1 else "auto"
    trainer = lightning.Trainer(max_epochs=2, accelerator=accelerator, devices=count, strategy=strategy, **quiet)
    trainer.fit(module, data)
    print(f"{trainer.callback_metrics['loss'].item():.5f}")
