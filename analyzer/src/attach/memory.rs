//! The memory of another process.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Most bytes to read at once: sizes are the process's, which may have overwritten them.
const MOST: usize = 64 << 20;

/// Its memory, by address.
pub struct Memory(File);

impl Memory {
    /// Opens the memory of a process, which is at `path`.
    ///
    /// # Errors
    /// If this user may not trace it.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().read(true).write(true).open(path)?;
        Ok(Self(file))
    }

    /// Bytes at an address; `None` if they are not all there, or too many.
    pub fn bytes(&self, address: u64, count: usize) -> Option<Vec<u8>> {
        if count > MOST {
            return None;
        }
        let mut bytes = vec![0; count];
        self.0.read_exact_at(&mut bytes, address).ok()?;
        Some(bytes)
    }

    /// A word at an address.
    pub fn word(&self, address: u64) -> Option<u64> {
        let mut bytes = [0; 8];
        self.0.read_exact_at(&mut bytes, address).ok()?;
        Some(u64::from_le_bytes(bytes))
    }

    /// A half word at an address.
    pub fn half(&self, address: u64) -> Option<u32> {
        let mut bytes = [0; 4];
        self.0.read_exact_at(&mut bytes, address).ok()?;
        Some(u32::from_le_bytes(bytes))
    }

    /// The terminated text at an address, up to `most` bytes.
    pub fn text(&self, address: u64, most: usize) -> Vec<u8> {
        let mut text = Vec::new();
        while text.len() < most {
            let mut part = [0; 64];
            // Aligned parts lie in one page each, and the next page may be missing.
            let at = address.wrapping_add(text.len() as u64);
            let room = 64 - (at % 64) as usize;
            if self.0.read_exact_at(&mut part[..room], at).is_err() {
                break;
            }
            let end = part[..room].iter().position(|&byte| byte == 0);
            text.extend(&part[..end.unwrap_or(room)]);
            if end.is_some() {
                break;
            }
        }
        text.truncate(most);
        text
    }

    /// Writes bytes.
    ///
    /// # Errors
    /// The system's error.
    pub fn write(&self, address: u64, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all_at(bytes, address)
    }
}
