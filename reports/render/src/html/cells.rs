//! Parts that every table is made of: sizes, names, stacks, and small tables themselves.

use super::escape::{escape, shortened};
use super::messages::{message, sentence};
use crate::model::{Frame, Trace};
use crate::units::bytes;

/// Rows of a small table at most.
const ROWS_MOST: usize = 100;
/// Its bytes at most.
const BYTES_MOST: usize = 16 << 10;

/// A section with a table; nothing without rows.
pub fn table(title: &str, head: &[&str], rows: Vec<Vec<String>>) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut html = format!("<section><h3>{}</h3><table><thead><tr>", message(title));
    for key in head {
        html.push_str(&format!("<th scope=\"col\">{}</th>", message(key)));
    }
    html.push_str("</tr></thead><tbody>");
    let mut shown = 0;
    for row in rows.iter().take(ROWS_MOST) {
        let cells: String = row.iter().map(|cell| format!("<td>{cell}</td>")).collect();
        if html.len() + cells.len() > BYTES_MOST {
            break;
        }
        html.push_str(&format!("<tr>{cells}</tr>\n"));
        shown += 1;
    }
    html.push_str("</tbody></table>");
    if rows.len() > shown {
        let more = rows.len() - shown;
        html.push_str(&format!("<p>{more} {}</p>", message("more-rows")));
    }
    html.push_str("</section>\n");
    html
}

/// A size in both languages.
pub fn size(count: u64) -> String {
    sentence(&bytes(count))
}

/// What is known of pointers to leaked blocks.
pub fn class(name: &str) -> String {
    match name {
        "lost" => message("class-lost"),
        "still reachable" => message("class-reachable"),
        "kept for the process" => message("class-cache"),
        _ => message("class-unknown"),
    }
}

/// A process by its name; `pid` is for one that is not in the report.
pub fn named(names: &[String], process: usize, pid: u32) -> String {
    let name = names.get(process);
    name.map_or_else(|| pid.to_string(), |name| escape(&shortened(name)))
}

/// Where a frame is: source line, else module.
pub fn place(frame: &Frame) -> String {
    match (&frame.file, frame.line) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        (Some(file), None) => file.to_string(),
        (None, _) => format!("{}+{:#x}", frame.module, frame.offset),
    }
}

/// A label and a stack under it.
pub fn stack(label: &str, trace: &Trace) -> String {
    let mut html = format!(
        "<p class=\"call\">{} <code>{}</code></p><ol class=\"stack\">",
        message(label),
        escape(&trace.function)
    );
    for frame in &trace.frames {
        html.push_str(&format!(
            "<li><code>{}</code> <span>{}</span></li>",
            escape(&shortened(&frame.name())),
            escape(&shortened(&place(frame)))
        ));
    }
    html.push_str("</ol>");
    html
}

/// Where a person would look first, in one line.
pub fn site(trace: &Trace) -> String {
    let site = trace.site();
    let file = site.file.as_deref().map(|file| {
        let name = file.rsplit('/').next().unwrap_or(file);
        match site.line {
            Some(line) => format!(" {name}:{line}"),
            None => format!(" {name}"),
        }
    });
    let function = site.function.or(site.module).unwrap_or_default();
    let function = function.rsplit('/').next().unwrap_or_default();
    format!(
        "<code>{}</code><small>{}</small>",
        escape(&shortened(function)),
        escape(&shortened(&file.unwrap_or_default()))
    )
}
