//! The data that the page's script draws: columns of numbers in JSON, deflated, in base64.
//!
//! Columns compress better than objects, because similar values are adjacent, and the script gets arrays to iterate over.

use std::collections::HashMap;
use std::hash::Hash;
use std::io::Write;

use flate2::Compression;
use flate2::write::DeflateEncoder;
use serde_json::{Value, json};

use super::cells::place;
use super::csp::base64;
use super::escape::shortened;
use crate::Report;
use crate::model::{BlockEnd, BlockLifetime, BlockLifetimes, Process, Trace, Truncation};
use crate::units::printable;

/// How much of the data to include.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Share {
    /// Number of processes, those with the most bytes first.
    pub processes: usize,
    /// Blocks per process.
    pub lives: usize,
    /// Stacks per process, those with the most bytes first.
    pub stacks: usize,
}

/// The packed data.
pub struct Packed {
    /// Base64 of input for `DecompressionStream("deflate-raw")`.
    pub text: String,
    /// Counts of what was left out.
    pub left_out: Truncation,
    /// Number of processes left out.
    pub processes: usize,
    /// Number of stacks without names.
    pub stacks: usize,
}

/// Packs the data of `report` and `lives`.
pub fn pack(report: &Report, lives: &[BlockLifetimes], share: Share) -> Packed {
    let mut order: Vec<usize> = (0..lives.len()).collect();
    let weight = |at: &usize| -> u64 {
        let sums = lives[*at].sums.iter();
        sums.fold(0, |sum, trace| sum.saturating_add(trace.allocated))
    };
    order.sort_by_key(|at| (std::cmp::Reverse(weight(at)), *at));
    let mut packed = Packed {
        text: String::new(),
        left_out: Truncation::default(),
        processes: lives.len().saturating_sub(share.processes),
        stacks: 0,
    };
    for &at in order.iter().skip(share.processes) {
        leave_out(&mut packed.left_out, &lives[at].left_out);
        for life in &lives[at].lives {
            packed.left_out.blocks += 1;
            packed.left_out.bytes = packed.left_out.bytes.saturating_add(life.born.size);
        }
    }
    let names = Process::names(&report.processes);
    order.truncate(share.processes);
    order.sort_unstable();
    let processes: Vec<Value> = order
        .into_iter()
        .map(|at| {
            let all = &lives[at];
            let who = match names.get(at) {
                Some(name) => printable(&shortened(name)),
                None => all.pid.to_string(),
            };
            process(report, all, (at, who), share, &mut packed)
        })
        .collect();
    let document = json!({ "families": report.timeline.families, "processes": processes });
    packed.text = base64(&deflate(document.to_string().as_bytes()));
    packed
}

fn leave_out(sum: &mut Truncation, more: &Truncation) {
    sum.blocks += more.blocks;
    sum.bytes = sum.bytes.saturating_add(more.bytes);
    sum.refusals += more.refusals;
}

fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(6));
    // Writing to memory cannot fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

/// The process with that index and name.
fn process(
    report: &Report,
    all: &BlockLifetimes,
    (at, who): (usize, String),
    share: Share,
    packed: &mut Packed,
) -> Value {
    let mut lives = BlockLifetimes {
        lives: all.lives.clone(),
        left_out: all.left_out,
        ..BlockLifetimes::default()
    };
    lives.keep(share.lives);
    leave_out(&mut packed.left_out, &lives.left_out);
    let (frames, stacks) = stacks(all, share.stacks, packed);
    let points = report.timeline.processes.get(at);
    let points = points.map_or(&[][..], |line| &line.points);
    let (spaces, columns) = columns(&lives.lives, &report.timeline.families);
    let epochs = report
        .annotations
        .epochs
        .iter()
        .filter(|epoch| epoch.process == at);
    let findings = report.findings.iter().enumerate();
    let findings = findings.filter_map(|(row, finding)| {
        let place = finding
            .met
            .binary_search_by_key(&at, |met| met.process)
            .ok()?;
        Some((row, finding, finding.met[place].first_ns))
    });
    let findings =
        findings.take((MAX_ALL_FINDINGS / share.processes.max(1)).clamp(1, MAX_FINDINGS));
    let about = report.processes.get(at);
    json!({
        "at": at,
        "process": who,
        "odd": report.ranks.outliers.iter().filter(|odd| odd.process == at).count(),
        "name": about.map(|about| printable(&shortened(&about.arguments))),
        "duration": all.duration_ns,
        "whole": lives.left_out.blocks == 0,
        "points": {
            "ns": points.iter().map(|point| point.ns).collect::<Vec<_>>(),
            "live": points.iter().map(|point| point.live).collect::<Vec<_>>(),
        },
        "frames": frames,
        "stacks": stacks,
        "sums": all.sums.iter().map(|sum| [sum.live, sum.leaked, sum.allocated, sum.peak]).collect::<Vec<_>>(),
        "spaces": spaces,
        "blocks": columns,
        "refusals": all.refusals.iter().map(|refusal| json!([refusal.ns, refusal.size, refusal.status, refusal.device, refusal.trace])).collect::<Vec<_>>(),
        "epochs": epochs.take(MAX_EPOCHS).map(|epoch| json!([epoch.begin_ns, epoch.end_ns, printable(&shortened(&epoch.name)), epoch.kind])).collect::<Vec<_>>(),
        "findings": findings.map(|(row, finding, first_ns)| json!([first_ns, finding.severity.name(), finding.rule, row])).collect::<Vec<_>>(),
    })
}

