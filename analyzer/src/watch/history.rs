//! Live bytes over time, for a line of bars.

use aclsan_render::model::Point;
use aclsan_rules::api::family::Family;

use super::state::{self, NamedHistory};

/// How the names of devices begin, and the name of an unknown one.
pub const DEVICE: &str = "device ";
const UNKNOWN_DEVICE: &str = "device ?";

/// Points of a history.
const POINTS: usize = 120;

/// Of device memory; and of each device and family that was used. `all` are the process's points, `of_devices_only` those of its devices, if it
/// uses several.
pub fn of_process(
    all: &[Point],
    of_devices_only: &[(i32, Vec<Point>)],
    used: (&[state::Device], &[state::Family]),
    end_ns: u64,
) -> (Vec<u64>, Vec<NamedHistory>) {
    let only = used.0.first().map(|device| device.device);
    let names: Vec<&str> = used.1.iter().map(|family| family.name).collect();
    let named = histories(all, of_devices_only, only, &names, end_ns);
    (history(all, end_ns, of_devices), named)
}

/// Of each device, then of each family of `families`.
fn histories(
    all: &[Point],
    devices: &[(i32, Vec<Point>)],
    only: Option<i32>,
    families: &[&str],
    end_ns: u64,
) -> Vec<NamedHistory> {
    let only = only
        .filter(|_| devices.is_empty())
        .map(|device| (device, all));
    let several = devices
        .iter()
        .map(|(device, points)| (*device, points.as_slice()));
    let devices = several.chain(only).map(|(device, points)| {
        let name = match device {
            -1 => UNKNOWN_DEVICE.to_owned(),
            known => format!("{DEVICE}{known}"),
        };
        (name, history(points, end_ns, of_devices))
    });
    let lines = Family::MEMORY.iter().enumerate();
    let lines = lines.filter(|(_, family)| families.contains(&family.name()));
    let lines = lines.map(|(at, family)| {
        let history = history(all, end_ns, |point| point.live[at]);
        (family.name().to_owned(), history)
    });
    devices.chain(lines).collect()
}

/// Live bytes of device memory.
fn of_devices(point: &Point) -> u64 {
    let lines = Family::MEMORY.iter().zip(&point.live);
    let lines = lines.filter(|(family, _)| family.is_of_device());
    lines.fold(0_u64, |sum, (_, bytes)| sum.saturating_add(*bytes))
}

/// Values of `live` at [`POINTS`] evenly spaced times, each the highest of its part.
fn history(points: &[Point], end_ns: u64, live: impl Fn(&Point) -> u64) -> Vec<u64> {
    let mut history = vec![None; POINTS];
    for point in points {
        let at = u128::from(point.ns) * (POINTS as u128 - 1) / u128::from(end_ns.max(1));
        let slot = &mut history[(at as usize).min(POINTS - 1)];
        *slot = (*slot).max(Some(live(point)));
    }
    let mut last = 0;
    let filled = history.into_iter().map(|slot| {
        last = slot.unwrap_or(last);
        last
    });
    filled.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use aclsan_render::model::LINES;

    fn point(ns: u64, device: u64, pinned: u64) -> Point {
        let mut live = [0; LINES];
        (live[0], live[1]) = (device, pinned);
        Point { ns, live }
    }

    #[test]
    fn several_devices_have_lines_and_one_has_that_of_the_process() {
        assert!(Family::MEMORY[0].is_of_device() && Family::MEMORY[1].is_host());
        let families = [Family::MEMORY[0].name(), Family::MEMORY[1].name()];
        let all = [point(0, 10, 5), point(100, 30, 5)];
        let ends = |of: Vec<NamedHistory>| -> Vec<(String, u64, u64)> {
            let ends = of.into_iter();
            ends.map(|(name, line)| (name, line[0], line[POINTS - 1]))
                .collect()
        };
        let named = |name: &str, first, last| (name.to_owned(), first, last);
        let of_families = [named(families[0], 10, 30), named(families[1], 5, 5)];
        let one = ends(histories(&all, &[], Some(3), &families, 100));
        assert_eq!(one[0], named("device 3", 10, 30));
        assert_eq!(one[1..], of_families);
        let devices = [(0, vec![point(0, 10, 9)]), (1, vec![point(100, 20, 9)])];
        let two = ends(histories(&all, &devices, Some(0), &families, 100));
        assert_eq!(
            two[..2],
            [named("device 0", 10, 10), named("device 1", 0, 20)]
        );
        assert_eq!(two[2..], of_families);
    }
}
