"""One epoch of recommendation on made-up ratings (guoyang9/NCF at 89ff06f)."""

import os

import config
from made_up import script

os.mkdir("made")
config.train_rating, config.test_negative, config.model_path = "made/train", "made/negative", "made/"
with open("made/train", "w") as train, open("made/negative", "w") as negative:
    for user in range(6):
        train.writelines(f"{user}\t{(user + 7 * item) % 30}\t1\t0\n" for item in range(5))
        negative.write(f"({user}, {user + 8})" + "".join(f"\t{user + item}" for item in range(9, 18)) + "\n")
sizes = ["--batch_size", "8", "--factor_num", "4", "--test_num_ng", "9", "--top_k", "3"]
script("main.py", "--epochs", "1", *sizes)
