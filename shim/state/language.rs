//! The language of what is printed on stderr.

use aclsan_chinese::{Locale, Table, of_environment};
use aclsan_options::{Lang, Options};
use aclsan_os::racy_once::RacyOnce;
use aclsan_os::stderr;

/// Translates what is printed from now on, if the options or the environment ask for it.
pub(super) fn init(options: &Options) {
    let locale = match options.lang {
        Lang::Zh => Locale::Chinese,
        Lang::En => Locale::English,
        Lang::Auto => of_environment(|name| {
            let value = std::env::var_os(name)?;
            Some(value.to_string_lossy().into_owned())
        }),
    };
    if locale == Locale::Chinese {
        stderr::set_translation(line);
    }
}

/// A line in Chinese, if the table has it. The table is built by the first line, not in every process that loads the shim.
fn line(text: &str) -> Option<String> {
    static TABLE: RacyOnce<Table> = RacyOnce::new();
    // Frames are most lines, and hold no sentences.
    if text.trim_start().starts_with('#') {
        return None;
    }
    TABLE.get_or_init(Table::default).translate_line(text)
}
