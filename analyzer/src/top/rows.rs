//! The table of `top`: which rows there are, in which order, and what they count.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::mark::{Mark, Marked, Part, pools};
use crate::watch::state::{Site, SiteKey, State};

/// What a row adds up.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Fold {
    /// One call site, with its whole stack.
    #[default]
    Site,
    /// A function.
    Function,
    /// A source file.
    File,
    /// A library or program.
    Module,
    /// A thread that allocated.
    Thread,
    /// An epoch of the program in which blocks were allocated.
    Epoch,
    /// A family of calls.
    Family,
    /// A pool of the program or of a framework.
    Pool,
    /// A device.
    Device,
    /// A process, which is a rank.
    Process,
}

/// What rows are sorted by.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Sort {
    /// Live bytes.
    #[default]
    Live,
    /// Live blocks.
    Blocks,
    /// Bytes more every minute.
    Growth,
    /// Allocations a second.
    Rate,
    /// Age of the oldest block.
    Oldest,
    /// Size of the largest block.
    Largest,
}

impl Fold {
    const ALL: [Self; 10] = [
        Self::Site,
        Self::Function,
        Self::File,
        Self::Module,
        Self::Thread,
        Self::Epoch,
        Self::Family,
        Self::Pool,
        Self::Device,
        Self::Process,
    ];

    /// The next way to fold.
    pub fn next(self) -> Self {
        let at = Self::ALL.iter().position(|&other| other == self);
        Self::ALL[(at.unwrap_or(0) + 1) % Self::ALL.len()]
    }

    /// The heading of its column.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Site => "SITE",
            Self::Function => "FUNCTION",
            Self::File => "FILE",
            Self::Module => "MODULE",
            Self::Thread => "THREAD",
            Self::Epoch => "EPOCH",
            Self::Family => "FAMILY",
            Self::Pool => "POOL",
            Self::Device => "DEVICE",
            Self::Process => "PROCESS",
        }
    }
}

impl Sort {
    const ALL: [Self; 6] = [
        Self::Live,
        Self::Blocks,
        Self::Growth,
        Self::Rate,
        Self::Oldest,
        Self::Largest,
    ];

    /// The next column.
    pub fn next(self) -> Self {
        let at = Self::ALL.iter().position(|&other| other == self);
        Self::ALL[(at.unwrap_or(0) + 1) % Self::ALL.len()]
    }
}

/// A row.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Row {
    /// What it is about.
    pub name: String,
    /// The site, if it is one.
    pub key: Option<SiteKey>,
    /// Live bytes and blocks; after a mark, what is more since.
    pub live: (i64, i64),
    /// Bytes more every minute, and the least sure of its parts.
    pub growth: Option<(u64, &'static str)>,
    /// Allocations a second, if they can be counted so.
    pub rate: Option<f64>,
    /// Age of the oldest live block.
    pub oldest_ns: Option<u64>,
    /// Size of the largest.
    pub largest: Option<u64>,
}

/// How rows are made.
#[derive(Clone, Default, Debug)]
pub struct Choice {
    pub fold: Fold,
    pub sort: Sort,
    /// Smallest first.
    pub is_reversed: bool,
    /// Only rows and stacks with this text, in small letters.
    pub search: String,
}

