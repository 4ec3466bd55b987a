//! Draws the screen. It fits 80 columns and 24 lines, and needs no colors.

use std::cmp::Reverse;

use aclsan_render::model::Held;
use aclsan_render::units;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

use super::look::Look;
use super::pages::{KEYS, finding, findings, help, site};
use super::short;
use super::table::table;
use super::view::{Page, View};
use crate::io::fold::fold;
use crate::io::language::localized;
use crate::watch::history::DEVICE;
use crate::watch::state::{Device, Life, NamedHistory, Process, State};

/// Lines of bars at most, and columns of their names.
const HISTORIES: usize = 6;
const NAME: usize = 12;
/// Categories and pools that are named.
const NAMES: usize = 5;
/// Devices with a line of their own.
const DEVICES: usize = 4;
/// Columns that the footer's keys with their meanings take, after counts of findings.
const FULL_WIDTH: u16 = 80;

/// Draws `view` of `state`.
pub fn draw(frame: &mut Frame, view: &mut View, state: &State, look: Look) {
    let header = header(state, look, frame.area().width);
    let areas = Layout::vertical([
        Constraint::Length(header.len() as u16),
        Constraint::Min(1),
        Constraint::Length(2),
    ]);
    let [top, middle, bottom] = areas.areas(frame.area());
    frame.render_widget(Paragraph::new(header), top);
    match view.page {
        Page::Table => table(frame, middle, view, state, look),
        Page::Site => {
            let lines = match &view.detail {
                Some(detail) => site(detail, look),
                None => vec![Line::from(localized("reading …"))],
            };
            scrolled(frame, middle, view, lines);
        }
        Page::Findings => scrolled(frame, middle, view, findings(state, look)),
        Page::Help => scrolled(frame, middle, view, help()),
    }
    frame.render_widget(
        Paragraph::new(footer(view, state, look, bottom.width)),
        bottom,
    );
}

fn scrolled(frame: &mut Frame, area: Rect, view: &mut View, lines: Vec<Line>) {
    let indent = if view.page == Page::Help { KEYS } else { 4 };
    let lines = lines.into_iter().flat_map(|line| {
        let text = fold(&line.to_string(), usize::from(area.width), indent);
        let folded = text
            .lines()
            .map(|text| Line::styled(text.to_owned(), line.style));
        match text.is_empty() {
            true => vec![line],
            false => folded.collect(),
        }
    });
    let lines: Vec<Line> = lines.collect();
    let most = lines.len().saturating_sub(usize::from(area.height));
    view.scroll = view.scroll.min(most);
    frame.render_widget(Paragraph::new(lines).scroll((view.scroll as u16, 0)), area);
}

/// The lines above the table.
pub fn header(state: &State, look: Look, width: u16) -> Vec<Line<'static>> {
    let mut lines = vec![title(state, look)];
    let devices = devices(state);
    for of in devices.iter().take(DEVICES) {
        let mut line = format!(
            "{}: {} {}, {} {}",
            localized(&units::device(of.device)),
            localized("live"),
            units::bytes(of.live),
            localized("peak"),
            units::bytes(of.peak.0),
        );
        if let Some((free, total)) = of.runtime {
            let (free, total) = (units::bytes(free), units::bytes(total));
            let free = format!("the runtime has {free} of {total} free");
            line += &format!("; {}", localized(&free));
        }
        lines.push(Line::from(line));
    }
    let sample = state.processes.iter().map(|process| process.block_sample);
    if let Some(mean @ 1..) = sample.max() {
        let estimates = format!(
            "one block per {} is recorded: sums are estimates",
            units::bytes(mean)
        );
        lines.push(Line::from(localized(&estimates)));
    }
    if let Some(more @ 1..) = devices.len().checked_sub(DEVICES) {
        let more = units::counted(more as u64, "more device");
        lines.push(Line::from(localized(&format!("and {more}"))));
    }
    let mut families: Vec<(&str, u64)> = Vec::new();
    for family in state.processes.iter().flat_map(|process| &process.families) {
        match families.iter_mut().find(|(name, _)| *name == family.name) {
            Some((_, live)) => *live = live.saturating_add(family.live),
            None => families.push((family.name, family.live)),
        }
    }
    let families = families
        .iter()
        .map(|(name, live)| format!("{name} {}", short::bytes(*live)));
    let families = families.collect::<Vec<_>>().join("  ");
    lines.push(Line::from(match (families.is_empty(), rates(state)) {
        (true, rates) => rates,
        (false, rates) if rates.is_empty() => families,
        (false, rates) => format!("{families}  {rates}"),
    }));
    for (name, of) in [
        ("categories", held(state, |process| &process.categories)),
        ("pools", held(state, |process| &process.pools)),
    ] {
        if !of.is_empty() {
            lines.push(Line::from(format!("{}: {of}", localized(name))));
        }
    }
    let named = named_histories(state, usize::from(width).saturating_sub(NAME + 1));
    if named.len() > 1 {
        let shown = named.iter().take(HISTORIES).map(|(name, history)| {
            let bars = short::bars(history, look.has_unicode);
            Line::from(format!("{name:NAME$.NAME$} {bars}"))
        });
        lines.extend(shown);
        return lines;
    }
    let history = history(state, usize::from(width));
    if history.iter().any(|&bytes| bytes > 0) {
        lines.push(Line::from(short::bars(&history, look.has_unicode)));
    }
    lines
}

