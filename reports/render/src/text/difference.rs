//! The comparison of two runs as text.

use std::io::{self, Write};

use super::findings::write_one;
use super::writer::{Style, TextWriter};
use crate::model::{Difference, Finding, LeakChange, Moments, OldNew};
use crate::units::{bytes, counted, device, duration};

/// Writes `difference`.
///
/// # Errors
/// Those of `out`.
pub fn render(difference: &Difference, style: Style, out: &mut dyn Write) -> io::Result<()> {
    // Its lines are about two runs, not about a process.
    let style = Style {
        has_prefix: false,
        ..style
    };
    let mut writer = TextWriter::new(out, style, 0);
    let OldNew { old, new } = difference.processes.clone();
    writer.set_names(new);
    list("New", &difference.new_findings, &mut writer)?;
    writer.set_names(old);
    list("Gone", &difference.gone_findings, &mut writer)?;
    writer.set_names(Vec::new()); // what follows belongs to no process
    leaks(difference, &mut writer)?;
    let mut rows = Vec::new();
    for peak in &difference.peaks {
        rows.push(row(&format!("peak of {}", device(peak.device)), peak.bytes));
    }
    for family in &difference.allocated {
        rows.push(row(&format!("allocated, {}", family.family), family.bytes));
    }
    if !rows.is_empty() {
        writer.title("Memory")?;
        writer.table(&["", "old", "new", "change"], 1, rows)?;
    }
    writer.turn_to(0);
    writer.gap()?;
    writer.line(&format!(
        "SUMMARY: aclsan: {} new, {} gone, {} known; leaked bytes {} to {}",
        counted(difference.new_findings.len() as u64, "finding"),
        difference.gone_findings.len(),
        difference.known_findings,
        difference.leaked_bytes.old,
        difference.leaked_bytes.new,
    ))
}

/// Writes what changed between two moments of a run.
///
/// # Errors
/// Those of `out`.
pub fn render_moments(moments: &Moments, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let mut writer = TextWriter::new(out, style, moments.pid);
    writer.title(&format!(
        "Live memory from {} ({}) to {} ({})",
        moments.from.name,
        duration(moments.from.ns),
        moments.to.name,
        duration(moments.to.ns)
    ))?;
    changed(&moments.places, &mut writer)?;
    writer.gap()?;
    writer.line(&format!(
        "SUMMARY: aclsan: live bytes {} to {}, in {} to {}",
        moments.bytes.old,
        moments.bytes.new,
        moments.blocks.old,
        counted(moments.blocks.new, "block"),
    ))
}

fn list(what: &str, findings: &[Finding], writer: &mut TextWriter) -> io::Result<()> {
    if findings.is_empty() {
        return Ok(());
    }
    writer.turn_to(0);
    writer.title(&format!(
        "{what}: {}",
        counted(findings.len() as u64, "finding")
    ))?;
    let shown = writer.shown(findings.len());
    for finding in &findings[..shown] {
        writer.turn_to(finding.pid);
        writer.gap()?;
        write_one(finding, writer)?;
    }
    Ok(())
}

fn leaks(difference: &Difference, writer: &mut TextWriter) -> io::Result<()> {
    if difference.leaks.is_empty() {
        return Ok(());
    }
    writer.turn_to(0);
    writer.title("Leaks that changed")?;
    changed(&difference.leaks, writer)
}

fn changed(changes: &[LeakChange], writer: &mut TextWriter) -> io::Result<()> {
    let shown = writer.shown(changes.len());
    for change in &changes[..shown] {
        writer.line(&format!(
            "  {}: {} to {}, {} to {}, allocated by `{}`:",
            signed(change.bytes),
            bytes(change.bytes.old),
            bytes(change.bytes.new),
            change.blocks.old,
            counted(change.blocks.new, "block"),
            change.allocated.function
        ))?;
        writer.stack(&change.allocated)?;
    }
    match changes.len() - shown {
        0 => Ok(()),
        more => writer.line(&format!(
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
