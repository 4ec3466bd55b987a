//! Labels of series.

use std::collections::HashMap;

use aclsan_render::units::printable;

use crate::watch::state::{Process, Site};

/// Bytes of a label's value.
pub const LABEL: usize = 120;
/// The labels of all other processes together.
pub const REST: &str = "pid=\"other\",program=\"other\"";

/// The labels of a site.
pub fn place(site: &Site) -> String {
    format!(
        "site=\"{}\",place=\"{}\"",
        site.key.site,
        bounded(&site.label)
    )
}

/// Labels that no two processes share.
pub fn labels(processes: &[&Process]) -> Vec<String> {
    let mut same: HashMap<(u32, &str), usize> = HashMap::new();
    for process in processes {
        *same.entry((process.pid, &process.program)).or_default() += 1;
    }
    let label = |process: &&Process| {
        let (pid, program) = (process.pid, bounded(&process.program));
        let labels = format!("pid=\"{pid}\",program=\"{program}\"");
        match same.get(&(process.pid, process.program.as_str())) {
            Some(2..) => format!("{labels},log=\"{}\"", escaped(&process.log)),
            _ => labels,
        }
    };
    processes.iter().map(label).collect()
}

/// Escapes a label's value, and bounds its length.
fn bounded(text: &str) -> String {
    let mut label = escaped(text);
    while label.len() > LABEL {
        label.pop();
    }
    let odd = label.len() - label.trim_end_matches('\\').len();
    label.truncate(label.len() - odd % 2);
    label
}

/// Escapes a label's value.
pub fn escaped(text: &str) -> String {
    printable(text).replace('\\', "\\\\").replace('"', "\\\"")
}
