//! The data of a report: numbers, and names from the log, but no wording. Serialized, these types are the JSON report.
//!
//! Sizes are bytes, times are nanoseconds since the start of the process's log, addresses are the program's own and serialized as hex
//! strings.

mod allocation;
mod annotation;
mod category;
mod difference;
mod estimate;
mod finding;
mod fragmentation;
mod grade;
mod growth;
mod hex;
mod history;
mod leak;
mod leak_groups;
mod lifetimes;
mod metrics;
mod moments;
mod oom;
mod peak;
mod pool_attributes;
mod pool_use;
mod process;
mod process_end;
mod rank_comparison;
mod report;
mod source;
mod stack;
mod stack_key;
mod suppressed;
mod timeline;
mod transfers;

pub use allocation::{AllocationSite, Allocations, Latencies, Latency, Lifetime, Outgrown, Slack};
pub use annotation::{Annotations, Epoch, Ignored, Pool, PoolSite, Snapshot};
pub use category::{CATEGORIES, CategoryPoint, CategoryUse, Held, category};
pub use difference::{Difference, FamilyChange, LeakChange, OldNew, PeakChange};
pub use estimate::Estimate;
pub use finding::{
    Count, DedupKey, Deduplicator, Finding, FindingBlock, Occurrence, Stacks, fingerprint, nest,
};
pub use fragmentation::{
    Extent, Fit, FitChange, Fragmentation, HELD_REQUESTS, Page, Paging, Pinner, Pinning, SPAN_GAP,
    Space, SpaceClass, Unusable, pinnings,
};
pub use grade::{Grade, Graded};
pub use growth::Growth;
pub use history::{Change, ChangeKind, History, Refusal};
pub use leak::{LATER_EPOCHS, LeakClass, LeakPart, LeakScan, LeakSite, Leaks, ScanGap};
pub use leak_groups::{GroupBy, LeakGroup, leak_groups};
pub use lifetimes::{BlockEnd, BlockLifetime, BlockLifetimes, Collector, Sums, Truncation};
pub use metrics::{DeviceUse, Failure, FamilyUse, FunctionUse, Metrics, Unknown, UnknownOrigin};
pub use moments::{Moment, Moments, live_at};
pub use oom::{Cause, OomReport, RuntimeMemInfo, TopConsumer};
pub use peak::Peak;
pub use pool_attributes::{POOL_PAGE, PoolAttributes, Reading, Setting};
pub use pool_use::{PoolClass, PoolSpace, PoolUse, Reuse};
pub use process::{Cut, EvidenceQuality, Process};
pub use process_end::{Death, EndKind, LastCall, ProcessEnd};
pub use rank_comparison::{Measure, Outlier, Rank, RankAggregator, RankDevice, RankSite, Ranks};
pub use report::{Report, Summary};
pub use source::SourceLines;
pub use stack::{Frame, Frames, Language, Name, Site, Trace};
pub use stack_key::{StackKey, StackKeyBuilder};
pub use suppressed::{Suppressed, Suppression};
pub use timeline::{LINES, Line, MAX_POINTS, Point, Quiet, Sampler, Timeline, thin};
pub use transfers::{TransferSite, Transfers};
