//! Texts of the program, recorded once and then referred to by id.

use crate::state::limits::Limit;
use aclsan_log::Definition;
use aclsan_os::lock::{Mutex, rank};
use std::collections::HashMap;

/// Maximum length of a text in bytes.
pub const MAX_BYTES: usize = 1000;
/// Maximum number of texts: a program may name each of its steps, and there may be a million steps.
const MAX_STRINGS: usize = 1 << 16;

/// The texts of the process.
#[derive(Default)]
pub struct StringTable(Mutex<rank::Strings, HashMap<Box<str>, u32>>);

impl StringTable {
    /// The id of `text`, which `write` records when it is new; 0 once the table is full.
    pub fn intern(&self, text: &str, write: impl FnOnce(&Definition)) -> u32 {
        let mut known = self.0.lock();
        if let Some(&id) = known.get(text) {
            return id;
        }
        if known.len() >= MAX_STRINGS {
            Limit::Names.leave_out(1);
            return 0;
        }
        let id = known.len() as u32 + 1;
        let text = text.to_owned();
        write(&Definition::Text {
            id,
            text: text.clone(),
        });
        known.insert(text.into_boxed_str(), id);
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_written_once_and_too_many_have_no_number() {
        let (texts, mut written) = (StringTable::default(), 0);
        let mut number = |text: &str| texts.intern(text, |_| written += 1);
        assert_eq!((number("a"), number("b"), number("a")), (1, 2, 1));
        for text in 0..MAX_STRINGS {
            number(&text.to_string());
        }
        assert_eq!((number("one more"), number("b")), (0, 2));
        assert_eq!(written, MAX_STRINGS);
    }
}
