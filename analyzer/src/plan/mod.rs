//! What a recorded run would have needed under other settings, or with another allocator, without running it again.
//!
//! A recording is replayed on models of allocators ([`aclsan_allocators`]): who asked for how much, when, on which stream, and when it came
//! back. This room promises the bytes that the recorded allocator would report; it may not judge what the program did.

mod from_log;
mod from_snapshot;
mod growth;
mod models;
mod recording;
mod segments;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fs;
use std::path::Path;

use aclsan_allocators::device::Device;
use aclsan_allocators::replay::{Outcome, Refusal, replay};
use aclsan_allocators::request::Step;
use aclsan_log::CallSiteId;
use aclsan_log::record::BLOCK_SAMPLE;
use aclsan_render::plan::{At, Holder, Plan, Plans, Recorded, Refused, VERSION};

use crate::logs::packed;
use crate::logs::readers::torch_snapshot::{self, TorchSnapshot};
use crate::replay::program_name;
use crate::report::pipeline::Logs;
use crate::symbols::stacks::Stacks;
pub use growth::Grow;
pub use models::Model;
use models::{Candidate, asked_for, recorded};
use recording::{Asker, Recording};

/// Most holders of memory that are named at a refusal.
const HOLDERS: usize = 5;

/// A question.
pub struct Question {
    /// Allocators.
    pub models: Vec<Model>,
    /// Settings of a caching allocator.
    pub settings: Vec<String>,
    /// Whether to try all that are worth trying.
    pub sweep: bool,
    /// Bytes of the card; as recorded without.
    pub card: Option<u64>,
    /// The device.
    pub device: Option<i32>,
    /// Two epochs to extrapolate from.
    pub grow: Option<Grow>,
}

/// Names the sites of a recording.
type Label<'a> = dyn FnMut(u32) -> String + 'a;

/// A plan for each log and snapshot, and a sentence for each that there is none for.
///
/// # Errors
/// If an argument names no log, or settings make no sense.
pub fn plans(logs: Logs, question: &Question) -> anyhow::Result<(Vec<Plans>, Vec<String>)> {
    let (mut plans, mut refused) = (Vec::new(), Vec::new());
    let (snapshots, logs) = logs.split(&TorchSnapshot);
    for path in &snapshots {
        match of_snapshot(path, question)? {
            Ok(plan) => plans.push(plan),
            Err(sentence) => refused.push(sentence),
        }
    }
    let Some(logs) = logs else {
        return Ok((plans, refused));
    };
    let mut symbols = logs.symbols()?;
    for file in logs.files()? {
        let log = match packed::open(&file) {
            Ok(log) => log,
            Err(error) => {
                refused.push(format!("{error:#}"));
                continue;
            }
        };
        let pid = log.header.pid;
        if log.properties.contains_key(BLOCK_SAMPLE) {
            refused.push(format!(
                "process {pid}: only a sample of its blocks was recorded (`block_sample`), and a plan needs all of them"
            ));
            continue;
        }
        match from_log::read(&log, question.device) {
            Some(recording) => {
                let mut stacks = Stacks::new(&log, &mut symbols);
                let of = (pid, program_name(&log));
                let mut label = |site| stacks.trace("allocated", CallSiteId(site)).caller_label();
                plans.push(of_recording(of, &recording, question, &mut label)?);
            }
            None => refused.push(match question.device {
                Some(device) => format!("process {pid}: nothing was allocated on device {device}"),
                None => format!("process {pid}: nothing was allocated on a device"),
            }),
        }
    }
    Ok((plans, refused))
}

/// The plan for a snapshot, or a sentence if there is none.
fn of_snapshot(path: &Path, question: &Question) -> anyhow::Result<Result<Plans, String>> {
    let name = path.display();
    let snapshot = fs::read(path)
        .map_err(anyhow::Error::from)
        .and_then(|bytes| Ok(torch_snapshot::read(&bytes)?));
    let snapshot = match snapshot {
        Ok(snapshot) => snapshot,
        Err(error) => return Ok(Err(format!("cannot read `{name}`: {error:#}"))),
    };
    let Some(recording) = from_snapshot::read(&snapshot, question.device) else {
        return Ok(Err(format!(
            "`{name}` has no history to plan with: call `_record_memory_history()` before"
        )));
    };
    let mut label = |site| from_snapshot::label(&snapshot, site);
    of_recording((0, name.to_string()), &recording, question, &mut label).map(Ok)
}

