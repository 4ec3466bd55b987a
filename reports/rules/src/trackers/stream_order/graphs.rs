//! Captured graphs: work queued during a capture runs whenever the graph does, not at the call.
//!
//! A graph holds the ranges of the calls captured on its stream, or on a stream that joined by waiting for an event
//! recorded in the capture. When the graph runs, it is one operation of its stream that touches all of them. If one of
//! its blocks was already released, that is a use after release, unless the block was allocated in the graph; memory
//! that has been given to somebody else since is left alone.
//!
//! A graph that waits for signals from outside may be after anything each time it runs, and so may its stream. Models
//! that are built by hand are graphs too: see `persistent_streams.rs` for the streams bound to them.

use aclsan_log::{BlockId, CallSiteId};

use super::access::{Kind, Range};
use super::persistent_streams::{HEAD, Part, PersistentStreams, UNBOUND};
use crate::api::fast_hash::{FastMap, FastSet};

/// A range of a captured call.
#[derive(Clone, Copy)]
pub(super) struct CapturedUse {
    pub site: CallSiteId,
    pub block: BlockId,
    pub range: Range,
    pub kind: Kind,
}

/// A running capture.
struct Capture {
    streams: FastSet<u64>,
    events: FastSet<u64>,
    graph: Graph,
}

/// Facts about a graph.
pub(super) struct Graph {
    /// Negative if unknown.
    device: i32,
    pub uses: Vec<CapturedUse>,
    /// Whether it calls the host, which may then know how far the graph is.
    pub notifies_host: bool,
    /// Whether it waits for signals from outside each time it runs.
    pub waits: bool,
    /// Blocks allocated in stream order during the capture: the graph allocates and frees them itself.
    owned: FastSet<BlockId>,
}

impl Graph {
    pub fn of(device: i32) -> Self {
        Self {
            device,
            uses: Vec::new(),
            notifies_host: false,
            waits: false,
            owned: FastSet::default(),
        }
    }

    /// Forgets what the graph does.
    pub fn forget(&mut self) {
        self.uses.clear();
        self.notifies_host = true;
    }

    fn note(&mut self, known: CapturedUse) {
        if self.uses.len() < MAX_USES && !self.owned.contains(&known.block) {
            self.uses.push(known);
        }
    }

    /// Whether it may belong to the device. Either may be unknown.
    fn may_be_of(&self, device: i32) -> bool {
        device < 0 || self.device < 0 || self.device == device
    }
}

/// Ranges kept per graph; further ones are ignored.
const MAX_USES: usize = 1 << 12;

/// Running captures, and the graphs they produced.
#[derive(Default)]
pub(super) struct Graphs {
    /// By the stream that the capture began on.
    captures: FastMap<u64, Capture>,
    pub(super) graphs: FastMap<u64, Graph>,
    pub(super) persistent: PersistentStreams,
}

impl Graphs {
    /// Whether any stream is captured; blocking calls may then be refused.
    #[inline]
    pub fn is_capturing(&self) -> bool {
        !self.captures.is_empty()
    }

    /// Whether every stream runs its work immediately.
    #[inline]
    pub fn are_idle(&self) -> bool {
        self.captures.is_empty() && self.persistent.is_empty()
    }

    /// Whether a stream is captured or belongs to a model: its work is only noted for later. Other streams are
    /// unaffected.
    #[inline]
    pub fn has(&self, stream: u64) -> bool {
        !self.are_idle() && self.keeps(stream)
    }

    #[inline(never)]
    fn keeps(&self, stream: u64) -> bool {
        let has = |capture: &Capture| capture.streams.contains(&stream);
        self.persistent.has(stream) || self.captures.values().any(has)
    }

    pub fn begin(&mut self, stream: u64, device: i32) {
        let capture = Capture {
            streams: [stream].into_iter().collect(),
            events: FastSet::default(),
            graph: Graph::of(device),
        };
        self.captures.insert(stream, capture);
    }

    pub fn end(&mut self, stream: u64, graph: u64) {
        let capture = self.captures.remove(&stream);
        if let Some(Capture { graph: added, .. }) = capture.filter(|_| graph != 0) {
            let known = self.graphs.entry(graph);
            let known = known.or_insert_with(|| Graph::of(added.device));
            if known.device != added.device {
                known.device = -1;
            }
            known.uses.extend(added.uses);
            known.notifies_host |= added.notifies_host;
            known.waits |= added.waits;
        }
    }

    /// A device was reset: handles of its graphs may be reused.
    pub fn reset(&mut self, device: i32) {
        self.captures
            .retain(|_, capture| !capture.graph.may_be_of(device));
        self.destroyed_with(device);
    }