/// The rates of all that may still run; empty if nothing does.
fn rates(state: &State) -> String {
    let all = state.processes.iter();
    let mut running = all.filter(|process| matches!(process.life, Life::Runs | Life::Unknown));
    let Some(first) = running.next() else {
        return String::new();
    };
    let (made, gone) = running.fold(first.rates, |sum, process| {
        (sum.0 + process.rates.0, sum.1 + process.rates.1)
    });
    let (made, gone) = (short::rate(made), short::rate(gone));
    localized(&format!("{made} allocations and {gone} releases a second"))
}

fn title(state: &State, look: Look) -> Line<'static> {
    let processes = &state.processes;
    let duration = processes.iter().map(|process| process.duration_ns).max();
    let events: u64 = processes.iter().map(|process| process.events).sum();
    let what = match processes.as_slice() {
        [] => localized("waiting for a log"),
        [one] => {
            let name = format!("{} {}", one.pid, units::printable(&one.program));
            format!("{name}: {}", one.sentence())
        }
        all => {
            let run = all
                .iter()
                .filter(|process| process.life == Life::Runs)
                .count();
            let gone = all
                .iter()
                .filter(|process| process.life == Life::Gone)
                .count();
            let all = units::counted(all.len() as u64, "process");
            match gone {
                0 => localized(&format!("{all}, {run} of them run")),
                1 => localized(&format!(
                    "{all}, {run} of them run; 1 was killed, or left by `_exit`"
                )),
                _ => localized(&format!(
                    "{all}, {run} of them run; {gone} were killed, or left by `_exit`"
                )),
            }
        }
    };
    let mut text = format!("aclsan top  {what}");
    if let Some(duration) = duration {
        let events = localized(&units::counted(events, "event"));
        text += &format!("  {}  {events}", short::duration(duration));
    }
    let lost: u64 = processes.iter().map(|process| process.lost).sum();
    if lost > 0 {
        text += &format!(
            "  {}",
            localized(&format!("{} lost", units::counted(lost, "event")))
        );
    }
    let forgotten = state.forgotten.processes;
    if forgotten > 0 {
        let forgotten = format!("{} forgotten", units::counted(forgotten, "process"));
        text += &format!("  {}", localized(&forgotten));
    }
    if processes.iter().any(|process| process.is_behind) {
        text += &format!("  {}", localized("reading …"));
    }
    Line::styled(text, look.title())
}

/// The memory of each device, over all processes. Their peaks need not have been at one time.
fn devices(state: &State) -> Vec<Device> {
    let mut devices: Vec<Device> = Vec::new();
    for of in state.processes.iter().flat_map(|process| &process.devices) {
        match devices.iter_mut().find(|known| known.device == of.device) {
            Some(known) => {
                known.live = known.live.saturating_add(of.live);
                known.peak.0 = known.peak.0.saturating_add(of.peak.0);
                known.runtime = of.runtime.or(known.runtime);
            }
            None => devices.push(*of),
        }
    }
    devices.sort_by_key(|of| of.device);
    devices
}

