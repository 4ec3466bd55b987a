//! Sections with debug information, of one file and its `dwz` supplement.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::iter;
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ScopedJoinHandle};

use gimli::{AbbreviationsCacheStrategy, DwarfSections, EndianArcSlice, EndianSlice};
use gimli::{LittleEndian, SectionId};

use super::elf::Elf;
use super::error::ElfError;
use super::limits::MAX_FILE_BYTES;

/// Reads sections that it shares.
pub type Reader = EndianArcSlice<LittleEndian>;

/// Bytes from which a second thread is worth starting.
pub const MIN_FOR_THREAD: usize = 1 << 20;

/// Sections that make up most of the debug information.
const LARGE: [SectionId; 7] = [
    SectionId::DebugStr,
    SectionId::DebugLine,
    SectionId::DebugInfo,
    SectionId::DebugRanges,
    SectionId::DebugRngLists,
    SectionId::DebugAddr,
    SectionId::DebugLineStr,
];

type Bytes = Arc<[u8]>;

/// The sections that lookups need.
pub struct Sections {
    own: DwarfSections<Bytes>,
    alternative: Option<DwarfSections<Bytes>>,
}

impl Sections {
    /// Reads the sections of `elf`, and those of its `dwz` supplement.
    pub fn read(elf: &Elf, alternative: Option<&Elf>) -> Result<Self, ElfError> {
        let mut read = read_ahead(elf);
        let own = DwarfSections::load(|id| match read.remove(id.name()) {
            Some(bytes) => bytes,
            None => section(elf, id, Some(id.name())),
        })?;
        let alternative =
            alternative.map(|elf| DwarfSections::load(|id| section(elf, id, Some(id.name()))));
        Ok(Self {
            own,
            alternative: alternative.transpose()?,
        })
    }

    /// Sections that live as long as their readers.
    pub fn shared(&self) -> gimli::Dwarf<Reader> {
        let shared = |bytes: &Bytes| Reader::new(Arc::clone(bytes), LittleEndian);
        let mut dwarf = self.own.borrow_with_sup(self.alternative.as_ref(), shared);
        dwarf.populate_abbreviations_cache(AbbreviationsCacheStrategy::Duplicates);
        dwarf
    }

    /// Sections that live as long as this.
    pub fn borrowed(&self) -> gimli::Dwarf<EndianSlice<'_, LittleEndian>> {
        let mut dwarf = self
            .own
            .borrow_with_sup(self.alternative.as_ref(), |bytes| {
                EndianSlice::new(bytes, LittleEndian)
            });
        dwarf.populate_abbreviations_cache(AbbreviationsCacheStrategy::Duplicates);
        dwarf
    }
}

/// The large sections, read by two threads: most of the time goes into copying their pages. Empty for small files, and for those that may
/// exceed what is read of one file: then the order of reading decides which section it is.
fn read_ahead(elf: &Elf) -> HashMap<&'static str, Result<Arc<[u8]>, ElfError>> {
    let all = LARGE.into_iter().map(|id| id.name());
    if !(MIN_FOR_THREAD as u64..MAX_FILE_BYTES / 2).contains(&elf.bytes_of(all.clone())) {
        return HashMap::new();
    }
    let mut names: Vec<_> = all.collect();
    names.sort_by_key(|name| Reverse(elf.bytes_of(iter::once(*name))));
    let left = Mutex::new(names.into_iter());
    let read = || {
        let next = || left.lock().unwrap_or_else(PoisonError::into_inner).next();
        let sections = iter::from_fn(next).map(|name| (name, elf.section(name)));
        sections.collect::<Vec<_>>()
    };
    thread::scope(|scope| {
        let other = thread::Builder::new().spawn_scoped(scope, read);
        let mut all = HashMap::from_iter(read());
        match other.map(ScopedJoinHandle::join) {
            Ok(Ok(rest)) => all.extend(rest),
            Ok(Err(panic)) => resume_unwind(panic),
            Err(_) => {} // this thread has read them all
        }
        all
    })
}

/// One section, or no bytes for sections that address lookups never use.
pub fn section(elf: &Elf, id: SectionId, name: Option<&str>) -> Result<Bytes, ElfError> {
    let is_needed = !matches!(
        id,
        SectionId::DebugFrame
            | SectionId::DebugLoc
            | SectionId::DebugLocLists
            | SectionId::DebugMacinfo
            | SectionId::DebugMacro
            | SectionId::DebugNames
            | SectionId::DebugPubNames
            | SectionId::DebugPubTypes
            | SectionId::DebugTypes
    );
    match name.filter(|_| is_needed) {
        Some(name) => elf.section(name),
        None => Ok(Bytes::default()),
    }
}
