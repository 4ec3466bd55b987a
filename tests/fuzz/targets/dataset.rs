#![no_main]
//! Files of a dataset: every table's reader takes or refuses any bytes.

use aclsan_dataset::read;
use aclsan_dataset::tables::*;
use libfuzzer_sys::fuzz_target;

/// Most bytes that a row of a file may become: what a small file claims must not fill the memory.
const MOST_ROWS: u64 = 1 << 24;

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, file)) = bytes.split_first() else {
        return;
    };
    let mut rows = 0;
    macro_rules! read {
        ($($number:literal: $row:ty,)*) => {
            match choice % 16 {
                $($number => drop(read::bytes(file, |_: $row| rows += 1)),)*
                _ => {}
            }
        };
    }
    read! {
        0: Process, 1: Site, 2: Frame, 3: Block, 4: Leak, 5: Allocation, 6: Point, 7: Epoch, 8: Finding, 9: Pool, 10: Failure, 11: Usage,
        12: Call, 13: Layout, 14: SnapshotBlock, 15: Category,
    }
    assert!(rows <= MOST_ROWS);
});
