//! Tables that compare processes, readable without the script. Outliers come first.

use std::cmp::Reverse;

use maud::{Markup, html};

use super::cells::{named, row, size, table, table_by_process};
use super::escape::Text;
use super::messages::message;
use crate::Report;
use crate::model::{Process, Rank};

/// One row per process and one per device; empty for a single process.
pub fn sections(report: &Report) -> Markup {
    let ranks = &report.ranks;
    let names = Process::names(&report.processes);
    let odd = |at: usize| ranks.outliers.iter().filter(move |odd| odd.process == at);
    let mut order: Vec<(usize, &Rank)> = ranks.processes.iter().enumerate().collect();
    // The first rows are shown, the others folded, and their number is limited.
    order.sort_by_key(|&(at, _)| outliers_first(report, at));
    let processes = order.into_iter().map(|(at, rank)| {
        let measures = html! {
            @for (number, odd) in odd(at).enumerate() {
                @if number > 0 { ", " }
                (message(measure(odd.measure))) " (" (format!("{:.1}", odd.score)) ")"
            }
        };
        let devices: Vec<String> = rank.devices.iter().map(i32::to_string).collect();
        row![
            named(&names, at, rank.pid),
            Text(&rank.host),
            devices.join(", "),
            size(rank.peak_bytes),
            size(rank.live_bytes),
            size(rank.leaked_bytes),
            rank.findings,
            measures,
        ]
    });
    let head = [
        "process",
        "host",
        "device",
        "peak",
        "live-at-end",
        "leaked",
        "findings",
        "stands-out",
    ];
    let processes = processes.collect();
    let processes = table_by_process("ranks", &head, processes, outliers(report, 0..names.len()));
    let devices = ranks.devices.iter().map(|sum| {
        row![
            Text(&sum.host),
            sum.device,
            sum.processes,
            size(sum.live_bytes),
            size(sum.peaks_bytes),
            size(sum.peak_bytes),
            named(&names, sum.peak_process, sum.peak_pid),
        ]
    });
    let head = [
        "host",
        "device",
        "processes",
        "live-at-end",
        "peaks-together",
        "highest-peak",
        "process",
    ];
    html! { (processes) (table("devices", &head, devices.collect())) }
}

/// Sorts processes by how often they are outliers.
pub fn outliers_first(report: &Report, process: usize) -> Reverse<usize> {
    let outliers = report.ranks.outliers.iter();
    Reverse(outliers.filter(|odd| odd.process == process).count())
}

/// How many of these processes are outliers.
pub fn outliers(report: &Report, processes: impl Iterator<Item = usize>) -> usize {
    let none = Reverse(0);
    let odd = processes.filter(|&process| outliers_first(report, process) != none);
    odd.count()
}

/// The message key of a measure.
fn measure(name: &str) -> &'static str {
    match name {
        "peak_bytes" => "peak",
        "live_bytes" => "live-at-end",
        "leaked_bytes" => "leaked",
        _ => "findings",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Outlier, RankDevice};

    fn report() -> Report {
        let rank = |pid: u32, peak_bytes| Rank {
            pid,
            host: "<node>".to_owned(),
            devices: vec![0],
            peak_bytes,
            findings: 2,
            ..Rank::default()
        };
        let mut report = Report::default();
        report.ranks.processes = (1..=150).map(|pid| rank(pid, 1 << 20)).collect();
        report.ranks.processes[149].peak_bytes = 1 << 30;
        report.ranks.outliers = vec![Outlier {
            process: 149,
            pid: 150,
            measure: "peak_bytes",
            value: 1 << 30,
            median: 1 << 20,
            score: 119.7,
        }];
        report.ranks.devices = vec![RankDevice {
            host: "<node>".to_owned(),
            processes: 150,
            ..RankDevice::default()
        }];
        report
    }

    #[test]
    fn outliers_come_first_and_say_by_what() {
        let html = sections(&report()).into_string();
        let rows: Vec<&str> = html.split("<tr>").skip(2).collect();
        assert!(rows[0].starts_with("<td>150</td><td>&lt;node&gt;</td><td>0</td>"));
        assert!(rows[0].contains("1.0 GiB") && rows[0].contains("(119.7)"));
        assert!(rows[1].starts_with("<td>1</td>") && rows[1].ends_with("<td></td></tr>\n"));
        // As many rows as fit, most of them folded, and the number of the others.
        assert_eq!(html.matches("<details><summary>").count(), 1);
        let shown = html
            .split("</section>")
            .next()
            .map_or(0, |table| table.matches("<tr><td>").count());
        assert!((50..=100).contains(&shown), "{shown}");
        assert!(html.contains(&format!("<p>{} ", 150 - shown)), "{html}");
        assert!(html.contains(&message("peaks-together").0));
        assert_eq!(html.matches("<td>").count(), html.matches("</td>").count());
    }

    #[test]
    fn one_process_has_nothing_beside_it() {
        assert_eq!(sections(&Report::default()).0, "");
    }
}
