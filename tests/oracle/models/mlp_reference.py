"""The linear-model trainer in Python torch, as its upstream runs it on one CPU device."""

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, input_dim):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(input_dim, input_dim // 2), nn.ReLU(), nn.Linear(input_dim // 2, 3), nn.Linear(3, 3))

    def forward(self, x):
        return self.layers(x)


def train(input_dim, micros=1, batch=128, samples=8192, lr=0.1, epochs=1, seed=42, dtype=torch.float32):
    """Losses of every optimizer step, micro losses, and the 10 output rows. micros 1 is the plain trainer."""
    torch.manual_seed(seed)
    model = Model(input_dim).to(dtype)
    rows = batch * micros
    x, y = torch.randn(rows, input_dim).to(dtype), torch.randint(0, 3, (rows,), dtype=torch.int64)
    optimizer = torch.optim.SGD(model.parameters(), lr=lr, foreach=False)
    cross_entropy = nn.CrossEntropyLoss()
    losses, micro_losses = [], []
    for _ in range(epochs * (samples // rows)):
        if micros == 1:
            optimizer.zero_grad()
            loss = cross_entropy(model(x), y)
            losses.append(loss.clone().detach())
            micro_losses.append(loss.clone().detach())
            loss.backward()
            optimizer.step()
            continue
        running = torch.zeros(1, dtype=torch.promote_types(dtype, torch.float32))
        for data, target in zip(x.reshape(micros, -1, input_dim), y.reshape(micros, -1)):
            loss = cross_entropy(model(data), target)
            loss /= micros
            running += loss.detach()
            micro_losses.append(loss.clone().detach())
            loss.backward()
        optimizer.step()
        losses.append(running.clone().detach()[0])
        optimizer.zero_grad()
    output = model(torch.randn(10, input_dim).to(dtype)).detach()
    return torch.stack(losses).double(), torch.stack(micro_losses).double(), output
