//! Live bytes over time, for a line of bars.

use aclsan_render::model::Point;
use aclsan_rules::api::family::Family;

/// Points of a history.
const POINTS: usize = 120;

/// Live bytes of device memory.
pub fn of_devices(point: &Point) -> u64 {
    let lines = Family::MEMORY.iter().zip(&point.live);
    let lines = lines.filter(|(family, _)| family.is_of_device());
    lines.fold(0_u64, |sum, (_, bytes)| sum.saturating_add(*bytes))
}

/// Values of `live` at [`POINTS`] evenly spaced times, each the highest of its part.
pub fn history(points: &[Point], end_ns: u64, live: impl Fn(&Point) -> u64) -> Vec<u64> {
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
