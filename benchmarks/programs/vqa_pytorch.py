"""Training, validation and test of answers to made-up questions (Cadene/vqa.pytorch at 69d7a43)."""

from collections import defaultdict
from unittest import mock

import torch
import vqa.lib.criterions
import vqa.lib.engine
import vqa.lib.utils
from made_up import old_scalars

old_scalars()
vqa.lib.utils.accuracy = lambda *_, **__: (torch.ones(1), torch.ones(1))


class Answers(torch.nn.Module):
    """Answers from an image and a question."""

    def __init__(self):
        super().__init__()
        self.image, self.question = torch.nn.Linear(8, 6), torch.nn.Embedding(5, 6)

    def forward(self, image, question):
        """The sum of what both say."""
        return self.image(image) + self.question(question).sum(1)


class Meter:
    """A value that nobody looks at."""

    val = avg = 0.0

    def update(self, *_, **__):
        """Nothing is kept."""


class Questions(list):
    """Made-up questions."""

    dataset = mock.MagicMock(aid_to_ans=list("abcdef"))


logger = mock.MagicMock(reset_meters=lambda _: defaultdict(Meter))
asked = {"visual": torch.rand(2, 8), "question": torch.ones(2, 3).long(), "answer": torch.tensor([0, 1])}
loader = Questions([{**asked, "question_id": [1, 2], "is_testdev": [True, False]}])
model, criterion = Answers(), vqa.lib.criterions.factory({}, cuda=True)
model = torch.nn.DataParallel(model)
optimizer = torch.optim.Adam(model.parameters())
vqa.lib.engine.train(loader, model, criterion, optimizer, logger, 0)
vqa.lib.engine.validate(loader, model, criterion, logger)
vqa.lib.engine.test(loader, model, logger)
