//! Names of functions.

use std::sync::Arc;

use gimli::{AttributeValue, Error, Result, UnitOffset, UnitRef};

use super::Reader;
use super::units::Units;
use crate::symbols::interner::Interner;

/// How many entries a name may be away: entries may refer to each other in circles.
const MAX_REFERENCES: usize = 16;

/// Names of the functions of one unit.
pub struct Names<'u, 'a> {
    pub units: &'u Units<'a>,
    pub unit: UnitRef<'u, Reader<'a>>,
}

impl<'a> Names<'_, 'a> {
    /// The source name of the function or inlined function at `offset`.
    pub fn function(&self, offset: UnitOffset, names: &mut Interner) -> Result<Option<Arc<str>>> {
        let mut entries = self.unit.entries_raw(Some(offset))?;
        let missing = Error::NoEntryAtGivenOffset(offset.0 as u64);
        let abbreviation = entries.read_abbreviation()?.ok_or(missing)?;
        let mut name = None;
        for &specification in abbreviation.attributes() {
            let attribute = entries.read_attribute(specification)?;
            match attribute.name() {
                gimli::DW_AT_linkage_name | gimli::DW_AT_MIPS_linkage_name => {
                    name = self.unit.attr_string(attribute.value()).ok().or(name);
                }
                gimli::DW_AT_name if name.is_none() => {
                    name = self.unit.attr_string(attribute.value()).ok();
                }
                gimli::DW_AT_abstract_origin | gimli::DW_AT_specification if name.is_none() => {
                    name = self.referred(attribute.value(), self.unit, MAX_REFERENCES)?;
                }
                _ => {}
            }
        }
        Ok(name.map(|name| names.function(&name.to_string_lossy())))
    }

    /// The linker name at the entry that an attribute refers to, or the source name.
    fn referred(
        &self,
        value: AttributeValue<Reader<'a>>,
        unit: UnitRef<'_, Reader<'a>>,
        left: usize,
    ) -> Result<Option<Reader<'a>>> {
        if left == 0 {
            return Ok(None);
        }
        match value {
            AttributeValue::UnitRef(offset) => self.entry(unit, offset, left),
            AttributeValue::DebugInfoRef(offset) => {
                let (unit, offset) = self.units.entry(offset)?;
                self.entry(UnitRef::new(self.units.sections, unit), offset, left)
            }
            // Left to `addr2line`.
            AttributeValue::DebugInfoRefSup(_) => Err(Error::UnsupportedOffset),
            _ => Ok(None),
        }
    }

    fn entry(
        &self,
        unit: UnitRef<'_, Reader<'a>>,
        offset: UnitOffset,
        left: usize,
    ) -> Result<Option<Reader<'a>>> {
        let mut entries = unit.entries_raw(Some(offset))?;
        let missing = Error::NoEntryAtGivenOffset(offset.0 as u64);
        let abbreviation = entries.read_abbreviation()?.ok_or(missing)?;
        let (mut name, mut next) = (None, None);
        for &specification in abbreviation.attributes() {
            let attribute = entries.read_attribute(specification)?;
            match attribute.name() {
                gimli::DW_AT_linkage_name | gimli::DW_AT_MIPS_linkage_name => {
                    if let Ok(linker_name) = unit.attr_string(attribute.value()) {
                        return Ok(Some(linker_name));
                    }
                }
                gimli::DW_AT_name => name = unit.attr_string(attribute.value()).ok().or(name),
                gimli::DW_AT_abstract_origin | gimli::DW_AT_specification => {
                    next = Some(attribute.value());
                }
                _ => {}
            }
        }
        match (name, next) {
            (None, Some(next)) => self.referred(next, unit, left - 1),
            _ => Ok(name),
        }
    }
}
