//! What suppressions removed, and which of them can be deleted.

use std::io;

use super::writer::TextWriter;
use crate::model::{Report, Suppression};
use crate::units::{bytes, counted};

/// One line per suppression; nothing if there are none.
pub fn write(report: &Report, writer: &mut TextWriter) -> io::Result<()> {
    let suppressed = &report.suppressed;
    if suppressed.lines.is_empty() {
        return Ok(());
    }
    let mut title = format!("Suppressed: {}", counted(suppressed.findings, "finding"));
    if suppressed.bytes > 0 {
        title.push_str(&format!(", {} leaked", bytes(suppressed.bytes)));
    }
    writer.title(&title)?;
    for line in &suppressed.lines {
        writer.line(&format!("  {}", describe(line)))?;
    }
    Ok(())
}

fn describe(line: &Suppression) -> String {
    let what = match (line.findings, line.has_ended) {
        (_, true) => "has expired: renew or remove it".to_owned(),
        (0, false) => "matches nothing any more: it can be removed".to_owned(),
        (findings, false) => counted(findings, "finding"),
    };
    format!("`{}` ({}): {what}", line.text, line.place)
}
