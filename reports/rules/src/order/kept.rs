//! Streams that keep what they are given (`ACL_STREAM_PERSISTENT`): nothing of it runs by itself.
//!
//! Bound to a model that is built by hand, such a stream's calls are that model's, from the bind on and behind `aclmdlRIBuildEnd` too:
//! they run when it is executed, as often as that happens. What is given to one that is not bound is not judged, nor what is on a branch
//! that the model may never come to. A stream that was bound stays one of them, whether or not it was seen made.

use super::follow::Order;
use super::graphs::{Graph, Graphs};
use super::step::Step;
use crate::block::Block;
use crate::functions::Call;
use crate::numbers::ByNumber;

/// `ACL_STREAM_PERSISTENT`, in the flag of a stream.
const PERSISTENT: u32 = 0x4;
/// `ACL_MODEL_STREAM_FLAG_HEAD`: the stream runs as soon as the model does.
const HEAD: u64 = 0;

/// All of them.
#[derive(Default)]
pub(super) struct Kept {
    /// The graph of each that is bound, 0 for others.
    graphs: ByNumber<u64, u64>,
}

impl Kept {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.graphs.is_empty()
    }

    pub fn has(&self, stream: u64) -> bool {
        self.graphs.contains_key(&stream)
    }

    pub fn graph_of(&self, stream: u64) -> Option<u64> {
        let graph = self.graphs.get(&stream).copied();
        graph.filter(|&graph| graph != 0)
    }

    pub fn is_bound_to(&self, graph: u64) -> bool {
        self.graphs.values().any(|&bound| bound == graph)
    }

    /// A graph was destroyed, and its handle may be given out again.
    pub fn let_go(&mut self, graph: u64) {
        for bound in self.graphs.values_mut().filter(|bound| **bound == graph) {
            *bound = 0;
        }
    }

    /// A stream was destroyed.
    pub fn gone(&mut self, stream: u64) {
        self.graphs.remove(&stream);
    }
}

impl Graphs {
    /// A graph is about to be built by hand: it has nothing yet.
    pub fn build(&mut self, graph: u64, device: i32) {
        self.kept.let_go(graph);
        self.graphs.insert(graph, Graph::of(device));
    }

    pub fn bind(&mut self, graph: u64, stream: u64, flag: u64, device: i32) {
        let bound = if flag == HEAD { graph } else { 0 };
        self.kept.graphs.insert(stream, bound);
        let known = self.graphs.entry(graph);
        known.or_insert_with(|| Graph::of(device));
    }

    /// Which calls are the stream's is not kept: nothing is known of the graph from here on.
    pub fn unbind(&mut self, graph: u64, stream: u64) {
        self.kept.graphs.insert(stream, 0);
        self.changed(graph);
    }

    /// The calls of a graph may be others from here on.
    pub fn changed(&mut self, graph: u64) {
        if let Some(known) = self.graphs.get_mut(&graph) {
            known.forget();
        }
    }
}

impl Order {
    /// A stream was made: of one that keeps what it is given the flag is on record.
    pub(super) fn made_stream(&mut self, call: &Call, block: &Block) {
        match call.function.meaning.step {
            // Whether it is persistent is hidden in what describes it.
            Step::MakeStream => self.lines.gone(block.address),
            _ => self.lines.made(block.address, call.device),
        }
        match call.argument & PERSISTENT != 0 {
            true => drop(self.graphs.kept.graphs.insert(block.address, 0)),
            false => self.graphs.kept.gone(block.address),
        }
    }
}
