//! An account as text.

use std::io;

use super::{Accounts, DeviceAccount, HostAccount, MAX_RESIDUAL_SHARE, OwnerRow, Share, Source};
use crate::text::TextWriter;
use crate::units::{bytes, counted, device, duration, percent};

/// Most parts and sites of an owner.
const SHARES: usize = 5;

/// Writes all accounts.
///
/// # Errors
/// Those of the writer.
pub fn write(accounts: &Accounts, writer: &mut TextWriter) -> io::Result<()> {
    for account in &accounts.devices {
        write_device(account, writer)?;
    }
    let hosts = accounts.hosts.iter().filter(|host| !is_empty(host));
    for host in hosts.clone() {
        write_host(host, writer)?;
    }
    match accounts.devices.is_empty() && hosts.count() == 0 {
        true => writer.line("no memory of a device, and none for one on the host: these logs have no such call by then"),
        false => Ok(()),
    }
}

fn write_device(account: &DeviceAccount, writer: &mut TextWriter) -> io::Result<()> {
    writer.title(&title(account))?;
    let is_compared = account.since.is_some();
    let mut rows = Vec::new();
    for owner in &account.owners {
        rows.push(owner_row(owner, account));
        for part in owner.parts.iter().take(SHARES) {
            rows.push(share_row(&part.name, part));
        }
        for site in owner.sites.iter().take(SHARES) {
            rows.push(share_row(&format!("at {}", site.name), site));
        }
    }
    for other in &account.other_processes {
        let name = format!("process {} ({})", other.pid, other.program);
        rows.push(row(name, other.bytes, account));
    }
    if let Some(residual) = account.residual {
        let sign = if residual < 0 { "-" } else { "" };
        let share = residual.unsigned_abs() as f64 / account.in_use.max(1) as f64;
        rows.push(vec![
            "not explained".to_owned(),
            format!("{sign}{}", bytes(residual.unsigned_abs())),
            format!("{sign}{}", percent(share)),
        ]);
        for kept in account.unmeasured.iter().filter(|_| residual != 0) {
            rows.push(vec![format!("· {}", counted(kept.count, &kept.name))]);
        }
    }
    let mut head = vec!["holder", "bytes", "share"];
    if is_compared {
        head.push("change");
    }
    rows.iter_mut()
        .for_each(|row| row.resize(head.len(), String::new()));
    writer.table(&head, 1, rows)?;
    write_notes(account, writer)
}

fn title(account: &DeviceAccount) -> String {
    let place = device(account.device);
    let used = bytes(account.in_use);
    let when = match account.at.as_str() {
        "peak" => "at its peak".to_owned(),
        "end" => "at the end".to_owned(),
        "oom" => "when memory ran out".to_owned(),
        epoch => format!("at `{epoch}`"),
    };
    let after = duration(account.at_ns);
    let of = format!("process {} ({})", account.pid, account.program);
    match (account.source, account.capacity) {
        (Source::Runtime, Some(capacity)) => format!(
            "Memory of {place}: {used} of {} in use {when}, {after} after the start of {of}",
            bytes(capacity)
        ),
        _ => format!("Memory of {place}: {used} known {when}, {after} after the start of {of}"),
    }
}

fn row(name: String, held: u64, account: &DeviceAccount) -> Vec<String> {
    let share = held as f64 / account.in_use.max(1) as f64;
    vec![name, bytes(held), percent(share)]
}

fn owner_row(owner: &OwnerRow, account: &DeviceAccount) -> Vec<String> {
    let mut cells = row(owner.owner.clone(), owner.bytes, account);
    if let Some(change) = owner.change.filter(|change| *change != 0) {
        let sign = if change < 0 { "-" } else { "+" };
        cells.push(format!("{sign}{}", bytes(change.unsigned_abs())));
    }
    cells
}

fn share_row(name: &str, share: &Share) -> Vec<String> {
    vec![format!("· {name}"), bytes(share.bytes)]
}

fn write_notes(account: &DeviceAccount, writer: &mut TextWriter) -> io::Result<()> {
    let Some(residual) = account.residual else {
        return writer.line(
            "  what else is in use is not known: nobody has asked `aclrtGetMemInfo` since the device was set (option `account`)",
        );
    };
    let share = residual.unsigned_abs() as f64 / account.in_use.max(1) as f64;
    if share <= MAX_RESIDUAL_SHARE {
        return Ok(());
    }
    writer.line(match residual < 0 {
        true => "  the holders come to more than the runtime says is in use: it shares pages between small blocks",
        false => "  not explained: what the runtime and its libraries hold themselves, and other processes without a log",
    })
}

fn is_empty(host: &HostAccount) -> bool {
    host.pinned.count == 0 && host.registered.count == 0 && host.objects.is_empty()
}

fn write_host(host: &HostAccount, writer: &mut TextWriter) -> io::Result<()> {
    writer.title(&format!(
        "Host memory for devices, process {} ({})",
        host.pid, host.program
    ))?;
    let mut rows = Vec::new();
    for owner in [&host.pinned, &host.registered] {
        if owner.count > 0 {
            rows.push(vec![
                owner.owner.clone(),
                owner.count.to_string(),
                bytes(owner.bytes),
            ]);
            for share in owner.sites.iter().take(SHARES) {
                let name = format!("· at {}", share.name);
                rows.push(vec![name, share.count.to_string(), bytes(share.bytes)]);
            }
        }
    }
    for owner in &host.objects {
        rows.push(vec![
            owner.owner.clone(),
            owner.count.to_string(),
            String::new(),
        ]);
        for share in owner.sites.iter().take(1) {
            let name = format!("· at {}", share.name);
            rows.push(vec![name, share.count.to_string(), String::new()]);
        }
    }
    writer.table(&["holder", "count", "bytes"], 1, rows)
}
