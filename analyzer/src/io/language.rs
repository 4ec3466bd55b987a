//! The language of reports: `--lang`, else the locale's.

use std::env;
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

/// The language, and whether `--lang` chose it.
static CHOSEN: OnceLock<(Locale, bool)> = OnceLock::new();

/// Sets the language, once.
pub fn init(chosen: Option<Language>) {
    let locale = match chosen {
        Some(Language::Zh) => Locale::Chinese,
        Some(Language::En) => Locale::English,
        None => of_environment(|name| Some(env::var_os(name)?.to_string_lossy().into_owned())),
    };
    let _ = CHOSEN.set((locale, chosen.is_some()));
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
    let told = match locale() {
        Locale::English => None,
        Locale::Chinese => translate(sentence),
    };
    told.unwrap_or_else(|| sentence.to_owned())
}
