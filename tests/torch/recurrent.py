"""LSTM, GRU and the plain cell: results and gradients on the NPU must be the CPU's, and so must a small model's losses.

torch_npu goes three ways: operators of aclnn (LSTM of one layer with biases, GRU), compiled operators (DynamicRNN for other LSTMs,
DynamicGRUV2 for bfloat16), and a composition of small ones (plain cells).
"""

import torch
import torch_npu
from torch import nn

FORMS = ({}, {"num_layers": 2}, {"bidirectional": True}, {"num_layers": 3, "bidirectional": True}, {"batch_first": True}, {"bias": False})


def answers(kind, form, device, dtype):
    torch.manual_seed(1)
    cell = getattr(nn, kind)(6, 5, **form).to(device, dtype)
    x = torch.randn(3, 4, 6).to(device, dtype).requires_grad_()
    out, last = cell(x)
    results = (out, *(last if isinstance(last, tuple) else (last,)))
    gradients = torch.autograd.grad(sum((result.float() ** 2).sum() for result in results), [x, *cell.parameters()])
    cell.eval()
    with torch.no_grad():
        again = cell(x)[0]
    return [tensor.detach().cpu().double() for tensor in (*results, *gradients, again)]


def worst(kind, form, dtype=torch.float32):
    pairs = zip(answers(kind, form, "cpu", dtype), answers(kind, form, "npu", dtype), strict=True)
    return max(((one - other).abs().max() / one.abs().max()).item() for one, other in pairs)


class Speller(nn.Module):
    def __init__(self, kind, letters=32, width=24):
        super().__init__()
        self.letters, self.cell = nn.Embedding(letters, width), kind(width, width, batch_first=True)
        self.head = nn.Linear(width, letters)

    def forward(self, text):
        return self.head(self.cell(self.letters(text))[0])


def losses(kind, device, steps=20):
    torch.manual_seed(2)
    model, text = Speller(kind).to(device), torch.randint(0, 32, (8, 12)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    found = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(text[:, :-1]).flatten(0, 1), text[:, 1:].flatten())
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    return found


def main():
    for kind in ("LSTM", "GRU", "RNN"):
        found = max(worst(kind, form) for form in FORMS)
        print(f"{kind}: differs by {found:.1e} at most")
        assert found < 1e-4
    for kind in ("LSTM", "GRU"):
        found = max(worst(kind, form, torch.bfloat16) for form in FORMS)
        print(f"{kind} in bfloat16: differs by {found:.1e} at most")
        assert found < 5e-2
    for kind in (nn.LSTM, nn.GRU):
        found = max(abs(a - b) / a for a, b in zip(losses(kind, "cpu"), losses(kind, "npu"), strict=True))
        print(f"{kind.__name__}, trained: differs by {found:.1e} at most")
        assert found < 1e-3
    torch.npu.synchronize()
    torch.npu.empty_cache()


if __name__ == "__main__":
    main()
