//! The shim's options: their sources, and the string that passes them to the program.
//!
//! `ACLSAN_OPTIONS` is `key=value:key=value`; a value with a colon, a blank or a quote is quoted, as in the sanitizers' own variables.
//! Flags override the environment, which overrides `./aclsan.toml`; what nobody sets is left to the shim. Keys and values of flags and of
//! the file are checked; those of the environment are passed on as they are, and the shim warns about the ones it does not know.

mod file;
mod flags;
mod offered;

use std::fmt;

use aclsan_options::{Invalid, KEYS};
use anyhow::anyhow;

use crate::io::suggest::nearest;

pub use flags::Flags;
pub use offered::{pairs, values};

/// The variable that the shim reads.
pub const VARIABLE: &str = "ACLSAN_OPTIONS";

/// Options by key, in the order in which they were set.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Settings {
    values: Vec<(String, String)>,
}

/// A value that cannot be quoted: it contains both kinds of quotes.
#[derive(PartialEq, Eq, Debug)]
pub struct Unquotable {
    key: String,
    value: String,
}

impl fmt::Display for Unquotable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` cannot be passed on in {VARIABLE}: `{}` has both kinds of quotes; take a value without one of them",
            self.key, self.value
        )
    }
}

impl std::error::Error for Unquotable {}

impl Settings {
    /// Sets `key`, replacing its value.
    pub fn set(&mut self, key: &str, value: impl Into<String>) {
        let value = value.into();
        match self.values.iter_mut().find(|(known, _)| known == key) {
            Some(entry) => entry.1 = value,
            None => self.values.push((key.to_owned(), value)),
        }
    }

    /// The value of `key`.
    pub fn get(&self, key: &str) -> Option<&str> {
        let found = self.values.iter().find(|(known, _)| known == key)?;
        Some(&found.1)
    }

    /// Adds the options of `lower` for keys that these lack.
    pub fn over(mut self, lower: Self) -> Self {
        for (key, value) in lower.values {
            if self.get(&key).is_none() {
                self.values.push((key, value));
            }
        }
        self
    }

    /// Whether an option is set to a value that the shim reads as yes.
    pub fn is_on(&self, key: &str) -> bool {
        matches!(self.get(key), Some("1" | "on" | "yes" | "true"))
    }

    /// Parses `ACLSAN_OPTIONS`, by the shim's own grammar. Keys and values are passed on as they are: the shim warns about those it does
    /// not know. Also returns the items that are no options; they are left out.
    pub fn parse(text: &str) -> (Self, Vec<String>) {
        let mut settings = Self::default();
        let mut strays = Vec::new();
        for item in aclsan_options::pairs(text) {
            match item {
                Ok((key, value)) if !key.contains(['\'', '"']) => settings.set(key, value),
                // A quote in a key would change how the rest is split when it is passed on.
                Ok((key, _)) => strays.push(key.to_owned()),
                Err("") => {}
                Err(item) => strays.push(item.to_owned()),
            }
        }
        (settings, strays)
    }

    /// Sets an option from a flag or a file, if the shim has it and takes the value.
    ///
    /// # Errors
    /// Otherwise; the message names the nearest key or value.
    pub fn set_checked(&mut self, key: &str, value: impl Into<String>) -> anyhow::Result<()> {
        let value = value.into();
        aclsan_options::check(key, &value).map_err(|invalid| explained(&invalid))?;
        self.set(key, value);
        Ok(())
    }

    /// The string that [`Settings::parse`] reads back.
    ///
    /// # Errors
    /// [`Unquotable`] if a value contains both kinds of quotes.
    pub fn to_variable(&self) -> Result<String, Unquotable> {
        let quoted = self.values.iter().map(|(key, value)| {
            let needs_no_quotes =
                !value.contains([':', '\'', '"', ',']) && !value.contains(char::is_whitespace);
            match () {
                () if needs_no_quotes => Ok(format!("{key}={value}")),
                () if !value.contains('\'') => Ok(format!("{key}='{value}'")),
                () if !value.contains('"') => Ok(format!("{key}=\"{value}\"")),
                () => Err(Unquotable {
                    key: key.clone(),
                    value: value.clone(),
                }),
            }
        });
        Ok(quoted.collect::<Result<Vec<_>, _>>()?.join(":"))
    }
}

/// The message for an option that cannot be set, with what may have been meant.
fn explained(invalid: &Invalid) -> anyhow::Error {
    let near = match invalid {
        Invalid::Key(key) => nearest(key, KEYS.iter().map(|key| key.name)),
        Invalid::Value { value, takes, .. } => {
            let words = takes.split([' ', ',']).filter(|word| !word.is_empty());
            nearest(value, words.filter(|word| *word != "or"))
        }
    };
    let list = "`ACLSAN_OPTIONS=help=1` lists all options";
    match near.as_slice() {
        [] => anyhow!("{invalid}; {list}"),
        near => anyhow!("{invalid}: did you mean `{}`? {list}", near.join("` or `")),
    }
}

#[cfg(test)]
mod tests {
    use aclsan_options::Options;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn options_survive_the_variable() {
        let mut settings = Settings::default();
        settings.set("log_path", "/data/my logs/12:30/%h-%p.aclsan");
        settings.set("title", "it's");
        settings.set("guard", "rear");
        let text = settings.to_variable().unwrap();
        assert_eq!(
            text,
            "log_path='/data/my logs/12:30/%h-%p.aclsan':title=\"it's\":guard=rear"
        );
        assert_eq!(Settings::parse(&text), (settings, vec![]));
    }

    #[test]
    fn a_value_with_both_quotes_is_refused_by_name() {
        let mut settings = Settings::default();
        settings.set("log_path", "a'b\"c");
        assert!(
            settings
                .to_variable()
                .unwrap_err()
                .to_string()
                .contains("log_path")
        );
    }

    #[test]
    fn pieces_without_a_value_are_named_and_do_not_hide_the_next_one() {
        let (settings, strays) = Settings::parse(":verbose:guard=rear::soc=");
        assert_eq!(strays, ["verbose"]);
        assert_eq!(settings.get("guard"), Some("rear"));
        assert_eq!(settings.get("soc"), Some(""));
    }

    proptest! {
        #[test]
        fn what_is_passed_on_is_read_back(text in "[a-c=:'\" ,\\t\r]{0,24}") {
            let (settings, _) = Settings::parse(&text);
            if let Ok(variable) = settings.to_variable() {
                prop_assert_eq!(&Settings::parse(&variable).0, &settings, "{}", variable);
            }
        }

        #[test]
        fn options_mean_to_the_shim_what_they_meant_before(
            guard in "(rear|both|off|x)", depth in 0_u32..300, path in "[a-z:%' ]{0,9}", order in any::<bool>(),
        ) {
            let mut settings = Settings::default();
            let mut pairs = vec![("guard", guard), ("stack_depth", depth.to_string()), ("log_path", path)];
            if order {
                pairs.reverse();
            }
            let mut expected = Options::default();
            for (key, value) in pairs {
                if aclsan_options::check(key, &value).is_ok() {
                    let quote = if value.contains('\'') { '"' } else { '\'' };
                    let alone = Options::parse(&format!("{key}={quote}{value}{quote}")).0;
                    match key {
                        "guard" => expected.guard = alone.guard,
                        "stack_depth" => expected.stack_depth = alone.stack_depth,
                        _ => expected.log_path = alone.log_path,
                    }
                    settings.set_checked(key, value).unwrap();
                }
            }
            prop_assert_eq!(Options::parse(&settings.to_variable().unwrap()).0, expected);
        }
    }

    #[test]
    fn what_is_mistyped_is_named_with_the_nearest_right_one() {
        for (key, value, sentence) in [
            (
                "stak_depth",
                "3",
                "unknown option `stak_depth`: did you mean `stack_depth`? `ACLSAN_OPTIONS=help=1` lists all options",
            ),
            (
                "colour",
                "never",
                "unknown option `colour`: did you mean `color`? `ACLSAN_OPTIONS=help=1` lists all options",
            ),
            (
                "zebra",
                "1",
                "unknown option `zebra`; `ACLSAN_OPTIONS=help=1` lists all options",
            ),
            (
                "mode",
                "chekc",
                "option `mode` takes record or check, not `chekc`: did you mean `check`? `ACLSAN_OPTIONS=help=1` lists all options",
            ),
        ] {
            let error = Settings::default().set_checked(key, value).unwrap_err();
            assert_eq!(error.to_string(), sentence);
        }
    }

    #[test]
    fn the_last_one_of_a_repeated_key_counts() {
        assert_eq!(
            Settings::parse("guard=off:guard=rear").0.get("guard"),
            Some("rear")
        );
    }

    #[test]
    fn the_upper_layer_wins_and_the_lower_one_fills_in() {
        let (upper, _) = Settings::parse("mode=record");
        let (lower, _) = Settings::parse("mode=check:soc=Ascend910B");
        assert_eq!(
            upper.over(lower).to_variable().unwrap(),
            "mode=record:soc=Ascend910B"
        );
    }
}
