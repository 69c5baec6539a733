"""Directions in made-up hidden states, and what they say (andyzoujm/representation-engineering at 5455d8a)."""

import numpy
from made_up import stand_in

stand_in("transformers", "accelerate")
from repe import rep_readers  # noqa: E402

states = {-1: numpy.random.rand(8, 4), -2: numpy.random.rand(8, 4)}
layers = list(states)
reader = rep_readers.PCARepReader(n_components=2)
reader.directions = reader.get_rep_directions(None, None, states, layers)
reader.direction_signs = reader.get_signs(states, [[1, 0]] * 4, layers)
reader.transform(states, layers, 0)
means = rep_readers.ClusterMeanRepReader()
means.directions = means.get_rep_directions(None, None, states, layers, train_choices=[0, 1] * 4)
means.transform(states, layers, 0)
