//! Writes a document in sections at once: most of a report are the stacks of its sites, findings and leaks, which are alike in size.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, Scope};

use serde::Serialize;

use super::indented::Indented;
use super::{Document, Parts};
use crate::model::Report;

/// Members from a name on, up to another: see [`SECTIONS`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Section {
    from: Option<&'static str>,
    to: Option<&'static str>,
}

/// Their members are in alphabetical order, as those of a document.
const SECTIONS: [Section; 3] = [
    Section {
        from: None,
        to: Some("findings"),
    },
    Section {
        from: Some("findings"),
        to: Some("leaks"),
    },
    Section {
        from: Some("leaks"),
        to: None,
    },
];

/// Sites, findings and leaks of one process from which on the sections have threads. Reports of many processes are written by one: what waits for
/// the sections before it would make each process cost more memory than the report shows of it.
const MANY: usize = 256;

/// Bytes handed over together, and how often before a thread waits.
const CHUNK: usize = 64 << 10;
const CHUNKS: usize = 128;

impl Section {
    /// All members.
    pub const WHOLE: Self = Self {
        from: None,
        to: None,
    };

    /// Whether a member belongs to it.
    pub fn has(&self, name: &str) -> bool {
        self.from.is_none_or(|from| from <= name) && self.to.is_none_or(|to| name < to)
    }

    /// Whether it has the last members.
    pub fn is_last(&self) -> bool {
        self.to.is_none()
    }
}

/// Writes the document, indented, with a final newline.
///
/// # Errors
/// If writing to `to` fails.
pub fn write(report: &Report, parts: Parts, mut to: impl Write) -> io::Result<()> {
    let all = report.findings.len() + report.leaks.sites.len() + report.allocations.sites.len();
    let of = |section| Document {
        report,
        parts,
        section,
    };
    let has_threads = all >= MANY && parts.only.is_none() && report.processes.len() == 1;
    match has_threads {
        true => write_sections(SECTIONS.map(of), &mut to)?,
        false => write_section(of(Section::WHOLE), &mut to)?,
    }
    to.write_all(b"\n")
}

fn write_section(document: Document, to: impl Write) -> io::Result<()> {
    let Section { from, to: until } = document.section;
    let layout = Indented::section(from.is_some(), until.is_some());
    let mut to = serde_json::Serializer::with_formatter(to, layout);
    Ok(document.serialize(&mut to)?)
}

/// Writes the first section while threads write the others into memory.
fn write_sections(documents: [Document; 3], to: &mut impl Write) -> io::Result<()> {
    let [first, later @ ..] = documents;
    thread::scope(|scope| {
        // Not lazily: they begin now. Once they are dropped, threads that still write end.
        let later = later.map(|document| (document, write_aside(document, scope)));
        write_section(first, &mut *to)?;
        for (document, chunks) in later {
            match chunks {
                Some(chunks) => chunks.iter().try_for_each(|chunk| to.write_all(&chunk))?,
                None => write_section(document, &mut *to)?,
            }
        }
        Ok(())
    })
}

/// The chunks of a section that another thread writes; `None` if the system cannot start one.
fn write_aside<'scope, 'env: 'scope>(
    document: Document<'env>,
    scope: &'scope Scope<'scope, 'env>,
) -> Option<Receiver<Vec<u8>>> {
    let (give, take) = sync_channel(CHUNKS);
    let write = move || {
        let mut chunks = Chunks {
            give,
            chunk: Vec::with_capacity(CHUNK),
        };
        // Fails if nobody wants the rest.
        let _ = write_section(document, &mut chunks).and_then(|()| chunks.flush());
    };
    let thread = thread::Builder::new().spawn_scoped(scope, write);
    thread.is_ok().then_some(take)
}

/// Hands over what is written.
struct Chunks {
    give: SyncSender<Vec<u8>>,
    chunk: Vec<u8>,
}

impl Write for Chunks {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    #[inline]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.chunk.len() + bytes.len() > CHUNK {
            self.flush()?;
        }
        self.chunk.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        let chunk = std::mem::replace(&mut self.chunk, Vec::with_capacity(CHUNK));
        let sent = self.give.send(chunk);
        sent.map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn text(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> String {
        let mut text = Vec::new();
        write(&mut text).expect("a vector has room");
        String::from_utf8(text).expect("JSON is UTF-8")
    }

    #[test]
    fn sections_of_a_document_are_the_document() {
        let report = Report::default();
        let verdict = json!({"passed": true});
        for more in [None, Some(("verdict", &verdict))] {
            let parts = Parts { only: None, more };
            let of = |section| Document {
                report: &report,
                parts,
                section,
            };
            let whole = text(|to| write_section(of(Section::WHOLE), to));
            let sections = text(|to| write_sections(SECTIONS.map(of), to));
            assert_eq!(sections, whole);
            let expected = serde_json::to_string_pretty(&of(Section::WHOLE));
            assert_eq!(whole, expected.expect("models have string keys"));
        }
    }

    #[test]
    fn a_writer_that_fails_ends_the_other_threads() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::StorageFull.into())
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let report = Report::default();
        let of = |section| Document {
            report: &report,
            parts: Parts::default(),
            section,
        };
        let written = write_sections(SECTIONS.map(of), &mut Full);
        assert_eq!(written.unwrap_err().kind(), io::ErrorKind::StorageFull);
    }

    #[test]
    fn each_name_belongs_to_one_section() {
        for name in ["allocations", "findings", "generator", "leaks", "transfers"] {
            let those = SECTIONS.iter().filter(|section| section.has(name));
            assert_eq!(those.count(), 1, "{name}");
        }
    }
}
