//! The comparison of processes.

use std::io;

use super::writer::TextWriter;
use crate::model::{Outlier, RankSite, Report};
use crate::units::{bytes, counted, device};

/// Maximum number of sites; further ones say little.
const PLACES: usize = 10;

/// Outliers, devices, and what the processes have in common.
pub fn write(report: &Report, writer: &mut TextWriter) -> io::Result<()> {
    let ranks = &report.ranks;
    let all = ranks.processes.len();
    if all == 0 {
        return Ok(());
    }
    writer.title(&format!("{} compared", counted(all as u64, "process")))?;
    let rows = ranks.measures.iter().map(|measure| {
        let number = |value| number(measure.name, value);
        vec![
            words(measure.name).to_owned(),
            number(measure.least),
            number(measure.median),
            number(measure.most),
            number(measure.mad),
        ]
    });
    let head = [
        "of each process",
        "least",
        "median",
        "most",
        "median distance from it",
    ];
    writer.table(&head, 1, rows.collect())?;
    if all >= 5 {
        writer.gap()?;
        if ranks.outliers.is_empty() {
            writer.line("  no process stands out")?;
        }
    }
    let shown = writer.shown(ranks.outliers.len());
    for outlier in &ranks.outliers[..shown] {
        writer.line(&format!("  {}", sentence(outlier, report, writer)))?;
    }
    more(ranks.outliers.len() - shown, "outlier", writer)?;
    if ranks.devices.len() > 1 || ranks.devices.iter().any(|device| device.processes > 1) {
        writer.gap()?;
        let shown = writer.shown(ranks.devices.len());
        let rows = ranks.devices[..shown].iter().map(|sum| {
            vec![
                sum.host.clone(),
                device(sum.device),
                sum.processes.to_string(),
                bytes(sum.live_bytes),
                bytes(sum.peaks_bytes),
                format!(
                    "{} (process {})",
                    bytes(sum.peak_bytes),
                    writer.name(sum.peak_process)
                ),
            ]
        });
        let head = [
            "host",
            "device",
            "processes",
            "at the end",
            "peaks together",
            "highest peak",
        ];
        writer.table(&head, 2, rows.collect())?;
        more(ranks.devices.len() - shown, "device", writer)?;
    }
    if !ranks.sites.is_empty() {
        writer.gap()?;
        let most = writer.shown(ranks.sites.len()).min(PLACES);
        let shown = if writer.style().most == 0 {
            ranks.sites.len()
        } else {
            most
        };
        let rows = ranks.sites[..shown]
            .iter()
            .map(|site| row(site, all, writer));
        let head = [
            "place",
            "in",
            "leaks",
            "leaked",
            "peak: least",
            "median",
            "most",
        ];
        writer.table(&head, 2, rows.collect())?;
        more(
            ranks.sites.len() - shown + ranks.sites_left_out as usize,
            "place",
            writer,
        )?;
    }
    Ok(())
}

fn row(site: &RankSite, all: usize, writer: &TextWriter) -> Vec<String> {
    let mut number = format!("{} of {all} processes", site.processes);
    if !site.odd.is_empty() {
        let odd: Vec<&str> = site
            .odd_processes
            .iter()
            .map(|&at| writer.name(at))
            .collect();
        let only = if 2 * site.processes < all as u64 {
            "only"
        } else {
            "not"
        };
        number.push_str(&format!(", {only} {}", odd.join(", ")));
    }
    vec![
        site.allocated.caller_label(),
        number,
        site.leaking.to_string(),
        bytes(site.leaked_bytes),
        bytes(site.least_peak_bytes),
        bytes(site.median_peak_bytes),
        format!(
            "{} (process {})",
            bytes(site.most_peak_bytes),
            writer.name(site.most_process)
        ),
    ]
}

fn sentence(outlier: &Outlier, report: &Report, writer: &TextWriter) -> String {
    let rank = &report.ranks.processes[outlier.process];
    let host = match rank.host.as_str() {
        // The name contains it.
        _ if writer.needs_name(outlier.process) => String::new(),
        "" => String::new(),
        host => format!(" on {host}"),
    };
    format!(
        "process {}{host} stands out: {} {} where the median is {} (modified z-score {:.1}), from {}",
        writer.name(outlier.process),
        words(outlier.measure),
        number(outlier.measure, outlier.value),
        number(outlier.measure, outlier.median),
        outlier.score,
        rank.log,
    )
}

fn words(measure: &str) -> &'static str {
    match measure {
        "peak_bytes" => "peak of device memory",
        "live_bytes" => "device memory at the end",
        "leaked_bytes" => "leaked bytes",
        _ => "findings",
    }
}

fn number(measure: &str, value: u64) -> String {
    match measure {
        "findings" => value.to_string(),
        _ => bytes(value),
    }
}

fn more(count: usize, what: &str, writer: &mut TextWriter) -> io::Result<()> {
    match count {
        0 => Ok(()),
        count => writer.line(&format!(
            "  {} more: `--limit 0` shows all that `--json` has",
            counted(count as u64, what)
        )),
    }
}