/// Maximum number of marks on a timeline.
const MAX_EPOCHS: usize = 2000;
const MAX_FINDINGS: usize = 2000;
/// Maximum number of finding marks on all timelines together: what hundreds of processes have in common is marked on each of theirs.
const MAX_ALL_FINDINGS: usize = 64_000;

/// The distinct names, and the stacks as indices of names, the call first. Stacks beyond `most` have no names.
fn stacks(
    all: &BlockLifetimes,
    most: usize,
    packed: &mut Packed,
) -> (Vec<[String; 2]>, Vec<Vec<usize>>) {
    let mut order: Vec<usize> = (0..all.traces.len()).collect();
    order.sort_by_key(|&at| (std::cmp::Reverse(all.sums[at].allocated), at));
    packed.stacks += order.len().saturating_sub(most);
    let mut named = vec![false; all.traces.len()];
    order.into_iter().take(most).for_each(|at| named[at] = true);
    let mut names = Vec::new();
    let mut known: HashMap<[String; 2], usize> = HashMap::new();
    let mut index = |name: [String; 2]| {
        let next = names.len();
        *known.entry(name.clone()).or_insert_with(|| {
            names.push(name);
            next
        })
    };
    let stacks = all.traces.iter().zip(named).map(|(trace, is_named)| {
        let frames = match is_named {
            true => frames(trace),
            false => vec![["…".to_owned(), String::new()]],
        };
        frames.into_iter().map(&mut index).collect()
    });
    let stacks = stacks.collect();
    (names, stacks)
}

fn frames(trace: &Trace) -> Vec<[String; 2]> {
    let call = [printable(&trace.function), String::new()];
    let callers = trace
        .callers()
        .map(|frame| [frame.identity(), place(frame)].map(|text| printable(&shortened(&text))));
    std::iter::once(call).chain(callers).collect()
}

/// Address spaces (device, page class or family, whether addresses are real, whether it is the device's memory), and the blocks, one column
/// for each property.
fn columns(lives: &[BlockLifetime], families: &[&str]) -> (Vec<Value>, Value) {
    let mut spaces = Numbered::<(i32, &str, &str, [bool; 2])>::new();
    let mut threads = Numbered::<u32>::new();
    let mut columns: [Vec<u64>; 10] = Default::default();
    let mut before = 0;
    for life in lives {
        let born = &life.born;
        let name = if born.page.is_empty() {
            born.family
        } else {
            born.page
        };
        let has_addresses = born.family != "physical" && born.family != "shared buffer";
        let is = [has_addresses, born.is_of_device];
        let space = (born.device, name, born.page, is);
        let row = [
            born.ns.saturating_sub(before),
            life.end_ns.saturating_sub(born.ns),
            match life.fate {
                BlockEnd::Live => 0,
                BlockEnd::Dropped => 1,
                BlockEnd::Released => 2,
            },
            born.address,
            born.size,
            families
                .iter()
                .position(|family| *family == born.family)
                .unwrap_or(0) as u64,
            spaces.place(space),
            born.trace as u64,
            threads.place(born.thread),
            u64::from(born.is_ignored),
        ];
        before = born.ns.max(before);
        columns
            .iter_mut()
            .zip(row)
            .for_each(|(column, value)| column.push(value));
    }
    let [
        begin,
        length,
        fate,
        address,
        size,
        family,
        space,
        stack,
        thread,
        ignored,
    ] = columns;
    let spaces = spaces.all.into_iter().map(|(device, name, page, is)| {
        let [addresses, of_device] = is;
        json!({ "device": device, "name": name, "page": page, "addresses": addresses, "ofDevice": of_device })
    });
    let columns = json!({
        "begin": begin, "length": length, "fate": fate, "address": address, "size": size, "family": family,
        "space": space, "stack": stack, "thread": thread, "threads": threads.all, "ignored": ignored,
    });
    (spaces.collect(), columns)
}

/// Distinct values, numbered in order of first use.
struct Numbered<T> {
    all: Vec<T>,
    known: HashMap<T, u64>,
}

impl<T: Copy + Eq + Hash> Numbered<T> {
    fn new() -> Self {
        Self {
            all: Vec::new(),
            known: HashMap::new(),
        }
    }

    fn place(&mut self, one: T) -> u64 {
        *self.known.entry(one).or_insert_with(|| {
            self.all.push(one);
            self.all.len() as u64 - 1
        })
    }
}
