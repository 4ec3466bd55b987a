//! What a person has chosen to see, and what a key does.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::mark::{Mark, mark};
use super::rows::{self, Choice, Row};
use crate::watch::state::{Detail, SiteKey, State};

/// What the screen shows.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Page {
    /// The table.
    #[default]
    Table,
    /// One site.
    Site,
    /// All findings.
    Findings,
    /// What the keys do.
    Help,
}

/// What a key asks of the outside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action {
    /// Nothing.
    None,
    /// To leave.
    Leave,
    /// To export what is seen.
    Export(Format),
}

/// A format for what is seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Folded stacks.
    Folded,
    /// A profile for `pprof`.
    Pprof,
    /// The report's page.
    Html,
}

/// The state of the screen.
#[derive(Default)]
pub struct View {
    pub page: Page,
    pub choice: Choice,
    /// Whether a search is being typed.
    pub is_searching: bool,
    /// Whether the next key chooses a format.
    pub is_exporting: bool,
    /// The row under the cursor, and the first one on the screen.
    pub cursor: usize,
    pub first: usize,
    /// The row that is kept under the cursor when rows move.
    pub chosen: Option<(Option<SiteKey>, String)>,
    pub mark: Option<(Mark, u64)>,
    /// Whether the table shows what changed since the mark.
    pub is_since: bool,
    /// Lines scrolled on other pages.
    pub scroll: usize,
    /// The site that the page is about.
    pub site: Option<SiteKey>,
    pub detail: Option<Detail>,
    /// The last message.
    pub message: String,
    /// How many table rows the screen has.
    pub height: usize,
}

impl View {
    /// The rows of the table.
    pub fn rows(&self, state: &State) -> Vec<Row> {
        let mark = self.mark.as_ref().filter(|_| self.is_since);
        rows::rows(state, &self.choice, mark.map(|(mark, _)| mark))
    }

    /// Keeps the cursor on the row where it was, and that row on the screen.
    pub fn settle(&mut self, rows: &[Row]) {
        let is_chosen = |row: &Row| {
            self.chosen
                .as_ref()
                .is_some_and(|(key, name)| (row.key, &row.name) == (*key, name))
        };
        if let Some(at) = rows.iter().position(is_chosen) {
            self.cursor = at;
        }
        self.cursor = self.cursor.min(rows.len().saturating_sub(1));
        let last = self.first + self.height.max(1) - 1;
        if self.cursor < self.first {
            self.first = self.cursor;
        } else if self.cursor > last {
            self.first = self.cursor + 1 - self.height.max(1);
        }
    }

    fn go(&mut self, to: usize, rows: &[Row]) {
        self.cursor = to.min(rows.len().saturating_sub(1));
        self.chosen = rows.get(self.cursor).map(|row| (row.key, row.name.clone()));
        self.settle(rows);
    }

    /// Does what a key asks for.
    pub fn key(&mut self, key: KeyEvent, state: &State) -> Action {
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        if is_control && matches!(key.code, KeyCode::Char('c')) {
            return Action::Leave;
        }
        if self.is_searching {
            self.typed(key.code);
            return Action::None;
        }
        if self.is_exporting {
            self.is_exporting = false;
            self.message.clear();
            return match key.code {
                KeyCode::Char('f') => Action::Export(Format::Folded),
                KeyCode::Char('p') => Action::Export(Format::Pprof),
                KeyCode::Char('h') => Action::Export(Format::Html),
                _ => Action::None,
            };
        }
        match self.page {
            Page::Table => self.table_key(key.code, state),
            _ => self.page_key(key.code),
        }
    }

    fn typed(&mut self, code: KeyCode) {
        match code {
            KeyCode::Enter => self.is_searching = false,
            KeyCode::Esc => {
                self.is_searching = false;
                self.choice.search.clear();
            }
            KeyCode::Backspace => drop(self.choice.search.pop()),
            KeyCode::Char(letter) => self.choice.search.extend(letter.to_lowercase()),
            _ => {}
        }
    }

    fn table_key(&mut self, code: KeyCode, state: &State) -> Action {
        let rows = self.rows(state);
        self.settle(&rows);
        self.message.clear();
        let page = self.height.max(1);
        match code {
            KeyCode::Char('q') => return Action::Leave,
            KeyCode::Down | KeyCode::Char('j') => self.go(self.cursor + 1, &rows),
            KeyCode::Up | KeyCode::Char('k') => self.go(self.cursor.saturating_sub(1), &rows),
            KeyCode::PageDown => self.go(self.cursor + page, &rows),
            KeyCode::PageUp => self.go(self.cursor.saturating_sub(page), &rows),
            KeyCode::Home => self.go(0, &rows),
            KeyCode::End => self.go(usize::MAX, &rows),
            KeyCode::Char('s') => self.choice.sort = self.choice.sort.next(),
            KeyCode::Char('r') => self.choice.is_reversed = !self.choice.is_reversed,
            KeyCode::Char('f') => {
                self.choice.fold = self.choice.fold.next();
                (self.cursor, self.first, self.chosen) = (0, 0, None);
            }
            KeyCode::Char('/') => self.is_searching = true,
            KeyCode::Esc => self.choice.search.clear(),
            KeyCode::Char('m') => {
                let now = state.processes.iter().map(|process| process.duration_ns);
                self.mark = Some((mark(state), now.max().unwrap_or(0)));
                self.message = "marked; d shows what changed since".to_owned();
            }
            KeyCode::Char('d') if self.mark.is_none() => {
                self.message = "no moment is marked yet: m marks one".to_owned();
            }
            KeyCode::Char('d') => self.is_since = !self.is_since,
            KeyCode::Char('e') => {
                self.is_exporting = true;
                self.message = "export as: f folded stacks, p pprof, h page".to_owned();
            }
            KeyCode::Tab => (self.page, self.scroll) = (Page::Findings, 0),
            KeyCode::Char('h' | '?') => (self.page, self.scroll) = (Page::Help, 0),
            KeyCode::Enter => match rows.get(self.cursor).and_then(|row| row.key) {
                Some(site) => {
                    (self.site, self.detail) = (Some(site), None);
                    (self.page, self.scroll) = (Page::Site, 0);
                }
                None => self.message = "only a single site has a stack: f unfolds".to_owned(),
            },
            _ => {}
        }
        Action::None
    }

    fn page_key(&mut self, code: KeyCode) -> Action {
        match code {
            KeyCode::Char('q') | KeyCode::Esc | KeyCode::Enter | KeyCode::Tab => {
                (self.page, self.site, self.detail) = (Page::Table, None, None);
            }
            KeyCode::Down | KeyCode::Char('j') => self.scroll += 1,
            KeyCode::Up | KeyCode::Char('k') => self.scroll = self.scroll.saturating_sub(1),
            KeyCode::PageDown => self.scroll += 10,
            KeyCode::PageUp => self.scroll = self.scroll.saturating_sub(10),
            KeyCode::Home => self.scroll = 0,
            _ => {}
        }
        Action::None
    }
}
