//! Reads one 64-bit little-endian ELF file, section by section.
//!
//! Trusts nothing in the file: every size is checked against the file's length or a limit before memory is allocated. Sections are read,
//! not mapped: a file rewritten meanwhile yields wrong bytes, never a signal.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::iter;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use object::LittleEndian;
use object::elf::{ELF_NOTE_GNU, FileHeader64, NT_GNU_BUILD_ID, PT_NOTE, SHT_NOTE};
use object::read::elf::{
    CompressionHeader, FileHeader, NoteIterator, ProgramHeader, SectionHeader,
};
use object::read::{CompressedData, CompressionFormat, ReadCache};

use super::error::ElfError;
use super::limits::{MAX_FILE_BYTES, MAX_SECTIONS};

type Header = FileHeader64<LittleEndian>;

/// Largest expansion of a compressed section. Deflate cannot exceed 1032, and debug information reaches about 10; without the limit a file
/// of some kilobytes could claim all of [`MAX_FILE_BYTES`].
const MAX_EXPANSION: u64 = 1032;
const MAX_NOTE_BYTES: u64 = 64 * 1024;

/// An open file with its section table.
pub struct Elf {
    /// Its path.
    pub path: PathBuf,
    /// Its build-id; empty if it has none.
    pub build_id: Vec<u8>,
    file: File,
    file_bytes: u64,
    sections: HashMap<Vec<u8>, Section>,
    /// The rest of [`MAX_FILE_BYTES`].
    allowance_bytes: AtomicU64,
}

struct Section {
    offset: u64,
    bytes: u64,
    format: CompressionFormat,
    uncompressed_bytes: u64,
}

/// A reference from a file to the file with its debug information.
pub struct DebugLink {
    /// A bare file name for `.gnu_debuglink`, a path for `.gnu_debugaltlink`.
    pub file: OsString,
    /// CRC-32 of that file, or its build-id.
    pub check: Vec<u8>,
}

impl Elf {
    /// Opens a file and reads its headers and build-id.
    pub fn open(path: &Path) -> Result<Self, ElfError> {
        // A log or a debug link may name a pipe, and opening one blocks forever.
        if !fs::metadata(path)?.is_file() {
            return Err(ElfError::NotAFile);
        }
        let file = File::open(path)?;
        let mut elf = Self {
            path: path.to_owned(),
            build_id: Vec::new(),
            file_bytes: file.metadata()?.len(),
            file,
            sections: HashMap::new(),
            allowance_bytes: AtomicU64::new(MAX_FILE_BYTES),
        };
        elf.read_headers()?;
        Ok(elf)
    }

    fn read_headers(&mut self) -> Result<(), ElfError> {
        let data = &ReadCache::new(&self.file);
        let header = Header::parse(data)?;
        let endian = header.endian()?;
        if header.shnum(endian, data)? > MAX_SECTIONS || header.phnum(endian, data)? > MAX_SECTIONS
        {
            return Err(ElfError::TooManySections);
        }
        let table = header.sections(endian, data)?;
        let mut sections = HashMap::new();
        let mut notes = Vec::new();
        for section in table.iter() {
            let Some((offset, bytes)) = section.file_range(endian) else {
                continue; // in memory only, or moved to the separate debug file
            };
            let mut found = Section {
                offset,
                bytes,
                format: CompressionFormat::None,
                uncompressed_bytes: bytes,
            };
            if let Some((compression, offset, bytes)) = section.compression(endian, data)? {
                found = Section {
                    offset,
                    bytes,
                    format: format(compression.ch_type(endian).0),
                    uncompressed_bytes: compression.ch_size(endian),
                };
            }
            if section.sh_type(endian) == SHT_NOTE {
                notes.push((section.sh_addralign(endian), offset, bytes));
            }
            let name = table.section_name(endian, section)?.to_vec();
            sections.entry(name).or_insert(found);
        }
        if sections.is_empty() {
            for segment in header.program_headers(endian, data)? {
                if segment.p_type(endian) == PT_NOTE {
                    let (offset, bytes) = segment.file_range(endian);
                    notes.push((segment.p_align(endian), offset, bytes));
                }
            }
        }
        self.build_id = notes
            .into_iter()
            .find_map(|(align, offset, bytes)| {
                let notes = self.read(offset, bytes.min(MAX_NOTE_BYTES)).ok()?;
                build_id_note(align, &notes)
            })
            .unwrap_or_default();
        self.sections = sections;
        Ok(())
    }

    /// Whether the file has a non-empty section of that name.
    pub fn has(&self, name: &str) -> bool {
        self.sections
            .get(name.as_bytes())
            .is_some_and(|section| section.bytes > 0)
    }

    /// Bytes that [`Elf::section`] returns for these sections, by their headers.
    pub fn bytes_of(&self, names: impl Iterator<Item = &'static str>) -> u64 {
        let found = names.filter_map(|name| self.sections.get(name.as_bytes()));
        found.fold(0, |sum: u64, section| {
            sum.saturating_add(section.uncompressed_bytes.max(section.bytes))
        })
    }

