//! Blocks that a runtime pool gave out during a stream capture: the resulting graph uses them whenever it runs.
//!
//! They belong to the pool, whose host side gives them out at the call (`MemPoolMallocAsync`, runtime v9.1.0), but must live as long as the
//! graph. Streams that joined a capture by an event are not tracked.

use std::collections::{HashMap, HashSet};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Holder {
    Capture(u64),
    Graph(u64),
}

/// Captures, graphs and their blocks.
#[derive(Default)]
pub struct GraphBlocks {
    streams: HashSet<u64>,
    blocks: HashMap<u64, Holder>,
}

impl GraphBlocks {
    /// A graph function was called; `is_done` says whether it succeeded.
    pub fn called(&mut self, function: &str, (first, second): (u64, u64), is_done: bool) {
        match function {
            "aclmdlRICaptureBegin" | "aclmdlRICaptureToModelRIBegin" if is_done => {
                self.streams.insert(first);
            }
            "aclmdlRICaptureEnd" => {
                self.streams.remove(&first);
                let was = Holder::Capture(first);
                self.blocks
                    .retain(|_, holder| is_done && second != 0 || *holder != was);
                for holder in self.blocks.values_mut().filter(|holder| **holder == was) {
                    *holder = Holder::Graph(second);
                }
            }
            "aclmdlRIDestroy" if is_done => {
                self.blocks
                    .retain(|_, holder| *holder != Holder::Graph(first));
            }
            _ => {}
        }
    }

    /// A pool gave out a block on a stream.
    pub fn given(&mut self, address: u64, stream: u64) {
        match self.streams.contains(&stream) {
            true => self.blocks.insert(address, Holder::Capture(stream)),
            false => self.blocks.remove(&address),
        };
    }

    /// Whether an existing graph uses a block.
    pub fn has(&self, address: u64) -> bool {
        matches!(self.blocks.get(&address), Some(Holder::Graph(_)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_graph_has_what_was_given_out_for_it_until_it_is_destroyed() {
        let mut graph_blocks = GraphBlocks::default();
        graph_blocks.given(1, 10);
        graph_blocks.called("aclmdlRICaptureBegin", (10, 0), true);
        graph_blocks.given(2, 10);
        graph_blocks.given(3, 11); // another stream
        assert!(!graph_blocks.has(2), "there is no graph yet");
        graph_blocks.called("aclmdlRICaptureEnd", (10, 99), true);
        graph_blocks.given(4, 10);
        assert_eq!(
            [1, 2, 3, 4].map(|it| graph_blocks.has(it)),
            [false, true, false, false]
        );
        graph_blocks.called("aclmdlRIDestroy", (98, 0), true);
        graph_blocks.called("aclmdlRIDestroy", (99, 0), false);
        assert!(graph_blocks.has(2));
        graph_blocks.called("aclmdlRIDestroy", (99, 0), true);
        assert!(!graph_blocks.has(2));
    }

    #[test]
    fn a_capture_that_failed_has_nothing_and_an_address_may_be_given_out_again() {
        let mut graph_blocks = GraphBlocks::default();
        graph_blocks.called("aclmdlRICaptureBegin", (10, 0), false);
        graph_blocks.given(1, 10);
        graph_blocks.called("aclmdlRICaptureBegin", (10, 0), true);
        graph_blocks.given(2, 10);
        graph_blocks.called("aclmdlRICaptureEnd", (10, 99), false);
        assert!(!graph_blocks.has(1) && !graph_blocks.has(2));
        graph_blocks.called("aclmdlRICaptureBegin", (10, 0), true);
        graph_blocks.given(2, 10);
        graph_blocks.called("aclmdlRICaptureEnd", (10, 99), true);
        assert!(graph_blocks.has(2));
        graph_blocks.given(2, 11);
        assert!(!graph_blocks.has(2));
    }
}
