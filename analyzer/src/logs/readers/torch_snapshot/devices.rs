//! Devices of a snapshot. In a process every address is one of a single device; files put together from several processes differ.

use std::collections::BTreeSet;

use super::snapshot::*;

/// All devices that have something.
pub fn devices(snapshot: &Snapshot) -> BTreeSet<i32> {
    let traced = ranges(snapshot).into_iter().map(|(.., device)| device);
    let annotated = snapshot.annotations.iter().map(|one| one.device);
    traced.chain(annotated).collect()
}

/// The part of one device.
pub fn of_device(snapshot: &Snapshot, device: i32) -> Snapshot {
    let segments = snapshot.segments.iter();
    let annotations = snapshot.annotations.iter();
    let mut traces = vec![Vec::new(); snapshot.traces.len()];
    let number = usize::try_from(device).unwrap_or(usize::MAX);
    if let (Some(own), Some(trace)) = (traces.get_mut(number), snapshot.traces.get(number)) {
        own.clone_from(trace);
    }
    Snapshot {
        segments: segments
            .filter(|one| one.device == device)
            .cloned()
            .collect(),
        annotations: annotations
            .filter(|one| one.device == device)
            .cloned()
            .collect(),
        traces,
        stacks: snapshot.stacks.clone(),
        ..Snapshot::default()
    }
}

/// Whether two devices have the same address.
pub fn share_addresses(snapshot: &Snapshot) -> bool {
    let mut ranges = ranges(snapshot);
    ranges.sort_unstable();
    // The furthest end so far, whose it is, and the furthest of all other devices.
    let (mut end, mut owner, mut others) = (0, -1, 0);
    for (from, to, device) in ranges {
        let before = if device == owner { others } else { end };
        if from < before {
            return true;
        }
        match device == owner {
            true => end = end.max(to),
            false if to > end => (others, end, owner) = (end.max(others), to, device),
            false => others = others.max(to),
        }
    }
    false
}

fn ranges(snapshot: &Snapshot) -> Vec<(u64, u64, i32)> {
    let range = |address: u64, size: u64, device| (address, address.saturating_add(size), device);
    let mut ranges = Vec::new();
    for segment in &snapshot.segments {
        ranges.push(range(segment.address, segment.size, segment.device));
        let blocks = segment.blocks.iter();
        ranges.extend(blocks.map(|block| range(block.address, block.size, segment.device)));
    }
    for (number, trace) in snapshot.traces.iter().enumerate() {
        let device = i32::try_from(number).unwrap_or(i32::MAX);
        let entries = trace.iter();
        ranges.extend(entries.map(|entry| match entry.address {
            0 => (0, 0, device),
            address => range(address, entry.size, device),
        }));
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot(ranges: &[(i32, u64, u64)]) -> Snapshot {
        let segments = ranges.iter().map(|&(device, address, size)| Segment {
            device,
            address,
            size,
            stream: 0,
            is_small: false,
            pool: (0, 0),
            is_expandable: false,
            stack: StackId::default(),
            blocks: Vec::new(),
        });
        Snapshot {
            segments: segments.collect(),
            ..Snapshot::default()
        }
    }

    #[test]
    fn devices_that_share_an_address_by_hand() {
        let share = |ranges| share_addresses(&snapshot(ranges));
        assert!(!share(&[(0, 10, 10), (1, 20, 10), (0, 30, 10), (2, 40, 1)]));
        assert!(!share(&[(0, 10, 10), (0, 15, 10)]), "of one device");
        assert!(share(&[(0, 10, 10), (1, 19, 1)]));
        assert!(share(&[(0, 10, 90), (1, 100, 10), (0, 105, 1)]));
        assert!(share(&[(0, 10, 90), (0, 20, 1), (1, 50, 10)]));
        let own = of_device(&snapshot(&[(0, 10, 10), (1, 19, 1)]), 1);
        assert_eq!((own.segments.len(), own.segments[0].address), (1, 19));
        assert_eq!(devices(&own).into_iter().collect::<Vec<_>>(), [1]);
    }
}
