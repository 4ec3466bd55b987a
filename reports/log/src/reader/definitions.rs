//! Reads the definitions, once, when a log is opened.

use super::error::Corruption;
use super::live_log::{Prefix, SegmentScan};
use super::log::{CallSite, Log};
use super::modules::Module;
use super::segment::{malformed, read_segment};
use super::torn;
use crate::decode::{Decoder, Record};
use crate::layout::{SEGMENT_BYTES, SegmentHeader, SegmentKind, segment_offset};
use crate::record::Definition;

/// Total of site numbers that may be left undefined. Damage may lose sites, but a number in a log must not make the reader allocate memory.
const MAX_UNDEFINED_SITES: usize = 1 << 16;

impl Log {
    /// Looks at every segment of a log of `length` bytes and returns their headers. If a program is known to be writing the log, bytes after
    /// a header's committed records are what it is writing now, not damage.
    pub(super) fn read_definitions(&mut self, length: u64) -> Vec<Prefix> {
        let is_growing = self.until.is_some();
        let (mut bytes, mut all) = (Vec::new(), Vec::new());
        let mut look = SegmentScan::at(length);
        while let Some(seen) = look.next(&self.source) {
            let index = seen.index;
            let header = seen.header();
            if !is_growing && (header.is_some() || seen.is_empty()) {
                let uncommitted = torn::after_committed(&self.source, index, header.as_ref());
                self.damage.extend(uncommitted);
            }
            match header {
                Some(header) if header.kind == SegmentKind::Events => {
                    self.segments.push((index, header));
                }
                Some(header) => {
                    read_segment(&self.source, index, &header, &mut bytes, &mut self.damage);
                    self.define_all(index, &header, &bytes);
                }
                None if is_growing && seen.may_be_begun() => {}
                // A segment that was allocated and never begun is all zeros; anything else was a segment once.
                None if seen.is_empty() => {}
                None => {
                    let offset = segment_offset(index);
                    let lost = (length - offset).min(SEGMENT_BYTES as u64);
                    self.damage.push(Corruption {
                        segment: index,
                        offset,
                        lost,
                    });
                }
            }
            if !seen.is_empty() {
                all.push(seen);
            }
        }
        all
    }

    fn define_all(&mut self, index: u32, header: &SegmentHeader, bytes: &[u8]) {
        let mut decoder = Decoder::new(index, header.started.ticks);
        self.define_rest(index, &mut decoder, bytes);
    }

    /// Stores what follows in a segment; `false` if the rest cannot be read.
    pub(crate) fn define_rest(&mut self, index: u32, decoder: &mut Decoder, bytes: &[u8]) -> bool {
        loop {
            let at = decoder.offset();
            match decoder.next(bytes) {
                Ok(Some((_, Record::Definition(definition)))) => {
                    if !self.define(definition) {
                        let lost = decoder.offset() - at;
                        self.damage.push(Corruption {
                            lost: lost as u64,
                            ..malformed(index, at, bytes.len())
                        });
                    }
                }
                Ok(Some(_)) => self.unknown_records += 1,
                Ok(None) => return true,
                Err(bad) => {
                    self.damage.push(malformed(index, bad.offset, bytes.len()));
                    return false;
                }
            }
        }
    }

    /// Stores a definition; `false` if it is implausible.
    fn define(&mut self, definition: Definition) -> bool {
        match definition {
            Definition::Function { id, name } => set(&mut self.functions, usize::from(id), name),
            // Sites are numbered in the order in which they are written, so a number far ahead is damage, not a reason to allocate.
            Definition::Site {
                id,
                function,
                argument,
                device,
                frames,
            } => {
                let id = id.0 as usize;
                let gap = id.saturating_sub(self.sites.len());
                if gap > MAX_UNDEFINED_SITES - self.undefined_sites {
                    return false;
                }
                self.undefined_sites += gap;
                let site = CallSite {
                    function,
                    argument,
                    device,
                    frames: frames.into_boxed_slice(),
                    epoch: self.modules.epoch(),
                };
                set(&mut self.sites, id, site);
            }
            Definition::Module {
                start,
                end,
                bias,
                build_id,
                path,
            } => self.modules.loaded(Module {
                start,
                end,
                bias,
                build_id,
                path,
                since: 0,
                until: u32::MAX,
            }),
            Definition::Unloaded { start } => self.modules.unloaded(start),
            Definition::PythonCode { id, function, file } => {
                drop(self.python.insert(id, (function, file)));
            }
            Definition::Status { code, name } => drop(self.statuses.insert(code, name)),
            Definition::Property { key, value } => drop(self.properties.insert(key, value)),
            Definition::Text { id, text } => drop(self.texts.insert(id, text)),
        }
        true
    }
}

fn set<T: Default + Clone>(list: &mut Vec<T>, at: usize, value: T) {
    if list.len() <= at {
        list.resize(at + 1, T::default());
    }
    list[at] = value;
}
