//! msMemScope's event table for MindStudio Insight: the rows of its database and of its CSV file.
//!
//! Insight ignores rows without a device, so page-locked host memory is shown as a kind of its own, on the device of its thread. Insight
//! would drop a second allocation of a live address and a release of an unknown one; the history contains neither.

use std::collections::HashMap;

use serde_json::json;

use crate::model::{Change, ChangeKind, History, Language, Trace};

/// The columns, in order.
pub const COLUMNS: [&str; 12] = [
    "ID",
    "Event",
    "Event Type",
    "Name",
    "Timestamp(ns)",
    "Process Id",
    "Thread Id",
    "Device Id",
    "Ptr",
    "Attr",
    "Call Stack(Python)",
    "Call Stack(C)",
];

/// One event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// From 1.
    pub id: u64,
    /// `MALLOC` or `FREE`.
    pub event: &'static str,
    /// `HAL` or `HOST_PINNED`: Insight accepts these, and a few others that do not apply.
    pub kind: &'static str,
    /// The allocating function.
    pub name: String,
    /// Nanoseconds since 1970.
    pub timestamp_ns: u64,
    /// The process.
    pub pid: u32,
    /// The thread.
    pub tid: u32,
    /// The device.
    pub device: String,
    /// The address, in hexadecimal.
    pub address: String,
    /// Names and values of all other attributes, as texts.
    pub attributes: serde_json::Value,
    /// Python functions of the stack, innermost first.
    pub python: String,
    /// Other functions of the stack, innermost first.
    pub stack: String,
}

/// The rows of a process.
pub fn rows(history: &History) -> Vec<Row> {
    let mut used: HashMap<(bool, i32), u64> = HashMap::new();
    let rows = history.changes.iter().zip(1..).map(|(change, id)| {
        let used = used.entry((change.is_host, change.device)).or_default();
        *used = match change.what {
            ChangeKind::Allocated => used.saturating_add(change.size),
            ChangeKind::Ended | ChangeKind::Dropped => used.saturating_sub(change.size),
        };
        row(history, change, id, *used)
    });
    rows.collect()
}

fn row(history: &History, change: &Change, id: u64, used: u64) -> Row {
    let trace = &history.traces[change.trace];
    let mut attributes = json!({
        "allocation_id": (change.block + 1).to_string(),
        "addr": format!("{:#x}", change.address),
        "size": change.size.to_string(),
        "owner": owner(change, trace),
        "total": used.to_string(),
        "used": used.to_string(),
        "page_type": change.page,
    });
    // Not used by the viewer, but by `aclsan import`.
    if change.what == ChangeKind::Dropped {
        attributes["reset"] = "true".into();
    }
    Row {
        id,
        event: match change.what {
            ChangeKind::Allocated => "MALLOC",
            ChangeKind::Ended | ChangeKind::Dropped => "FREE",
        },
        kind: if change.is_host { "HOST_PINNED" } else { "HAL" },
        name: trace.function.clone(),
        timestamp_ns: history.started_realtime_ns.saturating_add(change.ns).max(1),
        pid: history.pid,
        tid: change.thread,
        device: change.device.max(0).to_string(),
        address: format!("{:#x}", change.address),
        attributes,
        python: stack(trace, Language::Python),
        stack: stack(trace, Language::Native),
    }
}

/// Insight splits it at `@` into a tree: family, module, function.
fn owner(change: &Change, trace: &Trace) -> String {
    let mut frames = trace.frames.iter();
    let caller = frames.find(|frame| !frame.is_interpreter());
    let caller = caller.map(|frame| format!("@{}@{}", frame.module_name(), frame.identity()));
    format!("ACL@{}{}", change.family, caller.unwrap_or_default())
}

fn stack(trace: &Trace, language: Language) -> String {
    let frames = trace.frames.iter();
    let lines = frames
        .filter(|frame| frame.language == language)
        .map(|frame| match (&frame.file, frame.line) {
            (Some(file), Some(line)) => format!("{}() {file}:{line}", frame.name()),
            _ => format!("{}() {}", frame.name(), frame.module),
        });
    lines.collect::<Vec<_>>().join("\n")
}

/// The CSV format of msMemScope itself; its attributes are not JSON there.
pub fn csv(rows: &[Row]) -> String {
    let mut text = COLUMNS.join(",") + "\n";
    for row in rows {
        let attributes = row.attributes.as_object().into_iter().flatten();
        let attributes: Vec<String> = attributes
            .map(|(key, value)| format!("{key}:{}", value.as_str().unwrap_or_default()))
            .collect();
        let fields = [
            row.id.to_string(),
            row.event.to_owned(),
            row.kind.to_owned(),
            quoted(&row.name),
            row.timestamp_ns.to_string(),
            row.pid.to_string(),
            row.tid.to_string(),
            row.device.clone(),
            row.address.clone(),
            quoted(&format!("{{{}}}", attributes.join(","))),
            quoted(&row.python),
            quoted(&row.stack),
        ];
        text.push_str(&fields.join(","));
        text.push('\n');
    }
    text
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::history;

    #[test]
    fn rows_by_hand() {
        let rows = rows(&history());
        let actual: Vec<_> = rows
            .iter()
            .map(|row| (row.id, row.event, row.kind, row.address.as_str()))
            .collect();
        assert_eq!(
            actual,
            [
                (1, "MALLOC", "HAL", "0x1240000000"),
                (2, "MALLOC", "HOST_PINNED", "0x7f000000"),
                (3, "FREE", "HAL", "0x1240000000")
            ]
        );
        assert_eq!(rows[0].attributes["owner"], "ACL@device@train@step");
        assert_eq!(rows[0].attributes["used"], "4096");
        assert_eq!(rows[2].attributes["used"], "0");
        assert!(
            rows[0]
                .attributes
                .as_object()
                .unwrap()
                .values()
                .all(serde_json::Value::is_string)
        );
    }

    #[test]
    fn a_field_with_commas_lines_or_quotes_is_one_field() {
        let mut history = history();
        history.traces[0].function = "a \"b\", c".to_owned();
        let text = csv(&rows(&history));
        assert!(text.contains("\"a \"\"b\"\", c\""), "{text}");
        assert!(text.starts_with("ID,Event,Event Type,Name,Timestamp(ns),"));
    }
}
