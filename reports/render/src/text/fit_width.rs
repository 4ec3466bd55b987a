//! Fits tables to the terminal's width: lines break between words, never within a number or a name.

use comfy_table::{Cell, Column, ColumnConstraint, ContentArrangement, Row, Table, Width};

/// Minimum width of a word without an ASCII letter or digit: Chinese may break anywhere.
const MIN_WIDTH: usize = 4;

/// Makes `table` at most `width` wide; `false` if its words do not allow it: a number in two pieces would read as two numbers.
pub fn fit(table: &mut Table, width: u16) -> bool {
    let pads = table.column_iter().map(Column::padding_width);
    let least = longest_words(table).into_iter().zip(pads);
    let least: Vec<u16> = least.map(|(word, pad)| word.saturating_add(pad)).collect();
    let sum = least
        .iter()
        .fold(0, |sum: u16, one| sum.saturating_add(*one));
    if sum > width {
        return false;
    }
    table.set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(width);
    let bounds = least.into_iter().map(Width::Fixed);
    table.set_constraints(bounds.map(ColumnConstraint::LowerBoundary));
    true
}

/// Width of the longest word of each column in terminal columns. The library counts, since characters may be two wide, or none.
fn longest_words(table: &Table) -> Vec<u16> {
    let mut words = Table::new();
    for row in table.header().into_iter().chain(table.row_iter()) {
        words.add_row(Row::from(
            row.cell_iter().map(one_a_line).collect::<Vec<_>>(),
        ));
    }
    words.column_max_content_widths()
}

fn one_a_line(cell: &Cell) -> Cell {
    let text = cell.content();
    let words = text.split(' ').map(|word| match word.contains(is_ours) {
        true => word.to_owned(),
        false => word.chars().take(MIN_WIDTH / 2).collect(),
    });
    Cell::new(words.collect::<Vec<_>>().join("\n"))
}

/// Whether it belongs to a number, a unit or a name rather than to a Chinese word.
fn is_ours(c: char) -> bool {
    c.is_alphanumeric() && c < '\u{2e80}'
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::writer::{Style, TextWriter};
    use comfy_table::presets;

    fn lines(rows: &[&[&str]], width: u16) -> Vec<String> {
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        table.set_header(rows[0]);
        table.add_rows(rows[1..].iter().copied());
        let _ = fit(&mut table, width);
        let lines = table.lines().map(|line| line.trim_end().to_owned());
        lines.collect()
    }

    #[test]
    fn lines_break_between_words_only() {
        let rows: &[&[&str]] = &[&["process", "when"], &["29079", "peak, 250.2 ms"]];
        // 7 for `process`, 5 for `peak,` and `250.2`, a blank on each side of both.
        for width in 16..25 {
            let text = lines(rows, width).join("\n");
            for word in ["process", "29079", "peak,", "250.2", "ms"] {
                assert!(text.contains(word), "{width}: {text}");
            }
            let widest = text.lines().map(str::len).max();
            assert!(widest <= Some(width.into()), "{width}: {text}");
        }
    }

    #[test]
    fn a_page_uses_all_of_its_width() {
        let rows = || vec![vec!["29079".repeat(6), "250.2 ms".to_owned()]];
        let rendered = |width| {
            let mut text = Vec::new();
            let style = Style {
                width: Some(width),
                has_prefix: true,
                ..Style::default()
            };
            let mut writer = TextWriter::new(&mut text, style, 4711);
            writer.table(&["a", "b"], 1, rows()).expect("into memory");
            String::from_utf8(text).expect("UTF-8")
        };
        // `==4711==`, 3 blanks, the number of 30 digits, 2 blanks, and 8 for the time: 51.
        assert!(
            rendered(51).ends_with("29079  250.2 ms\n"),
            "{}",
            rendered(51)
        );
        let narrow = rendered(50);
        let last = format!("==4711=={}ms\n", " ".repeat(40));
        assert!(
            narrow.ends_with(&format!("29079    250.2\n{last}")),
            "{narrow}"
        );
    }

    #[test]
    fn what_cannot_fit_keeps_its_width() {
        let rows: &[&[&str]] = &[&["process", "when"], &["29079", "peak, 250.2 ms"]];
        let whole = [" process  when", " 29079    peak, 250.2 ms"];
        assert_eq!(lines(rows, 15), whole);
        assert_eq!(lines(rows, 200), whole);
    }

    #[test]
    fn a_number_in_chinese_stays_whole_and_the_words_need_not() {
        let rows: &[&[&str]] = &[&["各分配位置", "时刻"], &["12", "峰值，250.2 ms"]];
        // 4 for what breaks anywhere, 11 for the number with the word before it (6 + 5), 4 blanks.
        let rendered = lines(rows, 19).join("\n");
        assert!(rendered.contains("峰值，250.2\n"), "{rendered}");
        assert!(
            rendered.contains("各分\n") || rendered.contains("各分 "),
            "{rendered}"
        );
        assert!(lines(rows, 18)[1].contains("峰值，250.2 ms"));
    }
}
