"""transformers: ViTForImageClassification in training."""

from common import DEVICE, torch, train
from transformers import ViTConfig, ViTForImageClassification

config = ViTConfig(
    image_size=16, patch_size=4, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=37
)
model = ViTForImageClassification(config).to(DEVICE)
pixels, labels = torch.rand(2, 3, 16, 16).to(DEVICE), torch.tensor([0, 1], device=DEVICE)
train(model.parameters(), lambda: model(pixel_values=pixels, labels=labels).loss)
