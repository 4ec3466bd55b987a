//! The report as JSON: the models and their schema version. The schema is `schema/report.schema.json`.
//!
//! Serialized as a stream: for hundreds of processes, a copy as JSON values would take several times the memory of the report.

use std::io::{self, Write};

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::Value;
use serde_json::ser::Formatter;

use crate::SCHEMA_VERSION;
use crate::model::{Process, Report};

/// The contents of a document.
#[derive(Clone, Copy, Default)]
pub struct Parts<'a> {
    /// Includes only these members of the report, plus those of every document; `None` for all.
    pub only: Option<&'a [&'a str]>,
    /// A member that is not part of the report: the outcome of a check, sums by a property.
    pub more: Option<(&'static str, &'a Value)>,
}

struct Document<'a> {
    report: &'a Report,
    parts: Parts<'a>,
}

/// A process, with its name if its number is not unique.
#[derive(Serialize)]
struct Named<'a> {
    #[serde(flatten)]
    process: &'a Process,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
}

fn named(processes: &[Process]) -> Vec<Named<'_>> {
    let all = processes.iter().zip(Process::names(processes));
    let all = all.map(|(process, name)| Named {
        process,
        name: Process::is_apart(&name).then_some(name),
    });
    all.collect()
}

impl Serialize for Document<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        // By name, so that a new member is not forgotten here; in alphabetical order.
        let Report {
            summary,
            processes,
            ranks,
            findings,
            leaks,
            fragmentation,
            autopsies,
            allocations,
            transfers,
            timeline,
            annotations,
            metrics,
            suppressed,
            own,
        } = self.report;
        let is_wanted = |name: &str| self.parts.only.is_none_or(|only| only.contains(&name));
        let mut map = to.serialize_map(None)?;
        macro_rules! members {
            ($($name:literal: $value:expr),* $(,)?) => {
                $(if is_wanted($name) {
                    map.serialize_entry($name, $value)?;
                })*
            };
        }
        members! {
            "allocations": allocations,
            "annotations": annotations,
            "autopsies": autopsies,
            "findings": findings,
            "fragmentation": fragmentation,
        }
        map.serialize_entry("generator", concat!("aclsan ", env!("CARGO_PKG_VERSION")))?;
        members! {
            "leaks": leaks,
            "metrics": metrics,
            "processes": &named(processes),
            "ranks": ranks,
        }
        map.serialize_entry("schema_version", &SCHEMA_VERSION)?;
        members!("self": own);
        map.serialize_entry("summary", summary)?;
        members! {
            "suppressed": suppressed,
            "timeline": timeline,
            "transfers": transfers,
        }
        if let Some((name, value)) = self.parts.more {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// The layout of [`PrettyFormatter`](serde_json::ser::PrettyFormatter), which writes each level of an indentation on its own: a third of the
/// instructions of a document of many stacks.
#[derive(Default)]
struct Indented {
    depth: usize,
    has_values: bool,
}

/// A comma, a new line, and two spaces for each level.
const LINE: &[u8] = b",\n                                                                ";

impl Indented {
    fn line(&self, to: &mut (impl Write + ?Sized), is_first: bool) -> io::Result<()> {
        let spaces = 2 * self.depth;
        let in_one = spaces.min(LINE.len() - 2);
        to.write_all(&LINE[usize::from(is_first)..2 + in_one])?;
        (in_one..spaces).try_for_each(|_| to.write_all(b" "))
    }

    fn begin(&mut self, to: &mut (impl Write + ?Sized), bracket: &[u8]) -> io::Result<()> {
        self.depth += 1;
        self.has_values = false;
        to.write_all(bracket)
    }

    fn end(&mut self, to: &mut (impl Write + ?Sized), bracket: &[u8]) -> io::Result<()> {
        self.depth -= 1;
        if self.has_values {
            self.line(to, true)?;
        }
        to.write_all(bracket)
    }
}

impl Formatter for Indented {
    fn begin_array<W: Write + ?Sized>(&mut self, to: &mut W) -> io::Result<()> {
        self.begin(to, b"[")
    }

    fn end_array<W: Write + ?Sized>(&mut self, to: &mut W) -> io::Result<()> {
        self.end(to, b"]")
    }

    fn begin_array_value<W: Write + ?Sized>(
        &mut self,
        to: &mut W,
        is_first: bool,
    ) -> io::Result<()> {
        self.line(to, is_first)
    }

    fn end_array_value<W: Write + ?Sized>(&mut self, _: &mut W) -> io::Result<()> {
        self.has_values = true;
        Ok(())
    }

    fn begin_object<W: Write + ?Sized>(&mut self, to: &mut W) -> io::Result<()> {
        self.begin(to, b"{")
    }

    fn end_object<W: Write + ?Sized>(&mut self, to: &mut W) -> io::Result<()> {
        self.end(to, b"}")
    }

    fn begin_object_key<W: Write + ?Sized>(
        &mut self,
        to: &mut W,
        is_first: bool,
    ) -> io::Result<()> {
        self.line(to, is_first)
    }

    fn begin_object_value<W: Write + ?Sized>(&mut self, to: &mut W) -> io::Result<()> {
        to.write_all(b": ")
    }

    fn end_object_value<W: Write + ?Sized>(&mut self, _: &mut W) -> io::Result<()> {
        self.has_values = true;
        Ok(())
    }
}

/// Writes the document, indented, with a final newline.
///
/// # Errors
/// If writing to `to` fails.
pub fn write(report: &Report, parts: Parts, mut to: impl Write) -> io::Result<()> {
    let document = Document { report, parts };
    document.serialize(&mut serde_json::Serializer::with_formatter(
        &mut to,
        Indented::default(),
    ))?;
    to.write_all(b"\n")
}

/// The whole report.
///
/// # Panics
/// Never: the models have only string keys and finite numbers.
pub fn document(report: &Report) -> Value {
    let parts = Parts::default();
    serde_json::to_value(Document { report, parts }).expect("models have string keys")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn documents_are_laid_out_as_by_serde_json_itself() {
        let mut deep = json!([{}, [], {"a": [1, "two", null], "b": {"c": {}}}]);
        for level in 0..50 {
            let mut out = Vec::new();
            let mut to = serde_json::Serializer::with_formatter(&mut out, Indented::default());
            deep.serialize(&mut to).expect("a vector has room");
            let expected = serde_json::to_vec_pretty(&deep).expect("a vector has room");
            assert_eq!(out, expected, "{level} levels more");
            deep = match level % 2 {
                0 => json!([deep, level]),
                _ => json!({"within": deep}),
            };
        }
    }
}
