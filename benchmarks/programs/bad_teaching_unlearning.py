"""A made-up model unlearns pictures by two ways (vikram2000b/bad-teaching-unlearning at f1aa988)."""

import sys

import torch
from made_up import stand_in

stand_in("torchvision")
sys.path.insert(0, ".")
import unlearn  # noqa: E402
import utils  # noqa: E402

device = "cuda" if torch.cuda.is_available() else "cpu"


def model():
    """A model of the pictures."""
    return torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(3 * 8 * 8, 20)).to(device)


data = [(torch.rand(3, 8, 8), n % 20, n % 20) for n in range(8)]
loader = torch.utils.data.DataLoader(data, batch_size=4)
student, teacher, bad = model(), model(), model()
unlearn.fit_one_unlearning_cycle(1, teacher, loader, loader, 0.01, device)
unlearn.blindspot_unlearner(student, bad, teacher, data[:4], data[4:], epochs=1, batch_size=4, num_workers=0)
noise = unlearn.UNSIR_noise(4, 3, 8, 8).to(device)
noise = unlearn.UNSIR_noise_train(noise, teacher, 1, 2, 4)
noisy = unlearn.UNSIR_create_noisy_loader(noise, 1, [(x, y, c) for x, y, c in data], 4, num_noise_batches=2)
utils.evaluate(teacher, noisy, device)
