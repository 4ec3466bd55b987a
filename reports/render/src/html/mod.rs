//! The report as one HTML page: a file that opens in a browser without a network and is readable without its script.
//!
//! The shell (markup, style, script) is the same in every page. Its content security policy contains the digests of style and script, so
//! nothing else runs, whatever the names in a log say. Tables are written here as rows. The data for the drawings is packed by `data`; it
//! is reduced until the page fits the requested size, and a banner says what was left out.
//!
//! Markup is written with `maud`, which checks it at compile time and escapes by default. Text from logs is `escape::Text`, which also
//! spells out control characters.

mod about;
mod categories;
mod cells;
pub mod csp;
mod data;
mod ends;
mod escape;
mod locale;
mod messages;
mod pool_attributes;
mod pool_stats;
mod ranks;
mod summary;
mod tables;

use data::{Packed, Share};
use escape::{escape, shortened};
use locale::localize;
use maud::{Markup, html};
use messages::message;

use crate::Report;
use crate::model::{BlockLifetimes, Process};
use crate::text::Locale;

// Old names, until their last use is gone.
pub use self::MAX_PAGE_BYTES as MOST_BYTES;
pub use self::MIN_PAGE_BYTES as LEAST_BYTES;

/// The page, with `{{placeholders}}`.
const SHELL: &str = include_str!("page/shell.html");
const STYLE: &str = include_str!("page/style.css");
/// The parts of the script, in order.
const SCRIPTS: [&str; 10] = [
    include_str!("page/language.js"),
    include_str!("page/units.js"),
    include_str!("page/ask.js"),
    include_str!("page/canvas.js"),
    include_str!("page/timeline.js"),
    include_str!("page/map.js"),
    include_str!("page/flame.js"),
    include_str!("page/tables.js"),
    include_str!("page/links.js"),
    include_str!("page/start.js"),
];
/// The parts of what runs in the worker, in order.
const WORKER: [&str; 6] = [
    include_str!("page/worker/blocks.js"),
    include_str!("page/worker/series.js"),
    include_str!("page/worker/layout.js"),
    include_str!("page/worker/map.js"),
    include_str!("page/worker/flame.js"),
    include_str!("page/worker/answers.js"),
];

/// The page's script. The worker's part is a function of it: `page/ask.js` starts the worker from that function's text.
fn script() -> String {
    let (page, worker) = (SCRIPTS.join("\n"), WORKER.join("\n"));
    format!("'use strict';(()=>{{\nfunction engine(port) {{\n{worker}}}\n{page}\n}})();\n")
}

/// Default size limit of a page.
pub const MAX_PAGE_BYTES: u64 = 8 << 20;
/// Minimum size limit: the shell, and something to show.
pub const MIN_PAGE_BYTES: u64 = 256 << 10;
/// Maximum number of blocks that a page draws.
pub const MAX_BLOCKS: usize = 1 << 19;

