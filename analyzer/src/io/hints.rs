//! Values that completions offer for an argument that takes others, too.

use std::ffi::OsStr;
use std::fmt::Display;
use std::str::FromStr;

use clap::builder::{PossibleValue, TypedValueParser};

/// Parses a `T`, and offers `values`.
pub struct Hints<T> {
    values: fn() -> Vec<String>,
    parse: fn(&str) -> Result<T, String>,
}

impl<T> Clone for Hints<T> {
    fn clone(&self) -> Self {
        Self { ..*self }
    }
}

impl<T: FromStr<Err: Display>> Hints<T> {
    pub fn new(values: fn() -> Vec<String>) -> Self {
        let parse = |text: &str| T::from_str(text).map_err(|error| error.to_string());
        Self { values, parse }
    }
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for Hints<T> {
    type Value = T;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<T, clap::Error> {
        self.parse.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(
            (self.values)().into_iter().map(PossibleValue::new),
        ))
    }
}
