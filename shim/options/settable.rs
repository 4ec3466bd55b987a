//! Options that `aclsan ctl` may set in a running program: they decide what is printed, and when an error ends the program. What
//! decides how blocks are guarded or recorded stays as it was when the first of them was allocated.

use crate::{KEYS, Options};

/// Their keys.
pub const SETTABLE: &[&str] = &[
    "halt_on_error",
    "exitcode",
    "symbols",
    "stack_trim",
    "source_lines",
    "verbose",
    "summary",
    "quiet",
];

/// `options` with `KEY=VALUE`.
///
/// # Errors
/// If it has no such form, the key is unknown or fixed, or the value is none of its values.
pub fn with(options: &Options, pair: &str) -> Result<Options, String> {
    let Some((key, value)) = pair.split_once('=') else {
        return Err(format!("`{pair}` is no setting: write KEY=VALUE"));
    };
    let Some(known) = KEYS.iter().find(|known| known.name == key) else {
        return Err(format!(
            "unknown option `{key}`: `aclsan ctl` sets {}",
            SETTABLE.join(", ")
        ));
    };
    if !SETTABLE.contains(&key) {
        return Err(format!(
            "option `{key}` cannot change while the program runs: start it with `--set {pair}`"
        ));
    }
    let mut changed = options.clone();
    match changed.set(key, value) {
        Ok(()) => Ok(changed),
        Err(_) => Err(format!(
            "option `{key}` takes {}, not `{value}`",
            known.values
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_can_be_set_and_what_is_recorded_cannot() {
        let options = Options::default();
        assert!(with(&options, "quiet=1").expect("it is settable").quiet);
        for (pair, why) in [
            ("guard=off", "start it with `--set guard=off`"),
            ("quite=1", "unknown option `quite`"),
            ("quiet=maybe", "takes 0 or 1, not `maybe`"),
            ("quiet", "write KEY=VALUE"),
        ] {
            let refusal = with(&options, pair).expect_err(pair);
            assert!(refusal.contains(why), "{refusal}");
        }
    }

    #[test]
    fn every_settable_key_is_an_option() {
        for key in SETTABLE {
            assert!(KEYS.iter().any(|known| known.name == *key), "{key}");
        }
    }
}
