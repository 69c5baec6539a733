"""Steps of fitting mixtures of made-up points, with tests, in two ways (juho-lee/set_transformer at 73432c6)."""

from made_up import script

sizes = ["--B=2", "--N_min=8", "--N_max=12", "--K=2", "--num_bench=2"]
for net in ("set_transformer", "deepset"):
    script("run.py", f"--net={net}", "--num_steps=4", "--test_freq=2", "--save_freq=4", *sizes)
    script("run.py", f"--net={net}", "--mode=test", *sizes)
