"""What torch_npu needs before the first operator: tensors, copies, streams, events, memory and its numbers."""

import torch
import torch_npu


def main():
    assert torch.npu.is_available() and torch.npu.device_count() >= 1
    assert "910B" in torch.npu.get_device_name(0)

    host = torch.arange(12, dtype=torch.float32).reshape(3, 4)
    for kind in (torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.int64, torch.int32, torch.int8, torch.bool):
        there = host.to(kind).to("npu:0")
        assert torch.equal(there.cpu(), host.to(kind)), kind
    pinned = host.pin_memory()
    assert pinned.is_pinned() and torch.equal(pinned.to("npu:0", non_blocking=True).cpu(), host)
    assert torch.equal(host.npu().t().contiguous().cpu(), host.t())

    side, done = torch.npu.Stream(), torch.npu.Event(enable_timing=True)
    start = torch.npu.Event(enable_timing=True)
    on_main = host.npu()
    start.record()
    side.wait_stream(torch.npu.current_stream())
    with torch.npu.stream(side):
        doubled = on_main * 2
        done.record()
    torch.npu.current_stream().wait_event(done)
    assert torch.equal((doubled + 1).cpu(), host * 2 + 1)
    done.synchronize()
    assert start.elapsed_time(done) >= 0
    doubled.record_stream(torch.npu.current_stream())

    before = torch.npu.memory_allocated()
    large = torch.empty(1 << 20, device="npu:0")
    assert torch.npu.memory_allocated() >= before + (4 << 20)
    assert torch.npu.max_memory_allocated() >= torch.npu.memory_allocated()
    assert torch.npu.memory_stats()["allocated_bytes.all.current"] == torch.npu.memory_allocated()
    del large
    free, total = torch.npu.mem_get_info()
    assert 0 < free <= total
    torch.npu.empty_cache()
    torch.npu.synchronize()


if __name__ == "__main__":
    main()
    print("starts: ok")