/// The rows of a state. With `since`, they count what is more than at that moment.
pub fn rows(state: &State, choice: &Choice, since: Option<&Mark>) -> Vec<Row> {
    let mut rows: BTreeMap<(usize, String), Row> = BTreeMap::new();
    let is_meant = |text: &str| text.to_lowercase().contains(&choice.search);
    for site in &state.sites {
        let words = [
            &site.label,
            &site.call,
            &site.place.0,
            &site.place.1,
            &site.place.2,
        ];
        if !choice.search.is_empty() && !words.iter().any(|word| is_meant(word)) {
            continue;
        }
        let nothing = Marked::default();
        let before = since.and_then(|mark| mark.sites.get(&site.key));
        let before = before.unwrap_or(&nothing);
        let live = (
            site.live.0 as i64 - before.live.0 as i64,
            site.live.1 as i64 - before.live.1 as i64,
        );
        let row = Row {
            name: String::new(),
            key: None,
            live,
            growth: site.growth,
            rate: Some(site.rate),
            oldest_ns: site.oldest_ns,
            largest: site.largest,
        };
        match choice.fold {
            Fold::Thread => parts(
                &mut rows,
                site.key.process,
                [&site.threads, &before.threads],
            ),
            Fold::Epoch => parts(&mut rows, site.key.process, [&site.epochs, &before.epochs]),
            Fold::Pool => {} // below: pools take parts, not blocks
            fold => {
                let (apart, name) = name(fold, site, state);
                let of_site = (fold == Fold::Site).then_some(site.key);
                add(
                    &mut rows,
                    (apart, name),
                    Row {
                        key: of_site,
                        ..row
                    },
                );
            }
        }
    }
    if choice.fold == Fold::Pool {
        let before = since.map(|mark| mark.pools.as_slice()).unwrap_or_default();
        parts(&mut rows, 0, [&pools(state), before]);
        rows.retain(|(_, name), _| is_meant(name));
    }
    let mut rows: Vec<Row> = rows.into_values().collect();
    // Epochs and threads are numbers: 2 comes before 10.
    rows.sort_by_key(|row| row.name.parse::<u64>().ok());
    if since.is_some() {
        rows.retain(|row| row.live != (0, 0));
    }
    match choice.sort {
        Sort::Live => rows.sort_by_key(|row| Reverse(row.live)),
        Sort::Blocks => rows.sort_by_key(|row| Reverse(row.live.1)),
        Sort::Growth => rows.sort_by_key(|row| Reverse(row.growth.map(|of| of.0))),
        Sort::Rate => rows.sort_by_key(|row| Reverse(row.rate.map(|rate| (rate * 1e3) as u64))),
        Sort::Oldest => rows.sort_by_key(|row| Reverse(row.oldest_ns)),
        Sort::Largest => rows.sort_by_key(|row| Reverse(row.largest)),
    }
    if choice.is_reversed {
        rows.reverse();
    }
    rows
}

/// The row that a site belongs to: a number that keeps rows of one name apart, and the name.
fn name(fold: Fold, site: &Site, state: &State) -> (usize, String) {
    let or = |text: &str, other: &str| match text {
        "" => other.to_owned(),
        text => text.to_owned(),
    };
    let process = state.index(site.key.process);
    let process = process.map(|at| &state.processes[at]);
    match fold {
        Fold::Site | Fold::Thread | Fold::Epoch | Fold::Pool => {
            let name = or(&site.label, &site.call);
            let apart = (site.key.process << 32) + site.key.site as usize;
            (
                apart,
                match (state.processes.len(), process) {
                    (2.., Some(process)) => format!("{} {name}", process.pid),
                    _ => name,
                },
            )
        }
        Fold::Function => (0, or(&site.place.0, "?")),
        Fold::File => (0, or(&site.place.1, "?")),
        Fold::Module => (0, or(&site.place.2, "?")),
        Fold::Family => (0, site.family.to_owned()),
        Fold::Device => (0, aclsan_render::units::device(site.device)),
        Fold::Process => {
            let name = process.map(|process| format!("{} {}", process.pid, process.program));
            (site.key.process, name.unwrap_or_default())
        }
    }
}

/// Adds what parts are now, less what they were before.
fn parts(rows: &mut BTreeMap<(usize, String), Row>, apart: usize, [now, before]: [&[Part]; 2]) {
    let signed = now.iter().map(|part| (1, part));
    for (sign, (name, bytes, blocks)) in signed.chain(before.iter().map(|part| (-1, part))) {
        let row = Row {
            live: (sign * *bytes as i64, sign * *blocks as i64),
            ..Row::default()
        };
        add(rows, (apart, name.clone()), row);
    }
}

