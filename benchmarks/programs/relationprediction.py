"""Both trainings on made-up facts, with a test (deepakn97/relationPrediction at 157e09e)."""

import os

from made_up import script

os.makedirs("made")
os.makedirs("out/conv")
facts = [f"e{one} r{one % 2} e{(one * 3 + 1) % 8}\n" for one in range(8)]
for part in ("train", "valid", "test"):
    with open(f"made/{part}.txt", "w") as file:
        file.writelines(facts)
for kind, count in (("entity", 8), ("relation", 2)):
    with open(f"made/{kind}2id.txt", "w") as file:
        file.write(f"{count}\n" + "".join(f"{kind[0]}{one} {one}\n" for one in range(count)))
sizes = ["--pretrained_emb=", "--embedding_size=4", "--batch_size_gat=4", "--batch_size_conv=4", "--out_channels=2"]
sizes += ["--entity_out_dim", "2", "4", "--valid_invalid_ratio_conv=2", "--partial_2hop="]
script("main.py", "--data=made/", "--output_folder=out/", "--epochs_gat=2", "--epochs_conv=2", "--get_2hop=1", *sizes)
