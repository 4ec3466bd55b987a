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
