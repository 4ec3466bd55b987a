//! The report as JSON: the models and their schema version. The schema is `schema/report.schema.json`.
//!
//! Serialized as a stream: for hundreds of processes, a copy as JSON values would take several times the memory of the report.

mod indented;
mod sections;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::Value;

use crate::SCHEMA_VERSION;
use crate::model::{Process, Report};
use sections::Section;
pub use sections::write;

/// The contents of a document.
#[derive(Clone, Copy, Default)]
pub struct Parts<'a> {
    /// Includes only these members of the report, plus those of every document; `None` for all.
    pub only: Option<&'a [&'a str]>,
    /// A member that is not part of the report: the outcome of a check, sums by a property.
    pub more: Option<(&'static str, &'a Value)>,
}

#[derive(Clone, Copy)]
struct Document<'a> {
    report: &'a Report,
    parts: Parts<'a>,
    section: Section,
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
        let is_wanted = |name: &str| {
            let is_asked = self.parts.only.is_none_or(|only| only.contains(&name));
            is_asked && self.section.has(name)
        };
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
        if self.section.has("generator") {
            map.serialize_entry("generator", concat!("aclsan ", env!("CARGO_PKG_VERSION")))?;
        }
        members! {
            "leaks": leaks,
            "metrics": metrics,
            "processes": &named(processes),
            "ranks": ranks,
        }
        if self.section.has("schema_version") {
            map.serialize_entry("schema_version", &SCHEMA_VERSION)?;
        }
        members!("self": own);
        if self.section.has("summary") {
            map.serialize_entry("summary", summary)?;
        }
        members! {
            "suppressed": suppressed,
            "timeline": timeline,
            "transfers": transfers,
        }
        if let Some((name, value)) = self.parts.more
            && self.section.is_last()
        {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// The whole report.
///
/// # Panics
/// Never: the models have only string keys and finite numbers.
pub fn document(report: &Report) -> Value {
    let document = Document {
        report,
        parts: Parts::default(),
        section: Section::WHOLE,
    };
    serde_json::to_value(document).expect("models have string keys")
}
