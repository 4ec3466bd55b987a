//! Two neighboring segments drawn to scale.

use crate::api::block::Block;
use crate::evidence::plural::bytes;
use crate::evidence::suballocation::{PlacementRules, Segment};

/// Columns of a drawing.
const COLUMNS: u64 = 64;

/// Draws `first` and `second`, in the order of their addresses, in `block`: `A` and `B` are their bytes, `#` shared
/// bytes, `+` what `first` takes up after its own bytes, `.` free bytes, `!` bytes outside the block.
pub fn diagram(
    block: &Block,
    placement: Option<&PlacementRules>,
    first: &Segment,
    second: Option<&Segment>,
) -> Vec<String> {
    let taken = placement.map_or(first.size, |placement| placement.taken(first.size));
    let needed = first.address.saturating_add(taken);
    let from = first
        .address
        .min(second.map_or(u64::MAX, |second| second.address));
    let to = first.end().max(second.map_or(needed, Segment::end));
    let column = to.saturating_sub(from).div_ceil(COLUMNS).max(1);
    let (start, end) = (block.address, block.address.saturating_add(block.size));
    let has =
        |segment: &Segment, low: u64, high: u64| segment.address < high && low < segment.end();
    let paint = |at: u64| {
        let low = from.saturating_add(at * column);
        let high = low.saturating_add(column).min(to);
        let is_second = second.is_some_and(|second| has(second, low, high));
        match (has(first, low, high), is_second) {
            // A column may hold the end of the one and the start of the other.
            (true, true) if second.is_some_and(|second| first.shared(second) > 0) => '#',
            (true, true) | (true, false) if low < end && high > start => 'A',
            (false, true) if low < end && high > start => 'B',
            (true, _) | (_, true) => '!',
            (false, false) if low < needed && low >= first.address => '+',
            (false, false) => '.',
        }
    };
    let columns = to.saturating_sub(from).div_ceil(column);
    let drawn: String = (0..columns).map(paint).collect();
    let legend = |name: char, segment: &Segment, more: String| {
        let offset = i128::from(segment.address) - i128::from(block.address);
        format!(
            "{name}: {} from offset {offset} to {}{more}",
            bytes(segment.size),
            offset + i128::from(segment.size)
        )
    };
    let more = match taken > first.size {
        true => format!(", takes up {taken}"),
        false => String::new(),
    };
    let mut lines = vec![
        format!("|{drawn}| a column is {}", bytes(column)),
        legend('A', first, more),
    ];
    lines.extend(second.map(|second| legend('B', second, String::new())));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::profile::Profile;
    use crate::evidence::testing::*;

    fn at(offset: u64, size: u64) -> Segment {
        Segment {
            address: 0x1000 + offset,
            size,
            site: HERE,
        }
    }

    fn drawn(first: &Segment, second: Option<&Segment>) -> Vec<String> {
        let block = device_block(0x1000, 1024);
        let placement = PlacementRules::of(&block, 0, &Profile::default());
        diagram(&block, placement.as_ref(), first, second)
    }

    #[test]
    fn neighbours_are_drawn_to_scale() {
        // From 0 to 640 are 64 columns of 10 bytes. A has 300: columns 0 to 29; to 352 it takes up 30 to 35; B begins at 448: 44.8.
        let lines = drawn(&at(0, 300), Some(&at(448, 192)));
        let row = format!(
            "|{}{}{}{}| a column is 10 bytes",
            "A".repeat(30),
            "+".repeat(6),
            ".".repeat(8),
            "B".repeat(20)
        );
        assert_eq!(
            lines,
            [
                row.as_str(),
                "A: 300 bytes from offset 0 to 300, takes up 352",
                "B: 192 bytes from offset 448 to 640",
            ]
        );
    }

    #[test]
    fn shared_bytes_are_marked() {
        // 96 bytes at 2 to a column: A to 31, B from 16 on.
        let lines = drawn(&at(0, 64), Some(&at(32, 64)));
        let row = format!(
            "|{}{}{}| a column is 2 bytes",
            "A".repeat(16),
            "#".repeat(16),
            "B".repeat(16)
        );
        assert_eq!(lines[0], row);
    }

    #[test]
    fn what_is_outside_the_block_is_marked() {
        // 64 bytes from 992 on, the last 32 after the end; 64 bytes of padding and of rounding make 96: 2 to a column.
        let lines = drawn(&at(992, 64), None);
        let row = format!(
            "|{}{}{}| a column is 2 bytes",
            "A".repeat(16),
            "!".repeat(16),
            "+".repeat(16)
        );
        assert_eq!(lines[0], row);
    }

    #[test]
    fn huge_and_empty_segments_are_drawn_all_the_same() {
        let lines = drawn(&at(0, u64::MAX), Some(&at(64, 0)));
        assert!(lines[0].chars().count() < 120, "{lines:?}");
        assert!(drawn(&at(0, 0), None)[0].starts_with('|'));
    }
}
