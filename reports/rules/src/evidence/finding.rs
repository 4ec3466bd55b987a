//! Findings: evidence, and the sentences that go with it.

use crate::api::block::Block;
use crate::evidence::byte_span::ByteSpan;
use crate::evidence::gap::GapId;
use crate::evidence::rule::{Rule, Severity};
use crate::evidence::trend::Growth;
use aclsan_log::CallSiteId;

/// An earlier event that a finding rests on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Earlier {
    /// The block's allocation.
    Allocated,
    /// The block's release.
    Released,
    /// The reset that dropped the block.
    Reset,
    /// The creation of a key to the block.
    Exported,
    /// The registration of host memory.
    Registered,
    /// The call that sent the block.
    Sent,
    /// The call that queued the other work.
    Queued,
    /// The call that reported the neighbor in the block.
    Neighbor,
    /// A copy, a fill or an operator that named the block since its redzones were last intact.
    Named,
    /// The same for the next block.
    NeighborNamed,
}

impl Earlier {
    /// The words before its stack.
    pub fn label(self) -> &'static str {
        match self {
            Self::Allocated => "allocated by",
            Self::Released => "released by",
            Self::Reset => "dropped by the reset",
            Self::Exported => "its key made by",
            Self::Registered => "registered by",
            Self::Sent => "sent by",
            Self::Queued => "queued by",
            Self::Neighbor => "its neighbor named by",
            Self::Named => "last used by",
            Self::NeighborNamed => "the block after it was last used by",
        }
    }
}

/// One finding. Sentences are for people; everything else is evidence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// Which rule.
    pub rule: &'static Rule,
    /// Severity; mostly the rule's own.
    pub severity: Severity,
    /// One sentence without a full stop. Names calls and sizes, never addresses, so that equal mistakes have equal
    /// messages.
    pub message: String,
    /// The address in question, if any.
    pub address: Option<u64>,
    /// The block, and the offset of `address` from its start; before the start it counts down from 2^64.
    pub block: Option<(Block, u64)>,
    /// The bytes that were written, damaged or are in use.
    pub bytes: Option<ByteSpan>,
    /// The missing edge that the finding shows.
    pub gap: Option<GapId>,
    /// The call that the finding is about.
    pub here: CallSiteId,
    /// What happened before, latest first.
    pub earlier: Vec<(Earlier, CallSiteId)>,
    /// Further lines of evidence, such as a hexdump.
    pub details: Vec<String>,
    /// The numbers of a growing leak.
    pub growth: Option<Box<Growth>>,
    /// What the runtime does, one sentence.
    pub runtime: String,
    /// What to do instead, one sentence.
    pub instead: String,
}

/// Builds a finding apart from the code that looks for one and mostly has none: that runs at each call of a hook, and takes fewer lines of the
/// cache and less of the stack so.
#[cold]
#[inline(never)]
pub fn rarely<T>(build: impl FnOnce() -> T) -> T {
    build()
}

impl Finding {
    /// A finding of `rule` at `here`, with nothing else set yet.
    pub fn new(rule: &'static Rule, here: CallSiteId, message: String) -> Self {
        Self {
            rule,
            severity: rule.severity,
            message,
            address: None,
            block: None,
            bytes: None,
            gap: None,
            here,
            earlier: Vec::new(),
            details: Vec::new(),
            growth: None,
            runtime: String::new(),
            instead: String::new(),
        }
    }

    /// Sets `address`, `offset` bytes into `block`, and adds the block's allocation to the earlier events.
    pub fn on(mut self, address: u64, block: &Block, offset: u64) -> Self {
        self.address = Some(address);
        self.block = Some((*block, offset));
        self.earlier.push((Earlier::Allocated, block.site));
        self
    }

    /// Sets a whole block whose allocation is the call itself.
    pub fn of(mut self, block: &Block) -> Self {
        self.address = Some(block.address);
        self.block = Some((*block, 0));
        self
    }

    /// Sets an address that no block explains.
    pub fn at(mut self, address: u64) -> Self {
        self.address = Some(address);
        self
    }

    /// Sets the bytes that were written, damaged or are in use.
    pub fn with_bytes(mut self, bytes: ByteSpan) -> Self {
        self.bytes = Some(bytes);
        self
    }

    /// Inserts an event before those already listed.
    pub fn after(mut self, what: Earlier, site: CallSiteId) -> Self {
        self.earlier.insert(0, (what, site));
        self
    }

    /// Sets what the runtime does, and what to do instead.
    pub fn advise(mut self, runtime: impl Into<String>, instead: impl Into<String>) -> Self {
        self.runtime = runtime.into();
        self.instead = instead.into();
        self
    }

    /// Sets a severity other than the rule's.
    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// Adds a line of evidence.
    pub fn detail(mut self, line: impl Into<String>) -> Self {
        self.details.push(line.into());
        self
    }
}
