"""Twenty epochs of the next item on made-up sequences, with an evaluation (pmixer/SASRec.pytorch at fde8a9c)."""

import os

from made_up import script

os.chdir("python")
os.makedirs("data", exist_ok=True)
with open("data/made.txt", "w") as file:
    file.writelines(f"{user} {(user + item) % 150 + 1}\n" for user in range(1, 160) for item in range(6))
sizes = ["--batch_size", "80", "--maxlen", "8", "--hidden_units", "8", "--num_blocks", "1"]
script("main.py", "--dataset", "made", "--train_dir", "out", "--num_epochs", "20", *sizes)
