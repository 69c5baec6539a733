"""What PyTorch's documentation says of CUDA: a sentence, the page it is from, some code, and what it must give.

The behaviours are data: the text files of this folder, one for each topic. A line ``# Page`` names a page of the
documentation on docs.pytorch.org; a line ``- Sentence`` begins a behaviour; what follows is code as in a Python session,
and what it gives. ``raises Type: text`` and ``warns Type: text`` stand for an exception and a warning whose message
has the text. ``(two GPUs)`` after a sentence says what it needs, ``(not shown: …)`` names the row of the table "What
the simulation cannot show" in docs/simulator.md that says why it does not hold there.

``python -m tests.verify.behaviours`` counts what agrees.
"""
