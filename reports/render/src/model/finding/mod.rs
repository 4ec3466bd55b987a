//! Findings with their stacks resolved, folded across processes.

use aclsan_rules::evidence::rule::Severity;
use serde::{Serialize, Serializer};
use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher, RandomState};

use super::growth::Growth;
use super::hex;
use super::stack::{Frame, Language, Site, Trace};

/// How often, when first and when last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Count {
    /// Times that the same thing was found.
    pub times: u64,
    /// When first.
    pub first_ns: u64,
    /// When last.
    pub last_ns: u64,
}

/// A finding and all that were like it: same rule, same stacks.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Finding {
    /// The rule's name.
    pub rule: &'static str,
    /// How bad.
    #[serde(serialize_with = "severity")]
    pub severity: Severity,
    /// One sentence without a full stop.
    pub message: String,
    /// How many were like it.
    pub count: u64,
    /// The process of the first.
    pub pid: u32,
    /// Every process that had it; a number stands there twice where two of them share it.
    pub pids: Vec<u32>,
    /// The same by their places in the report, in that order.
    #[serde(rename = "processes", serialize_with = "places")]
    pub met: Vec<Occurrence>,
    /// The thread of the first.
    pub thread: u32,
    /// When the first was met, in its process's log.
    pub first_ns: u64,
    /// When the last was met, in its process's log.
    pub last_ns: u64,
    /// The address that the first was about.
    #[serde(serialize_with = "hex::optional")]
    pub address: Option<u64>,
    /// The block that the first was about.
    pub block: Option<FindingBlock>,
    /// This call and what came before it.
    pub stacks: Stacks,
    /// Further evidence about the first.
    pub details: Vec<String>,
    /// The numbers of what grows; `None` for all else.
    pub growth: Option<Growth>,
    /// What the runtime does with it.
    pub runtime: String,
    /// What to do instead.
    pub instead: String,
    /// Stays the same from run to run, as long as the functions on the stacks keep their names.
    pub fingerprint: String,
    /// Where to look first.
    pub site: Site,
}

/// A process that had a finding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Occurrence {
    /// Its place among the report's processes.
    pub process: usize,
    /// When the first was met there, in its log.
    pub first_ns: u64,
}

/// The block that a finding is about.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FindingBlock {
    /// Its first byte.
    #[serde(serialize_with = "hex::address")]
    pub address: u64,
    /// Bytes that were asked for.
    pub size: u64,
    /// The family that owns it.
    pub family: &'static str,
    /// Its device, −1 when not known.
    pub device: i32,
    /// How far behind its start the finding's address lies; negative before it.
    pub offset: i64,
}

/// The stacks of a finding.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Stacks {
    /// The call that the finding is about.
    pub here: Trace,
    /// What came before, latest first.
    pub earlier: Vec<Trace>,
}

fn places<S: Serializer>(met: &[Occurrence], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(met.iter().map(|met| met.process))
}

fn severity<S: Serializer>(severity: &Severity, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(severity.name())
}

const FNV_PRIME: u64 = 0x100_0000_01b3;

/// FNV-1a 64 of the rule and of the identities of every stack's telling frames, as 16 hex digits. Neither addresses nor lines are part of
/// it, so a baseline outlives edits elsewhere in the file.
pub fn fingerprint(rule: &str, stacks: &Stacks) -> String {
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    hash.text(rule);
    for trace in std::iter::once(&stacks.here).chain(&stacks.earlier) {
        hash.text(trace.what);
        hash.text(&trace.function);
        for frame in telling(&trace.frames) {
            let _ = frame.write_identity(&mut hash); // it never fails
            hash.text("");
        }
    }
    format!("{:016x}", hash.0)
}

/// The frames that a stack is known by: all down to `main`, for what lies outside depends on the libc, but the interpreter's own, which
/// change with its version. A stack without `main`, of a thread or of Python, is known down to its outermost Python function and without
/// frames of libc: a thread's start has no name there without debug files, and another place after each update.
fn telling(frames: &[Frame]) -> impl Iterator<Item = &Frame> {
    let own = |frame: &&Frame| !frame.is_interpreter();
    let is_main = |frame: &Frame| own(&frame) && frame.function.as_deref() == Some("main");
    let main = frames.iter().position(is_main);
    let python = |frame: &Frame| frame.language == Language::Python;
    let outermost = main.or_else(|| frames.iter().rposition(python));
    let end = outermost.map_or(frames.len(), |at| at + 1);
    let known = frames[..end].iter().filter(own);
    known.filter(move |frame| main.is_some() || !frame.is_runtime())
}

/// FNV-1a of texts, each with a zero behind it.
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

/// Said of a finding whose numbers differ from process to process.
const DIFFER: &str = "these are the first process's numbers: the others have their own";

/// What makes findings of two processes one: everything but addresses and numbers, which differ from process to process.
/// As numbers that nobody can foresee: stacks are long, and most are met again.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key(u64, u64);

/// What is asked of a finding that others may be like.
pub struct DedupKey<'a> {
    /// As [`Finding`] has them.
    pub rule: &'static str,
    pub severity: Severity,
    pub message: &'a str,
    pub count: u64,
    pub last_ns: u64,
    pub pid: u32,
    pub met: Occurrence,
    /// What a [`StackKeyBuilder`](super::StackKeyBuilder) says of its stacks.
    pub stacks: u64,
}

fn key(alike: &DedupKey, states: &[RandomState; 2]) -> Key {
    let message = wordy(alike.message);
    let told = (alike.rule, alike.severity, &message, alike.stacks);
    let [one, other] = states.each_ref().map(|state| state.hash_one(told));
    Key(one, other)
}

/// A sentence without its numbers, and without what they do to the words behind them: `1 block, 8 bytes, was` and `2 blocks were`
/// are of different processes, and alike.
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

/// Folds what several processes have in common, one process after the other, and keeps no more than what differs.
///
/// The sentences of two processes are alike when they differ in numbers only: ranks lose different amounts, on devices of their own. Within
/// one process they are not, as two devices or two calls of one line are two findings there.
#[derive(Default)]
pub struct Deduplicator {
    seen: HashMap<(Key, usize), usize>,
    folded: Vec<Finding>,
    /// Of the process that comes in, the sentences by what is left of them without numbers.
    sentences: HashMap<Key, Vec<String>>,
    states: [RandomState; 2],
}

impl Deduplicator {
    /// What follows is another process's.
    pub fn next_process(&mut self) {
        self.sentences.clear();
    }

    /// Adds a finding, which is made only if it is the first of its kind and gets a fingerprint if it has none, and tells where it went: a
    /// number that [`Deduplicator::finish`] knows. The prints of all stacks are to be of one printer.
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

    /// The findings, the worst first; equals stay in the order in which they were met. Findings that share a fingerprint then (two calls
    /// in one function) get one each. Also tells where each of [`Deduplicator::add_alike`]'s numbers has gone.
    pub fn finish(self) -> (Vec<Finding>, Vec<usize>) {
        let mut folded: Vec<(usize, Finding)> = self.folded.into_iter().enumerate().collect();
        folded.sort_by_key(|(_, finding)| std::cmp::Reverse(finding.severity));
        let mut places = vec![0; folded.len()];
        for (place, (at, _)) in folded.iter().enumerate() {
            places[*at] = place;
        }
        let mut folded: Vec<Finding> = folded.into_iter().map(|(_, finding)| finding).collect();
        tell_apart(&mut folded);
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

/// The n-th with the same fingerprint is known by it and n.
fn tell_apart(findings: &mut [Finding]) {
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

#[cfg(test)]
mod tests;
