//! Resolves the moments of a run that a user names: an epoch, a snapshot, a time.

use std::collections::BTreeSet;

use aclsan_render::model::Moment;
use aclsan_render::units;
use anyhow::bail;

use crate::replay::Replay;

/// Most names listed in the error message.
const MAX_NAMES: usize = 10;

/// The moment that `text` names: `start`, `end`, the beginning of an epoch or a snapshot by name (`NAME#3` is the third of that name), or a
/// time since the start, such as `1.5s`.
///
/// # Errors
/// If it names none, or a time after the end.
pub fn find(text: &str, replay: &Replay) -> anyhow::Result<Moment> {
    let moment = |ns| {
        Ok(Moment {
            name: format!("`{text}`"),
            ns,
        })
    };
    match text {
        "start" => return moment(0),
        "end" => return moment(replay.duration_ns),
        _ => {}
    }
    let reported = &replay.annotations;
    let epochs = reported
        .epochs
        .iter()
        .map(|epoch| (&epoch.name, epoch.begin_ns));
    let snapshots = reported
        .snapshots
        .iter()
        .map(|taken| (&taken.name, taken.ns));
    let mut all: Vec<_> = epochs.chain(snapshots).collect();
    all.sort_by_key(|&(_, ns)| ns);
    let of = |name: &str, number: usize| {
        let mut named = all.iter().filter(|(other, _)| other.as_str() == name);
        named.nth(number.checked_sub(1)?).map(|&(_, ns)| ns)
    };
    let numbered = text.rsplit_once('#').and_then(|(name, number)| {
        let number = number.parse().ok()?;
        of(name, number)
    });
    if let Some(ns) = of(text, 1).or(numbered) {
        return moment(ns);
    }
    match time(text) {
        Some(ns) if ns <= replay.duration_ns => return moment(ns),
        Some(_) => bail!(
            "`{text}` is no moment of this run: it ended after {}; write `end` for that",
            units::duration(replay.duration_ns)
        ),
        None => {}
    }
    let (mut names, mut known) = (Vec::new(), BTreeSet::new());
    for (name, _) in &all {
        if known.insert(name) {
            names.push(name.as_str());
        }
    }
    let more = match names.len().saturating_sub(MAX_NAMES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let lost = match reported.epochs_left_out {
        0 => String::new(),
        lost => format!("; the last {lost} of its epochs were not kept"),
    };
    names.truncate(MAX_NAMES);
    match names.as_slice() {
        [] => bail!(
            "`{text}` is no moment of this run: it told of no epoch and took no snapshot; write `start`, `end` or a time such as `1.5s`"
        ),
        names => bail!(
            "`{text}` is no moment of this run: it has `{}`{more}{lost}; or write `start`, `end` or a time such as `1.5s`",
            names.join("`, `")
        ),
    }
}

/// Parses a time into nanoseconds.
fn time(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == 'µ');
    let scale = match &text[digits.len()..] {
        "ns" => 1.0,
        "us" | "µs" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        _ => return None,
    };
    let number: f64 = digits.trim().parse().ok()?;
    (number.is_finite() && number >= 0.0).then_some((number * scale) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_their_units() {
        assert_eq!(time("1.5s"), Some(1_500_000_000));
        assert_eq!(time("20 ms"), Some(20_000_000));
        assert_eq!(time("3µs"), Some(3000));
        assert_eq!((time("3"), time("-1s"), time("soon")), (None, None, None));
    }
}
