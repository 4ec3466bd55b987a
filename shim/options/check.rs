//! Checks one key and its value, for `--set` of the `aclsan` command.

use crate::KEYS;
use std::fmt;

/// An option.
pub struct Key {
    /// Its name, as written before the `=`.
    pub name: &'static str,
    /// Its default value, as written.
    pub default: &'static str,
    /// The values that it takes, in words that fit after "takes": `record or check`, `a number from 0 to 256`.
    pub values: &'static str,
    /// What it does.
    pub meaning: &'static str,
    pub(crate) is_valid: fn(&str) -> bool,
}

impl Key {
    /// Whether the option takes `value`.
    pub fn takes(&self, value: &str) -> bool {
        (self.is_valid)(value)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({}={})", self.name, self.default)
    }
}

/// Why an option cannot be set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Invalid {
    /// There is no such option.
    Key(String),
    /// The option does not take this value.
    Value {
        /// The option.
        key: &'static str,
        /// The value that was given.
        value: String,
        /// What it takes; see [`Key::values`].
        takes: &'static str,
    },
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(key) => write!(f, "unknown option `{key}`"),
            Self::Value { key, value, takes } => {
                write!(f, "option `{key}` takes {takes}, not `{value}`")
            }
        }
    }
}

impl std::error::Error for Invalid {}

/// Looks up an option and checks whether it takes `value`, given without quotes.
///
/// # Errors
/// [`Invalid`], a sentence for the user.
pub fn check(key: &str, value: &str) -> Result<&'static Key, Invalid> {
    let known = KEYS.iter().find(|known| known.name == key);
    let known = known.ok_or_else(|| Invalid::Key(key.to_owned()))?;
    match known.takes(value) {
        true => Ok(known),
        false => Err(Invalid::Value {
            key: known.name,
            value: value.to_owned(),
            takes: known.values,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;

    #[test]
    fn a_key_and_its_value_are_looked_at_as_the_shim_does() {
        for (key, value) in [
            ("mode", "record"),
            ("guard", "page"),
            ("stack_sample", "1/64"),
            ("log_path", "a:b"),
            ("snapshot_signal", "USR1"),
        ] {
            assert_eq!(check(key, value).map(|key| key.name), Ok(key));
            assert_eq!(Options::parse(&format!("{key}='{value}'")).1, [""; 0]);
        }
        let wrong = |key, value| check(key, value).unwrap_err().to_string();
        assert_eq!(
            wrong("mode", "fast"),
            "option `mode` takes record or check, not `fast`"
        );
        assert_eq!(
            wrong("stack_depth", "257"),
            "option `stack_depth` takes a number from 0 to 256, not `257`"
        );
        assert_eq!(wrong("colour", "red"), "unknown option `colour`");
    }

    #[test]
    fn every_key_is_listed_once_with_a_default_that_it_takes() {
        let text = Options::help();
        for key in KEYS {
            let alike = KEYS.iter().filter(|other| other.name == key.name);
            assert_eq!(alike.count(), 1, "{key:?}");
            assert!(key.takes(key.default), "{key:?}");
            let set = format!("{}={}", key.name, key.default);
            assert!(text.contains(&format!("  {set}\n      {}\n", key.meaning)));
            assert_eq!(Options::parse(&set).1, [""; 0]);
        }
        assert!(KEYS.len() > 25);
    }
}
