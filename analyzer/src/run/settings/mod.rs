//! The shim's options: where each comes from, and the one string that carries them into the program.
//!
//! `ACLSAN_OPTIONS` is `key=value:key=value`. A value with a colon, a blank or a quote stands in quotes, `'…'` or `"…"`, as in the
//! sanitizers' own variables. A flag of the command line beats the environment, that beats `./aclsan.toml`, and what nobody sets is
//! left to the shim. Keys are passed on as they are: the shim knows its own, and warns about the rest.

mod file;
mod flags;

use std::fmt;

pub use flags::Flags;

/// The variable that the shim reads.
pub const VARIABLE: &str = "ACLSAN_OPTIONS";

/// Options by key, in the order in which they were set.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Settings {
    values: Vec<(String, String)>,
}

/// A value that no quoting can carry: it has both quotes, and something that needs one.
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
    /// Sets `key`, replacing what it was.
    pub fn set(&mut self, key: &str, value: impl Into<String>) {
        let value = value.into();
        match self.values.iter_mut().find(|(known, _)| known == key) {
            Some(entry) => entry.1 = value,
            None => self.values.push((key.to_owned(), value)),
        }
    }

    /// What `key` is set to.
    pub fn get(&self, key: &str) -> Option<&str> {
        let found = self.values.iter().find(|(known, _)| known == key)?;
        Some(&found.1)
    }

    /// These options, and for keys that they leave out those of `lower`.
    pub fn over(mut self, lower: Self) -> Self {
        for (key, value) in lower.values {
            if self.get(&key).is_none() {
                self.values.push((key, value));
            }
        }
        self
    }

    /// Whether an option is set to what the shim takes for yes.
    pub fn is_on(&self, key: &str) -> bool {
        matches!(self.get(key), Some("1" | "on" | "yes" | "true"))
    }

    /// Reads a string of options. The second part of the answer names the pieces that are no options; they are left out.
    pub fn parse(text: &str) -> (Self, Vec<String>) {
        let mut settings = Self::default();
        let mut strays = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let end = rest.find(['=', ':']).unwrap_or(rest.len());
            let key = rest[..end].trim();
            if rest[end..].starts_with('=') {
                let (value, after) = value(&rest[end + 1..]);
                settings.set(key, value);
                rest = after;
            } else {
                if !key.is_empty() {
                    strays.push(key.to_owned());
                }
                rest = rest.get(end + 1..).unwrap_or_default();
            }
        }
        (settings, strays)
    }

    /// The string that [`Settings::parse`] reads back.
    ///
    /// # Errors
    /// [`Unquotable`] when a value needs quotes and holds both kinds.
    pub fn to_variable(&self) -> Result<String, Unquotable> {
        let quoted = self.values.iter().map(|(key, value)| {
            let is_loader_safe = !value.contains([':', '\'', '"', ' ', '\t', '\n', ',']);
            match () {
                () if is_loader_safe => Ok(format!("{key}={value}")),
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

/// The value that `text` begins with, and what follows its separator. A quote that is never closed reaches to the end.
fn value(text: &str) -> (&str, &str) {
    let quote = text
        .chars()
        .next()
        .filter(|first| matches!(first, '\'' | '"'));
    let (value, rest) = match quote {
        Some(quote) => text[1..].split_once(quote).unwrap_or((&text[1..], "")),
        None => text.split_at(text.find(':').unwrap_or(text.len())),
    };
    (value, rest.strip_prefix(':').unwrap_or(rest))
}

#[cfg(test)]
mod tests {
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
