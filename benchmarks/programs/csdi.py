"""A training on made-up measurements, and what is filled in (ermongroup/CSDI at 7f24a43)."""

import os
import pickle

import numpy
import pandas
import yaml
from made_up import script

os.makedirs("data/pm25/Code/STMVL/SampleData")
with open("data/pm25/pm25_meanstd.pk", "wb") as file:
    pickle.dump((numpy.zeros(36), numpy.ones(36)), file)
times = [time for month in range(1, 13) for time in pandas.date_range(f"2014-{month}-01", periods=37, freq="h")]
frame = pandas.DataFrame(numpy.random.rand(len(times), 36), index=pandas.Index(times, name="datetime"))
frame.to_csv("data/pm25/Code/STMVL/SampleData/pm25_ground.txt")
frame.iloc[::3] = numpy.nan
frame.to_csv("data/pm25/Code/STMVL/SampleData/pm25_missing.txt")
with open("config/base.yaml") as file:
    settings = yaml.safe_load(file)
settings["train"].update(epochs=1, batch_size=4, itr_per_epoch=2)
settings["diffusion"].update(layers=1, channels=4, nheads=2, diffusion_embedding_dim=8, num_steps=3)
settings["model"].update(timeemb=4, featureemb=4)
with open("config/made.yaml", "w") as file:
    yaml.safe_dump(settings, file)
script("exe_pm25.py", "--config=made.yaml", "--nsample=2")
