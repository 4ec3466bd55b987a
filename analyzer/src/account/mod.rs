//! Builds accounts of logs: finds the moments that were asked for, takes the ledgers there, and names their owners.

mod moment;

use std::cmp::Reverse;

use aclsan_log::{CallSiteId, Log};
use aclsan_render::account::{
    Accounts, DeviceAccount, HostAccount, OtherProcess, OwnerRow, Share, Source, VERSION,
};
use aclsan_rules::api::family::Family;

pub use moment::At;

use crate::logs::packed;
use crate::replay::account::{DeviceLedger, Holding, Ledger, Owner, ledgers};
use crate::replay::{ReportScope, Sum, program_name, replay};
use crate::report::pipeline::Logs;
use crate::symbols::stacks::Stacks;

/// Most sites of an owner that get a name.
const SITES: usize = 5;

/// A question.
pub struct Question {
    /// The moment.
    pub at: At,
    /// The moment that changes are counted from.
    pub since: Option<At>,
}

/// The accounts of all logs that can be answered for, and a sentence for each that cannot.
///
/// # Errors
/// If an argument names no log.
pub fn accounts(logs: &Logs, question: &Question) -> anyhow::Result<(Accounts, Vec<String>)> {
    let mut symbols = logs.symbols()?;
    let mut accounts = Accounts {
        version: VERSION,
        devices: Vec::new(),
        hosts: Vec::new(),
    };
    let (mut opened, mut refused) = (Vec::new(), Vec::new());
    for file in logs.files()? {
        match packed::open(&file) {
            Ok(log) => opened.push(log),
            Err(error) => refused.push(format!("{error:#}")),
        }
    }
    for log in &opened {
        let mut stacks = Stacks::new(log, &mut symbols);
        let others = opened.iter().filter(|other| !std::ptr::eq(*other, log));
        if let Err(error) = add(&mut accounts, log, others, question, &mut stacks) {
            refused.push(format!("process {}: {error:#}", log.header.pid));
        }
    }
    Ok((accounts, refused))
}

/// Adds the accounts of one log.
fn add<'a>(
    accounts: &mut Accounts,
    log: &Log,
    others: impl Iterator<Item = &'a Log> + Clone,
    question: &Question,
    stacks: &mut Stacks,
) -> anyhow::Result<()> {
    let found = replay(log, ReportScope::All(None), true, |_| {});
    let since = match &question.since {
        Some(at) => Some(at.in_process(&found)?),
        None => None,
    };
    for &device in found.devices.keys().filter(|&&device| device >= 0) {
        let at = question.at.on_device(&found, device)?;
        let mut moments: Vec<u64> = since.into_iter().chain([at]).collect();
        moments.sort_unstable();
        let taken = ledgers(log, &moments);
        let at_moment = |ns| taken.iter().find(|ledger| ledger.ns == ns);
        let (Some(now), before) = (at_moment(at), since.and_then(at_moment)) else {
            continue;
        };
        let mut account = of_device(device, now, before, stacks);
        (account.pid, account.program) = (log.header.pid, program_name(log));
        account.at = question.at.to_string();
        account.since = question.since.as_ref().map(At::to_string);
        account.other_processes = other_processes(log, others.clone(), device, at);
        let nothing = DeviceLedger::default();
        close(&mut account, now.devices.get(&device).unwrap_or(&nothing));
        accounts.devices.push(account);
    }
    for ledger in ledgers(log, &[question.at.in_process(&found)?]) {
        let mut host = of_host(&ledger, stacks);
        (host.pid, host.program) = (log.header.pid, program_name(log));
        accounts.hosts.push(host);
    }
    Ok(())
}

fn of_device(
    device: i32,
    ledger: &Ledger,
    before: Option<&Ledger>,
    stacks: &mut Stacks,
) -> DeviceAccount {
    let nothing = DeviceLedger::default();
    let now = ledger.devices.get(&device).unwrap_or(&nothing);
    let before = before.map(|before| before.devices.get(&device).unwrap_or(&nothing));
    let changed = |bytes: u64, of: &dyn Fn(&DeviceLedger) -> u64| {
        before.map(|before| difference(bytes, of(before)))
    };
    let mut owners = Vec::new();
    for (owner, holding) in &now.owners {
        let of = |ledger: &DeviceLedger| held_by(ledger, owner);
        owners.push(OwnerRow {
            change: changed(holding.sum.bytes, &of),
            ..row(name(owner), holding, stacks)
        });
    }
    let gone = before.into_iter().flat_map(|before| &before.owners);
    for (owner, holding) in gone.filter(|(owner, _)| !now.owners.contains_key(owner)) {
        owners.push(OwnerRow {
            owner: name(owner),
            change: Some(difference(0, holding.sum.bytes)),
            ..OwnerRow::default()
        });
    }
    let guards = |ledger: &DeviceLedger| ledger.guards;
    for (name, of) in [
        ("redzones", &guards as &dyn Fn(&_) -> _),
        ("rounding to pages", &rounding),
    ] {
        let (bytes, change) = (of(now), changed(of(now), of));
        if bytes > 0 || change.is_some_and(|change| change != 0) {
            owners.push(OwnerRow {
                owner: name.to_owned(),
                bytes,
                change,
                ..OwnerRow::default()
            });
        }
    }
    owners.sort_by_key(|owner| Reverse(owner.bytes));
    DeviceAccount {
        device,
        at_ns: ledger.ns,
        owners,
        unmeasured: unmeasured(ledger),
        ..DeviceAccount::default()
    }
}

