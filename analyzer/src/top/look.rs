//! Colors and characters of a terminal. Without colors, nothing is lost but them.

use ratatui::style::{Color, Modifier, Style};

/// How a terminal shows things.
#[derive(Clone, Copy)]
pub struct Look {
    pub has_colors: bool,
    pub has_unicode: bool,
}

impl Look {
    /// For titles.
    pub fn title(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// For the row under the cursor.
    pub fn under_cursor(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    /// For findings.
    pub fn of_severity(self, severity: &str) -> Style {
        match (self.has_colors, severity) {
            (true, "error") => Style::new().fg(Color::Red),
            (true, "warning") => Style::new().fg(Color::Yellow),
            _ => Style::new(),
        }
    }
}
