//! Races: two accesses that nothing orders, and their diagram.

use crate::api::block::Block;
use crate::api::functions::Call;
use crate::api::vendor::Calls;
use crate::evidence::byte_span::ByteSpan;
use crate::evidence::finding::{Earlier, Finding};
use crate::evidence::gap::GapId;
use crate::evidence::rule::Rule;

/// Where an operation runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TimelineKind {
    /// In the calling thread.
    Host,
    /// On a stream, numbered in the order of creation.
    Stream(u32),
    /// On the default stream of a device.
    Default(i32),
}

impl Default for TimelineKind {
    fn default() -> Self {
        Self::Default(-1)
    }
}

impl TimelineKind {
    /// As in sentences and diagrams.
    pub fn name(self) -> String {
        match self {
            Self::Host => "the host".into(),
            Self::Stream(number) => format!("stream {number}"),
            Self::Default(device) => format!("the default stream of device {device}"),
        }
    }
}

/// One of the two accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RaceAccess {
    /// The call.
    pub call: Call,
    /// Where its work runs.
    pub timeline_kind: TimelineKind,
}

impl RaceAccess {
    /// The function's name.
    pub fn name(&self) -> &'static str {
        self.call.function.name
    }
}

/// Two accesses to one block that nothing orders.
#[derive(Clone, Copy, Debug)]
pub struct Race<'a> {
    /// The access that was called first. It is queued, and may still be running.
    pub earlier: RaceAccess,
    /// The current access.
    pub here: RaceAccess,
    /// The block.
    pub block: &'a Block,
    /// The first byte in the block that both touch, or its start.
    pub address: u64,
    /// The range of the earlier access, if it touches every byte of it.
    pub bytes: Option<ByteSpan>,
    /// The edge that is missing between the two.
    pub gap: Option<GapId>,
}

/// Width of a column of the diagram.
const COLUMN: usize = 40;

impl Race<'_> {
    /// A finding that shows both accesses, their streams, and the missing edge.
    pub fn finding(&self, rule: &'static Rule, message: String) -> Finding {
        let offset = self.address - self.block.address;
        let what = match self.earlier.call.site == self.block.site {
            true => None, // its allocation, which is listed anyway
            false => Some((Earlier::Queued, self.earlier.call.site)),
        };
        let mut finding =
            Finding::new(rule, self.here.call.site, message).on(self.address, self.block, offset);
        (finding.bytes, finding.gap) = (self.bytes, self.gap);
        if let Some((what, site)) = what {
            finding = finding.after(what, site);
        }
        let calls = self.calls();
        finding.details = match self.here.timeline_kind {
            TimelineKind::Host => {
                let wait = format!("`{}`", calls.synchronize_stream);
                self.diagram("", &wait, "may still be running")
            }
            _ => self.diagram(
                &format!("`{}` ", calls.record_event),
                &format!("`{}`", calls.wait_for_event),
                "may still be running",
            ),
        };
        finding
    }

    /// Two columns, time downwards, and between the two accesses the missing edge: the call it should start from and
    /// the call it should lead to.
    pub fn diagram(&self, from: &str, to: &str, state: &str) -> Vec<String> {
        let (left, right) = (
            self.earlier.timeline_kind.name(),
            self.here.timeline_kind.name(),
        );
        let row = |left: &str, right: &str| {
            let gap = COLUMN.saturating_sub(left.chars().count()).max(1);
            format!("{left}{}{right}", " ".repeat(gap))
                .trim_end()
                .to_owned()
        };
        let tail = format!("| {from}");
        let dashes = COLUMN.saturating_sub(tail.len() + "missing - > ".len()) / 2;
        let edge = format!("{tail}{}missing -", "- ".repeat(dashes));
        vec![
            row(&left, &right),
            row(&"-".repeat(left.len()), &"-".repeat(right.len())),
            row(&format!("`{}`", self.earlier.name()), ""),
            row(&format!("{edge} >"), to),
            row("|", &format!("`{}`", self.here.name())),
            row(
                &format!("v {state}"),
                &format!("^ waits for nothing of {left}"),
            ),
        ]
    }

    /// Names of the calls that order work.
    fn calls(&self) -> &'static Calls {
        self.earlier.call.function.vendor().calls
    }

    /// The call that would order the two, if the later access is the host's: for the end of a sentence.
    pub fn host_wait(&self) -> String {
        let synchronize = self.calls().synchronize_stream;
        match self.earlier.timeline_kind {
            TimelineKind::Default(_) => format!("`{synchronize}(NULL)`"),
            timeline_kind => format!("`{synchronize}` on {}", timeline_kind.name()),
        }
    }

    /// The calls that would order the two accesses.
    pub fn wait(&self) -> String {
        match self.here.timeline_kind {
            TimelineKind::Host => format!("call {} before", self.host_wait()),
            timeline_kind => format!(
                "`{}` on {} after `{}`, and let {} wait for it with `{}` before",
                self.calls().record_event,
                self.earlier.timeline_kind.name(),
                self.earlier.name(),
                timeline_kind.name(),
                self.calls().wait_for_event
            ),
        }
    }
}
