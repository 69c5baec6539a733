"""Two steps of energies of points in a roll (ritheshkumar95/energy_based_generative_models at b4a8d82)."""

import sys

from made_up import script, stand_in

stand_in("tensorboardX", "matplotlib", "torchvision")
sys.path.insert(0, "scripts")
import utils  # noqa: E402

utils.save_toy_samples = lambda net, _: print(sum(one.sum() for one in net.parameters()))
utils.save_energies = lambda net, _: (utils.save_toy_samples(net, _), None)
options = "--dataset swissroll --save_path made --dim 8 --batch_size 16 --iters 2 --n_points 16"
script("scripts/train/ebm_toy.py", *options.split())
