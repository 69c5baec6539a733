"""A state that is turned toward the truth (likenneth/honest_llama)."""

import torch
from interveners import ITI_Intervener

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
state = torch.rand(1, 3, 8, device=device)
ITI_Intervener(torch.rand(8).numpy(), 15)(state, None)
