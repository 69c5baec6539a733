"""Two epochs of a grammar of made-up sentences, with their tests (harvardnlp/compound-pcfg at 4af1eb0)."""

import pickle

from made_up import script, stand_in

stand_in("nltk")
spans = [(0, 1, 0), (0, 2, 0)]
item = [["a", "b", "c"], ["X"] * 3, [0, 0, 0, 1, 1], None, 0, [one[:2] for one in spans]]
item[3] = "(a b) c"
data = {
    "source": [[1, 2, 3, 4, 5], [1, 3, 4, 2, 5]],
    "other_data": [item, item],
    "source_l": [5],
    "batch_l": [2],
    "batch_idx": [0],
    "vocab_size": [6],
    "word2idx": {},
    "idx2word": dict(enumerate("_abcde")),
}
for name in ("train.pkl", "val.pkl"):
    with open(name, "wb") as file:
        pickle.dump(data, file)
files = ["--train_file=train.pkl", "--val_file=val.pkl", "--save_path=made.pt", "--num_epochs=2"]
script("train.py", *files, "--z_dim=4", "--t_states=3", "--nt_states=3", "--state_dim=4", "--h_dim=4", "--w_dim=4")
