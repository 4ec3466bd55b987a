"""Models that are small and whole: a perceptron, a GPT of four layers, and ResNet-18 for pictures of 32² pixels."""

import torch
from torch import nn
from torch.nn import functional


def perceptron():
    return nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 32), nn.GELU(), nn.Linear(32, 10))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
        self.mixed, self.joined = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.rest = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        batch, length, width = x.shape
        parts = self.mixed(self.before(x)).split(width, 2)
        q, k, v = (part.view(batch, length, self.heads, -1).transpose(1, 2) for part in parts)
        scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
        past = torch.tril(torch.ones(length, length, device=x.device))
        weights = scores.masked_fill(past == 0, float("-inf")).softmax(-1)
        x = x + self.joined((weights @ v).transpose(1, 2).reshape(batch, length, width))
        return x + self.rest(self.between(x))


class Gpt(nn.Module):
    def __init__(self, words=64, length=16, width=32, layers=4):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(length, width)
        self.blocks = nn.Sequential(*(Block(width, 4) for _ in range(layers)))
        self.last, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)

    def forward(self, tokens):
        places = torch.arange(tokens.shape[1], device=tokens.device)
        return self.head(self.last(self.blocks(self.words(tokens) + self.places(places))))


class Residual(nn.Module):
    def __init__(self, channels, out, stride):
        super().__init__()
        self.one, self.norm_one = nn.Conv2d(channels, out, 3, stride, 1, bias=False), nn.BatchNorm2d(out)
        self.two, self.norm_two = nn.Conv2d(out, out, 3, 1, 1, bias=False), nn.BatchNorm2d(out)
        self.skip = nn.Identity()
        if stride != 1 or channels != out:
            self.skip = nn.Sequential(nn.Conv2d(channels, out, 1, stride, bias=False), nn.BatchNorm2d(out))

    def forward(self, x):
        inner = functional.relu(self.norm_one(self.one(x)))
        return functional.relu(self.norm_two(self.two(inner)) + self.skip(x))


def resnet18(width=16):
    layers = [nn.Conv2d(3, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    channels = width
    for stage in range(4):
        out = width << stage
        layers += [Residual(channels, out, 1 if stage == 0 else 2), Residual(out, out, 1)]
        channels = out
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, 10))


def task(name):
    """A model, its input, and the loss of its output."""
    torch.manual_seed(0)
    if name == "gpt":
        tokens = torch.randint(0, 64, (4, 16))
        after = tokens.roll(-1, 1)
        return Gpt(), tokens, after, lambda out, y: functional.cross_entropy(out.flatten(0, 1), y.flatten())
    if name == "resnet18":
        return resnet18(), torch.randn(4, 3, 32, 32), torch.randint(0, 10, (4,)), functional.cross_entropy
    return perceptron(), torch.randn(64, 16), torch.randint(0, 10, (64,)), functional.cross_entropy
