//! The units of a file, and which of them an address is in.

use std::collections::HashMap;
use std::panic::resume_unwind;
use std::thread::{self, ScopedJoinHandle};

use gimli::{
    DebugInfoOffset, Error, Range, Result, Unit, UnitHeader, UnitOffset, UnitRef, UnitType,
};

use super::bounds::Bounds;
use super::{Reader, lines};

/// Fewer units are not worth a second thread.
const MIN_FOR_THREAD: usize = 128;

/// The units of a file.
pub struct Units<'a> {
    pub sections: &'a gimli::Dwarf<Reader<'a>>,
    /// By offset.
    pub list: Vec<Listed<'a>>,
    /// By end.
    ranges: Vec<UnitRange>,
}

/// One unit.
pub struct Listed<'a> {
    offset: DebugInfoOffset,
    pub unit: Unit<Reader<'a>>,
    ranges: Vec<Range>,
}

struct UnitRange {
    range: Range,
    unit: usize,
    /// The lowest start of this range and those behind it.
    min_begin: u64,
}

/// The addresses that one unit is asked about.
pub struct Task {
    pub unit: usize,
    /// Indices of addresses, in their order, each with whether no other unit claims it.
    pub asked: Vec<(usize, bool)>,
}

/// Where `.debug_aranges` has tables about a unit.
type Tables = HashMap<DebugInfoOffset, Vec<gimli::DebugArangesOffset>>;

impl<'a> Units<'a> {
    /// Reads the units' first entries, in two threads if they are many.
    pub fn of(sections: &'a gimli::Dwarf<Reader<'a>>) -> Result<Self> {
        let mut tables = Tables::new();
        let mut all = sections.debug_aranges.headers();
        while let Some(table) = all.next()? {
            let of_unit = tables.entry(table.debug_info_offset()).or_default();
            of_unit.push(table.offset());
        }
        let mut headers = Vec::new();
        let mut all = sections.units();
        while let Some(header) = all.next()? {
            headers.push(header);
        }
        let list = |headers: &[UnitHeader<Reader<'a>>]| -> Result<Vec<Listed<'a>>> {
            let all = headers.iter();
            let all = all.map(|header| listed(sections, header, &tables));
            all.filter_map(Result::transpose).collect()
        };
        let half = match headers.len() < MIN_FOR_THREAD {
            true => headers.len(),
            false => headers.len() / 2,
        };
        let (front, back) = headers.split_at(half);
        let (mut units, rest) = thread::scope(|scope| {
            let other = match back {
                [] => None,
                _ => thread::Builder::new()
                    .spawn_scoped(scope, || list(back))
                    .ok(),
            };
            let units = list(front);
            match other.map(ScopedJoinHandle::join) {
                Some(Ok(rest)) => (units, rest),
                Some(Err(panic)) => resume_unwind(panic),
                None => (units, list(back)),
            }
        });
        units.as_mut().map_err(|error| *error)?.extend(rest?);
        let list = units?;
        let ranges = by_end(&list);
        Ok(Self {
            sections,
            list,
            ranges,
        })
    }

    /// Groups sorted addresses by the unit to ask first. Those that no unit claims are in no task.
    pub fn tasks(&self, addresses: &[u64]) -> Vec<Task> {
        let mut tasks: Vec<Task> = Vec::new();
        let mut known: HashMap<usize, usize> = HashMap::new();
        for (at, &address) in addresses.iter().enumerate() {
            let mut claims = self.claims(address);
            let Some(unit) = claims.next() else {
                continue;
            };
            let is_only = claims.next().is_none();
            let task = *known.entry(unit).or_insert_with(|| {
                tasks.push(Task {
                    unit,
                    asked: Vec::new(),
                });
                tasks.len() - 1
            });
            tasks[task].asked.push((at, is_only));
        }
        tasks
    }

    /// The units that claim an address, in the order of `addr2line`.
    fn claims(&self, address: u64) -> impl Iterator<Item = usize> {
        let after = self.ranges.partition_point(|of| of.range.end <= address);
        let ranges = self.ranges[after..].iter();
        ranges
            .take_while(move |of| of.min_begin <= address)
            .filter(move |of| of.range.begin <= address)
            .map(|of| of.unit)
    }

    /// The unit that an entry is in, and the entry's offset in it.
    pub fn entry(&self, offset: DebugInfoOffset) -> Result<(&Unit<Reader<'a>>, UnitOffset)> {
        let missing = Error::NoEntryAtGivenOffset(offset.0 as u64);
        let after = self.list.partition_point(|unit| unit.offset <= offset);
        let unit = &self.list[after.checked_sub(1).ok_or(missing)?].unit;
        Ok((unit, offset.to_unit_offset(&unit.header).ok_or(missing)?))
    }
}

fn by_end(list: &[Listed]) -> Vec<UnitRange> {
    let mut ranges = Vec::new();
    for (unit, listed) in list.iter().enumerate() {
        ranges.extend(listed.ranges.iter().map(|&range| UnitRange {
            range,
            unit,
            min_begin: 0,
        }));
    }
    ranges.sort_unstable_by_key(|of| (of.range.end, of.unit));
    let mut min_begin = u64::MAX;
    for of in ranges.iter_mut().rev() {
        min_begin = min_begin.min(of.range.begin);
        of.min_begin = min_begin;
    }
    ranges
}

/// A unit with the ranges that it claims; `None` for one that has no code.
fn listed<'a>(
    sections: &'a gimli::Dwarf<Reader<'a>>,
    header: &UnitHeader<Reader<'a>>,
    tables: &Tables,
) -> Result<Option<Listed<'a>>> {
    let (Some(offset), kind) = (header.debug_info_offset(), header.type_()) else {
        return Ok(None);
    };
    if matches!(kind, UnitType::Type { .. } | UnitType::SplitType { .. }) {
        return Ok(None);
    }
    let Ok(unit) = sections.unit(*header) else {
        return Ok(None);
    };
    let mut ranges = Vec::new();
    // Others refer to entries of partial units, which have no code.
    if !matches!(kind, UnitType::Partial) {
        let reference = UnitRef::new(sections, &unit);
        let mut entries = reference.entries_raw(None)?;
        let Some(root) = entries.read_abbreviation()? else {
            return Ok(None);
        };
        let mut bounds = Bounds::default();
        for &specification in root.attributes() {
            bounds.read(&entries.read_attribute(specification)?, reference)?;
        }
        // The order of `addr2line`: the unit's list, `.debug_aranges`, the unit's bounds, its lines.
        if bounds.list.is_none() {
            for &table in tables.get(&offset).into_iter().flatten() {
                let mut entries = sections.debug_aranges.header(table)?.entries();
                while let Some(entry) = entries.next().transpose() {
                    let entry = entry.ok().filter(|entry| entry.length() != 0);
                    ranges.extend(entry.map(|entry| entry.range()));
                }
            }
        }
        if ranges.is_empty() {
            bounds.each(reference, |range| ranges.push(range))?;
        }
        if ranges.is_empty()
            && let Some(program) = &unit.line_program
        {
            ranges = lines::sequences(program)?;
        }
    }
    Ok(Some(Listed {
        offset,
        unit,
        ranges,
    }))
}
