//! The address ranges of an entry.

use gimli::{
    Attribute, AttributeSpecification, AttributeValue, Range, RangeListsOffset, Result, UnitRef,
};

use super::Reader;

/// Attributes that say where an entry's code is.
#[derive(Default)]
pub struct Bounds {
    low: Option<u64>,
    high: Option<u64>,
    size: Option<u64>,
    pub list: Option<RangeListsOffset>,
}

impl Bounds {
    /// Whether such attributes say where code is.
    pub fn concerns(specification: &AttributeSpecification) -> bool {
        let name = specification.name();
        matches!(
            name,
            gimli::DW_AT_low_pc | gimli::DW_AT_high_pc | gimli::DW_AT_ranges
        )
    }

    /// Takes note of an attribute.
    #[inline]
    pub fn read<'a>(
        &mut self,
        attribute: &Attribute<Reader<'a>>,
        unit: UnitRef<Reader<'a>>,
    ) -> Result<()> {
        match attribute.name() {
            gimli::DW_AT_low_pc => match attribute.value() {
                AttributeValue::Addr(address) => self.low = Some(address),
                AttributeValue::DebugAddrIndex(index) => self.low = Some(unit.address(index)?),
                _ => {}
            },
            gimli::DW_AT_high_pc => match attribute.value() {
                AttributeValue::Addr(address) => self.high = Some(address),
                AttributeValue::DebugAddrIndex(index) => self.high = Some(unit.address(index)?),
                AttributeValue::Udata(size) => self.size = Some(size),
                _ => {}
            },
            gimli::DW_AT_ranges => self.list = unit.attr_ranges_offset(attribute.value())?,
            _ => {}
        }
        Ok(())
    }

    /// Passes each range that is not empty to `each`, and returns whether there is one.
    pub fn each<'a>(&self, unit: UnitRef<Reader<'a>>, mut each: impl FnMut(Range)) -> Result<bool> {
        let mut has_any = false;
        let mut add = |range: Range| {
            if range.begin < range.end {
                each(range);
                has_any = true;
            }
        };
        match (self.list, self.low, self.high, self.size) {
            (Some(list), ..) => {
                let mut ranges = unit.ranges(list)?;
                while let Some(range) = ranges.next()? {
                    add(range);
                }
            }
            (_, Some(begin), Some(end), _) => add(Range { begin, end }),
            // The address of removed code may be the highest; such a range is empty.
            (_, Some(begin), _, Some(size)) => add(Range {
                begin,
                end: begin.wrapping_add(size),
            }),
            _ => {}
        }
        Ok(has_any)
    }
}
