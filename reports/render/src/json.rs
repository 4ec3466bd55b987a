//! The report as JSON: the models themselves, and which version of them. The schema is `schema/report.schema.json`.
//!
//! It is written as it is made: of hundreds of processes, a copy as values would take several times the memory of the report itself.

use std::io::{self, Write};

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::Value;

use crate::SCHEMA_VERSION;
use crate::model::{Process, Report};

/// What a document tells.
#[derive(Clone, Copy, Default)]
pub struct Parts<'a> {
    /// Only these of the report's members, and those that every document has; `None` for all.
    pub only: Option<&'a [&'a str]>,
    /// A member that is none of the report's: the outcome of a check, sums by a property.
    pub more: Option<(&'static str, &'a Value)>,
}

struct Document<'a> {
    report: &'a Report,
    parts: Parts<'a>,
}

/// A process, and its name where its number is that of others.
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
        // By name, so that a new member is not forgotten here; in the order of the alphabet.
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

/// Writes the document, indented, with a line end.
///
/// # Errors
/// When `to` takes no more.
pub fn write(report: &Report, parts: Parts, mut to: impl Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut to, &Document { report, parts })?;
    to.write_all(b"\n")
}

/// The whole report.
///
/// # Panics
/// Never: the models have string keys and finite numbers only.
pub fn document(report: &Report) -> Value {
    let parts = Parts::default();
    serde_json::to_value(Document { report, parts }).expect("models have string keys")
}
