"""lightning: Trainer and Fabric on a GPU, and tensors that a module makes there."""

import lightning
import torch


class Net(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def training_step(self, batch, index):
        (x,) = batch
        weight = torch.ones(x.shape[0], 1).cuda()
        return (weight * (self.layer(x) - torch.zeros(x.shape[0], 1, device="cuda")) ** 2).mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


lightning.seed_everything(0)
data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.ones(4, 4)), batch_size=2)
trainer = lightning.Trainer(
    accelerator="gpu",
    devices=1,
    max_epochs=1,
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
    enable_model_summary=False,
)
trainer.fit(Net(), data)
assert trainer.global_step == 2
fabric = lightning.Fabric(accelerator="cuda", devices=1)
assert fabric.to_device(torch.ones(1)).shape == (1,)
