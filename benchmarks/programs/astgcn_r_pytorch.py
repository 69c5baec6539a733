"""An epoch of traffic forecasts on a made-up network, with their test (guoshnBJTU/ASTGCN-r-pytorch at 768732e)."""

import configparser

import numpy
from made_up import script, stand_in

stand_in("tensorboardX")
config = configparser.ConfigParser()
config.read("configurations/PEMS04_astgcn.conf")
config["Data"].update(adj_filename="made.csv", graph_signal_matrix_filename="made.npz", num_of_vertices="4")
config["Training"].update(epochs="1", ctx="0", batch_size="2", nb_chev_filter="4", nb_time_filter="4")
with open("made.conf", "w") as file:
    config.write(file)
with open("made.csv", "w") as file:
    file.write("from,to,cost\n0,1,2.0\n1,2,1.5\n2,3,1.0\n")
x, y = numpy.random.rand(4, 4, 3, 12), numpy.random.rand(4, 4, 12)
parts = {f"{part}_{name}": one for part in ("train", "val", "test") for name, one in (("x", x), ("target", y))}
mean = numpy.ones((1, 1, 3, 1))
numpy.savez("made_r1_d0_w0_astcgn.npz", mean=mean, std=mean, **parts)
script("train_ASTGCN_r.py", "--config=made.conf", name="made")["train_main"]()
