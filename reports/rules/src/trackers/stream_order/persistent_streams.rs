//! Streams that keep what they are given (`ACL_STREAM_PERSISTENT`): nothing of it runs by itself.
//!
//! Bound to a model that is built by hand, such a stream's calls are that model's, from the bind on and behind `aclmdlRIBuildEnd` too:
//! they run when it is executed, as often as that happens. What is given to one that is not bound is not judged, nor what is on a branch
//! that the model may never come to: on a stream that another one has to activate, or behind a label or a switch, at which a stream may stop
//! (AscendCL API reference, `aclrtSwitchLabelByIndex`, `aclrtSwitchStream`). A stream that was bound stays one of them, whether or not it was
//! seen made.

use crate::api::fast_hash::FastMap;

/// `ACL_STREAM_PERSISTENT`, in the flag of a stream.
pub(super) const PERSISTENT: u32 = 0x4;
/// `ACL_MODEL_STREAM_FLAG_HEAD`: the stream runs as soon as the model does.
pub(super) const HEAD: u64 = 0;

/// Most events of models that are followed: a wait for another one is a wait for anything.
const MAX_EVENTS: usize = 1 << 12;

/// What a stream is of a model.
#[derive(Clone, Copy)]
pub(super) struct Part {
    /// 0 if it is not bound.
    pub graph: u64,
    /// Whether what it is given from here on may not run when the model does.
    pub is_branch: bool,
}

pub(super) const UNBOUND: Part = Part {
    graph: 0,
    is_branch: true,
};

/// All of them.
#[derive(Default)]
pub(super) struct PersistentStreams {
    pub(super) parts: FastMap<u64, Part>,
    /// The model that each event was recorded in last.
    events: FastMap<u64, u64>,
}

impl PersistentStreams {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    pub fn has(&self, stream: u64) -> bool {
        self.parts.contains_key(&stream)
    }

    pub fn graph_of(&self, stream: u64) -> Option<u64> {
        let part = self.parts.get(&stream);
        part.map(|part| part.graph).filter(|&graph| graph != 0)
    }

    pub fn is_branch(&self, stream: u64) -> bool {
        self.parts.get(&stream).is_some_and(|part| part.is_branch)
    }

    /// A label or a switch was put on a stream.
    pub fn branches(&mut self, stream: u64) {
        if let Some(part) = self.parts.get_mut(&stream) {
            part.is_branch = true;
        }
    }

    /// An event was recorded.
    pub fn recorded(&mut self, event: u64, stream: u64) {
        match self.graph_of(stream) {
            Some(graph) if self.events.len() < MAX_EVENTS => {
                self.events.insert(event, graph);
            }
            _ => drop(self.events.remove(&event)),
        }
    }

    /// Whether the model of `stream` was the last to record an event.
    pub fn has_recorded(&self, event: u64, stream: u64) -> bool {
        let graph = self.graph_of(stream);
        graph.is_some() && graph == self.events.get(&event).copied()
    }

    /// A graph was destroyed, and its handle may be given out again.
    pub fn let_go(&mut self, graph: u64) {
        self.events.retain(|_, recorded| *recorded != graph);
        for part in self.parts.values_mut().filter(|part| part.graph == graph) {
            *part = UNBOUND;
        }
    }

    /// A stream was destroyed.
    pub fn gone(&mut self, stream: u64) {
        self.parts.remove(&stream);
    }
}
