//! The language of reports: `--lang`, else the locale's.

use std::env;
use std::ffi::OsString;
use std::sync::OnceLock;

use aclsan_render::text::Locale;
use aclsan_render::text::chinese::{of_environment, translate};

/// Values of `--lang`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Language {
    /// 中文
    Zh,
    /// English
    En,
}

fn variable(name: &str) -> Option<String> {
    Some(env::var_os(name)?.to_string_lossy().into_owned())
}

/// The language, and whether `--lang` chose it.
static CHOSEN: OnceLock<(Locale, bool)> = OnceLock::new();

/// Sets the language, once.
pub fn init(chosen: Option<Language>) {
    let locale = match chosen {
        Some(Language::Zh) => Locale::Chinese,
        Some(Language::En) => Locale::English,
        None => of_environment(variable),
    };
    let _ = CHOSEN.set((locale, chosen.is_some()));
}

/// The language of a command line that is not parsed yet, or cannot be: for help and what is wrong with it.
pub fn of_arguments(arguments: &[OsString]) -> Locale {
    let own = arguments.iter().take_while(|word| *word != "--");
    let words: Vec<_> = own.map(|word| word.to_string_lossy()).collect();
    let next = |at: usize| words.get(at + 1).map(|word| word.to_string());
    let chosen =
        words
            .iter()
            .enumerate()
            .find_map(|(at, word)| match word.strip_prefix("--lang") {
                Some("") => next(at),
                Some(rest) => rest.strip_prefix('=').map(str::to_owned),
                None => None,
            });
    match chosen.as_deref() {
        Some("zh") => Locale::Chinese,
        Some("en") => Locale::English,
        _ => of_environment(variable),
    }
}

/// The language of reports.
pub fn locale() -> Locale {
    CHOSEN.get().map_or_else(Locale::default, |chosen| chosen.0)
}

/// The language that `--lang` chose, if any: the HTML page otherwise follows its browser.
pub fn explicit_locale() -> Option<Locale> {
    let chosen = CHOSEN.get().filter(|chosen| chosen.1);
    chosen.map(|chosen| chosen.0)
}

/// Translates a sentence, if a translation is known.
pub fn localized(sentence: &str) -> String {
    let reported = match locale() {
        Locale::English => None,
        Locale::Chinese => translate(sentence),
    };
    reported.unwrap_or_else(|| sentence.to_owned())
}
