//! Reading what events refer to: once, when a log is opened.

use super::{Damage, Log, Module, Site, read_segment, segment_offset, torn, undecodable};
use crate::decode::{Decoder, Record};
use crate::layout::{SEGMENT_BYTES, SegmentHeader, SegmentKind};
use crate::record::Definition;

/// Numbers that sites leave out, all together: what was lost of a damaged log is left out, but no log makes memory be asked for by a number.
const GAPS_MOST: usize = 1 << 16;

impl Log {
    /// Looks at every segment of a log of `length` bytes.
    pub(super) fn read_definitions(&mut self, length: u64) {
        let mut bytes = Vec::new();
        let mut index = 0_u32;
        loop {
            let offset = segment_offset(index);
            let Some(data) = (offset < length)
                .then(|| self.source.data_from(offset))
                .flatten()
            else {
                return;
            };
            if let Some(skipped) = segments_before(offset, data) {
                let Some(next) = index.checked_add(skipped) else {
                    return;
                };
                index = next;
                continue;
            }
            let mut head = [0; 32];
            let got = self.source.read(&mut head, offset).unwrap_or(0);
            // Of a header that is cut off, the rest would be read as zeros.
            let header = SegmentHeader::decode(&head).filter(|_| got == head.len());
            match header {
                Some(header) if header.kind == SegmentKind::Events => {
                    self.segments.push((index, header));
                    let behind = torn::behind(&self.source, index, Some(&header));
                    self.damage.extend(behind);
                }
                Some(header) => {
                    let behind = torn::behind(&self.source, index, Some(&header));
                    self.damage.extend(behind);
                    read_segment(&self.source, index, &header, &mut bytes, &mut self.damage);
                    self.define_all(index, &header, &bytes);
                }
                // Room that was set aside and never begun is all zeros; anything else was a segment once.
                None if head[..got].iter().all(|&byte| byte == 0) => {
                    self.damage.extend(torn::behind(&self.source, index, None));
                }
                None => {
                    let lost = (length - offset).min(SEGMENT_BYTES as u64);
                    self.damage.push(Damage {
                        segment: index,
                        offset,
                        lost,
                    });
                }
            }
            let Some(next) = index.checked_add(1) else {
                return;
            };
            index = next;
        }
    }

    fn define_all(&mut self, index: u32, header: &SegmentHeader, bytes: &[u8]) {
        let mut decoder = Decoder::new(index, header.started.ticks);
        loop {
            let at = decoder.offset();
            match decoder.next(bytes) {
                Ok(Some((_, Record::Definition(definition)))) => {
                    if !self.define(definition) {
                        let lost = decoder.offset() - at;
                        self.damage.push(Damage {
                            lost: lost as u64,
                            ..undecodable(index, at, bytes.len())
                        });
                    }
                }
                Ok(Some(_)) => self.unknown_records += 1,
                Ok(None) => break,
                Err(bad) => {
                    self.damage
                        .push(undecodable(index, bad.offset, bytes.len()));
                    break;
                }
            }
        }
    }

    /// Takes a definition; `false` for one that can't be.
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
                if gap > GAPS_MOST - self.gaps {
                    return false;
                }
                self.gaps += gap;
                let site = Site {
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

/// Whole segments from `offset`, where one begins, to the one that `data` lies in; `None` if that is this one.
fn segments_before(offset: u64, data: u64) -> Option<u32> {
    let skipped = data.saturating_sub(offset) / SEGMENT_BYTES as u64;
    (skipped > 0).then(|| u32::try_from(skipped).unwrap_or(u32::MAX))
}
