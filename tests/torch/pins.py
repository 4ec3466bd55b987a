"""Page-locked memory as correct scripts have it: a data loader with workers, and tensors that live until the end. PyTorch keeps the
blocks for its next requests, and `aclsan check` passes.
"""

import torch
import torch_npu

WEIGHT = torch.randn(64, 64).pin_memory()


def main():
    samples = torch.utils.data.TensorDataset(torch.arange(256.0).reshape(64, 4))
    loader = torch.utils.data.DataLoader(samples, batch_size=8, pin_memory=True, num_workers=2)
    total = torch.zeros((), device="npu")
    for (batch,) in loader:
        total += batch.to("npu", non_blocking=True).sum()
    weight = WEIGHT.to("npu", non_blocking=True)
    assert total.item() == sum(range(256)), total
    torch.testing.assert_close(weight.cpu(), WEIGHT)


if __name__ == "__main__":
    main()
