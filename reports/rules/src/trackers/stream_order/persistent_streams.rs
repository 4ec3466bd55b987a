//! Persistent streams (`ACL_STREAM_PERSISTENT`), which store their work instead of running it.
//!
//! Once such a stream is bound to a model that is built by hand, its calls belong to that model, from the bind on and
//! after `aclmdlRIBuildEnd` too: they run each time the model is executed. Work on an unbound persistent stream is not
//! judged. Nor is work on a branch that the model may never reach: on a stream that another one has to activate, or
//! after a label or a switch, at which a stream may stop (AscendCL API reference, `aclrtSwitchLabelByIndex`,
//! `aclrtSwitchStream`). A stream that was bound counts as persistent whether or not it was seen created.

use crate::api::fast_hash::FastMap;

/// `ACL_STREAM_PERSISTENT`, in the flag of a stream.
pub(super) const PERSISTENT: u32 = 0x4;
/// `ACL_MODEL_STREAM_FLAG_HEAD`: the stream runs as soon as the model does.
pub(super) const HEAD: u64 = 0;

/// Events of models that are tracked. A wait for any other event is a wait for anything.
const MAX_EVENTS: usize = 1 << 12;

/// A stream's role in a model.
#[derive(Clone, Copy)]
pub(super) struct Part {
    /// 0 if the stream is not bound.
    pub graph: u64,
    /// Whether work queued from here on may not run when the model does.
    pub is_branch: bool,
}

pub(super) const UNBOUND: Part = Part {
    graph: 0,
    is_branch: true,
};

/// All persistent streams.
#[derive(Default)]
pub(super) struct PersistentStreams {
    pub(super) parts: FastMap<u64, Part>,
    /// The model that recorded each event last.
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

    /// A label or a switch was queued on a stream.
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

    /// A graph was destroyed, and its handle may be reused.
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
