//! The language of a process by its environment.

use super::Locale;

/// The language that the environment asks for, in the order of POSIX: the first variable that is set and not empty counts.
pub fn of_environment(variable: impl Fn(&str) -> Option<String>) -> Locale {
    let mut values = ["LC_ALL", "LC_MESSAGES", "LANG"]
        .into_iter()
        .filter_map(variable);
    let value = values.find(|value| !value.is_empty());
    value.map_or(Locale::English, |value| of_locale(&value))
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

    #[test]
    fn the_first_variable_that_says_something_counts() {
        let of = |all: Option<&str>| {
            of_environment(|name| match name {
                "LC_ALL" => all.map(str::to_owned),
                "LANG" => Some("zh_CN.UTF-8".to_owned()),
                _ => None,
            })
        };
        assert_eq!(of(Some("")), Locale::Chinese);
        assert_eq!(of(Some("C")), Locale::English);
        assert_eq!(of(None), Locale::Chinese);
    }
}
