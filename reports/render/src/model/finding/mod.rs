//! Findings with resolved stacks, deduplicated across processes.

use aclsan_frames::Hidden;
use aclsan_rules::evidence::rule::Severity;
use serde::{Serialize, Serializer};
use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher, RandomState};

mod nest;

use super::growth::Growth;
use super::hex;
use super::stack::{Frame, Language, Site, Trace};

/// How often, first time and last time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Count {
    /// Number of occurrences.
    pub times: u64,
    /// Time of the first.
    pub first_ns: u64,
    /// Time of the last.
    pub last_ns: u64,
}

/// A finding and its duplicates: same rule, same stacks.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Finding {
    /// The rule's name.
    pub rule: &'static str,
    /// Its severity: the highest of its own and of its consequences.
    #[serde(serialize_with = "severity")]
    pub severity: Severity,
    /// Its severity without consequences.
    #[serde(skip)]
    pub own_severity: Severity,
    /// One sentence without a period.
    pub message: String,
    /// Number of occurrences.
    pub count: u64,
    /// The process of the first occurrence.
    pub pid: u32,
    /// Every process that had it. A number appears twice if two of them share it.
    pub pids: Vec<u32>,
    /// Their indices in the report, in the same order.
    #[serde(rename = "processes", serialize_with = "places")]
    pub met: Vec<Occurrence>,
    /// The thread of the first occurrence.
    pub thread: u32,
    /// Its name, if it had one of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread_name: Option<String>,
    /// Time of the first occurrence, in its process's log.
    pub first_ns: u64,
    /// Time of the last occurrence, in its process's log.
    pub last_ns: u64,
    /// The address of the first occurrence.
    #[serde(serialize_with = "hex::optional")]
    pub address: Option<u64>,
    /// The block of the first occurrence.
    pub block: Option<FindingBlock>,
    /// This call and the earlier ones.
    pub stacks: Stacks,
    /// Further evidence about the first occurrence.
    pub details: Vec<String>,
    /// The numbers of a growth finding; `None` otherwise.
    pub growth: Option<Growth>,
    /// What the runtime does in this case.
    pub runtime: String,
    /// How to fix it.
    pub instead: String,
    /// Stays the same from run to run as long as the functions on the stacks keep their names.
    pub fingerprint: String,
    /// Where to look first.
    pub site: Site,
    /// What the same mistake shows elsewhere or later. They count nowhere, and have no consequences of their own.
    pub consequences: Vec<Self>,
}

/// A process that had a finding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Occurrence {
    /// Index of the process in the report.
    pub process: usize,
    /// Time of the first occurrence there, in its log.
    pub first_ns: u64,
}

/// The block that a finding is about.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FindingBlock {
    /// Its first byte.
    #[serde(serialize_with = "hex::address")]
    pub address: u64,
    /// Bytes requested.
    pub size: u64,
    /// The family that it belongs to.
    pub family: &'static str,
    /// Its device, −1 if unknown.
    pub device: i32,
    /// Distance of the finding's address from the block's start; negative before it.
    pub offset: i64,
}

/// The stacks of a finding.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Stacks {
    /// The call that the finding is about.
    pub here: Trace,
    /// The earlier calls, latest first.
    pub earlier: Vec<Trace>,
}

fn places<S: Serializer>(met: &[Occurrence], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(met.iter().map(|met| met.process))
}

fn severity<S: Serializer>(severity: &Severity, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(severity.name())
}

const FNV_PRIME: u64 = 0x100_0000_01b3;

/// FNV-1a (64 bits) of the rule and of the identities of each stack's significant frames, as 16 hex digits. Neither addresses nor lines are
/// included, so a baseline survives edits elsewhere in the file. Written out here, because these ten lines must never change: baselines hold
/// their results.
pub fn fingerprint(rule: &str, stacks: &Stacks) -> String {
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    hash.text(rule);
    for trace in std::iter::once(&stacks.here).chain(&stacks.earlier) {
        hash.text(trace.what);
        hash.text(&trace.function);
        for frame in significant(&trace.frames) {
            let _ = frame.write_identity(&mut hash); // it never fails
            hash.text("");
        }
    }
    format!("{:016x}", hash.0)
}

/// The significant frames of a stack: all up to `main`, since anything outside depends on the libc, without interpreter frames, which change
/// with Python's version, and without the program's allocation wrappers. A stack without `main`, of a thread or of Python, ends at its outermost Python function and omits frames of libc:
/// without debug files, a thread's start has no name there, and its offset changes with each update.
fn significant(frames: &[Frame]) -> impl Iterator<Item = &Frame> {
    let own = |frame: &&Frame| !frame.is_interpreter() && frame.trimmed != Some(Hidden::Wrapper);
    let is_main = |frame: &Frame| own(&frame) && frame.function.as_deref() == Some("main");
    let main = frames.iter().position(is_main);
    let python = |frame: &Frame| frame.language == Language::Python;
    let outermost = main.or_else(|| frames.iter().rposition(python));
    let end = outermost.map_or(frames.len(), |at| at + 1);
    let known = frames[..end].iter().filter(own);
    known.filter(move |frame| main.is_some() || !frame.is_runtime())
}

/// FNV-1a of texts, each followed by a zero byte.
struct Fnv(u64);

impl Fnv {
    fn add(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(FNV_PRIME);
    }

    fn text(&mut self, text: &str) {
        text.bytes().chain([0]).for_each(|byte| self.add(byte));
    }
}

