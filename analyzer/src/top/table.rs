//! The table of sites, or of what they are folded by.

use aclsan_render::units;
use ratatui::Frame;
use ratatui::layout::{Constraint, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Text};
use ratatui::widgets::{Cell, Row as TableRow, Table};

use super::look::Look;
use super::rows::{Row, Sort};
use super::short;
use super::view::View;
use crate::io::language::localized;
use crate::watch::state::State;

/// Columns of numbers: live, blocks, growth, rate, oldest, largest.
const WIDTHS: [u16; 6] = [7, 7, 8, 7, 7, 7];
/// Columns of names at least: a narrow screen leaves out numbers, rather than digits of them.
const LEAST_NAME: u16 = 10;

/// Draws the rows that the screen has room for.
pub fn table(frame: &mut Frame, area: Rect, view: &mut View, state: &State, look: Look) {
    view.height = usize::from(area.height).saturating_sub(1);
    let rows = view.rows(state);
    view.settle(&rows);
    let is_since = view.is_since && view.mark.is_some();
    let shown = rows.iter().enumerate().skip(view.first).take(view.height);
    let shown = shown.map(|(at, row)| {
        let style = match at == view.cursor {
            true => look.under_cursor(),
            false => Style::new(),
        };
        (cells(row, is_since), style)
    });
    let sort = [
        Sort::Live,
        Sort::Blocks,
        Sort::Growth,
        Sort::Rate,
        Sort::Oldest,
        Sort::Largest,
    ];
    let heading = |(name, of): (&str, Sort)| {
        let name = localized(name);
        let name = match (of == view.choice.sort, view.choice.is_reversed) {
            (false, _) => name,
            (true, false) => format!("{name}v"),
            (true, true) => format!("{name}^"),
        };
        Line::from(name).right_aligned()
    };
    let names = ["LIVE", "BLOCKS", "GROWTH", "ALLOC/S", "OLDEST", "LARGEST"];
    let mut headings: Vec<Line> = names.into_iter().zip(sort).map(heading).collect();
    let widths = WIDTHS.iter().zip(&headings);
    let widths = widths.map(|(&width, heading)| width.max(heading.width() as u16));
    let mut rest = area.width.saturating_sub(LEAST_NAME);
    let widths: Vec<u16> = widths
        .take_while(|width| {
            let is_room = rest > *width;
            rest = rest.saturating_sub(width + 1);
            is_room
        })
        .collect();
    let count = widths.len();
    headings.truncate(count);
    headings.push(Line::from(localized(view.choice.fold.heading())));
    let shown = shown.map(|(mut cells, style)| {
        cells.drain(count..WIDTHS.len());
        TableRow::new(cells).style(style)
    });
    let widths = widths.into_iter().map(Constraint::Length);
    let widths = widths.chain([Constraint::Min(LEAST_NAME)]);
    let table = Table::new(shown, widths)
        .header(TableRow::new(headings).style(look.title()))
        .column_spacing(1);
    frame.render_widget(table, area);
}

fn cells(row: &Row, is_since: bool) -> Vec<Cell<'static>> {
    let number = |text: String| Cell::from(Text::from(text).right_aligned());
    let (live, blocks) = match is_since {
        true => (short::change(row.live.0), format!("{:+}", row.live.1)),
        false => (
            short::bytes(row.live.0.max(0) as u64),
            row.live.1.to_string(),
        ),
    };
    let growth = row.growth.map_or_else(String::new, |(bytes, sure)| {
        let mark = match sure {
            "high" => "!",
            "medium" => "",
            _ => "?",
        };
        format!("{}/m{mark}", short::bytes(bytes))
    });
    let rate = row.rate.map_or_else(String::new, short::rate);
    let oldest = row.oldest_ns.map_or_else(String::new, short::duration);
    let largest = row.largest.map_or_else(String::new, short::bytes);
    let mut cells: Vec<_> = [live, blocks, growth, rate, oldest, largest]
        .map(number)
        .into();
    cells.push(Cell::from(units::printable(&row.name)));
    cells
}