    /// A section's uncompressed bytes; empty if there is no such section.
    pub fn section(&self, name: &str) -> Result<Arc<[u8]>, ElfError> {
        let Some(section) = self.sections.get(name.as_bytes()) else {
            return Ok(Arc::default());
        };
        let wanted = section.uncompressed_bytes.max(section.bytes);
        if wanted > section.bytes.saturating_mul(MAX_EXPANSION) {
            return Err(ElfError::Implausible {
                section: name.to_owned(),
                bytes: wanted,
            });
        }
        let allowance = &self.allowance_bytes;
        let take = |left: u64| left.checked_sub(wanted);
        if allowance
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)
            .is_err()
        {
            return Err(ElfError::TooLarge {
                section: name.to_owned(),
                bytes: wanted,
            });
        }
        self.check_range(section.offset, section.bytes)?;
        // Reserve once in a way that can fail; the allocations below cannot.
        if Vec::<u8>::new().try_reserve_exact(wanted as usize).is_err() {
            return Err(ElfError::NoMemory {
                section: name.to_owned(),
                bytes: wanted,
            });
        }
        let data = self.read(section.offset, section.bytes)?;
        if section.format == CompressionFormat::None {
            return Ok(data);
        }
        let compressed = CompressedData {
            format: section.format,
            data: &data,
            uncompressed_size: section.uncompressed_bytes,
        };
        Ok(compressed.decompress()?.into())
    }

    /// `.gnu_debuglink`; `None` if absent or damaged.
    pub fn debug_link(&self) -> Option<DebugLink> {
        let link = self.section(".gnu_debuglink").ok()?;
        let name_bytes = link.iter().position(|byte| *byte == 0)?;
        let crc_at = (name_bytes + 1).next_multiple_of(4);
        Some(DebugLink {
            file: OsString::from_vec(link[..name_bytes].to_vec()),
            check: link.get(crc_at..crc_at + 4)?.to_vec(),
        })
    }

    /// `.gnu_debugaltlink`, which names what `dwz` shares between debug files; `None` if absent or damaged.
    pub fn alternative_link(&self) -> Option<DebugLink> {
        let link = self.section(".gnu_debugaltlink").ok()?;
        let name_bytes = link.iter().position(|byte| *byte == 0)?;
        Some(DebugLink {
            file: OsString::from_vec(link[..name_bytes].to_vec()),
            check: link[name_bytes + 1..].to_vec(),
        })
    }

    /// CRC-32 of the whole file, as `.gnu_debuglink` stores it.
    pub fn crc(&self) -> Result<Vec<u8>, ElfError> {
        // A sparse file costs nothing to create, and hours to read.
        if self.file_bytes > MAX_FILE_BYTES {
            return Err(ElfError::TooLong(self.file_bytes));
        }
        let mut hasher = crc32fast::Hasher::new();
        let mut buffer = vec![0; 1 << 20];
        let mut offset = 0;
        // Stop at that length, even if the file grows meanwhile.
        while offset < self.file_bytes {
            let count = self.file.read_at(&mut buffer, offset)?;
            if count == 0 {
                break;
            }
            hasher.update(&buffer[..count]);
            offset += count as u64;
        }
        Ok(hasher.finalize().to_le_bytes().to_vec())
    }

    fn check_range(&self, offset: u64, bytes: u64) -> Result<(), ElfError> {
        match offset.checked_add(bytes) {
            Some(end) if end <= self.file_bytes => Ok(()),
            _ => Err(ElfError::Cut),
        }
    }

    fn read(&self, offset: u64, bytes: u64) -> Result<Arc<[u8]>, ElfError> {
        self.check_range(offset, bytes)?;
        // Read into the final allocation: going through a `Vec` would copy everything again.
        let mut data: Arc<[u8]> = iter::repeat_n(0, bytes as usize).collect();
        let buffer = Arc::get_mut(&mut data).expect("no other reference exists yet");
        self.file.read_exact_at(buffer, offset)?;
        Ok(data)
    }
}

/// A file's build-id; empty if it has none.
#[cfg(test)]
pub fn build_id(path: &Path) -> Result<Vec<u8>, ElfError> {
    Ok(Elf::open(path)?.build_id)
}

fn format(kind: u32) -> CompressionFormat {
    match kind {
        1 => CompressionFormat::Zlib,
        2 => CompressionFormat::Zstandard,
        _ => CompressionFormat::Unknown,
    }
}

fn build_id_note(align: u64, notes: &[u8]) -> Option<Vec<u8>> {
    let mut notes = NoteIterator::<Header>::new(LittleEndian, align, notes).ok()?;
    while let Ok(Some(note)) = notes.next() {
        if note.name() == ELF_NOTE_GNU && note.n_type(LittleEndian) == NT_GNU_BUILD_ID {
            return Some(note.desc().to_vec());
        }
    }
    None
}
