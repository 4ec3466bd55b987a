//! `copy-overlap`: source and destination of a copy overlap.
//!
//! ## What it reports
//! A copy whose source and destination share bytes, if at least one end is in a known
//! block. Copies of rows are judged row by row: adjacent columns of one image do not
//! overlap.
//!
//! ## Why it matters
//! Nothing guarantees an order within a copy, so bytes may be overwritten before they
//! are read. The result depends on the copy engine, the size and the version. The
//! runtime does not check.
//!
//! ## Example
//! ```c
//! aclrtMemcpy(queue, 4096, queue + 256, 3840,
//!             ACL_MEMCPY_DEVICE_TO_DEVICE);   // copy-overlap
//! ```
//!
//! ## How to fix it
//! Copy by way of another block, or in pieces no longer than the distance of the two
//! ranges.
//!
//! ## What it cannot see
//! Copies with both ends of unknown origin. Copies of rows whose pitches differ. A copy
//! onto itself is silent: if `dst` equals `src`, the runtime does nothing, and rows of
//! one pitch stay where they are. So is a copy past the end of a block, which is reported
//! as that.
//!
//! Source: AscendCL API reference, `aclrtMemcpy`, `aclrtMemcpy2d`: no version specifies
//! an order. That there is no check: source of runtime 681ef761 (CANN 9.2).

use crate::api::block::AddressInfo;
use crate::evidence::access::{Access, Shape};
use crate::evidence::finding::Finding;
use crate::evidence::plural::bytes;
use crate::evidence::rule::{Rule, Severity};

/// `copy-overlap`.
pub static RULE: Rule = Rule {
    name: "copy-overlap",
    severity: Severity::Error,
    summary: "source and destination of a copy overlap",
    is_live: true,
    source: include_str!("copy_overlap.rs"),
};

/// Checks the ends of a copy.
pub fn check(to: &Access, from: &Access) -> Option<Finding> {
    let (address, block, offset) = [to, from].into_iter().find_map(|end| match end.info {
        AddressInfo::Live(block, offset) => Some((end.address, block, *offset)),
        _ => None,
    })?;
    let distance = to.address.abs_diff(from.address);
    if distance == 0 || !overlap(to.shape, from.shape, distance) {
        return None;
    }
    let direction = if to.address > from.address {
        "after"
    } else {
        "before"
    };
    let message = format!(
        "{} to {} {direction} their source: source and destination overlap",
        from.action().replace(" read ", " copied "),
        bytes(distance)
    );
    Some(
        Finding::new(&RULE, to.call.site, message)
            .on(address, block, offset)
            .advise(
                "copies in an order that nothing promises, so bytes may be overwritten before they are read",
                "copy by way of another block, or in pieces no longer than the distance",
            ),
    )
}

/// Whether both shapes share a byte if one begins `distance` bytes after the other.
fn overlap(to: Shape, from: Shape, distance: u64) -> bool {
    match (to, from) {
        (
            Shape::Rows {
                pitch,
                width,
                height,
            },
            Shape::Rows {
                pitch: from_pitch, ..
            },
        ) if height > 1 => pitch == from_pitch && rows_overlap(pitch, width, height, distance),
        // Runs, or single rows, whose pitch means nothing. Both ends are equally long.
        _ => u128::from(distance) < to.extent(),
    }
}

/// Row `i` of one end begins `distance - k * pitch` bytes after row `i + k` of the other. Rows are no wider than the
/// pitch, so only the two nearest `k` can bring them closer than a width.
fn rows_overlap(pitch: u64, width: u64, height: u64, distance: u64) -> bool {
    if pitch == 0 {
        return false;
    }
    let (rows, rest) = (distance / pitch, distance % pitch);
    (rows < height && rest < width) || (rows < height - 1 && pitch - rest < width)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::access::Side;
    use crate::evidence::testing::*;

    fn found_at(
        to: (u64, &AddressInfo),
        from: (u64, &AddressInfo),
        shape: Shape,
    ) -> Option<Finding> {
        let call = call("aclrtMemcpy");
        let end = |side, (address, info)| Access {
            call: &call,
            side,
            address,
            shape,
            info,
        };
        check(&end(Side::Written, to), &end(Side::Read, from))
    }

    fn found(to: u64, from: u64, shape: Shape) -> Option<Finding> {
        let block = device_block(0x1000, 4096);
        let info = |address| AddressInfo::Live(block, address - 0x1000);
        found_at((to, &info(to)), (from, &info(from)), shape)
    }

    #[test]
    fn ranges_with_a_byte_in_common_are_reported_either_way() {
        let message = |to, from| found(to, from, Shape::Run(64)).unwrap().message;
        assert_eq!(
            message(0x1010, 0x1000),
            "`aclrtMemcpy` copied 64 bytes to 16 bytes after their source: \
             source and destination overlap"
        );
        assert!(message(0x1000, 0x103f).contains("63 bytes before"));
    }

    #[test]
    fn neighbours_are_silent() {
        assert_eq!(found(0x1040, 0x1000, Shape::Run(64)), None);
        assert_eq!(found(0x1000, 0x1040, Shape::Run(64)), None);
    }

    #[test]
    fn a_copy_onto_itself_is_silent() {
        assert_eq!(found(0x1000, 0x1000, Shape::Run(64)), None);
    }

    #[test]
    fn overlap_in_unknown_memory_is_silent() {
        let unknown = AddressInfo::Unknown;
        assert_eq!(
            found_at((0x1010, &unknown), (0x1000, &unknown), Shape::Run(64)),
            None
        );
        let block = AddressInfo::Live(device_block(0x1010, 64), 0);
        assert!(found_at((0x1010, &block), (0x1000, &unknown), Shape::Run(64)).is_some());
    }

    #[test]
    fn rows_overlap_just_where_bytes_do() {
        // The oracle: every byte of every row, one after the other.
        let (pitch, height) = (8, 3);
        for width in 1..=pitch {
            for distance in 1..40 {
                let bytes = |start: u64| {
                    (0..height).flat_map(move |row| {
                        (0..width).map(move |column| start + row * pitch + column)
                    })
                };
                let common = bytes(0).any(|byte| bytes(distance).any(|other| other == byte));
                let rows = Shape::Rows {
                    pitch,
                    width,
                    height,
                };
                assert_eq!(
                    found(0x1000 + distance, 0x1000, rows).is_some(),
                    common,
                    "width {width}, distance {distance}"
                );
            }
        }
    }

    #[test]
    fn a_single_row_is_a_run() {
        let row = Shape::Rows {
            pitch: 128,
            width: 64,
            height: 1,
        };
        assert!(found(0x1020, 0x1000, row).is_some());
        assert_eq!(found(0x1040, 0x1000, row), None);
    }

    #[test]
    fn rows_of_different_pitches_are_silent() {
        let rows = |pitch| Shape::Rows {
            pitch,
            width: 64,
            height: 4,
        };
        assert!(!overlap(rows(64), rows(128), 16));
    }
}
