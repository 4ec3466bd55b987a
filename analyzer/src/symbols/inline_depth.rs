//! Bounds the inlining depth. `addr2line` recurses once per level, so a unit with a hundred thousand levels would overflow the stack; a
//! unit deeper than [`MAX_DEPTH`] is used for lines only.
//!
//! Units are examined lazily, at the first address in each.

use std::sync::{Arc, OnceLock};

use gimli::{ArangeHeader, Dwarf, Reader, UnitHeader};

use super::interval_map::IntervalMap;

/// Deepest inlining that is followed. Compilers give up at some tens; an unoptimized `aclsan` needs a tenth of a megabyte of stack per
/// hundred levels.
pub const MAX_DEPTH: usize = 500;

/// The units of a file with debug information.
pub struct InlineDepth<R: Reader> {
    dwarf: Arc<Dwarf<R>>,
    units: Vec<(UnitHeader<R>, OnceLock<bool>)>,
    /// Units by the addresses that they claim, in `.debug_info` or `.debug_aranges`: `addr2line` may use either.
    by_address: IntervalMap<usize>,
    /// Units that claim no addresses, and whether all of them are bounded.
    anywhere: (Vec<usize>, OnceLock<bool>),
}

impl<R: Reader<Offset = usize>> InlineDepth<R> {
    /// Reads the units' first entries.
    pub fn of(dwarf: &Arc<Dwarf<R>>) -> Self {
        let mut units = Vec::new();
        let mut headers = dwarf.units();
        while let Ok(Some(header)) = headers.next() {
            units.push((header, OnceLock::new()));
        }
        let mut ranges = Vec::new();
        let mut anywhere = Vec::new();
        for (at, (header, _)) in units.iter().enumerate() {
            let before = ranges.len();
            let is_whole = own(dwarf, header, |begin, end| ranges.push((begin, end, at)));
            if is_whole.is_none() || ranges.len() == before {
                anywhere.push(at);
            }
        }
        let mut tables = dwarf.debug_aranges.headers();
        while let Ok(Some(table)) = tables.next() {
            let wanted = Some(table.debug_info_offset());
            if let Ok(at) =
                units.binary_search_by_key(&wanted, |(unit, _)| unit.debug_info_offset())
            {
                listed(&table, |begin, end| ranges.push((begin, end, at)));
            }
        }
        Self {
            dwarf: dwarf.clone(),
            units,
            by_address: IntervalMap::new(ranges),
            anywhere: (anywhere, OnceLock::new()),
        }
    }

    /// Whether inlining at `address` is bounded.
    pub fn is_bounded(&self, address: u64) -> bool {
        let mut asked = self.by_address.containing(address);
        let (anywhere, known) = &self.anywhere;
        asked.all(|&at| self.is_bounded_in(at))
            && *known.get_or_init(|| anywhere.iter().all(|&at| self.is_bounded_in(at)))
    }

    fn is_bounded_in(&self, unit: usize) -> bool {
        let (header, known) = &self.units[unit];
        *known.get_or_init(|| is_unit_bounded(&self.dwarf, header))
    }
}

/// Whether the inlining depth of a unit is bounded, as far as the unit can be read.
pub fn is_unit_bounded<R: Reader<Offset = usize>>(
    dwarf: &Dwarf<R>,
    header: &UnitHeader<R>,
) -> bool {
    deepest(dwarf, header).is_none_or(|deepest| deepest <= MAX_DEPTH)
}

fn deepest<R: Reader<Offset = usize>>(dwarf: &Dwarf<R>, header: &UnitHeader<R>) -> Option<usize> {
    let abbreviations = dwarf.abbreviations(header).ok()?;
    let mut entries = header.entries_raw(&abbreviations, None).ok()?;
    // Depths of the inlined functions around the entry.
    let mut around: Vec<isize> = Vec::new();
    let mut deepest = 0;
    while !entries.is_empty() && deepest <= MAX_DEPTH {
        let depth = entries.next_depth();
        // `addr2line` does not get past an unreadable entry either.
        let Ok(abbreviation) = entries.read_abbreviation() else {
            break;
        };
        let Some(abbreviation) = abbreviation else {
            continue;
        };
        while around.last().is_some_and(|&outer| outer >= depth) {
            around.pop();
        }
        if abbreviation.tag() == gimli::DW_TAG_inlined_subroutine {
            around.push(depth);
            deepest = deepest.max(around.len());
        }
        if entries.skip_attributes(abbreviation.attributes()).is_err() {
            break;
        }
    }
    Some(deepest)
}

/// The ranges of a unit's root entry; `None` if they cannot be read.
fn own<R: Reader<Offset = usize>>(
    dwarf: &Dwarf<R>,
    header: &UnitHeader<R>,
    mut each: impl FnMut(u64, u64),
) -> Option<()> {
    let unit = dwarf.unit(header.clone()).ok()?;
    let mut ranges = dwarf.unit_ranges(&unit).ok()?;
    while let Some(range) = ranges.next().ok()? {
        each(range.begin, range.end);
    }
    Some(())
}

fn listed<R: Reader<Offset = usize>>(table: &ArangeHeader<R>, mut each: impl FnMut(u64, u64)) {
    let mut entries = table.entries();
    while let Some(entry) = entries.next().transpose() {
        if let Ok(entry) = entry {
            each(entry.range().begin, entry.range().end);
        }
    }
}
