//! The report as JSON: the models themselves, and which version of them. The schema is `schema/report.schema.json`.

use serde::Serialize;
use serde_json::Value;

use crate::SCHEMA_VERSION;
use crate::model::Report;

#[derive(Serialize)]
struct Document<'a> {
    schema_version: u32,
    generator: &'static str,
    #[serde(flatten)]
    report: &'a Report,
}

/// The whole report.
///
/// # Panics
/// Never: the models have string keys and finite numbers only.
pub fn document(report: &Report) -> Value {
    let document = Document {
        schema_version: SCHEMA_VERSION,
        generator: concat!("aclsan ", env!("CARGO_PKG_VERSION")),
        report,
    };
    serde_json::to_value(document).expect("models have string keys")
}

/// The document with only `parts` of the report's members.
pub fn part(report: &Report, parts: &[&str]) -> Value {
    let mut document = document(report);
    if let Value::Object(members) = &mut document {
        members.retain(|name, _| {
            parts.contains(&name.as_str())
                || ["schema_version", "generator", "summary"].contains(&name.as_str())
        });
    }
    document
}