    /// A context of the device was destroyed, or of any device. A capture may belong to another context and continues.
    pub fn destroyed_with(&mut self, device: i32) {
        self.graphs.retain(|_, graph| !graph.may_be_of(device));
    }

    /// Calls on `stream` replace captured ones. Which graph those belong to is not recorded.
    pub fn begin_update(&mut self, stream: u64, device: i32) {
        self.all_changed();
        self.begin(stream, device);
    }

    /// Some graph's calls changed: nothing is known of any graph from here on.
    pub fn all_changed(&mut self) {
        self.graphs.values_mut().for_each(Graph::forget);
    }

    pub fn destroyed(&mut self, graph: u64) {
        self.graphs.remove(&graph);
        self.persistent.let_go(graph);
    }

    /// All graphs ended. Persistent streams may still exist.
    pub fn ended(&mut self) {
        *self = Self {
            persistent: std::mem::take(&mut self.persistent),
            ..Self::default()
        };
    }

    /// An event was recorded. If that was on a captured stream, other streams can join the capture by it.
    pub fn recorded(&mut self, event: u64, stream: u64) {
        self.persistent.recorded(event, stream);
        for capture in self.captures.values_mut() {
            match capture.streams.contains(&stream) {
                true => capture.events.insert(event),
                false => capture.events.remove(&event),
            };
        }
    }

    /// A stream waits for an event and joins the capture it was recorded in. An event that its own graph did not record
    /// is a signal from outside.
    pub fn waits(&mut self, stream: u64, event: u64) {
        let mut captures = self.captures.values_mut();
        if let Some(capture) = captures.find(|capture| capture.events.contains(&event)) {
            capture.streams.insert(stream);
        } else if !self.persistent.has_recorded(event, stream) {
            self.waits_for_others(stream);
        }
    }

    /// A stream waits for a signal from outside. If it is captured or bound, so does its graph each time it runs.
    pub fn waits_for_others(&mut self, stream: u64) {
        if let Some(graph) = self.behind(stream) {
            graph.waits = true;
        }
    }

    /// The graph that work queued on `stream` goes to, if any.
    fn behind(&mut self, stream: u64) -> Option<&mut Graph> {
        if let Some(graph) = self.persistent.graph_of(stream) {
            return self.graphs.get_mut(&graph);
        }
        let mut captures = self.captures.values_mut();
        let capture = captures.find(|capture| capture.streams.contains(&stream));
        capture.map(|capture| &mut capture.graph)
    }

    /// Notes a range of a call on `stream` if it is captured, or bound and sure to run.
    pub fn note(
        &mut self,
        stream: u64,
        site: CallSiteId,
        block: BlockId,
        range: Range,
        kind: Kind,
    ) {
        if !self.persistent.is_branch(stream)
            && let Some(graph) = self.behind(stream)
        {
            graph.note(CapturedUse {
                site,
                block,
                range,
                kind,
            });
        }
    }

    /// A host function was queued on `stream`.
    pub fn calls_host(&mut self, stream: u64) {
        if let Some(graph) = self.behind(stream) {
            graph.notifies_host = true;
        }
    }

    /// A block was allocated on `stream`, which may be captured.
    pub fn owns(&mut self, stream: u64, block: BlockId) {
        if let Some(graph) = self.behind(stream) {
            graph.owned.insert(block);
        }
    }

    /// The runtime refused a captured call.
    pub fn refused(&mut self, site: CallSiteId) {
        let of_captures = self.captures.values_mut();
        let of_captures = of_captures.map(|capture| &mut capture.graph);
        let is_any = !self.persistent.is_empty();
        let of_models = self.graphs.values_mut().filter(|_| is_any);
        for graph in of_captures.chain(of_models) {
            graph.uses.retain(|known| known.site != site);
        }
    }
}

impl Graphs {
    /// A graph is about to be built by hand. It is empty.
    pub fn build(&mut self, graph: u64, device: i32) {
        self.persistent.let_go(graph);
        self.graphs.insert(graph, Graph::of(device));
    }

    pub fn bind(&mut self, graph: u64, stream: u64, flag: u64, device: i32) {
        let is_branch = flag != HEAD;
        self.persistent
            .parts
            .insert(stream, Part { graph, is_branch });
        let known = self.graphs.entry(graph);
        known.or_insert_with(|| Graph::of(device));
    }

    /// The calls of a single stream are not kept apart, so nothing is known of the graph from here on.
    pub fn unbind(&mut self, graph: u64, stream: u64) {
        self.persistent.parts.insert(stream, UNBOUND);
        self.changed(graph);
    }

    /// The calls of a graph may change.
    pub fn changed(&mut self, graph: u64) {
        if let Some(known) = self.graphs.get_mut(&graph) {
            known.forget();
        }
    }
}
