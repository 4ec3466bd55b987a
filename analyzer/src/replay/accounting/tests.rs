//! Accounting that counts leaks only.

use super::*;
use aclsan_log::BlockId;
use aclsan_log::builder::LogBuilder;
use aclsan_rules::api::block::Block;
use aclsan_rules::api::functions::function;

#[test]
fn leak_counters_forget_the_redzones_of_each_of_many_blocks() {
    let mut synth = LogBuilder::default();
    let site = synth.site("aclrtMalloc", 0, 0, &[0x10]);
    let sites = Arc::new(Sites::new(&synth.log()).0);
    let mut accounting = Accounting::new(Usage::new(sites.len()), Arc::clone(&sites));
    accounting.count_leaks_only();
    let blocks = (0..u64::from(3 * HAND_OVER_AFTER)).map(|id| Block {
        id: BlockId(id),
        address: 0x1000,
        size: 100,
        function: function("aclrtMalloc").expect("it is known"),
        site,
        device: 0,
    });
    let overhead = GuardOverhead {
        padding: 7,
        right_redzone: 64,
        left_redzone: 0,
        has_guard_page: false,
    };
    for block in blocks.clone() {
        let held = LiveBlock {
            block,
            since_ns: 0,
            thread: 1,
            is_named: false,
            order: block.id.0,
            bytes: block.size,
        };
        accounting.on_alloc(&held, 0);
        accounting.guard(&held, overhead, 0);
        accounting.on_free(&held, 0, true);
    }
    assert_eq!(
        accounting.allocated([0; 2].into_iter()),
        [0, u64::from(3 * HAND_OVER_AFTER)]
    );
    // The runtime's own rounding again, not the 7 bytes reported: 100 becomes 128 and 32.
    let usage = accounting.read();
    assert!(
        blocks
            .map(|block| usage.padding(&block, &sites))
            .all(|padding| padding == 60)
    );
}