fn add(rows: &mut BTreeMap<(usize, String), Row>, key: (usize, String), more: Row) {
    let name = key.1.clone();
    let Some(row) = rows.get_mut(&key) else {
        rows.insert(key, Row { name, ..more });
        return;
    };
    row.live = (row.live.0 + more.live.0, row.live.1 + more.live.1);
    row.growth = match (row.growth, more.growth) {
        (Some((a, sure)), Some((b, other))) => Some((a + b, less_sure(sure, other))),
        (one, other) => one.or(other),
    };
    row.rate = row.rate.zip(more.rate).map(|(a, b)| a + b).or(row.rate);
    row.oldest_ns = row.oldest_ns.max(more.oldest_ns);
    row.largest = row.largest.max(more.largest);
}

fn less_sure(one: &'static str, other: &'static str) -> &'static str {
    let order = ["low", "medium", "high"];
    let at = |word: &str| order.iter().position(|&known| known == word);
    if at(one) <= at(other) { one } else { other }
}

#[cfg(test)]
mod tests {
    use super::super::mark::mark;
    use super::*;

    fn site(process: usize, number: u32, file: &str, live: (u64, u64)) -> Site {
        Site {
            key: SiteKey {
                process,
                site: number,
            },
            label: format!("load {file}:{number}"),
            call: "aclrtMalloc".to_owned(),
            place: ("load".to_owned(), file.to_owned(), "app".to_owned()),
            family: "device",
            device: 0,
            live,
            peak: live.0,
            allocated: (live.1, live.0, 0),
            growth: (number > 1).then_some((10, if number == 2 { "high" } else { "low" })),
            rate: f64::from(number),
            oldest_ns: Some(u64::from(number)),
            largest: Some(live.0),
            threads: vec![("7".to_owned(), live.0, live.1)],
            epochs: Vec::new(),
        }
    }

    fn state() -> State {
        State {
            sites: vec![
                site(0, 1, "a.c", (100, 1)),
                site(0, 2, "b.c", (300, 30)),
                site(0, 3, "b.c", (200, 2)),
            ],
            ..State::default()
        }
    }

    fn names(choice: &Choice) -> Vec<String> {
        let rows = rows(&state(), choice, None);
        rows.into_iter().map(|row| row.name).collect()
    }

    #[test]
    fn rows_are_sorted_searched_and_folded() {
        let mut choice = Choice::default();
        assert_eq!(names(&choice), ["load b.c:2", "load b.c:3", "load a.c:1"]);
        choice.sort = Sort::Oldest;
        assert_eq!(names(&choice), ["load b.c:3", "load b.c:2", "load a.c:1"]);
        choice.is_reversed = true;
        assert_eq!(names(&choice), ["load a.c:1", "load b.c:2", "load b.c:3"]);
        choice.search = "a.c".to_owned();
        assert_eq!(names(&choice), ["load a.c:1"]);
        let choice = Choice {
            fold: Fold::File,
            ..Choice::default()
        };
        let rows = rows(&state(), &choice, None);
        assert_eq!((rows[0].name.as_str(), rows[0].live), ("b.c", (500, 32)));
        assert_eq!(rows[0].growth, Some((20, "low")));
        assert_eq!((rows[0].rate, rows[0].largest), (Some(5.0), Some(300)));
    }

    #[test]
    fn since_a_mark_only_changes_are_shown() {
        let mark = mark(&state());
        let mut later = state();
        assert_eq!(rows(&later, &Choice::default(), Some(&mark)), []);
        later.sites[0].live = (150, 2);
        later.sites[2].live = (0, 0);
        later.sites[0].threads[0].1 = 150;
        later.sites[2].threads.clear();
        later.sites.push(site(0, 4, "new.c", (10, 1)));
        let live = |fold| {
            let choice = Choice {
                fold,
                ..Choice::default()
            };
            let rows = rows(&later, &choice, Some(&mark)).into_iter();
            rows.map(|row| row.live).collect::<Vec<_>>()
        };
        assert_eq!(live(Fold::Site), [(50, 1), (10, 1), (-200, -2)]);
        assert_eq!(live(Fold::Thread), [(-140, -1)]);
        assert_eq!(live(Fold::Epoch), []);
    }

    #[test]
    fn every_fold_and_column_comes_round() {
        let mut fold = Fold::default();
        for _ in 0..Fold::ALL.len() {
            fold = fold.next();
        }
        assert_eq!(fold, Fold::default());
        assert_eq!(Sort::Largest.next(), Sort::Live);
    }
}
