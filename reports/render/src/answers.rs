//! Answers of an engine: a table as text, JSON or a page.

use comfy_table::{Cell, CellAlignment, Table, presets};
use maud::{DOCTYPE, html};
use serde_json::{Map, Value, json};

use crate::units::{bytes, duration, printable};

/// The rows that answer a question.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// The question's name.
    pub question: String,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// A value for each column.
    pub rows: Vec<Vec<Value>>,
}

/// A value for a person: sizes and durations with their units.
fn shown(column: &str, value: &Value) -> String {
    let is = |end: &str| column == end || column.ends_with(&format!("_{end}"));
    match (value, value.as_u64()) {
        (Value::Null, _) => String::new(),
        (Value::String(text), _) => printable(text).to_string(),
        (_, Some(number)) if is("bytes") => bytes(number),
        (_, Some(number)) if column == "duration_ns" => duration(number),
        (other, _) => other.to_string(),
    }
}

impl Answer {
    /// As a table.
    pub fn text(&self) -> String {
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        table.set_header(&self.columns);
        for row in &self.rows {
            table.add_row(self.columns.iter().zip(row).map(|(column, value)| {
                let cell = Cell::new(shown(column, value));
                match value.is_number() {
                    true => cell.set_alignment(CellAlignment::Right),
                    false => cell,
                }
            }));
        }
        let lines = table.to_string();
        let lines = lines.lines().map(|line| format!("{}\n", line.trim_end()));
        lines.collect()
    }

    /// As JSON: plain numbers, one object a row.
    pub fn json(&self) -> Value {
        let rows = self.rows.iter().map(|row| {
            let pairs = self.columns.iter().cloned().zip(row.iter().cloned());
            pairs.collect::<Map<String, Value>>()
        });
        json!({
            "question": self.question,
            "columns": self.columns,
            "rows": rows.collect::<Vec<_>>(),
        })
    }

    /// As a page that needs nothing else; `about` is the question's page.
    pub fn html(&self, about: &str) -> String {
        let page = html! {
            (DOCTYPE)
            html {
                head {
                    meta charset="utf-8";
                    meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'";
                    title { "aclsan fleet " (self.question) }
                    style { "body{font:14px sans-serif;margin:2em}p{white-space:pre-line;max-width:60em}table{border-collapse:collapse}th,td{padding:.2em .8em;border-bottom:1px solid #ccc;text-align:left}td.n{text-align:right}" }
                }
                body {
                    h1 { (self.question) }
                    p { (about) }
                    table {
                        thead { tr { @for column in &self.columns { th { (column) } } } }
                        tbody {
                            @for row in &self.rows {
                                tr {
                                    @for (column, value) in self.columns.iter().zip(row) {
                                        td class=[value.is_number().then_some("n")] { (shown(column, value)) }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        };
        page.into_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer() -> Answer {
        Answer {
            question: "q".to_owned(),
            columns: ["host", "peak_bytes"].map(str::to_owned).to_vec(),
            rows: vec![
                vec![json!("<b>\u{1b}[31m"), json!(1 << 20)],
                vec![Value::Null, json!(0)],
            ],
        }
    }

    #[test]
    fn names_steer_neither_terminal_nor_page() {
        let (text, page) = (answer().text(), answer().html("about"));
        assert!(
            !text.contains('\u{1b}') && text.contains("1.0 MiB"),
            "{text}"
        );
        assert!(
            !page.contains("<b>") && page.contains("&lt;b&gt;"),
            "{page}"
        );
    }

    #[test]
    fn json_has_plain_numbers_in_the_order_of_columns() {
        let json = answer().json();
        assert_eq!(json["rows"][0]["peak_bytes"], 1 << 20);
        assert_eq!(json["columns"], json!(["host", "peak_bytes"]));
    }
}
