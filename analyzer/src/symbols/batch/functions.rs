//! Functions of one unit, and what is inlined into those that are asked for.

use std::sync::Arc;

use gimli::{AttributeValue, Error, Range, Result, UnitOffset, UnitRef};

use super::Reader;
use super::bounds::Bounds;
use super::names::Names;
use crate::symbols::inline_depth::MAX_DEPTH;
use crate::symbols::interner::Interner;

/// The functions of a unit that have code, by address.
pub struct Functions {
    ranges: Vec<FunctionRange>,
    offsets: Vec<UnitOffset>,
}

struct FunctionRange {
    range: Range,
    function: usize,
}

impl Functions {
    /// Finds the functions. `None` if inlining is too deep to be followed.
    pub fn of(unit: UnitRef<Reader>) -> Result<Option<Self>> {
        let mut found = Self {
            ranges: Vec::new(),
            offsets: Vec::new(),
        };
        let mut entries = unit.entries_raw(None)?;
        // Depths of the inlined functions around the entry.
        let mut around: Vec<isize> = Vec::new();
        while !entries.is_empty() {
            let (offset, depth) = (entries.next_offset(), entries.next_depth());
            let Some(abbreviation) = entries.read_abbreviation()? else {
                continue;
            };
            while around.last().is_some_and(|&outer| outer >= depth) {
                around.pop();
            }
            match abbreviation.tag() {
                gimli::DW_TAG_subprogram => {
                    let mut bounds = Bounds::default();
                    // Declarations have no code, and compilers write addresses first.
                    let attributes: &[_] = abbreviation.attributes();
                    let last = attributes.iter().rposition(Bounds::concerns);
                    let (first, rest) = attributes.split_at(last.map_or(0, |last| last + 1));
                    for &specification in first {
                        bounds.read(&entries.read_attribute(specification)?, unit)?;
                    }
                    entries.skip_attributes(rest)?;
                    let function = found.offsets.len();
                    let ranges = &mut found.ranges;
                    if bounds.each(unit, |range| ranges.push(FunctionRange { range, function }))? {
                        found.offsets.push(offset);
                    }
                    continue;
                }
                gimli::DW_TAG_inlined_subroutine => {
                    around.push(depth);
                    if around.len() > MAX_DEPTH {
                        return Ok(None);
                    }
                }
                _ => {}
            }
            entries.skip_attributes(abbreviation.attributes())?;
        }
        // Of functions with the same code, `addr2line` finds the one that this sort and this search find.
        found.ranges.sort_unstable_by_key(|of| of.range.begin);
        Ok(Some(found))
    }

    /// The function at an address.
    pub fn at(&self, address: u64) -> Option<UnitOffset> {
        let found = self.ranges.binary_search_by(|of| match of.range {
            Range { begin, .. } if address < begin => std::cmp::Ordering::Greater,
            Range { end, .. } if address >= end => std::cmp::Ordering::Less,
            _ => std::cmp::Ordering::Equal,
        });
        Some(self.offsets[self.ranges[found.ok()?].function])
    }
}

/// One function.
pub struct Function {
    pub name: Option<Arc<str>>,
    pub inlined: Vec<Inlined>,
    ranges: Vec<InlinedRange>,
}

/// A function inlined into another.
pub struct Inlined {
    pub offset: UnitOffset,
    pub call_file: Option<u64>,
    pub call_line: u32,
    pub call_column: u32,
    /// Its name, once it was asked for.
    pub name: Option<Option<Arc<str>>>,
}

struct InlinedRange {
    range: Range,
    depth: usize,
    function: usize,
}

impl Function {
    /// Reads the function at `offset`.
    pub fn of(offset: UnitOffset, names: &Names, interner: &mut Interner) -> Result<Self> {
        let unit = names.unit;
        let mut entries = unit.entries_raw(Some(offset))?;
        let outer = entries.next_depth();
        let missing = Error::NoEntryAtGivenOffset(offset.0 as u64);
        let abbreviation = entries.read_abbreviation()?.ok_or(missing)?;
        entries.skip_attributes(abbreviation.attributes())?;
        let mut found = Self {
            name: names.function(offset, interner)?,
            inlined: Vec::new(),
            ranges: Vec::new(),
        };
        // Depths of the inlined functions around the entry, and of a function defined in this one, whose entries are no part of it.
        let mut around: Vec<isize> = Vec::new();
        let mut nested = None;
        loop {
            let (offset, depth) = (entries.next_offset(), entries.next_depth());
            if depth <= outer {
                break;
            }
            let Some(abbreviation) = entries.read_abbreviation()? else {
                continue;
            };
            while around.last().is_some_and(|&outer| outer >= depth) {
                around.pop();
            }
            nested = nested.filter(|&around| depth > around);
            if nested.is_none() && abbreviation.tag() == gimli::DW_TAG_subprogram {
                nested = Some(depth);
            }
            if nested.is_some() || abbreviation.tag() != gimli::DW_TAG_inlined_subroutine {
                entries.skip_attributes(abbreviation.attributes())?;
                continue;
            }
            let mut inlined = Inlined::at(offset);
            let mut bounds = Bounds::default();
            for &specification in abbreviation.attributes() {
                let attribute = entries.read_attribute(specification)?;
                match attribute.name() {
                    // Version 5 counts files from zero.
                    gimli::DW_AT_call_file => {
                        if let AttributeValue::FileIndex(file) = attribute.value()
                            && (file > 0 || unit.header.version() >= 5)
                        {
                            inlined.call_file = Some(file);
                        }
                    }
                    gimli::DW_AT_call_line => {
                        inlined.call_line = attribute.udata_value().unwrap_or(0) as u32;
                    }
                    gimli::DW_AT_call_column => {
                        inlined.call_column = attribute.udata_value().unwrap_or(0) as u32;
                    }
                    _ => bounds.read(&attribute, unit)?,
                }
            }
            let (function, depth_inlined) = (found.inlined.len(), around.len());
            let ranges = &mut found.ranges;
            bounds.each(unit, |range| {
                ranges.push(InlinedRange {
                    range,
                    depth: depth_inlined,
                    function,
                });
            })?;
            found.inlined.push(inlined);
            around.push(depth);
        }
        found
            .ranges
            .sort_unstable_by_key(|of| (of.depth, of.range.begin));
        Ok(found)
    }

    /// The functions inlined at an address, outermost first.
    pub fn inlined_at(&self, address: u64) -> Vec<usize> {
        let mut found = Vec::new();
        let mut ranges = &self.ranges[..];
        loop {
            let depth = found.len();
            let search = ranges.binary_search_by(|of| {
                use std::cmp::Ordering::{Equal, Greater, Less};
                match of.depth.cmp(&depth) {
                    Equal if of.range.begin > address => Greater,
                    Equal if of.range.end <= address => Less,
                    order => order,
                }
            });
            let Ok(at) = search else {
                return found;
            };
            found.push(ranges[at].function);
            ranges = &ranges[at + 1..];
        }
    }
}

impl Inlined {
    fn at(offset: UnitOffset) -> Self {
        Self {
            offset,
            call_file: None,
            call_line: 0,
            call_column: 0,
            name: None,
        }
    }
}
