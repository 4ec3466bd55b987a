//! The seek table at a packed log's end: where each frame is.
//!
//! Not `zeekstd` 0.6: it decodes through `&mut self`, so the threads of a replay could not share one reader; it reserves memory for as many
//! frames as the footer claims, up to 2^27, before it looks at the file; and it is BSD-2-Clause, which `deny.toml` does not allow.

use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use anyhow::{Context, bail};

use super::MAX_FRAME_BYTES;

/// Magic of a skippable frame.
const SKIPPABLE_MAGIC: u32 = 0x184d_2a5e;
const SEEKABLE_MAGIC: u32 = 0x8f92_eab1;
/// Size of the footer: count, descriptor, magic.
const FOOTER_BYTES: u64 = 9;
/// Descriptor bit: each entry ends with a checksum of four bytes.
const HAS_CHECKSUMS: u8 = 0x80;
/// Descriptor bits that must be zero.
const RESERVED: u8 = 0x7c;

/// Largest expansion that a table may claim. Logs compress to a third or a tenth, zeros to a thirty-thousandth: a file of some megabytes
/// could claim terabytes of them, all of which would be unpacked.
const MAX_EXPANSION: u64 = 2000;
/// Unpacked bytes that any file may claim.
const ALWAYS_ALLOWED_BYTES: u64 = 1 << 30;

/// Position of a frame. Its lengths fit into 32 bits.
pub struct Frame {
    pub number: usize,
    /// Range in the file.
    pub packed: Range<u64>,
    /// Range in the log.
    pub unpacked: Range<u64>,
}

/// Ends of the frames, in the file and in the log.
#[derive(Default)]
pub struct SeekTable {
    ends: Vec<(u64, u64)>,
}

impl SeekTable {
    /// Appends a frame.
    pub fn add(&mut self, packed: usize, unpacked: usize) {
        let (file, log) = self.end();
        self.ends
            .push((file + packed as u64, log + unpacked as u64));
    }

    /// Total size of the frames, in the file and in the log.
    pub fn end(&self) -> (u64, u64) {
        self.ends.last().copied().unwrap_or_default()
    }

    /// The frame that contains offset `offset` of the log; `None` past the end.
    pub fn frame(&self, offset: u64) -> Option<Frame> {
        let number = self.ends.partition_point(|(_, log)| *log <= offset);
        let &(file, log) = self.ends.get(number)?;
        let before = number.checked_sub(1).map(|before| self.ends[before]);
        let (file_before, log_before) = before.unwrap_or_default();
        Some(Frame {
            number,
            packed: file_before..file,
            unpacked: log_before..log,
        })
    }

    /// The bytes written after the frames.
    pub fn encode(&self) -> Vec<u8> {
        let length = self.ends.len() as u64 * 8 + FOOTER_BYTES;
        let mut bytes = Vec::new();
        let mut put = |number: u64| bytes.extend_from_slice(&(number as u32).to_le_bytes());
        put(SKIPPABLE_MAGIC.into());
        put(length);
        let mut before = (0, 0);
        for &(file, log) in &self.ends {
            put(file - before.0);
            put(log - before.1);
            before = (file, log);
        }
        put(self.ends.len() as u64);
        bytes.push(0);
        bytes.extend_from_slice(&SEEKABLE_MAGIC.to_le_bytes());
        bytes
    }

    /// Reads the table of a file of `length` bytes.
    ///
    /// # Errors
    /// If there is none, or it contradicts itself or the file.
    pub fn read(file: &File, length: u64) -> anyhow::Result<Self> {
        const MISSING: &str = "it ends without Zstandard's seek table: it is cut short, or packed by another tool; `zstd -d` may give the log back";
        let mut footer = [0; FOOTER_BYTES as usize];
        let start = length.checked_sub(FOOTER_BYTES).context(MISSING)?;
        file.read_exact_at(&mut footer, start)?;
        let (frames, descriptor) = (u64::from(u32_at(&footer, 0)), footer[4]);
        if u32_at(&footer, 5) != SEEKABLE_MAGIC {
            bail!(MISSING);
        }
        if descriptor & RESERVED != 0 {
            bail!("its seek table is of a later version (descriptor {descriptor:#x})");
        }
        let entry = if descriptor & HAS_CHECKSUMS == 0 {
            8
        } else {
            12
        };
        let begin = start.checked_sub(frames * entry + 8);
        let begin = begin.with_context(|| {
            format!("its seek table claims {frames} frames, more than the file has room for")
        })?;
        // Bounded by the length of the file.
        let mut bytes = vec![0; (start - begin) as usize];
        file.read_exact_at(&mut bytes, begin)?;
        let claimed = u64::from(u32_at(&bytes, 4));
        if u32_at(&bytes, 0) != SKIPPABLE_MAGIC || claimed != frames * entry + FOOTER_BYTES {
            bail!("its seek table has a damaged header");
        }
        let mut table = Self::default();
        for entry in bytes[8..].chunks_exact(entry as usize) {
            let (packed, unpacked) = (u32_at(entry, 0), u32_at(entry, 4));
            if unpacked > MAX_FRAME_BYTES || unpacked == 0 || packed == 0 {
                bail!(
                    "its seek table claims a frame of {unpacked} bytes in {packed}; up to {MAX_FRAME_BYTES} are read"
                );
            }
            table.add(packed as usize, unpacked as usize);
        }
        let (end, unpacked) = table.end();
        if unpacked > ALWAYS_ALLOWED_BYTES.max(length.saturating_mul(MAX_EXPANSION)) {
            bail!(
                "its seek table claims {unpacked} bytes in a file of {length}: beyond {ALWAYS_ALLOWED_BYTES}, up to {MAX_EXPANSION} for each are read"
            );
        }
        if end != begin {
            bail!("its frames end at byte {end}, and its seek table begins at byte {begin}");
        }
        Ok(table)
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let mut four = [0; 4];
    four.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(four)
}
