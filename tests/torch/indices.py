"""A vocabulary that is larger than the table: the last token of the fifth batch has no row. All batches but the first run plans out
of torch_npu's cache. `.ci/torch_npu` looks at the report.

    indices.py --mistaken
    indices.py --correct
"""

import sys

import torch
import torch_npu

ROWS = 100


def main():
    table = torch.nn.Embedding(ROWS, 8).npu()
    last = ROWS if "--mistaken" in sys.argv else ROWS - 1
    targets = torch.tensor([0, 7, -100]).npu()  # one that the loss ignores
    try:
        for batch in range(5):
            tokens = torch.tensor([batch, 42, last if batch == 4 else 0]).npu()
            rows = table(tokens)
            # With `check_indices=1` its own index is waited for, and the error comes here.
            loss = torch.nn.functional.cross_entropy(rows, targets)
        torch.npu.synchronize()
        print(loss.item())
    except RuntimeError as error:
        print(next(line.strip() for line in str(error).splitlines() if "kernel_name" in line))


if __name__ == "__main__":
    main()
