//! Two runs side by side, as text.

use std::io::{self, Write};

use super::findings::write_one;
use super::writer::{Look, Page};
use crate::model::{Difference, Finding, LeakChange, Moments, OldNew};
use crate::units::{bytes, counted, device, duration};

/// Writes `difference`.
///
/// # Errors
/// Those of `out`.
pub fn render(difference: &Difference, look: Look, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(out, look, 0);
    let OldNew { old, new } = difference.processes.clone();
    page.among(new);
    list("New", &difference.new_findings, &mut page)?;
    page.among(old);
    list("Gone", &difference.gone_findings, &mut page)?;
    page.among(Vec::new()); // what follows is of no process
    leaks(difference, &mut page)?;
    let mut rows = Vec::new();
    for peak in &difference.peaks {
        rows.push(row(&format!("peak of {}", device(peak.device)), peak.bytes));
    }
    for family in &difference.allocated {
        rows.push(row(&format!("allocated, {}", family.family), family.bytes));
    }
    if !rows.is_empty() {
        page.title("Memory")?;
        page.table(&["", "old", "new", "change"], 1, rows)?;
    }
    page.turn_to(0);
    page.gap()?;
    page.line(&format!(
        "SUMMARY: aclsan: {} new, {} gone, {} known; leaked bytes {} to {}",
        counted(difference.new_findings.len() as u64, "finding"),
        difference.gone_findings.len(),
        difference.known_findings,
        difference.leaked_bytes.old,
        difference.leaked_bytes.new,
    ))
}

/// Writes what changed from one moment of a run to another.
///
/// # Errors
/// Those of `out`.
pub fn render_moments(moments: &Moments, look: Look, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(out, look, moments.pid);
    page.title(&format!(
        "Live memory from {} ({}) to {} ({})",
        moments.from.name,
        duration(moments.from.ns),
        moments.to.name,
        duration(moments.to.ns)
    ))?;
    changed(&moments.places, &mut page)?;
    page.gap()?;
    page.line(&format!(
        "SUMMARY: aclsan: live bytes {} to {}, in {} to {}",
        moments.bytes.old,
        moments.bytes.new,
        moments.blocks.old,
        counted(moments.blocks.new, "block"),
    ))
}

fn list(what: &str, findings: &[Finding], page: &mut Page) -> io::Result<()> {
    if findings.is_empty() {
        return Ok(());
    }
    page.turn_to(0);
    page.title(&format!(
        "{what}: {}",
        counted(findings.len() as u64, "finding")
    ))?;
    let shown = page.shown(findings.len());
    for finding in &findings[..shown] {
        page.turn_to(finding.pid);
        page.gap()?;
        write_one(finding, page)?;
    }
    Ok(())
}

fn leaks(difference: &Difference, page: &mut Page) -> io::Result<()> {
    if difference.leaks.is_empty() {
        return Ok(());
    }
    page.turn_to(0);
    page.title("Leaks that changed")?;
    changed(&difference.leaks, page)
}

fn changed(changes: &[LeakChange], page: &mut Page) -> io::Result<()> {
    let shown = page.shown(changes.len());
    for change in &changes[..shown] {
        page.line(&format!(
            "  {}: {} to {}, {} to {}, allocated by `{}`:",
            signed(change.bytes),
            bytes(change.bytes.old),
            bytes(change.bytes.new),
            change.blocks.old,
            counted(change.blocks.new, "block"),
            change.allocated.function
        ))?;
        page.stack(&change.allocated)?;
    }
    match changes.len() - shown {
        0 => Ok(()),
        more => page.line(&format!(
            "  {} more: `--limit 0` shows all",
            counted(more as u64, "place")
        )),
    }
}

fn row(name: &str, change: OldNew) -> Vec<String> {
    vec![
        name.to_owned(),
        bytes(change.old),
        bytes(change.new),
        signed(change),
    ]
}

/// `+4096 bytes`, `-1.5 MiB`, `0`.
fn signed(change: OldNew) -> String {
    let growth = change.growth();
    let size = bytes(growth.unsigned_abs().min(u128::from(u64::MAX)) as u64);
    match growth {
        0 => "0".to_owned(),
        1.. => format!("+{size}"),
        _ => format!("-{size}"),
    }
}