/// The page for `report`, in at most `most` bytes, or [`MIN_PAGE_BYTES`] if that is more; in the browser's language unless one is `asked` for.
pub fn document(
    report: &Report,
    lives: &[BlockLifetimes],
    most: u64,
    asked: Option<Locale>,
) -> String {
    let most = most.max(MIN_PAGE_BYTES) as usize;
    let script = script();
    let shell = localize(SHELL, asked);
    let facts = html! {
        (ranks::sections(report))
        (summary::sections(report))
        (categories::section(report, &Process::names(&report.processes)))
        (pool_stats::sections(report, &Process::names(&report.processes)))
        (summary::processes(report))
    };
    let facts = localize(&facts.0, asked);
    let room = most.saturating_sub(
        shell.len() + STYLE.len() + script.len() + messages::TABLE.len() + facts.len(),
    );
    // At most a third for each table; most pages need far less, and the drawings get the rest.
    let findings = tables::findings(report, room / 3);
    let leaks = tables::leaks(report, lives, room / 3);
    let findings_html = localize(&findings.html, asked);
    let leaks_html = localize(&leaks.html, asked);
    let room = room.saturating_sub(findings_html.len() + leaks_html.len() + MAX_BANNER_BYTES);
    let packed = fit(report, lives, room);
    let banner = banner(report, &packed, [findings.left_out, leaks.left_out]);
    let title = report
        .processes
        .first()
        .map_or("", |process| &process.arguments);
    let policy = csp::policy(&script, STYLE);
    let cards = summary::cards(report);
    let about = about::head(report);
    let program = about::program(report);
    let texts = &[
        ("language", locale::of_page(asked)),
        ("policy", &policy),
        ("title", &escape(&shortened(title))),
        ("style", STYLE),
        ("banner", &localize(&banner.0, asked)),
        ("program", &program.0),
        ("about", &localize(&about.0, asked)),
        ("cards", &localize(&cards.0, asked)),
        ("findings", &findings_html),
        ("leaks", &leaks_html),
        ("facts", &facts),
        ("version", env!("CARGO_PKG_VERSION")),
        ("words", messages::TABLE),
        ("data", &packed.text),
        ("script", script.as_str()),
    ];
    fill(&shell, texts)
}

/// Space reserved for cards, banner and title.
const MAX_BANNER_BYTES: usize = 16 << 10;

/// Replaces the placeholders in one pass, so text that looks like a placeholder stays as it is.
fn fill(shell: &str, texts: &[(&str, &str)]) -> String {
    let mut parts = shell.split("{{");
    let mut page = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once("}}").unwrap_or((part, ""));
        let text = texts.iter().find(|(known, _)| *known == name);
        page.push_str(text.map_or("", |(_, text)| text));
        page.push_str(rest);
    }
    page
}

/// As much data as fits into `room`.
fn fit(report: &Report, lives: &[BlockLifetimes], room: usize) -> Packed {
    let most = |of: fn(&BlockLifetimes) -> usize| lives.iter().map(of).max().unwrap_or(0);
    let mut share = Share {
        processes: lives.len(),
        lives: most(|lives| lives.lives.len()).min(MAX_BLOCKS),
        stacks: most(|lives| lives.traces.len()),
    };
    loop {
        let packed = data::pack(report, lives, share);
        let has_room = packed.text.len() <= room;
        if has_room
            || share
                == (Share {
                    processes: 0,
                    lives: 0,
                    stacks: 0,
                })
        {
            return packed;
        }
        // Blocks first: they are the most numerous, and the smallest matter least.
        let scale = |count: usize| {
            count
                .saturating_mul(room)
                .checked_div(packed.text.len())
                .unwrap_or(0)
        };
        let fewer = scale(share.lives).min(share.lives / 8 * 7);
        let had_many = share.lives > 1000;
        share.lives = fewer;
        if !had_many {
            share.stacks /= 2;
            share.processes = if share.stacks == 0 {
                share.processes / 2
            } else {
                share.processes
            };
        }
    }
}

fn banner(report: &Report, packed: &Packed, [findings, leaks]: [usize; 2]) -> Markup {
    let mut sentences = summary::doubts(report);
    let mut add = |count: u64, key: &str| {
        if count > 0 {
            sentences.push(html! { b { (count) } " " (message(key)) });
        }
    };
    add(packed.left_out.blocks, "left-out-blocks");
    add(packed.left_out.refusals, "left-out-refusals");
    add(packed.stacks as u64, "left-out-stacks");
    add(packed.processes as u64, "left-out-processes");
    add(findings as u64, "left-out-findings");
    add(leaks as u64, "left-out-leaks");
    add(report.annotations.epochs_left_out, "left-out-epochs");
    html! {
        @if !sentences.is_empty() {
            div #banner role="note" { ul { @for sentence in &sentences { li { (sentence) } } } }
        }
    }
}

#[cfg(test)]
mod tests;
