"""A convolutional network for images, with a scheduler and evaluation."""

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 8, 3, padding=1), nn.Conv2d(8, 16, 3)
        self.norm, self.drop, self.out = nn.BatchNorm2d(8), nn.Dropout(0.25), nn.Linear(16 * 25, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.norm(self.conv1(x))), 2)
        x = self.drop(F.relu(self.conv2(x)))
        return F.log_softmax(self.out(x.flatten(1)), dim=1)


images, labels = torch.randn(64, 1, 14, 14), torch.randint(0, 10, (64,))
net = Net().cuda()
optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.5)
for _ in range(2):
    net.train()
    for start in range(0, 64, 16):
        x, y = images[start : start + 16].cuda(), labels[start : start + 16].cuda()
        optimizer.zero_grad()
        loss = F.nll_loss(net(x), y)
        loss.backward()
        optimizer.step()
        print("loss", loss.item())
    scheduler.step()
net.eval()
with torch.no_grad():
    output = net(images.cuda())
    correct = output.argmax(1).eq(labels.cuda()).sum().item()
print("correct", correct, output.double().sum().item())