/// Bytes in use: what the runtime said, with the pages of this process that came and went since; else what the log shows. The rest of it
/// is not explained.
fn close(account: &mut DeviceAccount, ledger: &DeviceLedger) {
    let owners = account.owners.iter().map(|owner| owner.bytes);
    let others = account.other_processes.iter().map(|other| other.bytes);
    let explained = owners.chain(others).fold(0, u64::saturating_add);
    let Some(said) = ledger.mem_info else {
        account.in_use = explained;
        return;
    };
    let used = said.total.saturating_sub(said.free);
    account.in_use = used
        .saturating_add(said.taken)
        .saturating_sub(said.returned);
    account.capacity = Some(said.total);
    account.source = Source::Runtime;
    account.residual = Some(difference(account.in_use, explained));
}

/// What the pages of the process take beyond its blocks and redzones.
fn rounding(ledger: &DeviceLedger) -> u64 {
    let blocks = ledger.owners.values().map(|holding| holding.sum.bytes);
    let known = blocks.fold(ledger.guards, u64::saturating_add);
    ledger.pages.saturating_sub(known)
}

fn held_by(ledger: &DeviceLedger, owner: &Owner) -> u64 {
    let holding = ledger.owners.get(owner);
    holding.map_or(0, |holding| holding.sum.bytes)
}

fn difference(now: u64, before: u64) -> i64 {
    i64::try_from(i128::from(now) - i128::from(before)).unwrap_or(i64::MAX)
}

fn name(owner: &Owner) -> String {
    match owner {
        Owner::Pool(name) => format!("pool `{name}`"),
        Owner::Graphs => "graphs, allocated while they were captured".into(),
        Owner::Models => "models, memory that the program gave them".into(),
        Owner::Module(name) => format!("CANN, module {name}"),
        Owner::StreamOrdered => "stream-ordered pools".into(),
        Owner::Physical => "physical memory for mappings".into(),
        Owner::Own => "the program itself".into(),
    }
}

fn row(name: String, holding: &Holding, stacks: &mut Stacks) -> OwnerRow {
    let parts = holding.parts.iter();
    let parts = parts.map(|(name, &sum)| share((*name).to_owned(), sum));
    OwnerRow {
        owner: name,
        bytes: holding.sum.bytes,
        count: holding.sum.blocks,
        parts: most_first(parts.collect()),
        sites: sites(holding, stacks),
        ..OwnerRow::default()
    }
}

/// The places that hold most. Sites with one label are one place.
fn sites(holding: &Holding, stacks: &mut Stacks) -> Vec<Share> {
    let mut sites: Vec<(CallSiteId, Sum)> =
        holding.sites.iter().map(|(&at, &sum)| (at, sum)).collect();
    sites.sort_by_key(|(_, sum)| Reverse((sum.bytes, sum.blocks)));
    sites.truncate(SITES);
    let mut shares: Vec<Share> = Vec::new();
    for (site, sum) in sites {
        let label = stacks.trace("allocated", site).caller_label();
        match shares.iter_mut().find(|share| share.name == label) {
            Some(known) => {
                known.count += sum.blocks;
                known.bytes = known.bytes.saturating_add(sum.bytes);
            }
            None => shares.push(share(label, sum)),
        }
    }
    most_first(shares)
}

fn share(name: String, sum: Sum) -> Share {
    Share {
        name,
        count: sum.blocks,
        bytes: sum.bytes,
    }
}

fn most_first(mut shares: Vec<Share>) -> Vec<Share> {
    shares.sort_by_key(|share| Reverse((share.bytes, share.count)));
    shares
}

/// Objects for which the runtime keeps device memory of its own, of an unknown size.
fn unmeasured(ledger: &Ledger) -> Vec<Share> {
    const KEPT: [Family; 4] = [
        Family::Communicator,
        Family::Stream,
        Family::Event,
        Family::Notify,
    ];
    let known = KEPT.iter().filter_map(|family| {
        let holding = ledger.objects.get(family)?;
        Some(share(family.noun().to_owned(), holding.sum))
    });
    known.collect()
}

/// What other logs of the same machine show of the device at that time.
fn other_processes<'a>(
    log: &Log,
    others: impl Iterator<Item = &'a Log>,
    device: i32,
    at: u64,
) -> Vec<OtherProcess> {
    let began = |log: &Log| log.header.started.realtime_ns;
    let host = log.properties.get("host");
    let mut found = Vec::new();
    for other in others.filter(|other| other.properties.get("host") == host) {
        let Some(there) = (began(log) + at).checked_sub(began(other)) else {
            continue;
        };
        let held = ledgers(other, &[there]);
        let held = held.first().and_then(|ledger| ledger.devices.get(&device));
        if let Some(held) = held.filter(|held| held.pages > 0) {
            found.push(OtherProcess {
                pid: other.header.pid,
                program: program_name(other),
                bytes: held.pages,
            });
        }
    }
    found.sort_by_key(|process| Reverse(process.bytes));
    found
}

fn of_host(ledger: &Ledger, stacks: &mut Stacks) -> HostAccount {
    let mut objects: Vec<OwnerRow> = Vec::new();
    for (family, holding) in &ledger.objects {
        objects.push(row(family.noun().to_owned(), holding, stacks));
    }
    objects.sort_by_key(|row| Reverse(row.count));
    HostAccount {
        at_ns: ledger.ns,
        pinned: row("page-locked".into(), &ledger.pinned, stacks),
        registered: row("registered for devices".into(), &ledger.registered, stacks),
        objects,
        ..HostAccount::default()
    }
}
