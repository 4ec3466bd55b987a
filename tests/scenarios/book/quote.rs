//! Compares a quotation with what was printed, or collects what is to be written.

use std::path::Path;

use snapbox::assert::{Action, DEFAULT_ACTION_ENV};
use snapbox::report::Palette;
use snapbox::{Assert, IntoData};

use crate::blocks::Block;

/// New texts of a page's quotations.
#[derive(Default)]
pub struct Quotes(Vec<(std::ops::Range<usize>, String)>);

fn is_overwriting() -> bool {
    Action::with_env_var(DEFAULT_ACTION_ENV) == Some(Action::Overwrite)
}

impl Quotes {
    /// # Panics
    /// If the page quotes something else than was printed.
    pub fn check(&mut self, page: &str, block: &Block, printed: String) {
        if is_overwriting() {
            self.0.push((block.lines.clone(), printed));
            return;
        }
        let compared = Assert::new().palette(Palette::plain()).try_eq(
            None,
            printed.into_data().raw(),
            block.text.as_str().into_data().raw(),
        );
        compared.unwrap_or_else(|difference| {
            let how = "SNAPSHOTS=overwrite cargo test -p aclsan-tests --test book";
            panic!(
                "{page} quotes something else than is printed; `{how}` updates it:\n{difference}"
            )
        });
    }

    /// Writes the page again, if anything was collected.
    pub fn write(self, path: &Path, page: &str) {
        if self.0.is_empty() {
            return;
        }
        let mut lines: Vec<String> = page.lines().map(str::to_owned).collect();
        for (range, text) in self.0.into_iter().rev() {
            lines.splice(range, text.lines().map(str::to_owned));
        }
        std::fs::write(path, lines.join("\n") + "\n").expect("the page can be written");
    }
}
