#![forbid(unsafe_code)]
//! What aclsan finds. Rules judge facts; they print nothing, read nothing and keep no time.
//!
//! The same functions run in two hosts. The shim calls [`judge`] at each call, with its live table; the analyzer calls
//! it again from the log, with [`trackers::heap::Heap`]. A rule is one file in `rules/`, whose module documentation is
//! its page (`aclsan explain NAME`).
//!
//! Five rooms, each importing only those before it:
//! * [`api`]: what the calls are;
//! * [`evidence`]: what a rule is given, and what it reports;
//! * [`rules`]: one file per rule;
//! * [`judge`]: which rules apply to a fact, and the list of rules;
//! * [`trackers`]: state over many calls.

pub mod api;
pub mod evidence;
pub mod judge;
pub mod rules;
pub mod trackers;

mod old_names;

// Old paths, for crates that still use them.
pub use api::{cann, functions, profile, statuses, tensor};
pub use evidence::finding;
pub mod pattern {
    #![allow(missing_docs)]
    pub use crate::evidence::pattern::MAX_PATTERN as MOST;
    pub use crate::evidence::pattern::*;
}
pub mod block {
    #![allow(missing_docs)]
    pub use crate::api::block::AddressInfo as Place;
    pub use crate::api::block::*;
}
pub mod numbers {
    #![allow(missing_docs)]
    pub use crate::api::fast_hash::*;
    pub use crate::api::fast_hash::{FastMap as ByNumber, FastSet as Numbers};
}
pub mod damage {
    #![allow(missing_docs)]
    pub use crate::evidence::corruption::Corruption as Damage;
}
pub mod words {
    #![allow(missing_docs)]
    pub use crate::evidence::message::BlockPosition as Spot;
    pub use crate::evidence::message::*;
}
pub mod suspects {
    #![allow(missing_docs)]
    pub use crate::evidence::recent_writers::{
        NEIGHBOR_DISTANCE as NEAR, RecentWriters as Suspects, WriterHints as Witness,
    };
}
pub mod waste {
    #![allow(missing_docs)]
    pub use crate::evidence::waste::Churn as Again;
    pub use crate::evidence::waste::*;
}
pub use trackers::{hiai_auto_free as matrix, stream_order as order};
pub mod catalogue {
    #![allow(missing_docs)]
    pub use crate::evidence::rule::{Rule, Severity};
    pub use crate::judge::registry::{RULES, rule};
}
pub mod carving {
    #![allow(missing_docs)]
    pub use crate::evidence::diagram::diagram as picture;
    pub use crate::evidence::suballocation::*;
    pub use crate::evidence::suballocation::{Neighbors as Neighbours, PlacementRules as Duty};
    pub use crate::trackers::suballocation::InferredSegments as Written;
    pub use crate::trackers::suballocation::*;
}
pub mod fences {
    #![allow(missing_docs)]
    pub use crate::evidence::device_fault::*;
    pub use crate::trackers::guard_page_faults::*;
    pub use crate::trackers::guard_page_faults::{
        GuardPageFaults as Fences, may_report_fault as surfaces_in,
    };
}
pub mod heap {
    #![allow(missing_docs)]
    pub use crate::trackers::heap::*;
    pub use crate::trackers::heap::{
        DeviceRefcount as References, LOOKAHEAD as AHEAD, LiveBlock as Held,
        MAX_FREED as ENDED_MOST, NamedBlock as Met, PrefetchHint as Hint,
    };
}
pub mod ledger {
    #![allow(missing_docs)]
    pub mod segments {
        #![allow(missing_docs)]
        pub use crate::trackers::objects::sub_block_index::*;
        pub use crate::trackers::objects::sub_block_index::{
            SubBlockIndex as Segments, UNRELIABLE_DOMAINS as CARELESS,
        };
    }
    pub use crate::trackers::objects::*;
    pub use crate::trackers::objects::{HeapView as Scene, ObjectTracker as Ledger};
}
pub use api::block::{AddressInfo as Place, Block, End};
pub use api::family::{Family, Loss};
pub use api::functions::{Call, Function};
pub use evidence::finding::{Earlier, Finding};
pub use evidence::reachability::Reachability as Hold;
pub use evidence::rule::{Rule, Severity};
pub use evidence::trend::{Confidence, Growth};
pub use trackers::guard_page_faults::GuardPageFaults as Fences;
pub use trackers::objects::{HeapView as Scene, ObjectTracker as Ledger};
pub use trackers::stream_order::RaceDetector as Order;
