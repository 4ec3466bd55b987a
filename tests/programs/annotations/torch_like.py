"""A training program as PyTorch's are, on a stub of it: aclsan.torch says what its memory is for."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "stub"))
import torch

import aclsan
import aclsan.torch

acl = torch.acl
assert acl.aclInit(None) + acl.aclrtSetDevice(0) == 0
inner = torch.Module(parameters=[torch.Tensor(4096)])
inner.kv_cache = [torch.Tensor(3000), {"k": torch.Tensor(500)}, None]
model = torch.Module(inner, torch.Module(), parameters=[torch.Tensor(100)])
optimizer = torch.optim.Adam(model.parameters())
for step in range(3):
    aclsan.epoch(f"step {step}")
    outputs = model(1)
    for parameter in model.parameters():
        parameter.grad = torch.Tensor(parameter.size)
    optimizer.step()
    for parameter in model.parameters():
        parameter.grad.release()
        parameter.grad = None
    for output in outputs:
        output[0].release()
with aclsan.category("communication"):
    torch.Tensor(64)
assert acl.aclFinalize() == 0
