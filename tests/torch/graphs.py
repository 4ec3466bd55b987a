"""Captures a model's forward pass, and whole steps of training, in an NPUGraph: replays must give the numbers of a run without one.
"""

import copy

import torch
import torch_npu

import models


def capture(work):
    """A graph of the work, after a run on another stream that makes what is made only once."""
    side = torch.npu.Stream()
    side.wait_stream(torch.npu.current_stream())
    with torch.npu.stream(side):
        for _ in range(2):
            work()
    torch.npu.current_stream().wait_stream(side)
    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph):
        result = work()
    return graph, result


def forward():
    reference, x, _, _ = models.task("mlp")
    model, given = copy.deepcopy(reference).npu(), x.npu()
    with torch.no_grad():
        graph, found = capture(lambda: model(given))
        for scale in (1.0, -2.0, 0.5):
            given.copy_(x * scale)
            graph.replay()
            torch.npu.synchronize()
            torch.testing.assert_close(found.cpu(), reference(x * scale), rtol=1e-4, atol=1e-5)


def train(device, steps, captured):
    model, x, y, loss_of = models.task("mlp")
    model, x, y = model.to(device), x.to(device), y.to(device)
    weights = list(model.parameters())

    def step():
        loss = loss_of(model(x), y)
        for weight, slope in zip(weights, torch.autograd.grad(loss, weights)):
            weight.data.sub_(slope, alpha=0.1)
        return loss.detach()

    if not captured:
        return [step().item() for _ in range(steps)]
    graph, loss = capture(step)
    losses = []
    for _ in range(steps):
        graph.replay()
        losses.append(loss.item())
    return losses


def main():
    forward()
    # Two steps warm the captured one up; the capture itself runs nothing.
    expected, found = train("cpu", 12, False)[2:], train("npu:0", 10, True)
    worst = max(abs(one - other) / abs(one) for one, other in zip(expected, found, strict=True))
    print(f"training in a graph: from {found[0]:.4f} to {found[-1]:.4f}, differs by {worst:.1e} at most")
    assert worst < 1e-3, (expected, found)
    torch.npu.synchronize()
    torch.npu.empty_cache()


if __name__ == "__main__":
    main()