impl fmt::Write for Fnv {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.bytes().for_each(|byte| self.add(byte));
        Ok(())
    }
}

/// Detail of a finding whose numbers differ between processes.
const DIFFER: &str = "these are the first process's numbers: the others have their own";

/// Equal for findings that are merged across processes: covers everything but addresses and numbers, which differ between processes. Hashes
/// with random seeds, because stacks are long and most have been seen before.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key(u64, u64);

/// The parts of a finding that decide whether it duplicates another.
pub struct DedupKey<'a> {
    /// As in [`Finding`].
    pub rule: &'static str,
    pub severity: Severity,
    pub message: &'a str,
    pub count: u64,
    pub last_ns: u64,
    pub pid: u32,
    pub met: Occurrence,
    /// Hash of its stacks, from a [`StackKeyBuilder`](super::StackKeyBuilder).
    pub stacks: u64,
}

fn key(alike: &DedupKey, states: &[RandomState; 2]) -> Key {
    let message = wordy(alike.message);
    let identity = (alike.rule, alike.severity, &message, alike.stacks);
    let [one, other] = states.each_ref().map(|state| state.hash_one(identity));
    Key(one, other)
}

/// A message without its numbers and their influence on grammar: `1 block, 8 bytes, was` and `2 blocks were` come from different processes
/// and are the same.
fn wordy(message: &str) -> String {
    let words = message.split([' ', ',']);
    let words =
        words.filter(|word| !word.is_empty() && !word.contains(|c: char| c.is_ascii_digit()));
    let words = words.map(|word| match word {
        "was" | "were" => "were",
        "block" | "blocks" => "blocks",
        "byte" | "bytes" => "bytes",
        word => word,
    });
    let words =
        words.filter(|word| !matches!(*word, "in" | "all" | "B" | "KiB" | "MiB" | "GiB" | "TiB"));
    words.collect::<Vec<_>>().join(" ")
}

/// Merges findings that several processes have in common, one process after the other, and keeps only what differs.
///
/// Messages of two processes are the same if they differ only in numbers: ranks lose different amounts, on their own devices. Within one
/// process they are not, because two devices or two calls of one line are two findings there.
#[derive(Default)]
pub struct Deduplicator {
    seen: HashMap<(Key, usize), usize>,
    folded: Vec<Finding>,
    /// Messages of the current process, by their key without numbers.
    sentences: HashMap<Key, Vec<String>>,
    states: [RandomState; 2],
}

impl Deduplicator {
    /// Starts the next process.
    pub fn next_process(&mut self) {
        self.sentences.clear();
    }

    /// Adds a finding, which is built only if it is the first of its kind; it gets a fingerprint if it has none. Returns a number that
    /// [`Deduplicator::finish`] maps to the finding's index. The stack hashes of all findings must come from one builder.
    pub fn add_alike(&mut self, alike: &DedupKey, finding: impl FnOnce() -> Finding) -> usize {
        let key = key(alike, &self.states);
        let sentences = self.sentences.entry(key).or_default();
        let nth = sentences.iter().position(|known| known == alike.message);
        let nth = nth.unwrap_or_else(|| {
            sentences.push(alike.message.to_owned());
            sentences.len() - 1
        });
        let at = *self.seen.entry((key, nth)).or_insert(self.folded.len());
        match self.folded.get_mut(at) {
            Some(into) => absorb(into, alike),
            None => {
                let mut finding = finding();
                if finding.fingerprint.is_empty() {
                    finding.fingerprint = fingerprint(finding.rule, &finding.stacks);
                }
                self.folded.push(finding);
            }
        }
        at
    }

    /// The findings, most severe first; ties keep the order in which they were seen. Findings that then share a fingerprint (two calls in
    /// one function) get distinct ones. Also returns the index for each number from [`Deduplicator::add_alike`].
    pub fn finish(self) -> (Vec<Finding>, Vec<usize>) {
        let mut folded: Vec<(usize, Finding)> = self.folded.into_iter().enumerate().collect();
        folded.sort_by_key(|(_, finding)| std::cmp::Reverse(finding.severity));
        let mut places = vec![0; folded.len()];
        for (place, (at, _)) in folded.iter().enumerate() {
            places[*at] = place;
        }
        let mut folded: Vec<Finding> = folded.into_iter().map(|(_, finding)| finding).collect();
        make_unique(&mut folded);
        (folded, places)
    }
}

fn absorb(into: &mut Finding, finding: &DedupKey) {
    if into.message != finding.message && !into.details.iter().any(|detail| detail == DIFFER) {
        into.details.push(DIFFER.to_owned());
    }
    into.count += finding.count;
    into.last_ns = into.last_ns.max(finding.last_ns);
    if into.met.last().map(|last| last.process) != Some(finding.met.process) {
        into.pids.push(finding.pid);
        into.met.push(finding.met);
    }
}

/// Derives a distinct fingerprint for the n-th finding with the same one from it and n.
fn make_unique(findings: &mut [Finding]) {
    let mut times: HashMap<String, u64> = HashMap::new();
    for finding in findings {
        let nth = times.entry(finding.fingerprint.clone()).or_default();
        *nth += 1;
        if *nth > 1 {
            let base = u64::from_str_radix(&finding.fingerprint, 16).unwrap_or(0);
            let apart = (base ^ *nth).wrapping_mul(FNV_PRIME);
            finding.fingerprint = format!("{apart:016x}");
        }
    }
}

pub use nest::nest;

#[cfg(test)]
mod tests;
