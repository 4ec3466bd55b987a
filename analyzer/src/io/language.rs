//! The language of reports: `--lang`, else the locale's.

use std::env;
use std::sync::OnceLock;

use aclsan_render::text::Locale;
use aclsan_render::text::chinese::translate;

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
        // POSIX order: the first variable that is set and not empty counts.
        None => ["LC_ALL", "LC_MESSAGES", "LANG"]
            .into_iter()
            .filter_map(env::var_os)
            .find(|value| !value.is_empty())
            .map_or(Locale::English, |value| of_locale(&value.to_string_lossy())),
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
    let reported = match locale() {
        Locale::English => None,
        Locale::Chinese => translate(sentence),
    };
    reported.unwrap_or_else(|| sentence.to_owned())
}

/// `zh_CN.UTF-8` is Chinese. Another character set could not be displayed.
fn of_locale(locale: &str) -> Locale {
    let locale = locale.to_ascii_lowercase();
    let is_readable = locale.contains("utf-8") || locale.contains("utf8");
    match locale.starts_with("zh") && is_readable {
        true => Locale::Chinese,
        false => Locale::English,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chinese_locale_in_utf_8_is_chinese() {
        for (locale, tongue) in [
            ("zh_CN.UTF-8", Locale::Chinese),
            ("zh_TW.utf8", Locale::Chinese),
            ("zh_CN.GBK", Locale::English),
            ("zh_CN", Locale::English),
            ("en_GB.UTF-8", Locale::English),
            ("C", Locale::English),
        ] {
            assert_eq!(of_locale(locale), tongue, "{locale}");
        }
    }
}
