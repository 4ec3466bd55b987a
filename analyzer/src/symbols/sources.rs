//! Source files on this machine, each read once.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use aclsan_frames::source::Source;
use aclsan_render::model::SourceLines;

use super::debug_files::under;

/// Most bytes that are kept of all files together; further files show no lines.
const MAX_ALL_BYTES: usize = 64 << 20;

/// Files read so far; `None` for those that cannot be used.
#[derive(Default)]
pub struct Sources {
    files: HashMap<Arc<str>, Option<Source>>,
    bytes: usize,
}

/// Where a line is wanted.
pub struct Place<'a> {
    /// Index of the frame in its stack.
    pub frame: usize,
    /// The file, as the frame names it.
    pub file: &'a Arc<str>,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: Option<u32>,
}

impl Sources {
    /// The lines around `place`, if the file is not newer than `newest`. With a sysroot, files are below it.
    pub fn lines(
        &mut self,
        place: &Place,
        newest: SystemTime,
        sysroot: Option<&Path>,
    ) -> Option<SourceLines> {
        if !self.files.contains_key(place.file) {
            let room = MAX_ALL_BYTES.saturating_sub(self.bytes);
            let path = Path::new(&**place.file);
            let on_sysroot = sysroot.map(|root| under(root, path));
            let source = Source::read(on_sysroot.as_deref().unwrap_or(path), room as u64);
            self.bytes += source.as_ref().map_or(0, Source::bytes);
            self.files.insert(Arc::clone(place.file), source);
        }
        let source = self.files.get(place.file)?.as_ref()?;
        let (first, lines) = source.around(place.line, newest)?;
        Some(SourceLines {
            frame: place.frame,
            file: Arc::clone(place.file),
            line: place.line,
            column: place.column.filter(|column| *column > 0),
            first,
            lines,
        })
    }
}

/// A time of the log's header.
pub fn realtime(ns: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_nanos(ns)
}
