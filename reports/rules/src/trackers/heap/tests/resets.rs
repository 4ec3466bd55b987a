//! What resets of devices drop.

use super::*;

/// A call about device 0.
fn call(heap: &mut Heap, name: &str) -> Option<Vec<LiveBlock>> {
    heap.called(function(name).unwrap(), &Values::new(&[0]), RESET, 0)
}

#[test]
fn the_last_reset_drops_the_devices_blocks_and_no_others() {
    let blocks = [
        block(1, "aclrtMalloc", 0x1000, 16, 0),
        block(2, "acldvppMalloc", 0x2000, 16, 0),
        block(3, "hi_mpi_dvpp_malloc", 0x3000, 16, 0),
        block(4, "aclrtMallocHost", 0x4000, 16, 0),
        block(5, "aclrtMalloc", 0x5000, 16, 1),
    ];
    let mut heap = heap(&blocks);
    call(&mut heap, "aclrtSetDevice");
    call(&mut heap, "aclrtSetDevice");
    assert_eq!(call(&mut heap, "aclrtResetDevice"), None);
    let dropped = call(&mut heap, "aclrtResetDevice").unwrap();
    assert_eq!(
        dropped
            .iter()
            .map(|live| live.block.id.0)
            .collect::<Vec<_>>(),
        [1, 2, 3]
    );
    assert_eq!(
        heap.place(0x1000),
        AddressInfo::Ended(blocks[0], 0, End::Reset(RESET))
    );
    assert_eq!(heap.place(0x4000), AddressInfo::Live(blocks[3], 0));
    assert_eq!(heap.place(0x5000), AddressInfo::Live(blocks[4], 0));
}

#[test]
fn a_forced_reset_asks_for_no_count() {
    let mut heap = heap(&[device_block(1, 0x1000, 16)]);
    call(&mut heap, "aclrtSetDevice");
    call(&mut heap, "aclrtSetDevice");
    assert_eq!(call(&mut heap, "aclrtResetDeviceForce").unwrap().len(), 1);
}

#[test]
fn a_reset_drops_what_was_there_when_it_began() {
    let mut heap = heap(&[device_block(1, 0x1000, 64)]);
    assert_eq!(heap.allocate(device_block(2, 0x2000, 64), 150, 1), []);
    let reset = function("aclrtResetDeviceForce").unwrap();
    // It returns at 200 and took 100.
    let dropped = heap
        .called(reset, &Values::new(&[0, 100]), RESET, 200)
        .unwrap();
    assert_eq!((dropped.len(), dropped[0].block.id), (1, BlockId(1)));
}
