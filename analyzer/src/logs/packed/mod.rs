//! Packed logs: an event log in Zstandard's seekable format, a third to a tenth of its size, which every command reads directly.
//!
//! ```text
//! file  = frame*, table          a frame holds 1 MiB of the log, the last what is left
//! table = 0x184d2a5e:u32 length:u32 (packed:u32 unpacked:u32)* frames:u32 0:u8 0x8f92eab1:u32       little endian
//! ```
//!
//! Source: `contrib/seekable_format/zstd_seekable_compression_format.md` of Zstandard, version 0.1.0. The table is a skippable frame, so
//! `zstd -d` restores the log, and files written by other tools in that format are read if their frames have at most [`MAX_FRAME_BYTES`]
//! bytes.

mod frames;
mod seek_table;

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use aclsan_log::follow::Follower;
use aclsan_log::layout::{self, HEADER_USED, Header};
use aclsan_log::{Log, LogError};
use anyhow::{Context, bail};

use crate::io::ordered_pool;
use crate::logs::{in_memory, sparse};
pub use frames::PackedReader;
use seek_table::SeekTable;

/// Bytes of the log per frame: 16 segments.
const FRAME_BYTES: usize = 1 << 20;
/// Largest unpacked frame that is read.
const MAX_FRAME_BYTES: u32 = 16 << 20;
/// Compression level. On two recorded runs levels up to 15 were no better, and 19 takes twenty times as long for a sixth less.
const COMPRESSION_LEVEL: i32 = 9;
/// Extension that is added to a log's name.
pub const EXTENSION: &str = "zst";
/// Magic number of Zstandard.
const MAGIC: [u8; 4] = 0xfd2f_b528_u32.to_le_bytes();

/// The name of a log's packed form.
pub fn name(log: &Path) -> PathBuf {
    let mut name = log.as_os_str().to_owned();
    name.push(".");
    name.push(EXTENSION);
    name.into()
}

/// The name of the log whose packed form has this name.
pub fn unpacked(packed: &Path) -> PathBuf {
    match packed.extension() {
        Some(extension) if extension == EXTENSION => packed.with_extension(""),
        _ => packed.to_owned(),
    }
}

/// Opens a log, packed or not.
///
/// # Errors
/// If nothing of it can be used.
pub fn open(path: &Path) -> anyhow::Result<Log> {
    if !is_packed(path) {
        return Log::open_sparse(path, sparse::next_data).map_err(|error| explained(error, path));
    }
    let frames = PackedReader::open(path)?;
    let length = frames.length();
    Log::from_source(path, Box::new(frames), length).map_err(|error| explained(error, path))
}

/// Opens a log to be followed, packed or not.
///
/// # Errors
/// As [`open`].
pub fn follow(path: &Path) -> anyhow::Result<Follower> {
    if !is_packed(path) {
        return Follower::open(path, sparse::next_data).map_err(|error| explained(error, path));
    }
    let frames = PackedReader::open(path)?;
    let length = frames.length();
    Follower::from_source(path, Box::new(frames), length).map_err(|error| explained(error, path))
}

/// The message already includes its cause.
fn explained(error: LogError, path: &Path) -> anyhow::Error {
    let shown = in_memory::shown(path).display().to_string();
    anyhow::Error::msg(
        error
            .to_string()
            .replace(&path.display().to_string(), &shown),
    )
}

/// Whether a file begins like Zstandard's. Unreadable files are left to the opener to report.
fn is_packed(path: &Path) -> bool {
    let mut head = [0; MAGIC.len()];
    // Reading here would take bytes out of a pipe.
    path.is_file()
        && File::open(path).is_ok_and(|mut file| file.read_exact(&mut head).is_ok())
        && head == MAGIC
}

/// Whether a file is a log, packed or not: nothing should overwrite it.
pub fn is_log(path: &Path) -> bool {
    let mut head = layout::MAGIC.map(|_| 0);
    let mut begins_so = || {
        let mut file = File::open(path)?;
        file.read_exact(&mut head)?;
        io::Result::Ok(head == layout::MAGIC)
    };
    match is_packed(path) {
        true => PackedReader::open(path).is_ok(),
        false => path.is_file() && begins_so().unwrap_or(false),
    }
}

/// A log's header, packed or not and by whatever tool, without reading further. `None` if it has none.
pub fn header(path: &Path) -> Option<Header> {
    let mut head = [0; HEADER_USED];
    let mut file = path.is_file().then(|| File::open(path).ok())??;
    match is_packed(path) {
        true => zstd::Decoder::new(file).ok()?.read_exact(&mut head).ok()?,
        false => file.read_exact(&mut head).ok()?,
    }
    Header::decode(&head).filter(|_| head.starts_with(&layout::MAGIC))
}

/// Packs `length` bytes of `log`.
///
/// # Errors
/// If the log cannot be read or `to` cannot be written.
pub fn pack(log: &File, length: u64, to: &mut dyn Write) -> io::Result<()> {
    let mut table = SeekTable::default();
    let count = length.div_ceil(FRAME_BYTES as u64);
    let mut outcome = Ok(());
    let frame = |at: usize| {
        let offset = at as u64 * FRAME_BYTES as u64;
        let mut bytes = vec![
            0;
            usize::try_from(length - offset)
                .map_or(FRAME_BYTES, |rest| rest.min(FRAME_BYTES))
        ];
        std::os::unix::fs::FileExt::read_exact_at(log, &mut bytes, offset)?;
        let mut packer = zstd::bulk::Compressor::new(COMPRESSION_LEVEL)?;
        packer.include_checksum(true)?;
        Ok((packer.compress(&bytes)?, bytes.len()))
    };
    ordered_pool::map_ordered(
        count as usize,
        frame,
        |_, frame: &io::Result<(Vec<u8>, usize)>| {
            if outcome.is_ok() {
                outcome = match frame {
                    Ok((packed, unpacked)) => {
                        table.add(packed.len(), *unpacked);
                        to.write_all(packed)
                    }
                    Err(error) => Err(io::Error::new(error.kind(), error.to_string())),
                };
            }
        },
    );
    outcome?;
    to.write_all(&table.encode())
}

/// Checks that a packed file holds exactly the bytes of `log`.
///
/// # Errors
/// If one of them cannot be read, or where they differ.
pub fn compare(packed: &Path, log: &File, length: u64) -> anyhow::Result<()> {
    use aclsan_log::reader::ReadAt;
    use std::os::unix::fs::FileExt;
    let frames = PackedReader::open(packed)?;
    if frames.length() != length {
        bail!("it has {} bytes, the log has {length}", frames.length());
    }
    let (mut one, mut other) = (vec![0; FRAME_BYTES], vec![0; FRAME_BYTES]);
    for offset in (0..length).step_by(FRAME_BYTES) {
        let bytes =
            usize::try_from(length - offset).map_or(FRAME_BYTES, |rest| rest.min(FRAME_BYTES));
        log.read_exact_at(&mut one[..bytes], offset)
            .context("the log can't be read")?;
        let got = frames.read_at(&mut other[..bytes], offset)?;
        if got != bytes || one[..bytes] != other[..bytes] {
            bail!("it differs from the log after byte {offset}");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
