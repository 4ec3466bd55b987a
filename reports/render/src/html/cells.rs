//! Building blocks of tables: sizes, names, stacks, and small tables as a whole.

use aclsan_frames::source::excerpt;
use maud::{Markup, PreEscaped, html};

use super::escape::{Name, Text};
use super::messages::{message, sentence};
use crate::model::{Frame, SourceLines, Trace};
use crate::units::bytes;

/// Maximum rows of a small table.
const MAX_ROWS: usize = 100;
/// Maximum size of its rows, in bytes.
const MAX_BYTES: usize = 16 << 10;
/// Rows up to which a table is shown as a whole, and those shown of a longer one: the rest is folded.
const MAX_UNFOLDED: usize = 12;
const SHOWN: usize = 10;
/// Minimum rows shown of a longer table by process.
const MIN_PROCESSES: usize = 3;
/// Ends a row, to keep the page's source readable.
pub const NEWLINE: PreEscaped<&str> = PreEscaped("\n");

/// The cells of a row, from anything that can be rendered. Texts from logs must be wrapped in [`Text`].
macro_rules! row {
    ($($cell:expr),* $(,)?) => { vec![$(maud::Render::render(&$cell)),*] };
}
pub(super) use row;

/// A section with a table; empty without rows.
pub fn table(title: &str, head: &[&str], rows: Vec<Vec<Markup>>) -> Markup {
    folded(title, head, rows, SHOWN)
}

/// As [`table`], with rows by process: the first `outliers` rows are shown, and the rest is folded.
pub fn table_by_process(
    title: &str,
    head: &[&str],
    rows: Vec<Vec<Markup>>,
    outliers: usize,
) -> Markup {
    folded(title, head, rows, outliers.max(MIN_PROCESSES))
}

fn folded(title: &str, head: &[&str], rows: Vec<Vec<Markup>>, shown: usize) -> Markup {
    if rows.is_empty() {
        return html! {};
    }
    let head = html! { thead { tr { @for key in head { th scope="col" { (message(key)) } } } } };
    let all = rows.len();
    let mut room = MAX_BYTES.saturating_sub(head.0.len());
    let rows = rows.into_iter().take(MAX_ROWS).map(|cells| {
        html! { tr { @for cell in cells { td { (cell) } } } (NEWLINE) }
    });
    let rows = rows.map_while(|row| {
        room = room.checked_sub(row.0.len())?;
        Some(row)
    });
    let rows: Vec<Markup> = rows.collect();
    let shown = match rows.len() {
        ..=MAX_UNFOLDED => rows.len(),
        all => shown.min(all),
    };
    let (first, rest) = rows.split_at(shown);
    html! {
        section {
            h3 { (message(title)) }
            table { (head) tbody { @for row in first { (row) } } }
            @if !rest.is_empty() {
                details {
                    summary { (rest.len()) " " (message("folded-rows")) }
                    table { (head) tbody { @for row in rest { (row) } } }
                }
            }
            @if all > rows.len() { p { (all - rows.len()) " " (message("more-rows")) } }
        }
        (NEWLINE)
    }
}

/// A size in both languages.
pub fn size(count: u64) -> Markup {
    sentence(&bytes(count))
}

/// The reachability class of leaked blocks.
pub fn class(name: &str) -> Markup {
    match name {
        "lost" => message("class-lost"),
        "still reachable" => message("class-reachable"),
        "kept for the process" => message("class-cache"),
        _ => message("class-unknown"),
    }
}

/// A process by name; `pid` is for one that is not in the report.
pub fn named(names: &[String], process: usize, pid: u32) -> Markup {
    match names.get(process) {
        Some(name) => html! { (Text(name)) },
        None => html! { (pid) },
    }
}

/// Location of a frame: source line, else module and offset.
pub fn place(frame: &Frame) -> String {
    match (&frame.file, frame.line) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        (Some(file), None) => file.to_string(),
        (None, _) => format!("{}+{:#x}", frame.module, frame.offset),
    }
}

/// A label with a stack below it, and the source lines of one of its frames, if they are known.
pub fn stack(label: &str, trace: &Trace) -> Markup {
    let source = |at| trace.source.as_ref().filter(|source| source.frame == at);
    html! {
        p.call { (message(label)) " " code { (Name(&trace.function)) } }
        ol.stack {
            @for (at, frame) in trace.frames.iter().enumerate() {
                li {
                    code { (Name(frame.name())) } " " span { (Name(place(frame))) }
                    @if let Some(source) = source(at) { (source_lines(source)) }
                }
            }
        }
    }
}

fn source_lines(source: &SourceLines) -> Markup {
    let lines = excerpt(&source.lines, source.first, source.line, source.column);
    html! { pre.source { @for line in lines { (Text(line)) "\n" } } }
}

/// The source location to look at first, on one line.
pub fn site(trace: &Trace) -> Markup {
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
    html! { code { (Name(function)) } small { (Name(file.unwrap_or_default())) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn source_lines_are_below_their_frame() {
        let frame = |line| Frame {
            file: Some("a.c".into()),
            line: Some(line),
            ..Frame::default()
        };
        let source = SourceLines {
            frame: 1,
            line: 2,
            first: 1,
            column: Some(5),
            lines: vec!["int f() {".to_owned(), "    a < b;".to_owned()],
            ..SourceLines::default()
        };
        let trace = Trace {
            frames: vec![frame(9), frame(2)].into(),
            source: Some(Box::new(source)),
            ..Trace::default()
        };
        let page = stack("found", &trace).into_string();
        let (_, second) = page.split_once("a.c:2").unwrap();
        assert_eq!(page.matches("<pre").count(), 1);
        assert_eq!(
            second,
            "</span><pre class=\"source\">  1 | int f() {\n&gt; 2 |     a &lt; b;\n    |     ^\n</pre></li></ol>"
        );
    }
}
