//! Open keys, and the blocks behind them.

use super::{Part, Scene};
use crate::block::Block;
use crate::family::Family;
use crate::finding::Finding;
use crate::functions::Call;
use crate::rules::ipc_order;

/// The exported address in the handle of a key; what is above tells keys of one block apart.
const ADDRESS: u64 = (1 << 48) - 1;

/// The keys that this process made and has not closed.
#[derive(Default)]
pub(super) struct Ipc {
    open: Vec<Block>,
}

impl Part for Ipc {
    fn made(&mut self, _: &Call, block: &Block, _: &dyn Scene, _: &mut Vec<Finding>) {
        if block.family() == Family::Exported {
            self.open.push(*block);
        }
    }

    fn releasing(&mut self, call: &Call, block: &Block, _: &dyn Scene, found: &mut Vec<Finding>) {
        if block.family() == Family::Exported {
            self.open.retain(|key| key.id != block.id);
        } else if block.family().is_memory() && !block.family().is_handle() {
            let key = self
                .open
                .iter()
                .find(|key| block.covers(key.address & ADDRESS));
            found.extend(key.map(|key| ipc_order::check_open_key(call, block, key.site)));
        }
    }

    fn kept(&mut self, block: &Block) {
        if block.family() == Family::Exported {
            self.open.push(*block);
        }
    }

    fn reset(&mut self, _: &Call, device: i32) {
        self.open.retain(|key| key.device != device);
    }

    fn follows_blocks(&self) -> bool {
        !self.open.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::Place;
    use crate::ledger::Ledger;
    use crate::profile::Profile;
    use crate::rules::testing::*;
    use aclsan_log::BlockId;

    /// A host that knows no block.
    struct Nowhere;

    impl Scene for Nowhere {
        fn place(&self, _: u64) -> Place {
            Place::Unknown
        }

        fn profile(&self) -> Profile {
            Profile::default()
        }
    }

    /// A key to the block at 0x10000, told apart from others by `number`.
    fn key(number: u64) -> Block {
        Block {
            id: BlockId(number),
            ..block("aclrtIpcMemGetExportKey", 0x10000 | number << 48, 4096)
        }
    }

    fn release(ledger: &mut Ledger, name: &str, block: &Block) -> usize {
        ledger.releasing(&call(name), block, &Nowhere).len()
    }

    #[test]
    fn a_block_is_free_to_go_when_its_last_key_is_closed() {
        let mut ledger = Ledger::default();
        let exported = device_block(0x10000, 4096);
        for number in [1, 2] {
            ledger.made(&call("aclrtIpcMemGetExportKey"), &key(number), &Nowhere);
        }
        assert!(ledger.follows_blocks());
        assert_eq!(release(&mut ledger, "aclrtFree", &exported), 1);
        ledger.kept(&exported);
        assert_eq!(release(&mut ledger, "aclrtIpcMemClose", &key(1)), 0);
        assert_eq!(release(&mut ledger, "aclrtFree", &exported), 1);
        assert_eq!(release(&mut ledger, "aclrtIpcMemClose", &key(2)), 0);
        assert_eq!(release(&mut ledger, "aclrtFree", &exported), 0);
        assert!(!ledger.follows_blocks());
    }

    #[test]
    fn other_blocks_and_keys_of_a_device_that_was_reset_are_silent() {
        let mut ledger = Ledger::default();
        ledger.made(&call("aclrtIpcMemGetExportKey"), &key(1), &Nowhere);
        assert_eq!(
            release(&mut ledger, "aclrtFree", &device_block(0x20000, 64)),
            0
        );
        ledger.reset(&call("aclrtResetDevice"), 0);
        assert_eq!(
            release(&mut ledger, "aclrtFree", &device_block(0x10000, 64)),
            0
        );
    }

    #[test]
    fn a_key_whose_closing_was_refused_is_open() {
        let mut ledger = Ledger::default();
        ledger.made(&call("aclrtIpcMemGetExportKey"), &key(1), &Nowhere);
        release(&mut ledger, "aclrtIpcMemClose", &key(1));
        ledger.kept(&key(1));
        assert_eq!(
            release(&mut ledger, "aclrtFree", &device_block(0x10000, 64)),
            1
        );
    }
}