fn of_recording(
    (pid, program): (u32, String),
    recording: &Recording,
    question: &Question,
    label: &mut Label,
) -> anyhow::Result<Plans> {
    let candidates = asked_for(
        recording,
        &question.models,
        &question.settings,
        question.sweep,
    )?;
    let card = question.card.or(recording.capacity);
    let mut plans: Vec<Plan> = Vec::new();
    for candidate in &candidates {
        let mut plan = plan(recording, candidate, card, label);
        if let Some(grow) = &question.grow {
            let others = others_peak(recording).saturating_add(recording.unexplained);
            let found = growth::growth(recording, candidate, (card, others), grow, label)?;
            plan.growth = Some(found);
        }
        plans.push(plan);
    }
    if question.sweep {
        // Of those that do not fit, the one that got furthest first.
        plans.sort_by_key(|plan| match &plan.first_refused {
            Some(refused) => (u64::MAX, Reverse(refused.at.ns)),
            None => (plan.reserved_peak, Reverse(0)),
        });
    }
    // The model of what was recorded is of interest beside what the allocator said.
    let own = recording
        .reserved_peak
        .and_then(|_| recorded(recording).ok());
    let modelled = own.map(|own| outcome(recording, &own, None).reserved_peak);
    Ok(Plans {
        version: VERSION,
        pid,
        program,
        device: recording.device,
        requests: recording.asked().count() as u64,
        recorded: Recorded {
            allocator: name(&recording.of),
            setting: recording.settings.clone(),
            reserved_peak: recording.reserved_peak,
            modelled,
            inexact: recording.inexact,
        },
        card,
        others_peak: others_peak(recording),
        unexplained: recording.unexplained,
        plans,
    })
}

fn name(asker: &Asker) -> String {
    match asker {
        Asker::Caching(rules) => format!("the caching allocator of {}", rules.name),
        Asker::Pool(name) => format!("pool `{name}`"),
        Asker::Program => "the program itself".to_owned(),
    }
}

fn others_peak(recording: &Recording) -> u64 {
    let mut device = Device::new(None);
    let mut peak = 0;
    for recorded in &recording.steps {
        match recorded.step {
            Step::TakenByOthers(bytes) => {
                device.others_take(bytes);
            }
            Step::ReturnedByOthers(bytes) => device.others_return(bytes),
            _ => {}
        }
        peak = peak.max(device.in_use());
    }
    peak
}

/// Replays the recording. Segments get the addresses that they had, as far as the candidate asks for as large ones.
fn outcome(recording: &Recording, candidate: &Candidate, card: Option<u64>) -> Outcome {
    let mut device = Device::new(card);
    device.others_take(recording.unexplained);
    for &(bytes, address) in &recording.segments {
        device.gave(bytes, address);
    }
    let mut allocator = candidate.allocator();
    replay(
        &recording.steps,
        allocator.as_mut(),
        &mut device,
        |_, _, _| {},
    )
}

fn plan(
    recording: &Recording,
    candidate: &Candidate,
    card: Option<u64>,
    label: &mut Label,
) -> Plan {
    let outcome = outcome(recording, candidate, card);
    let peak = recording.steps.get(outcome.reserved_at);
    Plan {
        allocator: candidate.name().to_owned(),
        setting: candidate.setting.clone(),
        reserved_peak: outcome.reserved_peak,
        allocated_peak: outcome.allocated_peak,
        allocated_then: outcome.allocated_then,
        in_use_peak: outcome.in_use_peak,
        at: peak.map(|step| at(step.ns, step.site, label)),
        fits: card.map(|_| outcome.refused.is_none()),
        growth: None,
        first_refused: outcome
            .refused
            .map(|refusal| refused(recording, &refusal, label)),
    }
}

fn at(ns: u64, site: u32, label: &mut Label) -> At {
    let site = label(site);
    At { ns, site }
}

fn refused(recording: &Recording, refusal: &Refusal, label: &mut Label) -> Refused {
    let step = recording.steps[refusal.index];
    let mut sums: HashMap<String, (u64, u64)> = HashMap::new();
    let mut labels: HashMap<u32, String> = HashMap::new();
    for (site, bytes) in recording.live_before(refusal.index) {
        let name = labels.entry(site).or_insert_with(|| label(site));
        let sum = sums.entry(name.clone()).or_default();
        *sum = (sum.0 + 1, sum.1.saturating_add(bytes));
    }
    let mut holders: Vec<Holder> = sums
        .into_iter()
        .map(|(site, (count, bytes))| Holder { site, count, bytes })
        .collect();
    holders.sort_by(|one, other| {
        let key = |holder: &Holder| Reverse((holder.bytes, holder.count));
        key(one)
            .cmp(&key(other))
            .then_with(|| one.site.cmp(&other.site))
    });
    holders.truncate(HOLDERS);
    Refused {
        at: at(step.ns, step.site, label),
        bytes: refusal.bytes,
        is_of_others: refusal.is_of_others,
        reserved: refusal.reserved,
        allocated: refusal.allocated,
        left: refusal.left,
        holders,
    }
}
