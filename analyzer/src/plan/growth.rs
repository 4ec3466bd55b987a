//! Extrapolates from two epochs of different size, such as batches of 8 and of 16, to the largest that fits.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::str::FromStr;

use aclsan_allocators::device::Device;
use aclsan_allocators::replay::replay;
use aclsan_render::plan::{Growth, Share};
use anyhow::{Context, bail, ensure};

use super::Label;
use super::models::Candidate;
use super::recording::Recording;

/// Most places that are named.
const PLACES: usize = 5;

/// Two epochs, and how large each is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Grow {
    from: (u64, String),
    to: (u64, String),
}

impl FromStr for Grow {
    type Err = anyhow::Error;

    /// Reads `8=warm,16=full`.
    fn from_str(text: &str) -> anyhow::Result<Self> {
        let usage = || format!("`{text}`: write `SIZE=EPOCH,SIZE=EPOCH`, such as `8=warm,16=full`");
        let one = |text: &str| {
            let (size, epoch) = text.split_once('=')?;
            Some((size.trim().parse::<u64>().ok()?, epoch.trim().to_owned()))
        };
        let (from, to) = text.split_once(',').with_context(usage)?;
        let (from, to) = (one(from).with_context(usage)?, one(to).with_context(usage)?);
        ensure!(
            from.0 < to.0,
            "`{text}`: the second size is to be the larger one"
        );
        Ok(Self { from, to })
    }
}

/// An epoch's part of a replay: most bytes given out, those reserved then, and the step after which it was.
#[derive(Clone, Copy, Default)]
struct Peak {
    allocated: u64,
    reserved: u64,
    index: usize,
}

/// How memory grows from the first epoch to the second, and what fits if it goes on like that.
///
/// # Errors
/// If the recording lacks one of the epochs.
pub fn growth(
    recording: &Recording,
    candidate: &Candidate,
    (card, others): (Option<u64>, u64),
    grow: &Grow,
    label: &mut Label,
) -> anyhow::Result<Growth> {
    let windows = [
        window(recording, &grow.from.1)?,
        window(recording, &grow.to.1)?,
    ];
    let mut peaks = [Peak::default(); 2];
    let mut index = 0;
    let (mut allocator, mut device) = (candidate.allocator(), Device::new(None));
    replay(
        &recording.steps,
        allocator.as_mut(),
        &mut device,
        |step, reserved, allocated| {
            for (peak, (from, until)) in peaks.iter_mut().zip(&windows) {
                if (*from..*until).contains(&step.ns) && allocated > peak.allocated {
                    *peak = Peak {
                        allocated,
                        reserved,
                        index,
                    };
                }
            }
            index += 1;
        },
    );
    let [small, large] = peaks;
    let sizes = grow.to.0 - grow.from.0;
    let each = large.allocated.saturating_sub(small.allocated) / sizes;
    // What an allocator reserves grows like what it gives out.
    let reserved = |bytes: u64| {
        (u128::from(bytes) * u128::from(large.reserved) / u128::from(large.allocated.max(1))) as u64
    };
    let in_use = large.reserved.saturating_add(others);
    let largest = card.filter(|_| each > 0).map(|card| {
        let one = reserved(each).max(1);
        match card.checked_sub(in_use) {
            Some(left) => grow.to.0.saturating_add(left / one),
            None => grow.to.0.saturating_sub((in_use - card).div_ceil(one)),
        }
    });
    Ok(Growth {
        from: grow.from.1.clone(),
        from_size: grow.from.0,
        from_bytes: small.allocated,
        to: grow.to.1.clone(),
        to_size: grow.to.0,
        to_bytes: large.allocated,
        each,
        largest,
        places: places(recording, small.index, large.index, sizes, label),
    })
}

/// Time from the first epoch of that name to the next epoch.
fn window(recording: &Recording, name: &str) -> anyhow::Result<(u64, u64)> {
    let epochs = &recording.epochs;
    let Some(at) = epochs.iter().position(|(_, epoch)| epoch == name) else {
        let mut names: Vec<&str> = epochs.iter().map(|(_, name)| name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        bail!(
            "`{name}`: the recording has no such epoch; it has {}",
            names.join(", ")
        );
    };
    let until = epochs.get(at + 1).map_or(u64::MAX, |(ns, _)| *ns);
    Ok((epochs[at].0, until))
}

/// The places whose parts grew most, with the bytes for each unit.
fn places(
    recording: &Recording,
    small: usize,
    large: usize,
    sizes: u64,
    label: &mut Label,
) -> Vec<Share> {
    let mut grown: HashMap<String, i128> = HashMap::new();
    for (until, sign) in [(small, -1), (large, 1)] {
        for (site, bytes) in recording.live_before(until + 1) {
            *grown.entry(label(site)).or_default() += sign * i128::from(bytes);
        }
    }
    let each = |bytes: i128| u64::try_from(bytes / i128::from(sizes)).unwrap_or(0);
    let mut places: Vec<Share> = grown
        .into_iter()
        .map(|(site, bytes)| Share {
            site,
            bytes: each(bytes),
        })
        .filter(|place| place.bytes > 0)
        .collect();
    places.sort_by(|one, other| {
        (Reverse(one.bytes), &one.site).cmp(&(Reverse(other.bytes), &other.site))
    });
    places.truncate(PLACES);
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_epochs_of_growing_size_are_asked_for() {
        let grow: Grow = "8=warm, 16=full".parse().expect("two epochs");
        assert_eq!(
            (grow.from, grow.to),
            ((8, "warm".into()), (16, "full".into()))
        );
        for bad in [
            "", "8=a", "8,16", "a=8,b=16", "16=a,8=b", "8=a,8=b", "-1=a,2=b",
        ] {
            let error = bad.parse::<Grow>().expect_err(bad).to_string();
            assert!(error.starts_with(&format!("`{bad}`")), "{error}");
        }
    }
}