/// Names and live bytes of those that hold most, over all processes.
fn held(state: &State, of: impl Fn(&Process) -> &[Held]) -> String {
    let mut sums: Vec<(&str, u64)> = Vec::new();
    for one in state.processes.iter().flat_map(of) {
        match sums.iter_mut().find(|(name, _)| *name == one.name) {
            Some((_, live)) => *live = live.saturating_add(one.live),
            None => sums.push((&one.name, one.live)),
        }
    }
    sums.sort_by_key(|(_, live)| Reverse(*live));
    let shown = sums.iter().take(NAMES);
    let shown =
        shown.map(|(name, live)| format!("{} {}", units::printable(name), short::bytes(*live)));
    shown.collect::<Vec<_>>().join("  ")
}

/// Live bytes over time of each device, if there are several, and of each family, over all processes.
fn named_histories(state: &State, width: usize) -> Vec<NamedHistory> {
    let all = || {
        state
            .processes
            .iter()
            .flat_map(|process| &process.histories)
    };
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in all() {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let (mut devices, families): (Vec<&str>, Vec<&str>) =
        names.into_iter().partition(|name| name.starts_with(DEVICE));
    devices.truncate(if devices.len() < 2 { 0 } else { DEVICES });
    let of = |name: &str| {
        let lines = all().filter(|(other, _)| other == name);
        let lines: Vec<&[u64]> = lines.map(|(_, line)| line.as_slice()).collect();
        (name.to_owned(), summed(&lines, width))
    };
    devices.into_iter().chain(families).map(of).collect()
}

/// The sum of all histories, in at most `width` columns.
fn history(state: &State, width: usize) -> Vec<u64> {
    let lines = state
        .processes
        .iter()
        .map(|process| process.history.as_slice());
    summed(&lines.collect::<Vec<_>>(), width)
}

/// The sum of lines of equal length, in `width` columns.
fn summed(lines: &[&[u64]], width: usize) -> Vec<u64> {
    let length = lines.iter().map(|line| line.len()).max().unwrap_or(0);
    let sums = (0..length).map(|at| {
        let at = lines.iter().filter_map(|line| line.get(at));
        at.fold(0, |sum: u64, bytes| sum.saturating_add(*bytes))
    });
    let sums: Vec<u64> = sums.collect();
    let width = width.min(length);
    let part = |column: usize| {
        let (from, to) = (column * length / width, (column + 1) * length / width);
        sums[from..to].iter().copied().max().unwrap_or(0)
    };
    (0..width).map(part).collect()
}

fn footer(view: &View, state: &State, look: Look, width: u16) -> Vec<Line<'static>> {
    let [errors, warnings, notes] = state.tally();
    let last = state
        .findings
        .iter()
        .rev()
        .find(|found| !found.is_consequence);
    let first = match last {
        _ if view.is_searching => Line::from(format!("/{}_", view.choice.search)),
        _ if !view.message.is_empty() => Line::from(localized(&view.message)),
        _ if view.is_since => {
            let marked = view.mark.as_ref().map_or(0, |(_, ns)| *ns);
            let marked = short::duration(marked);
            Line::from(localized(&format!(
                "what changed since {marked}; d shows everything"
            )))
        }
        _ if !view.choice.search.is_empty() => {
            let text = format!("/{}", view.choice.search);
            Line::from(format!("{text}  {}", localized("Esc shows everything")))
        }
        Some(last) => finding(last, look),
        None => Line::from(""),
    };
    let keys = match view.page {
        Page::Table if width < FULL_WIDTH => "h help s f / m d e Tab Enter q quit",
        Page::Table => "h help s sort f fold / find m mark d diff e export Tab findings q quit",
        _ => "arrows scroll  Esc back",
    };
    let counts = match errors + warnings + notes {
        0 => String::new(),
        _ => format!("E{errors} W{warnings} N{notes}  "),
    };
    vec![
        first,
        Line::styled(format!("{counts}{}", localized(keys)), look.title()),
    ]
}
